"""LDPMiner: the most frequent of many items that users have sets of, in two reports of each user.

    User     pads or cuts their set to l items, samples one, and reports it at eps/2 by one random
             bit: local hashing to two buckets, which is the succinct histogram's sign of a value.
    Server   publishes a list of candidates: the items with the largest estimates.
    User     pads or cuts what they hold of the candidates to `places`, samples one, and reports it
             at eps/2 by RAPPOR with no memory, which is symmetric unary encoding.
    Server   estimates the counts of the candidates from the second reports.

Everybody sends both reports, each in view of what was published, so their prices add up, whatever
the server publishes: any list of sets of items.

Zhan Qin, Yin Yang, Ting Yu, Issa Khalil, Xiaokui Xiao, Kui Ren (2016), Heavy Hitter Estimation over
Set-Valued Data with Local Differential Privacy. Tianhao Wang, Ninghui Li, Somesh Jha (2018),
Locally Differentially Private Frequent Itemset Mining, state it as padding and sampling, twice.
"""

from sympy import Eq, Mod, floor

from ldp_verified.language import integer, load, real
from ldp_verified.language.itemsets import choices, held_among, padded_item, size_of
from ldp_verified.language.protocol import (
    Counted,
    Protocol,
    Published,
    Round,
    Sends,
    draw,
    published,
    thing,
    x,
)

(blh,) = load("blh")
(sue,) = load("sue")
bit_eps, bit_k, bit_m = blh.parameters
unary_eps, unary_k = sue.parameters

eps = real("eps", above=0)
k = integer("k", at_least=2)
l = integer("l", at_least=1)  # noqa: E741  (the paper's letter)
kept = integer("kept", at_least=1)
places = integer("places", at_least=1)
functions = integer("functions", at_least=1)

own = held_among(x, published, k, kept)

ldp_miner = Protocol(
    "ldp_miner",
    title="LDPMiner",
    source="Qin, Yang, Yu, Khalil, Xiao, Ren 2016",
    parameters=[eps, k, l, kept, places, functions],
    values=2**k,
    rounds=[
        Round(
            [
                Sends(
                    blh,
                    of=padded_item(x, draw, k, l),
                    at={bit_eps: eps / 2, bit_k: k + l, bit_m: functions},
                    draws=choices(k, l),
                )
            ],
            publishes=Published("the list of candidates", below=2 ** (k * kept)),
        ),
        Round(
            [
                Sends(
                    sue,
                    of=padded_item(own, draw, kept, places),
                    at={unary_eps: eps / 2, unary_k: kept + places},
                    draws=choices(kept, places),
                )
            ]
        ),
    ],
    epsilon=eps,
    counted=Counted(
        round=1,
        things=kept,
        of=thing,
        held=Eq(Mod(floor(own / 2**thing), 2), 1),
        places=places,
        within=size_of(own, kept) <= places,
    ),
    counts=(
        "With c of n second reports supporting the candidate: places (c - n q*)/(p* - q*) with p*, "
        "q* of symmetric unary encoding."
    ),
)
