"""K-randomized response as a mixture: the value, or with a coin B a uniform one of all k.

    P(B = 1) = k / (e^eps + k - 1)
    y           how many    P(y | x)
    y = x              1    P(B = 0) + P(B = 1) / k
    y != x         k - 1               P(B = 1) / k

It is k-ary randomized response (`grr`).

Peter Kairouz, Keith Bonawitz, Daniel Ramage (2016), Discrete Distribution Estimation under Local
Privacy.
"""

from ldp_verified.language import (
    LDP,
    Design,
    Mechanism,
    SameTable,
    Singletons,
    Unbiased,
    Variance,
    exp,
    integer,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
uniform = k / (u + k - 1)

keep_or_uniform = Mechanism(
    "keep_or_uniform",
    title="Keep or uniform",
    prefer=(
        'Where k-ary response is run as "keep the value, else draw one uniformly": the table '
        "is that of `grr`."
    ),
    parameters=[eps, k],
    table=Design(
        blocks=k,
        containing=1,
        together=0,
        inside=1 - uniform + uniform / k,
        outside=uniform / k,
        structure=Singletons(k),
    ),
    claims=[
        LDP(eps, tight=True),
        Unbiased(),
        Variance(n * (k - 2 + u) / (u - 1) ** 2, at_f=0),
        SameTable("grr"),
    ],
)
