"""Staircase noise on a number in [-1, 1]: steps as wide as the interval, each cut in two.

    density of z = y - x          where
    a e^(-j eps)                  2 j <= |z| < 2 (j + g)
    a e^(-(j + 1) eps)            2 (j + g) <= |z| < 2 (j + 1),   j = 0, 1, 2, ...
    a = (1 - e^(-eps)) / (4 (g + (1 - g) e^(-eps)))

g in (0, 1) is free here. The variance is least at a g that is a cube root in e^eps, the mean
absolute noise at g = 1/(1 + e^(eps/2)); both are the authors' and no claims of this file.

Quan Geng, Pramod Viswanath (2014), The Optimal Mechanism in Differential Privacy. Quan Geng, Peter
Kairouz, Sewoong Oh, Pramod Viswanath (2015), The Staircase Mechanism in Differential Privacy.
"""

from ldp_verified.language import (
    LDP,
    Mean,
    Mechanism,
    Noise,
    Piece,
    ReportVariance,
    Steps,
    exp,
    real,
)

eps = real("eps", above=0)
g = real("g", above=0, below=1)
x = real("x", at_least=-1, at_most=1)
d = exp(-eps)
a = (1 - d) / (4 * (g + (1 - g) * d))
inner = g**3 + (1 - g**3) * d
middle = g**2 + (1 - g**2) * d
outer = g + (1 - g) * d
variance = 4 * (inner / 3 + d * middle / (1 - d) + d * (1 + d) * outer / (1 - d) ** 2) / outer

staircase = Mechanism(
    "staircase",
    title="Staircase noise",
    prefer=(
        "A number at large eps: at eps = 5 and above its variance is below the worst one of the "
        "hybrid, and falls faster. It is the same for every input."
    ),
    sampler="staircase",
    parameters=[eps, g],
    table=Noise(
        value=x,
        law=Steps([Piece(0, 2 * g, a), Piece(2 * g, 2, a * d)], period=2, decay=d),
    ),
    claims=[
        LDP(eps, tight=True, source="Geng, Viswanath 2014"),
        Mean(x),
        ReportVariance(variance, source="Geng, Kairouz, Oh, Viswanath 2015"),
    ],
)
