"""One report about a tuple of attributes: what it costs for any two tuples.

    split       every attribute by its own table at eps/d                      eps
    sample      one attribute, chosen publicly, at eps                         eps
    fake        one attribute at eps, uniform others, not said which: RS+FD    eps

P(y|x) of RS+FD is the average over attributes j of k_j GRR(y_j|x_j), times a constant. Each is at
its largest if y_j = x_j, and e^eps times smaller if not: so the ratio of x = y to an x' that
differs everywhere is e^eps. What is published, ln((e^eps + d - 1)/d), is right for tuples that
differ in one attribute if all domains are equal, and too little with other sizes (both are in
`examples/specs/fake_data.py`). Hiding the choice is post-processing of `sample_one` (theorem
`post_ldp`), so whatever RS+FD estimates can be estimated from a sampled attribute at the same eps.

Heber H. Arcolezi, Jean-Francois Couchot, Bechara Al Bouna, Xiaokui Xiao (2021), Random Sampling
Plus Fake Data: Multidimensional Frequency Estimates With Local Differential Privacy.
"""

from sympy import Expr

from ldp_verified.language import (
    LDP,
    Design,
    Matrix,
    Mechanism,
    MetricLDP,
    Rational,
    Singletons,
    Unbiased,
    Variance,
    alongside,
    differing_in_one,
    exp,
    f,
    integer,
    n,
    real,
    sample,
)

eps = real("eps", above=0)
u, r = exp(eps), exp(eps / 2)


def response(size: int, level: Expr) -> Matrix:
    """k-ary response as a matrix."""
    cells = [[level if x == y else 1 for y in range(size)] for x in range(size)]
    return Matrix([[cell / (level + size - 1) for cell in row] for row in cells])


def fakes(k_1: int, k_2: int) -> Matrix:
    """One of two attributes by k-ary response, a uniform value in the place of the other."""
    first, second = response(k_1, u).rows, response(k_2, u).rows
    tuples = [(a, b) for a in range(k_1) for b in range(k_2)]

    def cell(x: tuple[int, int], y: tuple[int, int]) -> Expr:
        return first[x[0]][y[0]] * Rational(1, 2 * k_2) + second[x[1]][y[1]] * Rational(1, 2 * k_1)

    return Matrix([[cell(x, y) for y in tuples] for x in tuples], inputs=tuples, outputs=tuples)


split = Mechanism(
    "split",
    title="Two attributes of two values, half of eps each",
    prefer=(
        "Every user answers on every attribute, as joint distributions need. For the counts of "
        "single attributes, rare values have a smaller variance with `sample_one` at every eps."
    ),
    sampler="protocols.attributes",
    parameters=[eps],
    table=alongside(response(2, r), response(2, r)),
    claims=[LDP(eps, tight=True), MetricLDP(eps / 2, differing_in_one)],
)

sample_one = Mechanism(
    "sample_one",
    title="One of two attributes of two values, at all of eps",
    prefer=(
        "Counts of several attributes, each on its own: rare values have a smaller variance than "
        "with `split` or `fake` at the same eps. Common values at large eps are better off with "
        "`split`."
    ),
    sampler="protocols.attributes",
    parameters=[eps],
    table=sample(response(2, u), response(2, u)),
    claims=[LDP(eps, tight=True)],
)

fake = Mechanism(
    "fake",
    title="RS+FD of two attributes of two values",
    prefer=(
        "Where an observer shall not see which attribute was asked; it hides nothing else, and "
        "`sample_one` estimates better at the same eps."
    ),
    sampler="protocols.attributes",
    parameters=[eps],
    table=fakes(2, 2),
    claims=[LDP(eps, tight=True)],
)

k = integer("k", at_least=2)
d = integer("d", at_least=1)
keep = real("keep", above=0, below=1)
inside, outside = keep / d + (1 - keep / d) / k, (1 - keep / d) / k
fake_marginal = Mechanism(
    "fake_marginal",
    title="What RS+FD reports of one of d attributes",
    sampler="protocols.attributes",
    parameters=[k, d, keep],
    table=Design(k, 1, 0, inside, outside, Singletons(k)),
    claims=[
        Unbiased(),
        Variance(
            n * (outside * (1 - outside) + f * keep / d * (1 - inside - outside)) * (d / keep) ** 2
        ),
    ],
)
