"""Square wave for one number in [0, 1]: a high step of width 2 b around x, a low one elsewhere.

    density of y                    where
    e^eps / (2 b e^eps + 1)         |y - x| <= b
        1 / (2 b e^eps + 1)         elsewhere in [-b, 1 + b]

b is free here. The authors take the b that is best for an upper bound of the mutual information,
(eps e^eps - e^eps + 1) / (2 e^eps (e^eps - 1 - eps)), which mixes eps and e^eps: no claim of this
file. The mean is not x: the distribution of x is reconstructed by EM.

Zitao Li, Tianhao Wang, Milan Lopuhaa-Zwakenberg, Ninghui Li, Boris Skoric (2020), Estimating
Numerical Distributions under Local Differential Privacy.
"""

from ldp_verified.language import (
    LDP,
    Density,
    Mean,
    Mechanism,
    Piece,
    Rational,
    ReportVariance,
    exp,
    real,
)

eps = real("eps", above=0)
b = real("b", above=0)
x = real("x", at_least=0, at_most=1)
u = exp(eps)
high = u / (2 * b * u + 1)
low = 1 / (2 * b * u + 1)
mean = (2 * b * (u - 1) * x + b + Rational(1, 2)) / (2 * b * u + 1)
square = (6 * b * (u - 1) * x**2 + 2 * b**3 * u + 3 * b**2 + 3 * b + 1) / (3 * (2 * b * u + 1))

square_wave = Mechanism(
    "square_wave",
    title="Square wave",
    prefer=(
        "The distribution of a number, not only its mean: reports stay near the value, and EM "
        "reconstructs the histogram."
    ),
    sampler="square_wave",
    parameters=[eps, b],
    table=Density(
        value=x,
        pieces=[Piece(-b, x - b, low), Piece(x - b, x + b, high), Piece(x + b, 1 + b, low)],
    ),
    claims=[
        LDP(eps, tight=True, source="Li et al. 2020"),
        Mean(mean),
        ReportVariance(square - mean**2),
    ],
)
