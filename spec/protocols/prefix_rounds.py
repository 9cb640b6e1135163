"""Prefix rounds: prefix extending in rounds, whose users say "none of these" where that is so.

    Public   for each of the levels 0, 1, ..., levels - 1 a list of functions, `cohorts` of them.
    Server   draws a group for each user, in public: a level with a function of its list (9 of 10
             users; 5 of them at the first level for each 4 at another), or the level that confirms.
    User     of level 0 sends k-ary randomized response on the bucket to which the function sends
             the first bits of x.
    Server   keeps the prefixes with the largest estimates, and publishes them.
    User     of level i > 0 sends k-ary randomized response on "none" if x begins with none of the
             published prefixes, else on the bucket of the first min(first + i step, bits) bits.
    Server   extends the published prefixes, keeps the largest, publishes them; after the last
             level a short list of whole values.
    User     who confirms sends k-ary randomized response on the place of x in that list, or "none".
    Server   publishes the counts of the list, from the users who confirm alone.

Most users hold none of the published prefixes, and say "none" instead of adding noise to all
buckets. A user sends one report. What is published before it is made of other users' reports, so it
is a number like any parameter, and any number: h below stands for the functions and for what is
published, and makes any function of the prefix. Epsilon holds for all of them, bad ones too.

After Tianhao Wang, Ninghui Li, Somesh Jha (2019), Locally Differentially Private Heavy Hitter
Identification (prefix extending), and Giulia Fanti, Vasyl Pihur, Ulfar Erlingsson (2016), Building
a RAPPOR with the Unknown (cohorts). The rounds with "none", and the groups, are ours.
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
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
hashed = integer("hashed", at_least=2)
listed = integer("listed", at_least=1)
cohorts = integer("cohorts", at_least=1)
h = integer("h", at_least=0)

level = sympy.floor(group / cohorts)
length = sympy.Piecewise((sympy.Min(first + level * step, bits), level < levels), (bits, True))
answers = sympy.Piecewise((buckets, level < 1), (hashed + 1, level < levels), (listed + 1, True))
drawn = sympy.floor(coin / cohorts)
weights = 4 * levels + 1
found_by = sympy.Piecewise((0, drawn < 45), (1 + sympy.floor((drawn - 45) / 36), True))

prefix_rounds = Protocol(
    "prefix_rounds",
    title="Prefix rounds",
    source="after Wang, Li, Jha 2019",
    parameters=[eps, bits, first, step, levels, buckets, hashed, listed, cohorts, h],
    values=2**bits,
    groups=Groups(
        (levels + 1) * cohorts,
        of=sympy.Piecewise(
            (found_by * cohorts + sympy.Mod(coin, cohorts), drawn < 9 * weights),
            (levels * cohorts + sympy.Mod(coin, cohorts), True),
        ),
        coins=10 * weights * cohorts,
    ),
    rounds=[
        Round(
            sends=[
                Sends(
                    grr,
                    of=public_function(h, group * 2**bits + prefix(x, length, bits), answers),
                    at={eps_: eps, k: answers},
                )
            ],
            publishes=Published("the prefixes that were kept, then whole values"),
        )
    ],
    epsilon=eps,
    counts=(
        "Of the m reports of those who confirm among n in all, c name the value: "
        "(n/m) (c - m q)/(p - q) with p, q of k-ary randomized response on the list and none."
    ),
)
