"""Hadamard response: report a column of a Hadamard matrix, likelier where the value's row is +1.

    y                   how many    P(y | x)
    H[x + 1, y] = +1       K / 2       2 e^eps / (e^eps + 1) / K
    H[x + 1, y] = -1       K / 2             2 / (e^eps + 1) / K

H is Sylvester's matrix of order K, the smallest power of two above k. This is the response for
high privacy: its variance does not fall to 0 as eps grows.

Jayadev Acharya, Ziteng Sun, Huanyu Zhang (2019), Hadamard Response: Estimating Distributions
Privately, Efficiently, and with Little Communication.
"""

from ldp_verified.language import (
    LDP,
    Design,
    HadamardBlocks,
    Mechanism,
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
K = integer("K", at_least=4)
u = exp(eps)

hadamard_response = Mechanism(
    "hadamard_response",
    title="Hadamard response",
    prefer=(
        "Small eps and many values: a report is one index, and one Walsh-Hadamard transform "
        "gives all counts. At small eps its variance is hardly above that of local hashing; beyond "
        "eps = 1 or so it is clearly above."
    ),
    parameters=[eps, k, K],
    table=Design(
        blocks=K,
        containing=K / 2,
        together=K / 4,
        inside=2 * u / (u + 1) / K,
        outside=2 / (u + 1) / K,
        structure=HadamardBlocks(values=k, order=K),
    ),
    claims=[
        LDP(eps, tight=True, source="Acharya, Sun, Zhang 2019"),
        Unbiased(),
        Variance(n * (u + 1) ** 2 / (u - 1) ** 2, at_f=0),
        Variance(n * (u + 1) ** 2 / (u - 1) ** 2 - n * f),
    ],
)
