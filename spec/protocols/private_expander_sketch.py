"""PrivateExpanderSketch: heavy hitters by a code that names each place's neighbours in an expander.

    Public   a cubic graph of M places: `partner`, three functions of a place; a function g from the
             2^bits values to B parts; for each place m a function h_m to Y cells and a symbol e_m
             of an error-correcting code, one of S; for each of `functions` a function z to signs of
             a part with four cells and a symbol; for Hashtogram `repeats` functions r to `columns`
             cells with signs s, and a matrix H of signs.
    Server   draws a group for each user, in public: a place m and one function z (17 of 20 users,
             evenly), or a row of Hashtogram and a column of H (3 of 20).
    User     sends randomized response on one sign: of g(x), h_m(x), h(x) at the three partners of
             m, and e_m(x); or, for Hashtogram, of the cell of x in the row, times s.
    Server   lists at each place, for each part and cell, the likeliest rest; links two entries
             where each names the other; takes apart what hangs together into clusters, decodes
             each, and keeps what agrees with its cluster. Counts come from Hashtogram alone.

All functions are any here, also bad ones: each list of them is a number, of which the values are
digits. Epsilon rests on nothing that is said of them; what is found does.

After Mark Bun, Jelani Nelson, Uri Stemmer (2018), Heavy Hitters and the Structure of Local Privacy;
its code from an expander is that of Kasper Green Larsen, Jelani Nelson, Huy L. Nguyen, Mikkel
Thorup (2016), Heavy Hitters via Cluster-Preserving Clustering. The degree of 3 is ours, and that
the oracles are of one sign.
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

(grr,) = load("grr")
eps_, k = grr.parameters

eps = real("eps", above=0)
bits = integer("bits", at_least=2)
M, B, Y, S = (integer(name, at_least=1) for name in ("M", "B", "Y", "S"))
functions = integer("functions", at_least=1)
repeats = integer("repeats", at_least=1)
columns = integer("columns", at_least=2)
partner, g, h, e = (integer(name, at_least=0) for name in ("partner", "g", "h", "e"))
z, r, s, H = (integer(name, at_least=0) for name in ("z", "r", "s", "H"))

finds, counts = M * functions, repeats * columns
place = sympy.floor(group / functions)


def cell(at: sympy.Expr) -> sympy.Expr:
    """The cell of x at a place."""
    return public_function(h, at * 2**bits + x, Y)


entry = public_function(g, x, B) * Y + cell(place)
for edge in range(3):
    entry = entry * Y + cell(public_function(partner, edge * M + place, M))
entry = entry * S + public_function(e, place * 2**bits + x, S)
found = public_function(z, sympy.Mod(group, functions) * B * Y**4 * S + entry, 2)

own = sympy.floor((group - finds) / columns) * 2**bits + x
sign = public_function(
    H, sympy.Mod(group - finds, columns) * columns + public_function(r, own, columns), 2
)
counted = sympy.Mod(public_function(s, own, 2) + sign, 2)

private_expander_sketch = Protocol(
    "private_expander_sketch",
    title="PrivateExpanderSketch",
    source="Bun, Nelson, Stemmer 2018",
    parameters=[eps, bits, M, B, Y, S, functions, repeats, columns, partner, g, h, e, z, r, s, H],
    values=2**bits,
    groups=Groups(
        finds + counts,
        of=sympy.Piecewise(
            (sympy.Mod(coin, finds), coin < 17 * finds * counts),
            (finds + sympy.Mod(coin, counts), True),
        ),
        coins=20 * finds * counts,
    ),
    rounds=[
        Round(
            sends=[
                Sends(
                    grr,
                    of=sympy.Piecewise((found, group < finds), (counted, True)),
                    at={eps_: eps, k: 2},
                )
            ]
        )
    ],
    epsilon=eps,
    counted=Counted(
        where=group >= finds,
        alike=sympy.Rational(1, 2),
        over={r: columns ** (repeats * 2**bits), s: 2 ** (repeats * 2**bits)},
        collisions=1 / (repeats * columns),
    ),
    counts="Of the m reports of Hashtogram among n, c agree: (n/m) (2 c - m)/(2 p - 1), p of k-RR.",
)
