"""TreeHist: heavy hitters down the binary prefix tree, one bit a user.

    Public   for each level i = 0, ..., bits - 1 of the tree and each of its `repeats` rows a
             function h to `columns` cells and one to signs, s; the Hadamard matrix H of that size.
             For those who confirm a family f of `functions` to signs.
    Server   draws a group for each user, in public: a level, a row and a column of the matrix (17
             of 20 users, evenly), or one function of the family (3 of 20).
    User     sends randomized response on one bit: the sign of the first i + 1 bits of x, times the
             matrix's entry in the column and at the cell of these bits; who confirms, the
             function's sign of x.
    Server   for i = 0, 1, ...: extends the prefixes that it kept by a bit, estimates their counts
             by a count sketch, the median over the rows, keeps the largest, and publishes them.
             Counts of whole values that are published come from those who confirm alone.

All functions are any here, also bad ones: each list of them is a number, of which the values are
digits. Epsilon rests on nothing that is said of them; estimates do.

After Raef Bassily, Kobbi Nissim, Uri Stemmer, Abhradeep Thakurta (2017), Practical Locally Private
Heavy Hitters. The group that confirms is ours.
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
repeats = integer("repeats", at_least=1)
columns = integer("columns", at_least=2)
functions = integer("functions", at_least=1)
h = integer("h", at_least=0)
s = integer("s", at_least=0)
H = integer("H", at_least=0)
f = integer("f", at_least=0)

finds = bits * repeats * columns
row = sympy.floor(group / columns)
taken = row * 2**bits + prefix(x, sympy.floor(row / repeats) + 1, bits)
cell = public_function(h, taken, columns)
entry = public_function(H, sympy.Mod(group, columns) * columns + cell, 2)
sketched = sympy.Mod(public_function(s, taken, 2) + entry, 2)
confirmed = public_function(f, (group - finds) * 2**bits + x, 2)

tree_hist = Protocol(
    "tree_hist",
    title="TreeHist",
    source="Bassily, Nissim, Stemmer, Thakurta 2017",
    parameters=[eps, bits, repeats, columns, functions, h, s, H, f],
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
                    of=sympy.Piecewise((sketched, group < finds), (confirmed, True)),
                    at={eps_: eps, k: 2},
                )
            ],
            publishes=Published("the prefixes that were kept"),
        )
    ],
    epsilon=eps,
    counted=Counted(
        where=group >= finds,
        alike=sympy.Rational(1, 2),
        over={f: 2 ** (functions * 2**bits)},
        collisions=1 / functions,
    ),
    counts="Of the m reports of those who confirm among n: (n/m) (2 c - m)/(2 p - 1), p of k-RR.",
)
