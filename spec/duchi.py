"""Duchi, Jordan and Wainwright's mechanism for one number in [-1, 1]: one of two outputs.

    y = +B   with probability 1/2 + x (e^eps - 1) / (2 e^eps + 2)
    y = -B   otherwise
    B = (e^eps + 1) / (e^eps - 1)

John C. Duchi, Michael I. Jordan, Martin J. Wainwright (2018), Minimax Optimal Procedures for
Locally Private Estimation.
"""

from ldp_verified.language import (
    LDP,
    Atom,
    Density,
    Mean,
    Mechanism,
    Rational,
    ReportVariance,
    WorstVariance,
    exp,
    real,
)

eps = real("eps", above=0)
x = real("x", at_least=-1, at_most=1)
u = exp(eps)
half = Rational(1, 2)
B = (u + 1) / (u - 1)

duchi = Mechanism(
    "duchi",
    title="Duchi's mechanism for one number",
    prefer=(
        "A mean at small eps. Two outputs, so one bit per report; its variance never falls "
        "below 1 - x^2, so above eps = 0.61 the hybrid is better at the worst input, and at "
        "large eps the piecewise mechanism too."
    ),
    sampler="sign",
    parameters=[eps],
    table=Density(
        value=x,
        atoms=[
            Atom(-B, half - x * (u - 1) / (2 * u + 2)),
            Atom(B, half + x * (u - 1) / (2 * u + 2)),
        ],
    ),
    claims=[
        LDP(eps, tight=True, source="Duchi, Jordan, Wainwright 2018"),
        Mean(x, source="Duchi, Jordan, Wainwright 2018"),
        ReportVariance(B**2 - x**2, source="Wang et al. 2019"),
        WorstVariance(B**2, at=0, source="Wang et al. 2019"),
    ],
)
