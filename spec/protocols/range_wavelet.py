"""Haar wavelet for range queries: each user reports one bit about one level of coefficients.

    Public   values are 0, ..., 2^bits - 1, and a binary tree stands over them. The coefficient of a
             node is the share of users in its left half less that in its right half; those who are
             in neither add 0. A Hadamard matrix H, of which any bits do here.
    Server   draws for each user, in public and uniformly, a level of the tree and a column.
    User     takes the node of the level that the value is in. Sends randomized response on one bit:
             the half of the node, plus the entry of the matrix at the node and the column.
    Server   estimates the coefficients of all nodes. The inverse Haar transform of them, with the
             mean 1/2^bits, which is known, gives the shares of all values.

A range has coefficients at the nodes that its ends cut, two of each level at most; its variance
grows with the square of the number of levels, and nothing has to be made consistent.

Graham Cormode, Tejas Kulkarni, Divesh Srivastava (2019), Answering Range Queries Under Local
Differential Privacy, where it is HaarHRR.
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Groups,
    Protocol,
    Round,
    Sends,
    group,
    prefix,
    public_function,
    x,
)

(grr,) = load("grr")
eps_, k = grr.parameters

eps = real("eps", above=0)
bits = integer("bits", at_least=1)
H = integer("H", at_least=0)

level = sympy.floor(group / 2 ** (bits - 1))
column = sympy.Mod(group, 2**level)
half = sympy.Mod(prefix(x, level + 1, bits), 2)
entry = public_function(H, column * 2**bits + prefix(x, level, bits), 2)

range_wavelet = Protocol(
    "range_wavelet",
    title="Haar wavelet of ranges",
    source="Cormode, Kulkarni, Srivastava 2019",
    parameters=[eps, bits, H],
    values=2**bits,
    groups=Groups(bits * 2 ** (bits - 1)),
    rounds=[Round(sends=[Sends(grr, of=sympy.Mod(half + entry, 2), at={eps_: eps, k: 2})])],
    epsilon=eps,
    counts="1/2^bits, and of each level bits/(2 p - 1)/n times the signs of the value's column.",
)
