"""Symmetric unary encoding (basic one-time RAPPOR): one-hot bits, all flipped equally often.

    P(1 | bit = 1) = e^(eps/2) / (e^(eps/2) + 1)
    P(1 | bit = 0) =         1 / (e^(eps/2) + 1)

Ulfar Erlingsson, Vasyl Pihur, Aleksandra Korolova (2014), RAPPOR: Randomized Aggregatable
Privacy-Preserving Ordinal Response. Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017),
Locally Differentially Private Protocols for Frequency Estimation.
"""

from ldp_verified.language import (
    LDP,
    Bits,
    Mechanism,
    OneHot,
    Unbiased,
    Variance,
    exp,
    integer,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
s = exp(eps / 2)

sue = Mechanism(
    "sue",
    title="Symmetric unary encoding",
    prefer=(
        "Where ones and zeros must be flipped equally often, as in basic one-time RAPPOR; its "
        "variance does not depend on the share. At f = 0 `oue` is better."
    ),
    parameters=[eps, k],
    table=Bits(one=s / (s + 1), zero=1 / (s + 1), encoder=OneHot(k)),
    claims=[
        LDP(eps, tight=True, source="Wang et al. 2017"),
        Unbiased(),
        Variance(n * s / (s - 1) ** 2, source="Wang et al. 2017"),
    ],
)
