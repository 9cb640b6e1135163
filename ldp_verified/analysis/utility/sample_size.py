"""Errors that a probability allows, and the fewest users for a wanted error."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.analysis.account.rounding import above, number, share_of, whole
from ldp_verified.analysis.utility.contributions import Bounded, Contribution
from ldp_verified.analysis.utility.tails import Users, bernstein_tail, exact_tail, hoeffding_tail
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.tables.balls import ball
from ldp_verified.run.realize.tables.search import fewest

if TYPE_CHECKING:
    from flint import arb

METHODS: dict[str, Callable[[Users, Fraction], float]] = {
    "hoeffding": hoeffding_tail,
    "bernstein": bernstein_tail,
    "exact": exact_tail,
}
MOST_USERS = 1 << 40


def hoeffding_error(users: Users, beta: float | Fraction) -> float:
    """The error that is exceeded with probability at most beta, by `hoeffding_tail`; rounded up.

    sqrt(sum of squared widths ln(2/beta) / 2).

    Args:
        users: pairs (contribution, number of users with it). beta: in (0, 1).

    Returns:
        The error of the sum, in the units of the contributions.

    Raises:
        ParameterError: beta outside (0, 1).
    """
    share = share_of("beta", beta)
    widths = sum((count * each.width**2 for each, count in users), Fraction(0))

    def bound() -> arb:
        return (ball(widths) * ball(2 / share).log() / 2).sqrt()

    return above(bound)


def bernstein_error(users: Users, beta: float | Fraction) -> float:
    """The error by `bernstein_tail`: c/3 l + sqrt((c l/3)^2 + 2 variance l), l = ln(2/beta).

    Args:
        users: pairs (contribution, number of users with it). beta: in (0, 1).

    Returns:
        The error of the sum, in the units of the contributions.

    Raises:
        ParameterError: beta outside (0, 1).
    """
    share = share_of("beta", beta)
    variance = sum((count * each.variance for each, count in users), Fraction(0))
    reach = max(each.reach for each, _ in users)

    def bound() -> arb:
        log = ball(2 / share).log()
        part = ball(reach) * log / 3
        return part + (part * part + 2 * ball(variance) * log).sqrt()

    return above(bound)


def smallest_users(
    own: Contribution | Bounded,
    error: float | Fraction,
    beta: float | Fraction,
    method: str = "exact",
) -> int:
    """Return how many users like this one keep the estimated *share* within `error` with 1 - beta.

    The number returned has Pr[|estimate/n - mean| >= error] <= beta by the method, and the number
    before it has not. The exact probability is not monotone in n, so with "exact" a smaller number
    may happen to do as well; the bounds are.

    Args:
        own: what each of them contributes. error: of the share. beta: the probability of failing.
        method: "hoeffding", "bernstein" or "exact".

    Returns:
        The number of users, at least 1.

    Raises:
        ParameterError: an unknown method, an error that is not above 0, beta outside (0, 1).
    """
    share, target = number("error", error, low=0), share_of("beta", beta)
    if share == 0:
        raise ParameterError("error", "must be > 0", error)
    if method not in METHODS:
        raise ParameterError("method", f"must be one of {', '.join(METHODS)}", method)
    tail = METHODS[method]

    def enough(n: int) -> bool:
        return tail([(own, n)], share * n) <= target

    found = fewest(enough, MOST_USERS)
    if found is None:
        raise ParameterError("error", f"needs more than {MOST_USERS} users", str(error))
    return found


def union_users(
    own: Contribution | Bounded, error: float | Fraction, beta: float | Fraction, estimates: int
) -> int:
    """Return how many users keep several estimates within `error`, by a union of `hoeffding_tail`.

    Args:
        own, error, beta: as in `smallest_users`; beta is for all estimates together.
        estimates: how many there are, at least 1.

    Returns:
        The number of users, at least 1.

    Raises:
        ParameterError: as in `smallest_users`; fewer than one estimate.
    """
    whole("estimates", estimates, 1)
    return smallest_users(own, error, share_of("beta", beta) / estimates, "hoeffding")
