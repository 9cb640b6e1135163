"""Laplace noise of scale b on a number in [-1, 1].

    y = x + z,  z any real number
    density of z = e^(-|z|/b) / (2 b)

eps is 2/b for any two numbers of the interval: b = 2/eps.

Cynthia Dwork, Frank McSherry, Kobbi Nissim, Adam Smith (2006), Calibrating Noise to Sensitivity in
Private Data Analysis.
"""

from ldp_verified.language import (
    LDP,
    Exponential,
    Mean,
    Mechanism,
    Noise,
    ReportVariance,
    real,
)

b = real("b", above=0)
x = real("x", at_least=-1, at_most=1)

laplace = Mechanism(
    "laplace",
    title="Laplace noise",
    prefer=(
        "A mean, only where Laplace noise is asked for: at every eps the worst variance of the "
        "piecewise mechanism is smaller, and that of the hybrid too."
    ),
    sampler="laplace",
    parameters=[b],
    table=Noise(value=x, law=Exponential(level=1 / (2 * b), scale=b)),
    claims=[
        LDP(2 / b, tight=True, source="Dwork, McSherry, Nissim, Smith 2006"),
        Mean(x),
        ReportVariance(2 * b**2),
    ],
)
