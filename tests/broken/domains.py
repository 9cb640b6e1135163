"""Claims that hold, or fail, because of a bound on eps: what a route that drops it gets wrong.

The false ones are false only beside the end of the domain, and true without what another line
drops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldp_verified.language import (
    LDP,
    Holds,
    Matrix,
    Mechanism,
    Rational,
    exp,
    integer,
    log,
    real,
    sqrt,
)

half = Rational(1, 2)
inner = real("inner", above=0, at_most=log(3))
minus = real("minus", at_least=-5, at_most=-2)
k = integer("k", at_least=2, at_most=3)


@dataclass(frozen=True)
class Bounded:
    """A binary table whose eps is bounded.

    Attributes:
        name: what it shows. eps: the parameter. claim: a function of e^eps. others: parameters
            before eps. root: the table is in e^(eps/root).
    """

    name: str
    eps: Any
    claim: Any
    others: tuple[Any, ...] = ()
    root: int = 1

    @property
    def mechanism(self) -> Mechanism:
        """Randomized response at e^(eps/root) with the claim."""
        u = exp(self.eps / self.root)
        keep, flip = u / (u + 1), 1 / (u + 1)
        return Mechanism(
            self.name,
            parameters=[*self.others, self.eps],
            table=Matrix([[keep, flip], [flip, keep]]),
            claims=[self.claim(exp(self.eps))],
        )


def at_most(bound: Any) -> Any:
    """eps in (0, bound]."""
    return real("eps", above=0, at_most=bound)


def from_(bound: Any) -> Any:
    """eps in [bound, oo)."""
    return real("eps", at_least=bound)


e = Rational(271828182845, 10**11)
"""Below Euler's number by less than 10^-11."""
above_e = e + Rational(1, 10**9)

HOLDS = (
    Bounded("up_to_three", at_most(1), lambda _: LDP(log(3))),
    Bounded("up_to_e", at_most(1), lambda _: LDP(log(above_e))),
    Bounded("a_closed_end", at_most(log(3)), lambda _: LDP(log(3))),
    Bounded("an_open_end", real("eps", above=0, below=log(3)), lambda u: Holds(u < 3)),
    Bounded("from_one", from_(1), lambda u: Holds(u > Rational(27, 10))),
    Bounded("from_log_two", from_(log(2)), lambda u: Holds(u >= 2)),
    Bounded("between", real("eps", at_least=half, below=2), lambda u: Holds((u - 1) * (8 - u) > 0)),
    Bounded("through_another", at_most(inner), lambda _: LDP(log(3)), (inner,)),
    Bounded("half_of_another", at_most(inner / 2 + 1), lambda _: LDP(log(5)), (inner,)),
    Bounded("logarithm_of_a_size", at_most(log(k)), lambda u: Holds(u <= k), (k,)),
    Bounded("a_fine_generator", at_most(2), lambda _: LDP(log(3)), root=2),
    Bounded("a_square_root", at_most(log(9)), lambda _: LDP(log(3)), root=2),
    # log(minus**4)/4 is the logarithm of -minus: a root drawn without a look at signs is minus.
    Bounded(
        "a_root_of_an_even_power",
        at_most(log(minus**4) / 4),
        lambda u: Holds(u**4 <= minus**4),
        (minus,),
    ),
)
"""True claims."""

FAILS = (
    Bounded("not_up_to_e", at_most(1), lambda _: LDP(log(e))),
    Bounded("not_below_three", at_most(log(3)), lambda u: Holds(u < 3)),
    Bounded("not_above_e", from_(1), lambda u: Holds(u > above_e)),
    Bounded("not_above_two", from_(log(2)), lambda u: Holds(u > 2)),
    Bounded("not_through_another", at_most(inner), lambda _: LDP(log(29 * half / 5)), (inner,)),
    Bounded("not_of_a_size", at_most(log(k)), lambda u: Holds(u < k), (k,)),
    Bounded("not_of_an_even_power", at_most(log(minus**4) / 4), lambda _: LDP(log(2)), (minus,)),
    Bounded("not_of_a_fine_generator", at_most(log(3)), lambda _: LDP(log(17 * half / 5)), root=2),
)
"""False ones, each with a witness inside the domain."""


