"""Plan a collection with the objects that will run.

A plan says how many users a wish needs, or which epsilon. It has two answers. `users` is by normal
approximation, as intervals of estimates are. `guaranteed` is by an inequality that holds for every
number of users. That is Bernstein's (as in `analysis.utility.tails`) where every report is a new
draw, and Chebyshev's or Cantelli's where something was drawn once for all reports, such as the rows
of a sketch. Variances are those of the realized tables, at the share of users for which they are
largest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.aggregate.combined import SupportPairs, pairs, variance_of
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.aggregate.tabulated import quantile as quantile_of
from ldp_verified.run.realize.parameters import check_integer, check_share, exact_number
from ldp_verified.run.realize.real_numbers.bounded import BoundedRandomizer
from ldp_verified.run.realize.tables.search import fewest

if TYPE_CHECKING:
    from collections.abc import Callable

    Ask = Callable[[Any], "Need"]

MOST_USERS: Final = 10**10
SMALLEST_EPSILON: Final = 1 / 1024
LARGEST_EPSILON: Final = 16.0
CLOSE: Final = 1.001
"""The largest factor by which the epsilon that is found may exceed the smallest one."""

MOST_BORDERS: Final = 65
"""Borders between values at which the error of a quantile is looked at, spread evenly."""


@dataclass(frozen=True)
class Need:
    """The number of users that a wish needs; None where that is above 10^10, or where none do.

    Attributes:
        users: by normal approximation.
        guaranteed: by the theorem.
        theorem: "Bernstein" or "Chebyshev".
    """

    users: int | None
    guaranteed: int | None
    theorem: str


@dataclass(frozen=True)
class _Law:
    """The law of what one user adds to an estimate.

    Attributes:
        line: n -> (a, b): the variance is at most a + b f where a share f holds the value.
        width: the most that one report in the place of another changes.
        steps: half a step of the estimate, for the continuity correction.
        fresh: whether reports are independent of each other.
        values: how many estimates are looked at; None for a mean.
    """

    line: Callable[[int], tuple[float, float]]
    width: float
    steps: float
    fresh: bool
    values: int | None

    @property
    def theorem(self) -> str:
        return "Bernstein" if self.fresh else "Chebyshev"

    def variance(self, n: int, share: float | None, *, population: bool) -> float:
        """The variance of what a user adds, at a share or the largest; with the sampling of f."""
        a, b = self.line(n)
        if share is None:  # where a + b f, or a + b f + f (1 - f), is largest
            share = min(max((1 + b) / 2, 0.0), 1.0) if population else float(b > 0)
        return a + b * share + (share * (1 - share) if population else 0.0)


def _law(made: Any) -> _Law:
    if isinstance(made, BoundedRandomizer):
        worst = made.worst_variance
        return _Law(lambda _: (worst, 0.0), _range_of_reports(made), 0.0, True, None)
    oracle = getattr(made, "oracle", None)
    if oracle is None:
        rule = "must be a mechanism that estimates counts or a mean"
        raise ParameterError("mechanism", rule, type(made))
    if getattr(oracle, "no_estimator", None) is not None:
        rule = f"must have an unbiased estimator: {oracle.no_estimator}"
        raise ParameterError("mechanism", rule, type(made).__name__)

    def line(n: int) -> tuple[float, float]:
        a, b = oracle.variance_line(n)
        at_zero = float(a.max())
        return at_zero, float((a + b).max()) - at_zero

    half = float(oracle.half_step.max())
    fresh = not isinstance(oracle, FrequencyOracle) or oracle.fresh
    return _Law(line, 2 * half, half, fresh, oracle.k)


def _range_of_reports(made: BoundedRandomizer) -> float:
    """The largest number that a report stands for less the smallest, in the users' units."""
    d, (low, high), (start, end) = made.decoding, made.bounds, made.inputs
    numbers = (d.first, d.value(d.cells - 1), *d.atoms)
    scale = (Fraction(high) - Fraction(low)) / (end - start) / d.slope
    return float((max(numbers) - min(numbers)) * abs(scale))


