"""Two-sided geometric noise, cut off at -L and m + L: all that lies beyond is reported as the end.

    y = min(max(x + z, -L), m + L),  x in 0..m
    P(z) = (1 - alpha)/(1 + alpha) alpha^|z|,  z any integer

L = 0 is the authors' truncated mechanism. eps is m ln(1/alpha) for any two values of 0..m, as
without the cut; ln(1/alpha), which is stated for a count, is that of two neighbouring values only.
The ends stand for -L - alpha/(1 - alpha) and m + L + alpha/(1 - alpha): so a report is unbiased for
every x, and its variance smaller than without the cut. Read as they are, the ends would be biased.
Here `low` = alpha^(x + L) and `high` = alpha^(m + L - x).

Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan (2009), Universally Utility-Maximizing Privacy
Mechanisms.
"""

from ldp_verified.language import (
    LDP,
    Ends,
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
L = integer("L", at_least=0)
x = integer("x", at_least=0, at_most=m)
low = real("low", above=0, at_most=1)
high = real("high", above=0, at_most=1)
beyond = alpha / (1 - alpha)
less = alpha * (low + high) / ((1 + alpha) * (1 - alpha) ** 2)

truncated_geometric = Mechanism(
    "truncated_geometric",
    title="Truncated geometric noise",
    prefer=(
        "Integers in a known range whose reports shall be of that range, ends apart: a smaller "
        "variance than uncut noise. One step of the grid is `duchi`."
    ),
    sampler="truncated_geometric",
    parameters=[alpha, m, L, low, high],
    table=Noise(
        value=x,
        law=Lattice(mass=(1 - alpha) / (1 + alpha), decay=alpha),
        ends=Ends(-L, m + L, -L - beyond, m + L + beyond, low_tail=low, high_tail=high),
    ),
    claims=[
        LDP(-m * log(alpha), tight=True),
        Mean(x),
        ReportVariance(2 * alpha / (1 - alpha) ** 2 - less),
    ],
)
