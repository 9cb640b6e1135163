"""Two-sided geometric noise on the integers: the discrete Laplace mechanism.

    y = x + z,  x in 0..m
    P(z) = (1 - alpha)/(1 + alpha) alpha^|z|,  z any integer

With alpha = e^(-eps/m) the whole value is protected: eps for any two values of 0..m. The authors
state ln(1/alpha) for a count that one person changes by 1, which for a value of 0..m in that
person's hand is m times as much.

Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan (2009), Universally Utility-Maximizing Privacy
Mechanisms. Seidu Inusah, Tomasz Kozubowski (2006), A Discrete Analogue of the Laplace Distribution.
"""

from ldp_verified.language import (
    LDP,
    Lattice,
    Mean,
    Mechanism,
    Noise,
    ReportVariance,
    integer,
    log,
    real,
)

alpha = real("alpha", above=0, below=1)
m = integer("m", at_least=1)
x = integer("x", at_least=0, at_most=m)

geometric = Mechanism(
    "geometric",
    title="Two-sided geometric noise",
    prefer=(
        "Integers whose reports shall be integers as well, with noise that does not depend on the "
        "value; cut off at the bounds (`truncated_geometric`) its variance is smaller."
    ),
    sampler="geometric",
    parameters=[alpha, m],
    table=Noise(value=x, law=Lattice(mass=(1 - alpha) / (1 + alpha), decay=alpha)),
    claims=[
        LDP(-m * log(alpha), tight=True),
        Mean(x),
        ReportVariance(2 * alpha / (1 - alpha) ** 2, source="Inusah, Kozubowski 2006"),
    ],
)
