"""Local hashing: k-ary randomized response on the value hashed to g buckets by a public random h.

    y = (h, b)         how many       P(y | x)
    h(x) = b                  M       e^eps / (e^eps + g - 1) / M
    h(x) != b       M (g - 1)             1 / (e^eps + g - 1) / M

h is uniform in a family of M functions in which two different values collide with probability
exactly 1/g. Binary local hashing (BLH) is g = 2; the variance at f = 0 is smallest at g = e^eps + 1
(OLH).

Raef Bassily, Adam Smith (2015), Local, Private, Efficient Protocols for Succinct Histograms.
Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017), Locally Differentially Private
Protocols for Frequency Estimation.
"""

from ldp_verified.language import (
    LDP,
    Design,
    HashBlocks,
    Mechanism,
    Optimal,
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

olh = Mechanism(
    "olh",
    title="Optimized local hashing",
    prefer=(
        "Many values, short reports and a server that can evaluate a hash function per report "
        "and value: the variance of `oue` at f = 0 in a few bytes. `hash_cohorts` has the "
        "same table with a cheaper server."
    ),
    parameters=[eps, k, g, M],
    table=Design(
        blocks=M * g,
        containing=M,
        together=M / g,
        inside=u / (u + g - 1) / M,
        outside=1 / (u + g - 1) / M,
        structure=HashBlocks(values=k, buckets=g, functions=M),
    ),
    claims=[
        LDP(eps, tight=True, source="Wang et al. 2017"),
        Unbiased(),
        Variance(
            n * (u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2), at_f=0, source="Wang et al. 2017"
        ),
        Variance(
            n * (u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2)
            + n * f * ((g - 1) ** 2 - u) / ((g - 1) * (u - 1))
        ),
        Optimal({g: u + 1}, at_f=0, source="Wang et al. 2017"),
    ],
)

blh = olh.instance(
    "blh",
    {g: 2},
    title="Binary local hashing",
    prefer=(
        "One hashed bit beside the function: the shortest hashed answer. `hrr` is the same "
        "table with a fast server; more buckets have a smaller variance unless eps is small."
    ),
)
