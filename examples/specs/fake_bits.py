"""Fake data by unary encoding of uniform values: what is published of epsilon is too little.

Two attributes of three values. One is reported by optimized unary encoding at eps, the other as if
it had a uniform value; it is not said which. Heber H. Arcolezi, Jean-Francois Couchot, Bechara Al
Bouna, Xiaokui Xiao (2021), Random Sampling Plus Fake Data: Multidimensional Frequency Estimates
With Local Differential Privacy, has ln((e^eps + d - 1)/d), here ln((e^eps + 1)/2).

    any two tuples                                  eps: `random_values`
    tuples that differ in one attribute             ln((2 u^2 + 2 u + 2)/(3 u + 3)): the same
        what is published                           refuted: `published_bits`
"""

from itertools import product

from sympy import Expr

from ldp_verified.language import (
    LDP,
    Holds,
    Matrix,
    Mechanism,
    MetricLDP,
    Rational,
    differing_in_one,
    exp,
    log,
    real,
)

eps = real("eps", above=0)
u = exp(eps)
values = range(3)
vectors = list(product((0, 1), repeat=3))


def response(x: int, y: tuple[int, ...]) -> Expr:
    """P(y|x) of the three bits: P(1|1) = 1/2, P(1|0) = 1/(u + 1)."""
    return u ** (2 - sum(y) + y[x]) / (2 * (u + 1) ** 2)


def cell(x: tuple[int, int], y: tuple[tuple[int, ...], tuple[int, ...]]) -> Expr:
    """P(y|x)."""
    fake = [Rational(1, 3) * sum(response(v, part) for v in values) for part in y]
    return (response(x[0], y[0]) * fake[1] + response(x[1], y[1]) * fake[0]) / 2


tuples = list(product(values, values))
outputs = list(product(vectors, vectors))
table = Matrix([[cell(x, y) for y in outputs] for x in tuples], inputs=tuples, outputs=outputs)
published = log((u + 1) / 2)
in_one = (2 * u**2 + 2 * u + 2) / (3 * u + 3)

random_values = Mechanism(
    "random_values",
    parameters=[eps],
    table=table,
    claims=[
        LDP(eps, tight=True),
        MetricLDP(log(in_one), differing_in_one),
        Holds(in_one > (u + 1) / 2),
    ],
)
published_bits = Mechanism(
    "published_bits",
    parameters=[eps],
    table=table,
    claims=[MetricLDP(published, differing_in_one)],
)
