"""Keep the value with probability c, else report a uniform one: k-ary response said otherwise.

    y           how many    P(y | x)
    y = x              1    c + (1 - c) / k
    y != x         k - 1        (1 - c) / k

With c = (e^eps - 1) / (e^eps + k - 1). Compared with optimized unary encoding at every share f;
where it is better is left to be derived.
"""

from ldp_verified.language import (
    LDP,
    BetterThan,
    Design,
    Mechanism,
    SameTable,
    Singletons,
    exp,
    f,
    integer,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
c = (u - 1) / (u + k - 1)

keep_or_uniform = Mechanism(
    "keep_or_uniform",
    title="Keep the value or report a uniform one",
    parameters=[eps, k],
    table=Design(
        blocks=k,
        containing=1,
        together=0,
        inside=c + (1 - c) / k,
        outside=(1 - c) / k,
        structure=Singletons(k),
    ),
    claims=[
        LDP(eps, tight=True),
        SameTable("grr"),
        BetterThan("oue", k < 3 * u + 2, at_f=0),
        BetterThan("oue", at_f=f),
    ],
)
