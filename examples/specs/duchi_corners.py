"""Duchi's mechanism for vectors, over sign vectors: whole tables of d = 2 and d = 3.

P(t | v) has the weight e^eps where t agrees with v in more than half of the signs, else 1. See
spec/duchi_vector.py for the rounding of numbers to signs before, and the length of a report.
"""

from itertools import product

from ldp_verified.language import LDP, Matrix, Mechanism, exp, real

eps = real("eps", above=0)
u = exp(eps)


def corners(d: int) -> Matrix:
    """P(t | v) over the corners of a cube."""
    signs = list(product((-1, 1), repeat=d))
    dots = [[sum(a * b for a, b in zip(t, v, strict=True)) for t in signs] for v in signs]
    agree = sum(dot > 0 for dot in dots[0])
    total = (u - 1) * agree + 2**d
    names = ["".join("+" if s > 0 else "-" for s in v) for v in signs]
    rows = [[(u if dot > 0 else 1) / total for dot in row] for row in dots]
    return Matrix(rows, inputs=names, outputs=names)


claims = [LDP(eps, tight=True, source="Wang et al. 2019")]
duchi_plane = Mechanism("duchi_plane", parameters=[eps], table=corners(2), claims=claims)
duchi_cube = Mechanism("duchi_cube", parameters=[eps], table=corners(3), claims=claims)
