"""Prefix cohorts: prefix extending whose finding groups share public hash functions.

    Public   for each of the levels 0, 1, ..., levels - 1 a list of functions, `cohorts` of them,
             from values to g buckets; and a family of functions for the users who confirm.
    Server   draws a group for each user, in public: a level with a function of its list (17 of 20
             users, evenly), or the confirming level with a function of the family (3 of 20).
    User     in a group of level i sends one report: k-ary randomized response on the bucket to
             which the function sends the first s_i = min(first + i step, bits) bits of x; in a
             group that confirms, on the bucket of all bits.
    Server   for i = 0, 1, ...: extends the prefixes that it kept by all step bits, estimates their
             counts from the reports of level i, keeps the largest, and publishes them. Counts of
             whole values that are published come from the users who confirm alone.

Public functions do not change epsilon: which level and which function a user has is drawn without
looking at the value, and a report is randomized response on one public function of the value. So
the functions are any here, also bad ones: every list of functions is one number h below. That
counts are unbiased rests on the family of those who confirm, in which two values collide under one
in g functions. As few functions are shared by many users, the server adds up their reports before
it looks at any candidate.

After Tianhao Wang, Ninghui Li, Somesh Jha (2019), Locally Differentially Private Heavy Hitter
Identification (prefix extending), and Giulia Fanti, Vasyl Pihur, Ulfar Erlingsson (2016), Building
a RAPPOR with the Unknown (cohorts). The combination and the group that confirms are ours.
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
    public_function,
    x,
)

(grr,) = load("grr")
eps_, k = grr.parameters

eps = real("eps", above=0)
bits = integer("bits", at_least=2)
first = integer("first", at_least=1)
step = integer("step", at_least=1)
levels = integer("levels", at_least=1)
buckets = integer("buckets", at_least=2)
cohorts = integer("cohorts", at_least=1)
functions = integer("functions", at_least=1)
h = integer("h", at_least=0)

finds = levels * cohorts
level = sympy.floor(group / cohorts)
length = sympy.Piecewise((sympy.Min(first + level * step, bits), group < finds), (bits, True))

prefix_cohorts = Protocol(
    "prefix_cohorts",
    title="Prefix cohorts",
    source="after Wang, Li, Jha 2019",
    parameters=[eps, bits, first, step, levels, buckets, cohorts, functions, h],
    values=2**bits,
    groups=Groups(
        finds + functions,
        of=sympy.Piecewise(
            (sympy.Mod(coin, finds), coin < 17 * finds * functions),
            (finds + sympy.Mod(coin, functions), True),
        ),
        coins=20 * finds * functions,
    ),
    rounds=[
        Round(
            sends=[
                Sends(
                    grr,
                    of=public_function(h, group * 2**bits + prefix(x, length, bits), buckets),
                    at={eps_: eps, k: buckets},
                )
            ],
            publishes=Published("the prefixes that were kept"),
        )
    ],
    epsilon=eps,
    counted=Counted(
        where=group >= finds,
        alike=1 / buckets,
        over={h: buckets ** ((finds + functions) * 2**bits)},
        collisions=1 / (functions * (buckets - 1)),
    ),
    counts=(
        "Of the m reports of those who confirm among n in all, c support the value: "
        "(n/m) (c - m/g)/(p - 1/g) with p of k-ary randomized response."
    ),
)
