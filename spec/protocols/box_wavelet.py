"""Haar wavelet for boxes: each user reports one bit about coefficients of two values at once.

    Public   a user has two values, 0, ..., 2^a - 1 and 0, ..., 2^b - 1, each with a binary tree
             over it; x is the first one followed by the other. Of each value a function is taken:
             1, or the sign of the half of the node, at a level of the tree. The coefficient of two
             nodes is the mean of the product of both, over all users. A Hadamard matrix H, of which
             any bits do here.
    Server   draws for each user, in public and uniformly, a level or none for each value, but not
             none for both, and a column.
    User     takes the two nodes of these levels that the values are in. Sends randomized response
             on one bit: the halves of the nodes, plus the entry of the matrix at the nodes and the
             column.
    Server   estimates the coefficients of all nodes. The inverse Haar transform of them along both
             values, with the mean 1/2^(a + b), which is known, gives the shares of all pairs.

The tensor product of the wavelet of ranges with itself. Of a value without a level, the prefix of
no bits is 0, and so is its half.

Graham Cormode, Tejas Kulkarni, Divesh Srivastava (2019), Answering Range Queries Under Local
Differential Privacy, for one value.
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
a = integer("a", at_least=1)
b = integer("b", at_least=1)
H = integer("H", at_least=0)

columns = 2 ** (a + b - 2)
levels = 1 + sympy.floor(group / columns)
first = prefix(x, sympy.floor(levels / (b + 1)), a + b)
second = prefix(sympy.Mod(x, 2**b), sympy.Mod(levels, b + 1), b)
place = sympy.floor(first / 2) * 2**b + sympy.floor(second / 2)
entry = public_function(H, group * 2 ** (a + b) + place, 2)

box_wavelet = Protocol(
    "box_wavelet",
    title="Haar wavelet of boxes",
    source="Cormode, Kulkarni, Srivastava 2019",
    parameters=[eps, a, b, H],
    values=2 ** (a + b),
    groups=Groups(((a + 1) * (b + 1) - 1) * columns),
    rounds=[
        Round(sends=[Sends(grr, of=sympy.Mod(first + second + entry, 2), at={eps_: eps, k: 2})])
    ],
    epsilon=eps,
    counts="1/2^(a + b), and of each two levels a sum of the signs of the values' column.",
)
