"""Local hashing in numbered cohorts: a public uniform function of M, then its bucket randomized.

    y = (a, b)        how many       P(y | x)
    <a, x> = b               M       e^eps / (e^eps + g - 1) / M
    <a, x> != b      M (g - 1)             1 / (e^eps + g - 1) / M

g is a prime; functions and values are vectors of base-g digits, and the hash is their inner product
mod g, so different values collide with probability exactly 1/g over the M = g^m functions: the
table is that of local hashing. Reports are counted by function and bucket, so the work of the
server hardly depends on their number.

Ulfar Erlingsson, Vasyl Pihur, Aleksandra Korolova (2014), RAPPOR: Randomized Aggregatable
Privacy-Preserving Ordinal Response (cohorts). Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha
(2017), Locally Differentially Private Protocols for Frequency Estimation (local hashing).
"""

from ldp_verified.language import (
    LDP,
    Design,
    LinearBlocks,
    Mechanism,
    Optimal,
    SameTable,
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
g = integer("g", at_least=2)
M = integer("M", at_least=1)
u = exp(eps)
at_zero = (u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2)

hash_cohorts = Mechanism(
    "hash_cohorts",
    title="Local hashing in cohorts",
    prefer=(
        "Local hashing for many reports: the table and variance of `olh`, but the server "
        "counts first and looks at each value once, however many reports there are."
    ),
    parameters=[eps, k, g, M],
    table=Design(
        blocks=M * g,
        containing=M,
        together=M / g,
        inside=u / (u + g - 1) / M,
        outside=1 / (u + g - 1) / M,
        structure=LinearBlocks(values=k, prime=g, functions=M),
    ),
    claims=[
        LDP(eps, tight=True, source="Wang et al. 2017"),
        Unbiased(),
        Variance(n * at_zero, at_f=0, source="Wang et al. 2017"),
        Variance(n * at_zero + n * f * ((g - 1) ** 2 - u) / ((g - 1) * (u - 1))),
        Optimal({g: u + 1}, at_f=0, source="Wang et al. 2017"),
        SameTable("olh"),
    ],
)
