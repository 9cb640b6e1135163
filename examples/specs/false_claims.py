"""A mechanism whose author is wrong about almost everything; each claim is refuted.

    P(1 | bit = 1) = e^eps / (e^eps + 1)
    P(1 | bit = 0) =     1 / (e^eps + 1)

Randomized response on every bit of a one-hot vector, said to be eps-LDP: it is 2 eps.
"""

from ldp_verified.language import (
    LDP,
    Bits,
    Mechanism,
    OneHot,
    Optimal,
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

bit_by_bit = Mechanism(
    "bit_by_bit",
    parameters=[eps, k],
    table=Bits(one=u / (u + 1), zero=1 / (u + 1), encoder=OneHot(k)),
    claims=[
        LDP(eps),
        Unbiased(supported=(u + 1) / (u - 1), otherwise=0),
        Variance(n * u / (u - 1), at_f=0),
        Optimal({"one": u / (u + 1), "zero": 1 / (u + 1)}),
    ],
)
