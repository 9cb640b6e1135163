"""One-bit Hadamard randomized response: a public uniform column j, and the sign H[x, j] randomized.

    y = (j, s)       how many    P(y | x)
    H[x, j] = s             M       e^eps / (e^eps + 1) / M
    H[x, j] != s            M             1 / (e^eps + 1) / M

H is Sylvester's matrix of order M, the smallest power of two >= k. Its columns are a family of M
hash functions with two buckets in which different values collide with probability exactly 1/2: the
table is that of binary local hashing. One bit depends on the value; j is public.

Raef Bassily, Adam Smith (2015), Local, Private, Efficient Protocols for Succinct Histograms.
Graham Cormode, Tejas Kulkarni, Divesh Srivastava (2019), Answering Range Queries Under Local
Differential Privacy.
"""

from ldp_verified.language import (
    LDP,
    Design,
    HadamardSigns,
    Mechanism,
    SameTable,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    load,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
M = integer("M", at_least=1)
u = exp(eps)

hrr = Mechanism(
    "hrr",
    title="One-bit Hadamard randomized response",
    prefer=(
        "One bit that depends on the value, beside a public column: the table of binary local "
        "hashing with a fast server. Good at small eps; above it more buckets are better."
    ),
    parameters=[eps, k, M],
    table=Design(
        blocks=2 * M,
        containing=M,
        together=M / 2,
        inside=u / (u + 1) / M,
        outside=1 / (u + 1) / M,
        structure=HadamardSigns(values=k, order=M),
    ),
    claims=[
        LDP(eps, tight=True),
        Unbiased(),
        Variance(n * (u + 1) ** 2 / (u - 1) ** 2, at_f=0),
        Variance(n * (u + 1) ** 2 / (u - 1) ** 2 - n * f),
        SameTable(load("olh")[1]),  # blh
    ],
)
