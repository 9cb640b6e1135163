"""A researcher's own mechanisms, one for each form that is printed."""

from __future__ import annotations

import sympy

from ldp_verified.language import (
    LDP,
    Bits,
    Blocks,
    Design,
    Matrix,
    Mechanism,
    OneHot,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    log,
    n,
    real,
)

eps = real("eps", above=0)
u = exp(eps)
k = integer("k", at_least=2)
zero = real("zero", above=0, below=1)
one = real("one", above=zero, below=1)
c = u + 2
points = integer("points", at_least=7)
Z = (points - 1) / 2 * u + (points - 1) * (points - 3) / 6
fano = Blocks(7, [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}])
half = sympy.Rational(1, 2)
OWN = [
    Mechanism(
        "three_by_three",
        parameters=[eps],
        table=Matrix([[u / c, 1 / c, 1 / c], [1 / c, u / c, 1 / c], [1 / c, 1 / c, u / c]]),
        claims=[
            LDP(eps, tight=True),
            Unbiased(),
            Variance(n * (u + 1) / (u - 1) ** 2 + n * f / (u - 1)),
        ],
    ),
    Mechanism(
        "two_by_three",
        parameters=[eps],
        table=Matrix(
            [
                [u / (u + 1), half / (u + 1), half / (u + 1)],
                [1 / (u + 1), u * half / (u + 1), u * half / (u + 1)],
            ]
        ),
        claims=[LDP(eps, tight=True), Unbiased()],
    ),
    Mechanism(
        "fano",
        parameters=[eps],
        table=Design(7, 3, 1, u / (3 * u + 4), 1 / (3 * u + 4), fano),
        claims=[LDP(eps, tight=True), Unbiased()],
    ),
    Mechanism(
        "any_design",
        parameters=[eps, points],
        table=Design(points * (points - 1) / 6, (points - 1) / 2, 1, u / Z, 1 / Z),
        claims=[LDP(eps, tight=True), Unbiased()],
    ),
    Mechanism(
        "free_bits",
        parameters=[zero, one, k],
        table=Bits(one, zero, OneHot(k)),
        claims=[
            LDP(log(one * (1 - zero) / (zero * (1 - one))), tight=True),
            Unbiased(),
            Variance(
                n * zero * (1 - zero) / (one - zero) ** 2 + n * f * (1 - one - zero) / (one - zero)
            ),
        ],
    ),
]