def users_for_error(
    made: Any,
    error: float,
    level: float = 0.95,
    *,
    share: float | None = None,
    population: bool = False,
) -> Need:
    """The fewest users whose estimate is within `error` of the truth, with probability `level`.

    Args:
        made: a mechanism of the catalogue, or a user's own: anything with an `oracle`, or a
            randomizer of numbers.
        error: of an estimated share of the users, between 0 and 1; for numbers, of the mean in the
            units of `bounds`, above 0.
        level: in (0, 1), of one estimate that was fixed beforehand.
        share: of the users who hold the value, in [0, 1]; None for the one at which the variance is
            largest.
        population: whether the truth is the share in the population that the users are drawn from,
            independently; otherwise it is the share among these very users.

    Returns:
        The need.

    Raises:
        ParameterError: an argument is out of range, or there is no unbiased estimator; or `share`
            or `population` for numbers, whose spread nobody knows beforehand.
    """
    law = _law(made)
    _check_error(error, of_shares=law.values is not None)
    check_level(level)
    check_kind("population", population, bool)
    if law.values is None and (population or share is not None):
        rule = "must be left out for a mean of numbers"
        raise ParameterError("population" if population else "share", rule)
    if share is not None:
        check_share("share", share)
    width = law.width + (1 if population else 0)
    return _within(
        law, lambda n: law.variance(n, share, population=population), width, error, level
    )


def _within(
    law: _Law, variance: Callable[[int], float], width: float, error: float, level: float
) -> Need:
    """The fewest users whose mean is within `error`, with probability `level`.

    Args:
        law: whose steps and draws they are. variance: n -> that of what a user adds.
        width: the most that one report in the place of another changes.
        error, level: checked.
    """
    z, alpha = quantile_of(level), 1 - level

    def normal(n: int) -> bool:
        return z * math.sqrt(variance(n) / n) + law.steps / n <= error

    def sure(n: int) -> bool:
        if not law.fresh:
            return variance(n) <= alpha * n * error**2
        return 2 * math.exp(-n * error**2 / (2 * (variance(n) + width * error / 3))) <= alpha

    return Need(fewest(normal, MOST_USERS), fewest(sure, MOST_USERS), law.theorem)


def users_to_detect(made: Any, share: float, level: float = 0.95) -> Need:
    """The fewest users at which a value that a share holds stands out from values nobody holds.

    There is a threshold that the estimates of all k values nobody holds stay below, together, with
    probability `level`, and that the estimate of the value exceeds with probability `level`.
    `users` is by normal approximation: too few where few supports are expected, about n q* below
    30. `guaranteed` is not.

    Args:
        made: as in `users_for_error`, of counts. share: in (0, 1]. level: in (0, 1).

    Raises:
        ParameterError: an argument is out of range, or there is no unbiased estimator.
    """
    law = _law(made)
    if law.values is None:
        raise ParameterError("mechanism", "must estimate counts", type(made).__name__)
    check_share("share", share)
    _check_above_zero("share", share)
    check_level(level)
    alarm, miss = (1 - level) / law.values, 1 - level

    def enough(reach: Callable[[int, float, float], float]) -> Callable[[int], bool]:
        def found(n: int) -> bool:
            a, b = law.line(n)
            return reach(n, a, alarm) + reach(n, a + b * share, miss) <= share * n

        return found

    def normal(n: int, variance: float, chance: float) -> float:
        reach = -NormalDist().inv_cdf(chance) if chance < 0.5 else 0.0
        return reach * math.sqrt(n * variance) + law.steps

    def sure(n: int, variance: float, chance: float) -> float:
        if not law.fresh:  # Cantelli, the one-sided form of Chebyshev
            return math.sqrt(n * variance * (1 / chance - 1))
        part, log = law.width * math.log(1 / chance) / 3, math.log(1 / chance)
        return part + math.sqrt(part * part + 2 * n * variance * log)

    return Need(fewest(enough(normal), MOST_USERS), fewest(enough(sure), MOST_USERS), law.theorem)


