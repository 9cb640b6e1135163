"""The reduction to the bits of a value as one would run it: a user reports one bit, or confirms.

    Public   a function h from the 2^bits values to T cells (a number: its digits in base T).
    Server   draws a group for each user, in public: one of the bits 0, ..., bits - 1, which share
             17 of 20 users evenly, or the group `bits`, which confirms.
    User     in group l sends one report: OLH of the pair (h(x), bit l of x); in the confirming
             group, of x.
    Server   for each cell t and each l takes the bit b whose pair (t, b) has the larger estimate,
             and keeps the candidates that h sends to their own cell. Published counts come from
             the confirming group alone.

Raef Bassily, Kobbi Nissim, Uri Stemmer, Abhradeep Thakurta (2017), Practical Locally Private Heavy
Hitters (users split over bits; no error-correcting code, and the group that confirms is ours).
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Counted,
    Groups,
    Protocol,
    Round,
    Sends,
    coin,
    group,
    public_function,
    x,
)

(olh,) = (mechanism for mechanism in load("olh") if mechanism.name == "olh")
eps_, k, g, M = olh.parameters

eps = real("eps", above=0)
bits = integer("bits", at_least=2)
T = integer("T", at_least=2)
h = integer("h", at_least=0)
buckets = integer("buckets", at_least=2)
functions = integer("functions", at_least=1)

finds = group < bits
bit = sympy.Mod(sympy.floor(x / 2 ** (bits - 1 - group)), 2)
pair = 2 * public_function(h, x, T) + bit

bit_groups = Protocol(
    "bit_groups",
    title="Bits of a value, users split over them",
    source="Bassily, Nissim, Stemmer, Thakurta 2017",
    parameters=[eps, bits, T, h, buckets, functions],
    values=2**bits,
    groups=Groups(bits + 1, of=sympy.Min(sympy.floor(coin / 17), bits), coins=20 * bits),
    rounds=[
        Round(
            sends=[
                Sends(
                    olh,
                    of=sympy.Piecewise((pair, finds), (x, True)),
                    at={
                        eps_: eps,
                        k: sympy.Piecewise((2 * T, finds), (2**bits, True)),
                        g: buckets,
                        M: functions,
                    },
                )
            ]
        )
    ],
    epsilon=eps,
    counted=Counted(where=sympy.Eq(group, bits)),
    counts="Of the m reports of the confirming group among n: (n/m) (c - m q*)/(p* - q*) of OLH.",
)
