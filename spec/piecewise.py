"""The piecewise mechanism for one number in [-1, 1]: a high step around x, a low one elsewhere.

    density of y                      where
    (s^2 - s) / (2 s + 2)             l(x) <= y <= l(x) + C - 1
    (s - 1) / (2 s^2 + 2 s)           elsewhere in [-C, C]
    s = e^(eps/2),  C = (s + 1) / (s - 1),  l(x) = (C + 1) x / 2 - (C - 1) / 2

Ning Wang, Xiaokui Xiao, Yin Yang, Jun Zhao, Siu Cheung Hui, Hyejin Shin, Junbum Shin, Ge Yu (2019),
Collecting and Analyzing Multidimensional Data with Local Differential Privacy.
"""

from ldp_verified.language import (
    LDP,
    Density,
    Mean,
    Mechanism,
    Piece,
    ReportVariance,
    WorstVariance,
    exp,
    real,
)

eps = real("eps", above=0)
x = real("x", at_least=-1, at_most=1)
s = exp(eps / 2)
C = (s + 1) / (s - 1)
left = (C + 1) * x / 2 - (C - 1) / 2
right = left + C - 1
high = (s**2 - s) / (2 * s + 2)
low = (s - 1) / (2 * s**2 + 2 * s)

piecewise = Mechanism(
    "piecewise",
    title="Piecewise mechanism",
    prefer=(
        "A mean at larger eps: the variance falls to 0 as eps grows, and is smallest for "
        "values near the middle of the range."
    ),
    sampler="window",
    parameters=[eps],
    table=Density(
        value=x,
        pieces=[Piece(-C, left, low), Piece(left, right, high), Piece(right, C, low)],
    ),
    claims=[
        LDP(eps, tight=True, source="Wang et al. 2019"),
        Mean(x, source="Wang et al. 2019"),
        ReportVariance(x**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2), source="Wang et al. 2019"),
        WorstVariance(4 * s / (3 * (s - 1) ** 2), at=1, source="Wang et al. 2019"),
    ],
)
