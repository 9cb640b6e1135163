"""Tail bounds for sums of independent contributions, rounded against the claim.

`exact_tail` computes the probability itself, in balls. The other two are theorems about every sum
of bounded independent terms. They are by Wassily Hoeffding (1963), Probability Inequalities for
Sums of Bounded Random Variables, and Sergei Bernstein (1924), in the form of George Bennett (1962),
Probability Inequalities for the Sum of Independent Random Variables. For reports of finite tables
both are Coq theorems (`hoeffding_counts`, `bernstein_counts` in proofs/lib/Concentration.v); for
other laws they are cited. Tests compare both with the exact probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from flint import arb, arb_poly

from ldp_verified.analysis.account.rounding import above, number, whole
from ldp_verified.analysis.utility.contributions import Bounded, Contribution
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.tables.balls import ball

Users = Sequence[tuple[Contribution | Bounded, int]]
"""(contribution, number of users with it)."""

MOST_STEPS = 1 << 18
"""Values that the sum may take before the exact tail is refused."""


def _checked(users: Users, error: object) -> Fraction:
    if not users:
        raise ParameterError("users", "must hold at least one group", 0)
    for _, count in users:
        whole("users", count, 0)
    return number("error", error, low=0)


def hoeffding_tail(users: Users, error: float | Fraction) -> float:
    """An upper bound on Pr[|sum - mean| >= error]: 2 exp(-2 error^2 / sum of squared widths).

    Args:
        users: pairs (contribution, number of users with it). error: at least 0.

    Returns:
        A probability in [0, 1], rounded up.

    Raises:
        ParameterError: no users, an error below 0.
    """
    exact = _checked(users, error)
    widths = sum((count * each.width**2 for each, count in users), Fraction(0))
    if widths == 0:
        return 0.0 if exact else 1.0
    return min(1.0, above(lambda: 2 * (ball(-2 * exact**2 / widths)).exp()))


def bernstein_tail(users: Users, error: float | Fraction) -> float:
    """An upper bound on Pr[|sum - mean| >= error] that knows the variance.

    2 exp(-error^2 / (2 (variance + reach error / 3))).

    Args:
        users: pairs (contribution, number of users with it). error: at least 0.

    Returns:
        A probability in [0, 1], rounded up.

    Raises:
        ParameterError: no users, an error below 0.
    """
    exact = _checked(users, error)
    variance = sum((count * each.variance for each, count in users), Fraction(0))
    reach = max(each.reach for each, _ in users)
    below = 2 * (variance + reach * exact / 3)
    if below == 0:
        return 0.0 if exact else 1.0
    return min(1.0, above(lambda: 2 * (ball(-(exact**2) / below)).exp()))


def exact_tail(users: Users, error: float | Fraction, *, strict: bool = False) -> float:
    """Pr[|sum - mean| >= error], or > error where `strict`; rounded up.

    Args:
        users: pairs (contribution, number of users with it). error: at least 0.
        strict: whether to leave out an error of exactly `error`.

    Returns:
        A probability in [0, 1], rounded up.

    Raises:
        ParameterError: no users, an error below 0, more than `MOST_STEPS` values of the sum, or
            contributions that are not listed.
    """
    return min(1.0, above(lambda: tail_ball(users, error, strict=strict)))


def tail_ball(users: Users, error: float | Fraction, *, strict: bool = False) -> arb:
    """`exact_tail` as a ball, at the working precision.

    Raises:
        ParameterError: as in `exact_tail`.
    """
    exact = _checked(users, error)
    mean = sum((count * each.mean for each, count in users), Fraction(0))
    listed = [(each, count) for each, count in users if isinstance(each, Contribution)]
    if len(listed) < len(users):
        raise ParameterError("users", "must contribute finitely many values for an exact tail")
    lows = [each.atoms[0][0] for each, _ in listed]
    # Every contribution is its least value plus a multiple of one step.
    unit = lcm(
        *(
            (v - low).denominator
            for (each, _), low in zip(listed, lows, strict=True)
            for v, _ in each.atoms
        )
    )
    product, start, top = arb_poly([1]), Fraction(0), 0
    for (each, count), low in zip(listed, lows, strict=True):
        steps = [int((value - low) * unit) for value, _ in each.atoms]
        top += steps[-1] * count
        if top > MOST_STEPS:
            raise ParameterError("users", f"must have at most {MOST_STEPS} sums", top)
        coefficients = [arb(0)] * (steps[-1] + 1)
        for step, (_, chance) in zip(steps, each.atoms, strict=True):
            coefficients[step] = ball(chance)
        product *= arb_poly(coefficients) ** count
        start += low * count
    total = arb(0)
    for step in range(top + 1):
        distance = abs(start + Fraction(step, unit) - mean)
        if distance > exact or (distance == exact and not strict):
            total += product[step]
    return total
