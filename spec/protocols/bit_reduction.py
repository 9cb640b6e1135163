"""The reduction of heavy hitters to a frequency oracle, as printed: every user reports every bit.

    Public   a function h from the 2^bits values to T cells (a number: its digits in base T).
    User     for l = 0, ..., bits - 1 sends a report of the oracle, here OLH, on the pair
             (h(x), bit l of x); each costs eps, all of them eps log2 |X|.
    Server   for each cell t and each l takes the bit b whose pair (t, b) has the larger estimate:
             one candidate a cell, whose frequency the oracles then estimate.

Raef Bassily, Kobbi Nissim, Uri Stemmer, Abhradeep Thakurta (2017), Practical Locally Private Heavy
Hitters; as lecture notes print it, without its error-correcting code.
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import Protocol, Round, Sends, public_function, turn, x

(olh,) = (mechanism for mechanism in load("olh") if mechanism.name == "olh")
eps_, k, g, M = olh.parameters

eps = real("eps", above=0)
bits = integer("bits", at_least=2)
T = integer("T", at_least=2)
h = integer("h", at_least=0)
buckets = integer("buckets", at_least=2)
functions = integer("functions", at_least=1)

bit = sympy.Mod(sympy.floor(x / 2 ** (bits - 1 - turn)), 2)

bit_reduction = Protocol(
    "bit_reduction",
    title="Reduction to the bits of a value",
    source="Bassily, Nissim, Stemmer, Thakurta 2017",
    parameters=[eps, bits, T, h, buckets, functions],
    values=2**bits,
    rounds=[
        Round(
            sends=[
                Sends(
                    olh,
                    of=2 * public_function(h, x, T) + bit,
                    at={eps_: eps, k: 2 * T, g: buckets, M: functions},
                )
            ],
            times=bits,
        )
    ],
    epsilon=bits * eps,
    counts="The mean over l of OLH's estimates of (h(x), bit l of x), biased by values in a cell.",
)
