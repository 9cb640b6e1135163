"""k-ary randomized response (direct encoding).

    y           how many    P(y | x)
    y = x              1    e^eps / (e^eps + k - 1)
    y != x         k - 1        1 / (e^eps + k - 1)

Peter Kairouz, Keith Bonawitz, Daniel Ramage (2016), Discrete Distribution Estimation under Local
Privacy. Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017), Locally Differentially
Private Protocols for Frequency Estimation.
"""

from ldp_verified.language import (
    LDP,
    BetterThan,
    Design,
    Mechanism,
    Singletons,
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

grr = Mechanism(
    "grr",
    title="k-ary randomized response",
    prefer=(
        "Few values: below k = 3 e^eps + 2 a rare value's count has a smaller variance than "
        "with the optimized unary encoding. A report is the shortest of all and the server "
        "raises one counter."
    ),
    parameters=[eps, k],
    table=Design(
        blocks=k,
        containing=1,
        together=0,
        inside=u / (u + k - 1),
        outside=1 / (u + k - 1),
        structure=Singletons(k),
    ),
    claims=[
        LDP(eps, tight=True, source="Kairouz, Bonawitz, Ramage 2016"),
        Unbiased(),
        Variance(n * (k - 2 + u) / (u - 1) ** 2, at_f=0, source="Wang et al. 2017"),
        Variance(
            n * (k - 2 + u) / (u - 1) ** 2 + n * f * (k - 2) / (u - 1), source="Wang et al. 2017"
        ),
        BetterThan("oue", k < 3 * u + 2, at_f=0, source="Wang et al. 2017"),
        BetterThan("oue", at_f=f),  # No source states the region at other shares: it is derived.
    ],
)
