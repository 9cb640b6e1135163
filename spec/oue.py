"""Optimized unary encoding: one-hot bits, the 1 kept with probability 1/2, 0s flipped more rarely.

    P(1 | bit = 1) = 1 / 2
    P(1 | bit = 0) = 1 / (e^eps + 1)

Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017), Locally Differentially Private
Protocols for Frequency Estimation.
"""

from ldp_verified.language import (
    LDP,
    Bits,
    Mechanism,
    OneHot,
    Optimal,
    Rational,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)

oue = Mechanism(
    "oue",
    title="Optimized unary encoding",
    prefer=(
        "Many values and no hashing: the smallest variance at f = 0 of all unary encodings. A "
        "report has k bits."
    ),
    parameters=[eps, k],
    table=Bits(one=Rational(1, 2), zero=1 / (u + 1), encoder=OneHot(k)),
    claims=[
        LDP(eps, tight=True, source="Wang et al. 2017"),
        Unbiased(),
        Variance(4 * n * u / (u - 1) ** 2, at_f=0, source="Wang et al. 2017"),
        Variance(4 * n * u / (u - 1) ** 2 + n * f, source="Wang et al. 2017"),
        Optimal({"one": Rational(1, 2), "zero": 1 / (u + 1)}, at_f=0, source="Wang et al. 2017"),
    ],
)
