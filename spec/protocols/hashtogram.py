"""Hashtogram: a frequency oracle by one bit of a count sketch, for domains that nobody can list.

    Public   `repeats` functions r from the 2^bits values to `columns` cells, and as many s to
             signs; the Hadamard matrix H of that size.
    Server   draws for each user, in public and uniformly, a row and a column of the matrix.
    User     sends randomized response on one bit: the sign of x in the row, times the entry of the
             matrix in the column and at the cell of x.
    Server   estimates the count of any value from the cells that it has in the rows: the mean over
             the rows is unbiased over the functions, the median is not turned by a few of them.

All functions are any here, also bad ones: each list of them is a number, of which the values are
digits. Epsilon rests on nothing that is said of them; estimates do.

After Raef Bassily, Kobbi Nissim, Uri Stemmer, Abhradeep Thakurta (2017), Practical Locally Private
Heavy Hitters.
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Counted,
    Groups,
    Protocol,
    Round,
    Sends,
    group,
    public_function,
    x,
)

(grr,) = load("grr")
eps_, k = grr.parameters

eps = real("eps", above=0)
bits = integer("bits", at_least=2)
repeats = integer("repeats", at_least=1)
columns = integer("columns", at_least=2)
r, s, H = (integer(name, at_least=0) for name in ("r", "s", "H"))

own = sympy.floor(group / columns) * 2**bits + x
place = sympy.Mod(group, columns) * columns + public_function(r, own, columns)
bit = sympy.Mod(public_function(s, own, 2) + public_function(H, place, 2), 2)

hashtogram = Protocol(
    "hashtogram",
    title="Hashtogram",
    source="Bassily, Nissim, Stemmer, Thakurta 2017",
    parameters=[eps, bits, repeats, columns, r, s, H],
    values=2**bits,
    groups=Groups(repeats * columns),
    rounds=[Round(sends=[Sends(grr, of=bit, at={eps_: eps, k: 2})])],
    epsilon=eps,
    counted=Counted(
        alike=sympy.Rational(1, 2),
        over={r: columns ** (repeats * 2**bits), s: 2 ** (repeats * 2**bits)},
        collisions=1 / (repeats * columns),
    ),
    counts="Of n reports c agree with the value: (2 c - n)/(2 p - 1), with p of k-RR.",
)
