"""Bitstogram: heavy hitters by the bits of a code, with Hashtogram as the oracle that counts.

    Public   a function h from the 2^bits values to T cells, a binary code of `length` bits (an
             error-correcting one), for each column j < `functions` a function z to signs of a cell
             with a bit; for Hashtogram `repeats` functions r to `columns` cells with signs s, and a
             matrix H of signs, a column for each user.
    Server   draws a group for each user, in public: a bit of the code and a column of z (17 of 20
             users, evenly), or a row of Hashtogram and a column of H (3 of 20).
    User     sends randomized response on one sign: of the pair of h(x) and bit l of the code of x;
             or, for Hashtogram, of the cell of x in the row, times s.
    Server   for each cell t and each l takes the bit b whose pair (t, b) has the larger estimate,
             decodes, and keeps the candidates that h sends to their own cell. Published counts come
             from Hashtogram alone.

All functions are any here, also bad ones: each list of them is a number, of which the values are
digits. A user's column of a sign matrix has one sign for each cell, not one for each value.

After Raef Bassily, Kobbi Nissim, Uri Stemmer, Abhradeep Thakurta (2017), Practical Locally Private
Heavy Hitters. That a user finds or counts, never both, is ours.
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
length = integer("length", at_least=1)
T = integer("T", at_least=2)
functions = integer("functions", at_least=1)
repeats = integer("repeats", at_least=1)
columns = integer("columns", at_least=2)
h, code, z, r, s, H = (integer(name, at_least=0) for name in ("h", "code", "z", "r", "s", "H"))

finds, counts = length * functions, repeats * columns
bit = public_function(code, sympy.floor(group / functions) * 2**bits + x, 2)
pair = 2 * public_function(h, x, T) + bit
found = public_function(z, sympy.Mod(group, functions) * 2 * T + pair, 2)

own = sympy.floor((group - finds) / columns) * 2**bits + x
entry = public_function(
    H, sympy.Mod(group - finds, columns) * columns + public_function(r, own, columns), 2
)
counted = sympy.Mod(public_function(s, own, 2) + entry, 2)

bitstogram = Protocol(
    "bitstogram",
    title="Bitstogram with Hashtogram",
    source="Bassily, Nissim, Stemmer, Thakurta 2017",
    parameters=[eps, bits, length, T, functions, repeats, columns, h, code, z, r, s, H],
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
