"""A tree over days: counts of a bit that changes a few times, at one price for all days.

    User     has a bit on each of T days (the binary digits of x), 0 before the first; draws which
             one of the first k changes is kept, and tells nobody.
    Server   draws a level l for each user, in public: blocks of 2^l days; and a vector of uniform
             signs, one for each block.
    User     sends randomized response on whether the vector has the sign of the kept change at its
             block: + for 0 to 1, - for 1 to 0; of a fair coin where no whole block has the change.
    Server   takes the vector, or where the answer is no its opposite, for the user's signs. The
             count of day t is L k/(p - q) times the sum of the signs of the blocks of [1, t].

The paper's user draws the signs: a fair coin for each block, but for that of the kept change, which
gets randomized response. That is the same law of signs, since a vector of fair coins times one sign
is one of fair coins: so signs cost no more than the vector and the answer. Changes after the first
k are cut: the price holds for every x.

Ulfar Erlingsson, Vitaly Feldman, Ilya Mironov, Ananth Raghunathan, Kunal Talwar, Abhradeep Thakurta
(2019), Amplification by Shuffling: From Local to Central Differential Privacy via Anonymity.
"""

from sympy import Mod, floor

from ldp_verified.language import integer, load, real
from ldp_verified.language.day_bits import masked_change
from ldp_verified.language.protocol import Groups, Protocol, Round, Sends, coin, draw, group, x

(grr,) = load("grr")
eps_, k_ = grr.parameters

eps = real("eps", above=0)
T = integer("T", at_least=1)
L = integer("L", at_least=1)
k = integer("k", at_least=1)

change_tree = Protocol(
    "change_tree",
    title="Tree of changes over days",
    source="Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019",
    parameters=[eps, T, L, k],
    values=2**T,
    groups=Groups(L * 2**T, of=coin),
    rounds=[
        Round(
            sends=[
                Sends(
                    grr,
                    of=masked_change(
                        x,
                        floor(draw / 2),
                        T,
                        floor(group / 2**T),
                        Mod(group, 2**T),
                        Mod(draw, 2),
                    ),
                    at={eps_: eps, k_: 2},
                    draws=2 * k,
                )
            ]
        )
    ],
    epsilon=eps,
    counts="Of day t: L k/(p - q) times the sum over users of the signs of the blocks of [1, t].",
)
