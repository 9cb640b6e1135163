"""A sampled attribute among fake data: what is published of its epsilon, and what is the case.

Two attributes, one of which is reported by k-ary response at eps, the other by a uniform value; it
is not said which is which. Heber H. Arcolezi, Jean-Francois Couchot, Bechara Al Bouna, Xiaokui Xiao
(2021), Random Sampling Plus Fake Data: Multidimensional Frequency Estimates With Local Differential
Privacy, has ln((e^eps + d - 1)/d), here ln((e^eps + 1)/2).

    any two tuples                                  eps: `published` is refuted
    tuples that differ in one attribute
        two values each                             as published: `equal`
        two and three values                        more: `unequal`; `published_in_one` is refuted
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


def fakes(*sizes: int) -> Matrix:
    """P(y|x): an average over the attributes that may have been the one."""
    tuples = list(product(*map(range, sizes)))
    uniform = Rational(1, len(tuples) * len(sizes))

    def cell(x: tuple[int, ...], y: tuple[int, ...]) -> Expr:
        own = zip(sizes, x, y, strict=True)
        return uniform * sum(k * (u if a == b else 1) / (u + k - 1) for k, a, b in own)

    return Matrix([[cell(x, y) for y in tuples] for x in tuples], inputs=tuples, outputs=tuples)


bound = log((u + 1) / 2)
in_one = (3 * u**2 + 5 * u + 4) / (5 * u + 7)

equal = Mechanism(
    "equal",
    parameters=[eps],
    table=fakes(2, 2),
    claims=[LDP(eps, tight=True), MetricLDP(bound, differing_in_one)],
)
unequal = Mechanism(
    "unequal",
    parameters=[eps],
    table=fakes(2, 3),
    claims=[
        LDP(eps, tight=True),
        MetricLDP(log(in_one), differing_in_one),
        Holds(in_one > (u + 1) / 2),
    ],
)
published = Mechanism("published", parameters=[eps], table=fakes(2, 2), claims=[LDP(bound)])
published_in_one = Mechanism(
    "published_in_one",
    parameters=[eps],
    table=fakes(2, 3),
    claims=[MetricLDP(bound, differing_in_one)],
)
