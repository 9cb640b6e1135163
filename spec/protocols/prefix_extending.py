"""PEM, the prefix extending method: heavy hitters over a domain that nobody can list.

    Server   draws a group for each user, in public: one of the levels 0, 1, ..., levels - 1, which
             share 17 of 20 users evenly, or the group `levels`, which confirms.
    User     in group i sends one report: OLH of the first s_i = min(first + i step, bits) bits of
             x; in the confirming group, of all bits.
    Server   for i = 0, 1, ...: extends the prefixes that it kept by all step bits, estimates their
             counts from the reports of group i, keeps the largest, and publishes them. Counts of
             whole values that are published come from the confirming group alone.

No report looks at what is published, so all groups may report at once. The confirming group is not
in the paper: there the reports that find a value count it too, which biases its count upwards.

Tianhao Wang, Ninghui Li, Somesh Jha (2019), Locally Differentially Private Heavy Hitter
Identification.
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Counted,
    Groups,
    Protocol,
    Published,
    Round,
    Sends,
    coin,
    group,
    prefix,
    x,
)

(olh,) = (mechanism for mechanism in load("olh") if mechanism.name == "olh")
eps_, k, g, M = olh.parameters

eps = real("eps", above=0)
bits = integer("bits", at_least=2)
first = integer("first", at_least=1)
step = integer("step", at_least=1)
levels = integer("levels", at_least=1)
buckets = integer("buckets", at_least=2)
functions = integer("functions", at_least=1)

length = sympy.Piecewise((sympy.Min(first + group * step, bits), group < levels), (bits, True))

prefix_extending = Protocol(
    "prefix_extending",
    title="Prefix extending (PEM)",
    source="Wang, Li, Jha 2019",
    parameters=[eps, bits, first, step, levels, buckets, functions],
    values=2**bits,
    groups=Groups(levels + 1, of=sympy.Min(sympy.floor(coin / 17), levels), coins=20 * levels),
    rounds=[
        Round(
            sends=[
                Sends(
                    olh,
                    of=prefix(x, length, bits),
                    at={eps_: eps, k: 2**length, g: buckets, M: functions},
                )
            ],
            publishes=Published("the prefixes that were kept"),
        )
    ],
    epsilon=eps,
    counted=Counted(where=sympy.Eq(group, levels)),
    counts=(
        "Of the m reports of the confirming group among n in all, c support the value: "
        "(n/m) (c - m q*)/(p* - q*) with p*, q* of OLH."
    ),
)
