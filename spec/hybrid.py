"""Hybrid of the piecewise mechanism (with probability alpha) and Duchi's (otherwise).

    report                      with probability
    piecewise, see there        alpha
    Duchi's, see there          1 - alpha
    alpha = 1 - e^(-eps/2), where the variance is the same for every x

The authors use Duchi's mechanism alone (alpha = 0) for eps below a switch near 0.61. It is where
3 s^3 - s^2 + s - 7 = 0 for s = e^(eps/2). `hybrid_more` and `hybrid_less` have another alpha, and
say that alpha is best: a larger one is always worse, a smaller one exactly above the switch.

Ning Wang, Xiaokui Xiao, Yin Yang, Jun Zhao, Siu Cheung Hui, Hyejin Shin, Junbum Shin, Ge Yu (2019),
Collecting and Analyzing Multidimensional Data with Local Differential Privacy.
"""

from sympy import Expr, Gt

from ldp_verified.language import (
    LDP,
    Atom,
    Density,
    Mean,
    Mechanism,
    Piece,
    Rational,
    ReportVariance,
    SmallerWorst,
    WorstVariance,
    exp,
    real,
)

eps = real("eps", above=0)
t = real("t", above=0, below=1)
x = real("x", at_least=-1, at_most=1)
s = exp(eps / 2)
half = Rational(1, 2)
B = (s**2 + 1) / (s**2 - 1)
C = (s + 1) / (s - 1)
left = (C + 1) * x / 2 - (C - 1) / 2
right = left + C - 1
high = (s**2 - s) / (2 * s + 2)
low = (s - 1) / (2 * s**2 + 2 * s)
switch = 3 * s**3 + s > s**2 + 7


def mixed(alpha: Expr) -> Density:
    """Piecewise with probability alpha, Duchi's otherwise."""
    return Density(
        value=x,
        pieces=[
            Piece(-C, left, alpha * low),
            Piece(left, right, alpha * high),
            Piece(right, C, alpha * low),
        ],
        atoms=[
            Atom(-B, (1 - alpha) * (half - x / (2 * B))),
            Atom(B, (1 - alpha) * (half + x / (2 * B))),
        ],
    )


alpha = 1 - 1 / s
worst = (s + 3) / (3 * s * (s - 1)) + B**2 / s

hybrid = Mechanism(
    "hybrid",
    title="Hybrid mechanism",
    prefer=(
        "A mean, if one mechanism is wanted for every eps: the smallest worst variance of the "
        "three; below eps = 0.61 the class is Duchi's mechanism alone."
    ),
    sampler="hybrid",
    parameters=[eps],
    table=mixed(alpha),
    claims=[
        LDP(eps, tight=True, source="Wang et al. 2019"),
        Mean(x, source="Wang et al. 2019"),
        ReportVariance(worst, source="Wang et al. 2019"),
        WorstVariance(worst, at=0),
        SmallerWorst("duchi", switch, at=0, other_at=0, source="Wang et al. 2019"),
        SmallerWorst("piecewise", s > 1, at=0, other_at=1),
    ],
)
hybrid_more = Mechanism(
    "hybrid_more",
    title="Hybrid with a larger alpha",
    parameters=[eps, t],
    table=mixed(1 - (1 - t) / s),
    claims=[SmallerWorst(hybrid, Gt(0, t, evaluate=False), at=1, other_at=0)],
)
hybrid_less = Mechanism(
    "hybrid_less",
    title="Hybrid with a smaller alpha",
    parameters=[eps, t],
    table=mixed(t * alpha),
    claims=[SmallerWorst(hybrid, 3 * s**3 + s < s**2 + 7, at=0, other_at=0)],
)
