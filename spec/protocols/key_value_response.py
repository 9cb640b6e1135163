"""Key-value pairs over k-ary randomized response: how many users have a key, and its mean.

    User     has some of the keys 0, ..., k - 1, each with a number 2 i/r - 1 between -1 and 1.
             Rounds each number to a sign: + with the chance (1 + number)/2.
             Cuts, pads and samples the signed keys as sets of items: of more than l pairs l are
             kept, fewer are padded with the first of l different dummies, and one of l is taken.
             Sends k-ary randomized response on it, with 2 k + l values (the keys with either sign,
             then the dummies) and eps' = ln(l (e^eps - 1) + 1).
    Server   (key, +) and (key, -) together count the key; + less - adds up its numbers.

No signed key is sampled with a chance above 1/l, whatever the pairs are: so any two sets of pairs
cost eps, as for sets of items. This is PCKV-GRR where a lie is as likely to name the own key with
the other sign as any other signed key; dummies have no sign here. Cutting counts l/s of each of s
pairs, of the number of users as of the sum of their numbers.

Xiaolan Gu, Ming Li, Yueqiang Cheng, Li Xiong, Yang Cao (2020), PCKV: Locally Differentially Private
Correlated Key-Value Data Collection with Optimized Utility.
"""

from sympy import Mod, exp, floor, log

from ldp_verified.language import integer, load, real
from ldp_verified.language.itemsets import choices, padded_item, signed_items
from ldp_verified.language.protocol import Protocol, Round, Sends, draw, x

(grr,) = load("grr")
eps_, k_ = grr.parameters

eps = real("eps", above=0)
k = integer("k", at_least=1)
l = integer("l", at_least=1)  # noqa: E741  (the paper's letter)
r = integer("r", at_least=1)
places = choices(2 * k, l)

key_value_response = Protocol(
    "key_value_response",
    title="Key-value pairs over k-ary response",
    source="Gu, Li, Cheng, Xiong, Cao 2020",
    parameters=[eps, k, l, r],
    values=(r + 2) ** k,
    rounds=[
        Round(
            sends=[
                Sends(
                    grr,
                    of=padded_item(
                        signed_items(x, floor(draw / places), k, r),
                        Mod(draw, places),
                        2 * k,
                        l,
                    ),
                    at={eps_: log(l * (exp(eps) - 1) + 1), k_: 2 * k + l},
                    draws=places * r**k,
                    most=1 / l,
                )
            ]
        )
    ],
    epsilon=eps,
    counts="With c+ and c- of n reports: l (c+ + c- - 2 n q)/(p - q); sum l (c+ - c-)/(p - q).",
)
