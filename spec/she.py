"""Summation with histogram encoding: Laplace noise of scale b = 2/eps on each bit; sums estimate.

    bits    1 for the own value, 0 for the k - 1 others
    report  (bit_v + z_v for every v), the z_v independent, density e^(-|z|/b) / (2 b)
    count   of v = the sum of everybody's report_v;  variance n 8/eps^2, whatever the counts are

Two values differ in two bits, by 1 each: eps = 2/b is that of the whole report, and tight. A single
number has half of it. What the authors state, eps and n 8/eps^2, is what is proved here. `sue` with
the same eps has n/(4 sinh^2(eps/4)), and sinh(eps/4) > eps/4: less than half of it, at every f.

Real numbers cannot be drawn or sent. What runs is `she_grid`: m steps from 0 to 1, geometric noise
with alpha = e^(-eps/(2 m)) on each bit, cut off L steps beyond as in `truncated_geometric`; eps is
2 m ln(1/alpha). Without the cut (`she_lattice`) a count has variance n/(2 m^2 sinh^2(eps/(4 m))):
less than 8/eps^2, and near it for large m. With the cut it has a little less.

Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017), Locally Differentially Private
Protocols for Frequency Estimation.
"""

from ldp_verified.language import (
    LDP,
    Ends,
    Exponential,
    Lattice,
    Mean,
    Mechanism,
    Noise,
    OneHot,
    ReportVariance,
    Variance,
    integer,
    log,
    n,
    real,
)

b = real("b", above=0)
k = integer("k", at_least=2)
bit = real("bit", at_least=0, at_most=1)
eps = 2 / b

she = Mechanism(
    "she",
    title="Summation with histogram encoding",
    sampler="protocols.she",
    parameters=[b, k],
    table=Noise(value=bit, law=Exponential(level=1 / (2 * b), scale=b), encoder=OneHot(k)),
    claims=[
        LDP(eps, tight=True, source="Wang et al. 2017"),
        Mean(bit),
        ReportVariance(8 / eps**2),
        Variance(n * 8 / eps**2, source="Wang et al. 2017"),
    ],
    prefer=(
        "Not for counts alone: `sue` at the same eps has less than half of the variance at every "
        "f, in one bit per value. It is for a server that wants the noisy numbers themselves, say "
        "to choose a threshold later (`the`)."
    ),
)

alpha = real("alpha", above=0, below=1)
m = integer("m", at_least=1)
L = integer("L", at_least=0)
x = integer("x", at_least=0, at_most=m)
low = real("low", above=0, at_most=1)
high = real("high", above=0, at_most=1)
law = Lattice(mass=(1 - alpha) / (1 + alpha), decay=alpha)
beyond = alpha / (1 - alpha)
less = alpha * (low + high) / ((1 + alpha) * (1 - alpha) ** 2)

she_lattice = Mechanism(
    "she_lattice",
    title="Summation with histogram encoding, in steps of 1/m",
    sampler="protocols.she",
    parameters=[alpha, m, k],
    table=Noise(value=x, law=law, encoder=OneHot(k)),
    claims=[
        LDP(-2 * m * log(alpha), tight=True),
        Mean(x),
        ReportVariance(2 * alpha / (1 - alpha) ** 2),
        Variance(n * 2 * alpha / ((1 - alpha) ** 2 * m**2)),
    ],
)

she_grid = Mechanism(
    "she_grid",
    title="Summation with histogram encoding, in steps of 1/m, cut off L steps beyond",
    sampler="protocols.she",
    parameters=[alpha, m, L, low, high, k],
    table=Noise(
        value=x,
        law=law,
        ends=Ends(-L, m + L, -L - beyond, m + L + beyond, low_tail=low, high_tail=high),
        encoder=OneHot(k),
    ),
    claims=[
        LDP(-2 * m * log(alpha), tight=True),
        Mean(x),
        ReportVariance(2 * alpha / (1 - alpha) ** 2 - less),
    ],
)
