r"""Warner's randomized response: truth with probability 1/2 + gamma, lie otherwise.

    x \ y           0              1
    0        1/2 + gamma    1/2 - gamma
    1        1/2 - gamma    1/2 + gamma

Stanley L. Warner (1965), Randomized Response: A Survey Technique for Eliminating Evasive Answer
Bias.
"""

from ldp_verified.language import LDP, Matrix, Mechanism, Rational, Unbiased, Variance, log, n, real

half = Rational(1, 2)
gamma = real("gamma", above=0, below=half)

warner = Mechanism(
    "warner",
    title="Warner's randomized response",
    prefer=(
        "A survey with yes and no in which the probability of the truth is given; at a wanted "
        "eps `binary_rr` is the same table."
    ),
    parameters=[gamma],
    table=Matrix(
        [
            [half + gamma, half - gamma],
            [half - gamma, half + gamma],
        ]
    ),
    claims=[
        LDP(log((1 + 2 * gamma) / (1 - 2 * gamma)), tight=True),
        Unbiased(),
        Variance(n * (1 / (16 * gamma**2) - Rational(1, 4))),
    ],
)
