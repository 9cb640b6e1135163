"""Claims that hold, or fail, because of a bound on eps: what a route that drops it gets wrong.

The false ones are false only beside the end of the domain, and true without what another line
drops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldp_verified.language import LDP, Holds, Matrix, Mechanism, Rational, exp, integer, log, real

half = Rational(1, 2)
inner = real("inner", above=0, at_most=log(3))
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
)
"""True claims."""

FAILS = (
    Bounded("not_up_to_e", at_most(1), lambda _: LDP(log(e))),
    Bounded("not_below_three", at_most(log(3)), lambda u: Holds(u < 3)),
    Bounded("not_above_e", from_(1), lambda u: Holds(u > above_e)),
    Bounded("not_above_two", from_(log(2)), lambda u: Holds(u > 2)),
    Bounded("not_through_another", at_most(inner), lambda _: LDP(log(29 * half / 5)), (inner,)),
    Bounded("not_of_a_size", at_most(log(k)), lambda u: Holds(u < k), (k,)),
    Bounded("not_of_a_fine_generator", at_most(log(3)), lambda _: LDP(log(17 * half / 5)), root=2),
)
"""False ones, each with a witness inside the domain."""
