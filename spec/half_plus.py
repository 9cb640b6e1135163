r"""Keep the sign with probability 1/2 + gamma, turn it round otherwise.

    x \ y           -1               +1
    -1      1/2 + gamma      1/2 - gamma
    +1      1/2 - gamma      1/2 + gamma

Lecture notes call gamma "eps" here and say that the randomizer is eps-LDP. It exists for
gamma < 1/2 only, and its eps is ln((1 + 2 gamma) / (1 - 2 gamma)), above 4 gamma. To reach a given
eps, gamma is (e^eps - 1) / (2 (e^eps + 1)): that is `binary_rr`.

The estimate of the number of +1 is (2 gamma n + the sum of the reports) / (4 gamma).

Stanley L. Warner (1965), Randomized Response: A Survey Technique for Eliminating Evasive Answer
Bias.
"""

from ldp_verified.language import (
    LDP,
    Matrix,
    Mechanism,
    Rational,
    Unbiased,
    Variance,
    log,
    n,
    real,
)

half = Rational(1, 2)
gamma = real("gamma", above=0, below=half)

half_plus = Mechanism(
    "half_plus",
    title="A sign kept with probability 1/2 + gamma",
    prefer=(
        "Where a protocol states the probability 1/2 + gamma rather than eps; otherwise "
        "`binary_rr`, which is the same table at a given eps."
    ),
    parameters=[gamma],
    table=Matrix(
        [[half + gamma, half - gamma], [half - gamma, half + gamma]],
        inputs=[-1, 1],
        outputs=[-1, 1],
    ),
    claims=[
        LDP(log((1 + 2 * gamma) / (1 - 2 * gamma)), tight=True),
        Unbiased(supported=(2 * gamma + 1) / (4 * gamma), otherwise=(2 * gamma - 1) / (4 * gamma)),
        Variance(n * (1 / (16 * gamma**2) - Rational(1, 4))),
    ],
)
