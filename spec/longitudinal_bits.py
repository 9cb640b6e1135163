"""Memoised bits: a permanent answer for each value, kept, and each of its bits anew every time.

    P(1 | bit = 1), P(1 | bit = 0) of k one-hot bits:

                permanent               instantaneous
    L-SUE       1 - zero_1, zero_1      1 - zero_2, zero_2      (Basic RAPPOR with low = 1 - high)
    L-OSUE      1/2, zero_1             1 - zero_2, zero_2
    L-OUE       1/2, zero_1             1/2, zero_2
    L-SOUE      1 - zero_1, zero_1      1/2, zero_2

All reports on one value cost what the permanent answer costs (theorem `post_ldp`, and `ue`); the
tables here are of one report.

Heber H. Arcolezi, Jean-Francois Couchot, Bechara Al Bouna, Xiaokui Xiao (2022), Improving the
Utility of Locally Differentially Private Protocols for Longitudinal and Multidimensional Frequency
Estimates.
"""

from sympy import Expr, factor

from ldp_verified.language import (
    LDP,
    Bits,
    Mechanism,
    OneHot,
    Rational,
    Unbiased,
    Variance,
    f,
    integer,
    log,
    n,
    real,
    then,
)

half = Rational(1, 2)
k = integer("k", at_least=2)
zero_1 = real("zero_1", above=0, below=half)
zero_2 = real("zero_2", above=0, below=half)


def unary(name: str, title: str, one_1: Expr, one_2: Expr, prefer: str) -> Mechanism:
    """One report of k bits, each randomized twice."""
    both = Bits(one_1, zero_1, OneHot(k))
    table = then(both, [[1 - zero_2, zero_2], [1 - one_2, one_2]])
    one, zero = factor(table.one), factor(table.zero)
    return Mechanism(
        name,
        title=f"{title}, one report",
        prefer=prefer,
        sampler="protocols.longitudinal_bits",
        parameters=[k, zero_1, zero_2],
        table=table,
        claims=[
            LDP(log(factor(one * (1 - zero) / (zero * (1 - one)))), tight=True),
            Unbiased(),
            Variance(n * zero * (1 - zero) / (one - zero) ** 2, at_f=0),
            Variance(
                n * (zero * (1 - zero) + f * (one - zero) * (1 - one - zero)) / (one - zero) ** 2
            ),
        ],
    )


LESS = "`l_osue` has a smaller variance at f = 0 at the same two epsilons."
BEST = (
    "Repeated reports of one of many values: one report is that of `oue` at its eps, with the "
    "smallest variance at f = 0 of the four."
)

l_sue = unary("l_sue", "L-SUE", 1 - zero_1, 1 - zero_2, f"Where Basic RAPPOR runs already: {LESS}")
l_osue = unary("l_osue", "L-OSUE", half, 1 - zero_2, BEST)
l_oue = unary("l_oue", "L-OUE", half, half, f"To compare with: {LESS}")
l_soue = unary("l_soue", "L-SOUE", 1 - zero_1, half, f"To compare with: {LESS}")
