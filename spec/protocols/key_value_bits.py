"""Key-value pairs over optimized unary encoding: how many users have a key, and its mean.

    User     rounds, cuts, pads and samples as in `key_value_response`.
             Sends OUE on the signed key or dummy, with 2 k + l values and eps itself.
    Server   (key, +) and (key, -) together count the key; + less - adds up its numbers.

The reports of PCKV-UE have one of three symbols for each key; here each key has two bits, drawn
independently. A report may be 1 at all keys of a set: sampling gains nothing where a user may have
as many pairs as there are places.

Xiaolan Gu, Ming Li, Yueqiang Cheng, Li Xiong, Yang Cao (2020), PCKV: Locally Differentially Private
Correlated Key-Value Data Collection with Optimized Utility.
"""

from sympy import Mod, floor

from ldp_verified.language import integer, load, real
from ldp_verified.language.itemsets import choices, padded_item, signed_items
from ldp_verified.language.protocol import Protocol, Round, Sends, draw, x

(oue,) = (mechanism for mechanism in load("oue") if mechanism.name == "oue")
eps_, k_ = oue.parameters

eps = real("eps", above=0)
k = integer("k", at_least=1)
l = integer("l", at_least=1)  # noqa: E741  (the paper's letter)
r = integer("r", at_least=1)
places = choices(2 * k, l)

key_value_bits = Protocol(
    "key_value_bits",
    title="Key-value pairs over unary encoding",
    source="Gu, Li, Cheng, Xiong, Cao 2020",
    parameters=[eps, k, l, r],
    values=(r + 2) ** k,
    rounds=[
        Round(
            sends=[
                Sends(
                    oue,
                    of=padded_item(
                        signed_items(x, floor(draw / places), k, r),
                        Mod(draw, places),
                        2 * k,
                        l,
                    ),
                    at={eps_: eps, k_: 2 * k + l},
                    draws=places * r**k,
                )
            ]
        )
    ],
    epsilon=eps,
    counts="With c+ and c- of n reports: l (c+ + c- - 2 n q)/(p - q); sum l (c+ - c-)/(p - q).",
)
