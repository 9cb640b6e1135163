"""General unary encoding: one-hot bits, a 1 kept with one probability, a 0 raised with another.

    P(1 | bit = 1) = one
    P(1 | bit = 0) = zero, with 0 < zero < one < 1

eps = ln(one (1 - zero) / (zero (1 - one))). Symmetric and optimized unary encoding (`sue`, `oue`)
are two choices of the two numbers.

Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017), Locally Differentially Private
Protocols for Frequency Estimation.
"""

from ldp_verified.language import (
    LDP,
    Bits,
    Mechanism,
    OneHot,
    Unbiased,
    Variance,
    f,
    integer,
    log,
    n,
    real,
)

k = integer("k", at_least=2)
zero = real("zero", above=0, below=1)
one = real("one", above=zero, below=1)
spread = one - zero

ue = Mechanism(
    "ue",
    title="Unary encoding",
    prefer=(
        "Where the two probabilities are given, by a deployed configuration, say; at a wanted "
        "eps take `oue` or `sue`."
    ),
    parameters=[k, zero, one],
    table=Bits(one=one, zero=zero, encoder=OneHot(k)),
    claims=[
        LDP(log(one * (1 - zero) / (zero * (1 - one))), tight=True, source="Wang et al. 2017"),
        Unbiased(supported=(1 - zero) / spread, otherwise=-zero / spread),
        Variance(n * zero * (1 - zero) / spread**2, at_f=0, source="Wang et al. 2017"),
        Variance(n * zero * (1 - zero) / spread**2 + n * f * (1 - one - zero) / spread),
    ],
)
