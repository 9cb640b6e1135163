"""Errors of heavy hitters as their papers bound them, in the failure probability beta.

Let a = ln |X| and b = ln(1/beta). Constants and sqrt(n)/eps, which all bounds have, are left out.
The lower bound is sqrt(a + b) (Bun, Nelson, Stemmer, 2018, Heavy Hitters and the Structure of Local
Privacy); the bounds of the earlier protocols are sqrt(a b) or larger. What a bound says of a
protocol is an upper bound of its error: that no better one holds for it is not decided here.
"""

from __future__ import annotations

from sympy import Gt, Le, Rational

from ldp_verified.check.claims.tables import Relation
from ldp_verified.language import integer, real

BOUNDS_IN_BETA = (
    "bounds as printed, up to constants, with a = ln |X| and b = ln(1/beta): the lower one is "
    "sqrt(a + b), those of the earlier protocols sqrt(a b) or larger; they are assumed (paper)"
)
"""Words that go with what is decided here."""


def earlier_bound_exceeds() -> Relation:
    """Claim that sqrt(a b) is above c sqrt(a + b) for every c, where a = b is large enough.

    Squared: a b/(a + b), that is a/2, is above c^2 from 2 (c + 1)^2 on.
    """
    c = real("c", at_least=1)
    a = real("a", at_least=2 * (c + 1) ** 2)
    return Relation(Gt(a / 2, c**2, evaluate=False), (c, a))


def optimal_bound_stays() -> Relation:
    """The upper bound (sqrt(a) + sqrt(b))^2 is at most 2 (a + b), as roots r and s say it."""
    r, s = real("r", above=0), real("s", above=0)
    return Relation(Le((r + s) ** 2, 2 * (r**2 + s**2), evaluate=False), (r, s))


def reduction_keeps_epsilon() -> Relation:
    """The reduction to bits, as printed, costs no more than eps."""
    bits, eps = integer("bits", at_least=1), real("eps", above=0)
    return Relation(Le(bits * eps, eps, evaluate=False), (bits, eps))


def queries_per_cell() -> Relation:
    """State that the reduction looks up at most 2 pairs in a cell, however many bits there are."""
    bits = integer("bits", at_least=1)
    return Relation(Le(2 * bits, Rational(2), evaluate=False), (bits,))
