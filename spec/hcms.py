"""Hadamard count mean sketch: a public hash function and coefficient, and one randomized sign.

    y = (h, l, sign)          how many            P(y | x)
    H[l, h(x)] = sign              M m      e^eps / (e^eps + 1) / (M m)
    H[l, h(x)] != sign             M m                1 / (e^eps + 1) / (M m)

H is Sylvester's matrix of order m, a power of two; h is one of the M functions of a family to m
buckets in which different values collide with probability exactly 1/m. Two values have the same
sign where they collide, and else for half of the l: for M (m + 1)/2 of the outputs. One bit depends
on the value. What is unbiased over the draw of the functions, and what for fixed ones:
`run/realize/designs/sketch.py`.

Differential Privacy Team, Apple (2017), Learning with Privacy at Scale.
"""

from ldp_verified.language import (
    LDP,
    Design,
    HashedSigns,
    Mechanism,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
m = integer("buckets", at_least=2)
M = integer("M", at_least=1)
u = exp(eps)

noise = 4 * u * m**2 / ((m - 1) ** 2 * (u - 1) ** 2)

hcms = Mechanism(
    "hcms",
    title="Hadamard count mean sketch",
    prefer=(
        "As `cms`, with one bit that depends on the value instead of one for each bucket. At small "
        "eps its variance is a few percent larger; at large eps it stays above 1 - f per user, "
        "where that of `cms` falls towards (1 - f)/(buckets - 1)."
    ),
    parameters=[eps, k, m, M],
    table=Design(
        blocks=2 * M * m,
        containing=M * m,
        together=M * (m + 1) / 2,
        inside=u / (u + 1) / (M * m),
        outside=1 / (u + 1) / (M * m),
        structure=HashedSigns(values=k, buckets=m, functions=M),
    ),
    claims=[
        LDP(eps, tight=True, source="Apple 2017"),
        Unbiased(),
        Variance(n * noise + n * (1 - f) * (m + 1) / (m - 1)),
    ],
)