half_open = {"above": 0, "below": half}
a, b = real("a", **half_open), real("b", **half_open)
p, q = real("p", above=0, below=1), real("q", above=0, below=1)
t, eps = real("t", above=0, below=1), real("eps", above=0)
j = integer("j", at_least=2)


@dataclass(frozen=True)
class Region:
    """A binary table [[first, 1 - first], [second, 1 - second]] over a joint region.

    Attributes:
        name: what it shows. parameters, assuming: the region. first, second: the cells.
        claim: what is said of it.
    """

    name: str
    parameters: tuple[Any, ...]
    assuming: tuple[Any, ...]
    first: Any
    second: Any
    claim: Any

    @property
    def mechanism(self) -> Mechanism:
        """The declaration."""
        rows = [[self.first, 1 - self.first], [self.second, 1 - self.second]]
        return Mechanism(
            self.name,
            parameters=list(self.parameters),
            table=Matrix(rows),
            claims=[self.claim],
            assuming=list(self.assuming),
        )


def _region(name: str, parameters: Any, assuming: Any, claim: Any) -> Region:
    first, second = parameters
    return Region(name, parameters, tuple(assuming), first, second, claim)


COMPARABLE = (b <= 3 * a, a <= 3 * b)
FLIP = (1 - t, t)
below_root = real("c", above=0, below=sqrt(half))
above_root = real("c", above=sqrt(half), below=1)
APART, APART_ABOVE = Holds(2 * below_root**2 < 1), Holds(2 * above_root**2 > 1)
first, second = real("first", above=0, at_most=half), real("second", **half_open)
REGIONS = (
    _region("comparable", (a, b), COMPARABLE, LDP(log(3))),
    _region("a_cone", (q, p), (q < p, p <= 2 * q, 1 - q <= 2 * (1 - p)), LDP(log(2))),
    _region("an_odds_ratio", (q, p), (q < p, p * (1 - q) <= 2 * q * (1 - p)), LDP(log(2))),
    _region("ordered", (q, p), (q < p,), Holds(p * (1 - q) > q * (1 - p))),
    _region("pasted_back", (a, b), (3 * a - b >= 0, a - 3 * b <= 0), LDP(log(3))),
    Region("little_flipping", (eps, t), (t * (exp(eps) + 1) >= 1, t < half), *FLIP, LDP(eps)),
    Region("eps_last", (t, eps), (t * (exp(eps) + 1) >= 1, t < half), *FLIP, LDP(eps)),
    Region("much", (eps, t), (t * (exp(eps) + 1) <= 1,), *FLIP, Holds(1 - t >= exp(eps) * t)),
    # Excluded is an irrational number, which no rational bound outside of it excludes.
    Region("below_a_root", (below_root,), (), below_root**2, 1 - below_root**2, APART),
    Region("above_a_root", (above_root,), (), above_root**2, 1 - above_root**2, APART_ABOVE),
    # Each may be as large as 1/2, the second one only where the first one is.
    Region(
        "never_both", (first, second), (second <= first,), second, 1 - second, Holds(second < half)
    ),
    Region("sizes", (j, t), (j * t <= half,), t, t, Holds(t <= half / 2)),
)
"""True claims over joint regions."""

DISK = Region("a_disk", (a, b), (a**2 + b**2 <= half**4,), a, b, Holds(a <= half / 2))
"""A true one that is no sum of products of what bounds its region: it takes a square."""

up_to_root = real("c", above=0, at_most=sqrt(half))
FALSE_REGIONS = (
    _region("not_comparable", (a, b), COMPARABLE, LDP(log(29 * half / 5))),
    _region("not_a_cone", (q, p), (q < p, p <= 2 * q), LDP(log(2))),
    _region("half_of_it", (a, b), COMPARABLE[:1], LDP(log(3))),
    Region("too_little", (eps, t), (t * (exp(eps) + 2) >= 1, t < half), *FLIP, LDP(eps)),
    Region("up_to_a_root", (up_to_root,), (), up_to_root, half, Holds(100 * up_to_root**2 < 49)),
    Region("not_the_disk", (a, b), (a**2 + b**2 <= half**4,), a, b, Holds(a + b <= half / 2)),
)
"""False ones, each with a witness inside."""
