"""Memoised reports: a permanent answer for each value, kept, and a new answer to it every time.

    response    the value with probability keep, else a uniform one of k (it may be the value)
    L-GRR       with keep_1 once and for all, with keep_2 every time
    LOLOHA      the same on the g buckets of a public hash function that each user keeps

All reports on one value cost what the permanent answer costs (theorem `post_ldp`); the tables here
are of one report. Keeping twice is keeping with probability keep_1 keep_2, so one L-GRR report is
k-ary response, with eps = ln(1 + k keep/(1 - keep)). What the papers call eps_1 for L-GRR and
LOLOHA, ln((p1 p2 + q1 q2)/(p1 q2 + q1 p2)), leaves out the other k - 2 permanent answers: it is an
upper bound (proved below), reached for k = 2 and g = 2 alone.

Heber H. Arcolezi, Jean-Francois Couchot, Bechara Al Bouna, Xiaokui Xiao (2022), Improving the
Utility of Locally Differentially Private Protocols for Longitudinal and Multidimensional Frequency
Estimates. Heber H. Arcolezi, Carlos Pinzon, Catuscia Palamidessi, Sebastien Gambs (2023), Frequency
Estimation of Evolving Data Under Local Differential Privacy.
"""

from sympy import Expr

from ldp_verified.language import (
    LDP,
    Design,
    HashBlocks,
    Holds,
    Mechanism,
    Singletons,
    Unbiased,
    integer,
    log,
    real,
    then,
)

k = integer("k", at_least=2)
g = integer("g", at_least=2)
M = integer("M", at_least=1)
keep_1 = real("keep_1", above=0, below=1)
keep_2 = real("keep_2", above=0, below=1)


def response(size: Expr, keep: Expr) -> Design:
    """k-ary response."""
    inside, outside = keep + (1 - keep) / size, (1 - keep) / size
    return Design(size, 1, 0, inside, outside, Singletons(size))


def ratio(size: Expr, keep: Expr) -> Expr:
    """P(the value)/P(another one)."""
    return 1 + size * keep / (1 - keep)


def published(size: Expr) -> Expr:
    """P(the value)/P(another one) as the papers have it."""
    p1, q1 = keep_1 + (1 - keep_1) / size, (1 - keep_1) / size
    p2, q2 = keep_2 + (1 - keep_2) / size, (1 - keep_2) / size
    return (p1 * p2 + q1 * q2) / (p1 * q2 + q1 * p2)


def one_report(size: Expr) -> list[LDP | Holds | Unbiased]:
    """What is claimed of one report of L-GRR, and of LOLOHA's bucket."""
    return [
        LDP(log(ratio(size, keep_1 * keep_2)), tight=True),
        Holds(ratio(size, keep_1 * keep_2) <= ratio(size, keep_1)),
        Holds(published(size) >= ratio(size, keep_1 * keep_2), source="Arcolezi et al. 2022"),
        Unbiased(),
    ]


l_grr = Mechanism(
    "l_grr",
    title="L-GRR, one report",
    prefer=(
        "Repeated reports of one of few values, where a changed value is rare: each value ever "
        "held costs its own eps."
    ),
    sampler="protocols.longitudinal",
    parameters=[k, keep_1, keep_2],
    table=then(response(k, keep_1), response(k, keep_2)),
    claims=one_report(k),
)

spread = (1 - keep_1) / g
hashed = Design(M * g, M, M / g, (keep_1 + spread) / M, spread / M, HashBlocks(k, g, M))
loloha = Mechanism(
    "loloha",
    title="LOLOHA, one report",
    prefer=(
        "Repeated reports of values that change, of many: whatever the values are, all reports "
        "ever cost at most g times eps."
    ),
    sampler="protocols.loloha",
    parameters=[k, g, M, keep_1, keep_2],
    table=then(hashed, response(g, keep_2)),
    claims=one_report(g),
)
