"""Gaussian noise of standard deviation sigma on a number in [-1, 1]: private with a delta only.

    y = x + z,  z any real number
    density of z = e^(-z^2/(2 sigma^2)) / (sigma sqrt(2 pi))

ln P(y|x)/P(y|x') grows with y without end: no finite eps holds, whatever sigma is. For two numbers
t apart and m = t/sigma, the smallest delta at eps is Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m); it
grows with m, so the two ends, 2/sigma apart, need most. The classical sigma = t sqrt(2
ln(1.25/delta))/eps is enough for eps < 1 and not for every larger eps.

Real numbers cannot be drawn or sent. What runs is a table of integer weights near this law on a
grid, `ldp_verified.protocols.Gaussian`: the delta that counts there is that of the table, computed
from its weights, and not this one.

Cynthia Dwork, Krishnaram Kenthapadi, Frank McSherry, Ilya Mironov, Moni Naor (2006), Our Data,
Ourselves: Privacy via Distributed Noise Generation. Borja Balle, Yu-Xiang Wang (2018), Improving
the Gaussian Mechanism for Differential Privacy: Analytical Calibration and Optimal Denoising. The
curve as one number: Jinshuo Dong, Aaron Roth, Weijie Su (2022), Gaussian Differential Privacy.
"""

from ldp_verified.language import (
    GaussianLDP,
    Mean,
    Mechanism,
    Noise,
    Normal,
    ReportVariance,
    real,
)

sigma = real("sigma", above=0)
x = real("x", at_least=-1, at_most=1)

gaussian = Mechanism(
    "gaussian",
    title="Gaussian noise",
    prefer=(
        "Where many reports of one person add up and a delta is accepted: k of them are one with "
        "sigma/sqrt(k). For one report, a mechanism without delta has the simpler promise."
    ),
    sampler="protocols.gaussian",
    parameters=[sigma],
    table=Noise(value=x, law=Normal(level=1 / sigma, scale=sigma)),
    claims=[
        GaussianLDP(2 / sigma, tight=True, source="Balle, Wang 2018"),
        Mean(x),
        ReportVariance(sigma**2),
    ],
)
