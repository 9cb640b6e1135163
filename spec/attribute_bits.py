"""One attribute by unary encoding, fake bits for the others, not said which: RS+FD of bits.

    fake bits       those of a vector of zeros, randomized          "UE-z"
                    those of a uniform value, randomized            "UE-r"

With L(1) = one/zero and L(0) = (1 - one)/(1 - zero), P(y|x) of UE-z is a law of y times the average
over attributes j of L(bit x_j of y_j); of UE-r each L is divided by its average over the bits of
y_j. All L are at their largest if y has the bits of x alone, and L(1)/L(0) times smaller at an x'
that differs everywhere: so eps is that of the unary encoding, ln(one (1 - zero)/(zero (1 - one))),
for `sue` and `oue` alike. What is published is ln((e^eps + d - 1)/d): right for tuples that differ
in one attribute with UE-z (`metric`), and with UE-r too little even for those, if an attribute has
more than two values (`examples/specs/fake_bits.py`).

Heber H. Arcolezi, Jean-Francois Couchot, Bechara Al Bouna, Xiaokui Xiao (2021), Random Sampling
Plus Fake Data: Multidimensional Frequency Estimates With Local Differential Privacy.
"""

from sympy import Expr

from ldp_verified.language import (
    LDP,
    Bits,
    Matrix,
    Mechanism,
    MetricLDP,
    OneHot,
    Unbiased,
    Variance,
    differing_in_one,
    f,
    integer,
    log,
    n,
    real,
)

k = integer("k", at_least=2)
d = integer("d", at_least=1)
zero = real("zero", above=0, below=1)
one = real("one", above=zero, below=1)
ratio = one * (1 - zero) / (zero * (1 - one))
y01 = (0, 1)
vectors = [(a, b) for a in y01 for b in y01]


def unary(x: int | None, y: tuple[int, int]) -> Expr:
    """P(y|x) of the two bits of one attribute; of a vector of zeros if x is None."""
    first, second = (one if x == v else zero for v in y01)
    return (first if y[0] else 1 - first) * (second if y[1] else 1 - second)


def table(random: bool) -> Matrix:
    """Two attributes of two values."""
    tuples, outputs = vectors, [(a, b) for a in vectors for b in vectors]

    def fake(y: tuple[int, int]) -> Expr:
        return (unary(0, y) + unary(1, y)) / 2 if random else unary(None, y)

    def cell(x: tuple[int, int], y: tuple[tuple[int, int], tuple[int, int]]) -> Expr:
        return (unary(x[0], y[0]) * fake(y[1]) + unary(x[1], y[1]) * fake(y[0])) / 2

    return Matrix([[cell(x, y) for y in outputs] for x in tuples], inputs=tuples, outputs=outputs)


fake_zeros = Mechanism(
    "fake_zeros",
    title="RS+FD with UE-z, of two attributes of two values",
    prefer=(
        "Where an observer shall not see which attribute was asked, and attributes have many "
        "values; `sample_one` with `oue` estimates better at the same eps."
    ),
    sampler="protocols.attribute_bits",
    parameters=[zero, one],
    table=table(random=False),
    claims=[LDP(log(ratio), tight=True), MetricLDP(log((ratio + 1) / 2), differing_in_one)],
)

fake_values = Mechanism(
    "fake_values",
    title="RS+FD with UE-r, of two attributes of two values",
    prefer=(
        "To compare with `fake_zeros`, whose estimates have a smaller variance for rare values: "
        "fakes of uniform values add ones that mean nothing."
    ),
    sampler="protocols.attribute_bits",
    parameters=[zero, one],
    table=table(random=True),
    claims=[LDP(log(ratio), tight=True), MetricLDP(log((ratio + 1) / 2), differing_in_one)],
)


fake = real("fake", at_least=zero, below=one)
own, other = fake + (one - fake) / d, fake + (zero - fake) / d
fake_bit_marginal = Mechanism(
    "fake_bit_marginal",
    title="Bits that RS+FD reports of one of d attributes, whose fakes have a 1 with chance `fake`",
    sampler="protocols.attribute_bits",
    parameters=[k, d, zero, one, fake],
    # The law of each bit; of UE-z that of them all (fake = zero), of UE-r bits are not independent.
    table=Bits(own, other, OneHot(k)),
    claims=[
        Unbiased(),
        Variance(
            n
            * (other * (1 - other) + f * (one - zero) / d * (1 - own - other))
            * d**2
            / (one - zero) ** 2
        ),
    ],
)
