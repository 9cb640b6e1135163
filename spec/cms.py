"""Count mean sketch: a public uniform hash function of M, the bucket as one-hot bits, all flipped.

    y = (h, bits)     P(bit h(x) = 1)           P(any other bit = 1)
    each h: 1/M       s / (s + 1), s = e^(eps/2)          1 / (s + 1)

A report supports the values whose bucket has a 1. h is one of the M functions of a family to m
buckets in which different values collide with probability exactly 1/m: over a uniform h, drawn for
each report on its own, estimates are unbiased with the variance below, whose share (1 - f)/(m - 1)
is that of collisions. With rows (functions) fixed once for all users that is a statement about the
draw of the rows, and users who share a row add to the variance: `run/realize/designs/sketch.py`.

Differential Privacy Team, Apple (2017), Learning with Privacy at Scale. Mingen Pan (2024),
Count-mean Sketch as an Optimized Framework for Frequency Estimation with Local Differential
Privacy, corrects the expectation and the variance published there.
"""

from ldp_verified.language import (
    LDP,
    Bits,
    HashedOneHot,
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
m = integer("buckets", at_least=2)
M = integer("M", at_least=1)
s = exp(eps / 2)

noise = m**2 * s / ((m - 1) ** 2 * (s - 1) ** 2)

cms = Mechanism(
    "cms",
    title="Count mean sketch",
    prefer=(
        "Many values and a server whose counters do not grow with them: rows times buckets. With "
        "many buckets and rows its variance is hardly above that of `sue`, with bits for buckets "
        "instead of values; `oue` and `olh` have a smaller one."
    ),
    parameters=[eps, k, m, M],
    table=Bits(
        one=s / (s + 1),
        zero=1 / (s + 1),
        encoder=HashedOneHot(values=k, buckets=m, functions=M),
    ),
    claims=[
        LDP(eps, tight=True, source="Apple 2017"),
        Unbiased(),
        Variance(n * noise + n * (1 - f) / (m - 1)),
    ],
)