def users_for_quantile(made: Any, error: float, quantile: float = 0.5, level: float = 0.95) -> Need:
    """Find the fewest users for a quantile of ordered values, such as the bins of a number.

    The values are 0..k-1 in their order. Take the border between two of them below which a share
    `quantile` of the users lies. The estimated share below it (`estimate.sum_of`) is within `error`
    of the true one, with probability `level`, wherever that border is. So it is an error of the
    rank, and not of the number.

    Args:
        made: as in `users_for_error`, of counts.
        error: of the share below the border, between 0 and 1. quantile: in (0, 1), excluded.
        level: in (0, 1), of one border that was fixed beforehand.

    Returns:
        The need. The variance is exact where that of `sum_of` is, with the users spread evenly on
        either side of the border; elsewhere (hash functions, sketches) it is the bound that holds
        whatever the covariances are, and far above what is needed.

    Raises:
        ParameterError: an argument is out of range, or there is no unbiased estimator.
    """
    law = _law(made)
    if law.values is None:
        raise ParameterError("mechanism", "must estimate counts", type(made).__name__)
    _check_error(error, of_shares=True)
    check_level(level)
    check_level(quantile, "quantile")
    k = law.values
    borders = np.unique(np.linspace(1, k - 1, min(k - 1, MOST_BORDERS)).astype(int)).tolist()
    spreads = [_below(made.oracle, border, quantile) for border in borders]
    known = max((v for v in spreads if v is not None), default=0.0)
    longest = k - 1 if None in spreads else 0
    one_value = pairs(made.oracle) == SupportPairs(0.0, 0.0)  # a report never supports two values
    width = law.width * (1 if one_value else k - 1)

    def variance(n: int) -> float:
        return max(known, longest**2 * law.variance(n, None, population=False))

    return _within(law, variance, width, error, level)


def _below(oracle: Any, border: int, share: float) -> float | None:
    """The variance of the estimated share below a border, per user; None where it is not known."""
    below = np.arange(oracle.k) < border
    shares = np.where(below, share / border, (1 - share) / (oracle.k - border))
    return variance_of(oracle, shares, below.astype(np.float64))


def epsilon_for(make: Callable[[float], Any], n: int, ask: Ask) -> float | None:
    """An epsilon at which n users are enough, by normal approximation.

    Within 0.1 percent of the smallest, where more epsilon never needs more users.

    Args:
        make: epsilon -> mechanism: `lambda epsilon: OLH(epsilon, 1000)`. n: users, at least 1.
        ask: mechanism -> need, such as `lambda made: users_for_error(made, 0.01)`.

    Returns:
        An epsilon in 2^-10..16; None where 16 is not enough.

    Raises:
        ParameterError: an argument is out of range; or `make` refuses 16.
    """
    check_integer("n", n, 1, MOST_USERS)

    def enough(epsilon: float) -> bool:
        try:
            made = make(epsilon)
        except ParameterError:
            if epsilon == LARGEST_EPSILON:
                raise
            return False  # too small to be realized
        users = ask(made).users
        return users is not None and users <= n

    low, high = SMALLEST_EPSILON, LARGEST_EPSILON
    if not enough(high):
        return None
    if enough(low):
        return low
    while high / low > CLOSE:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check_error(error: object, *, of_shares: bool) -> None:
    """Refuse what is no error: one of a share is below 1, which a guess without reports keeps."""
    _check_above_zero("error", error)
    exact = exact_number(error)
    if of_shares and exact is not None and exact >= 1:
        raise ParameterError("error", "must be a share below 1 (one percentage point: 0.01)", error)


def _check_above_zero(name: str, given: object) -> None:
    exact = exact_number(given)
    if exact is None or exact <= 0:
        raise ParameterError(name, "must be a number above 0", given)
