"""Plan a collection with the objects that will run.

A plan says how many users a wish needs, or which epsilon. It has two answers. `users` is by normal
approximation, as intervals of estimates are. `guaranteed` is by an inequality that holds for every
number of users. That is Bernstein's (as in `utility.tails`) where every report is a new draw, and
Chebyshev's or Cantelli's where something was drawn once for all reports, such as the rows of a
sketch. Variances are those of the realized tables, at the share of users for which they are
largest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ldp_verified.aggregate.estimate import check_level
from ldp_verified.aggregate.oracle import FrequencyOracle
from ldp_verified.collect.choose import makers, sketches
from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.realize.bounded import BoundedRandomizer
from ldp_verified.realize.parameters import check_integer, check_share, exact_number
from ldp_verified.realize.search import fewest

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.collect.choose import Maker

    Ask = Callable[[Any], "Need"]

MOST_USERS: Final = 10**10
SMALLEST_EPSILON: Final = 1 / 1024
LARGEST_EPSILON: Final = 16.0
CLOSE: Final = 1.001
"""How far above the smallest epsilon, as a factor, the found one may be."""


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
        error: of an estimated share of the users, above 0; for numbers, of the mean in the units of
            `bounds`.
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
    _check_above_zero("error", error)
    check_level(level)
    check_kind("population", population, bool)
    if law.values is None and (population or share is not None):
        rule = "must be left out for a mean of numbers"
        raise ParameterError("population" if population else "share", rule)
    if share is not None:
        check_share("share", share)
    z, alpha = NormalDist().inv_cdf((1 + level) / 2), 1 - level
    width = law.width + (1 if population else 0)

    def normal(n: int) -> bool:
        spread = math.sqrt(law.variance(n, share, population=population) / n)
        return z * spread + law.steps / n <= error

    def sure(n: int) -> bool:
        variance = law.variance(n, share, population=population)
        if not law.fresh:
            return variance <= alpha * n * error**2
        return 2 * math.exp(-n * error**2 / (2 * (variance + width * error / 3))) <= alpha

    return Need(fewest(normal, MOST_USERS), fewest(sure, MOST_USERS), law.theorem)


def users_to_detect(made: Any, share: float, level: float = 0.95) -> Need:
    """The fewest users at which a value that a share holds stands out from values nobody holds.

    There is a threshold that the estimates of all k values nobody holds stay below, together, with
    probability `level`, and that the estimate of the value exceeds with probability `level`.

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
        return max(-NormalDist().inv_cdf(chance), 0.0) * math.sqrt(n * variance) + law.steps

    def sure(n: int, variance: float, chance: float) -> float:
        if not law.fresh:  # Cantelli, the one-sided form of Chebyshev
            return math.sqrt(n * variance * (1 / chance - 1))
        part, log = law.width * math.log(1 / chance) / 3, math.log(1 / chance)
        return part + math.sqrt(part * part + 2 * n * variance * log)

    return Need(fewest(enough(normal), MOST_USERS), fewest(enough(sure), MOST_USERS), law.theorem)


def epsilon_for_error(
    make: Callable[[float], Any],
    n: int,
    error: float,
    level: float = 0.95,
    share: float | None = None,
) -> float | None:
    """An epsilon at which n users are enough for `error`, by normal approximation.

    Within 0.1 percent of the smallest, where more epsilon never means more error.

    Args:
        make: epsilon -> mechanism: `lambda epsilon: OLH(epsilon, 1000)`. n: users, at least 1.
        error, level, share: as in `users_for_error`.

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
        users = users_for_error(made, error, level, share=share).users
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


class Wish(NamedTuple):
    """The question of a plan.

    Attributes:
        error: for `users_for_error`, or None. detect: the share for `users_to_detect`, or None.
        level: of the answer. share: as in `users_for_error`.
    """

    error: float | None
    detect: float | None
    level: float
    share: float | None

    def users(self, made: Any) -> Need:
        """The users of a mechanism; Raises as `users_for_error` and `users_to_detect`."""
        if self.detect is not None:
            return users_to_detect(made, self.detect, self.level)
        assert self.error is not None
        return users_for_error(made, self.error, self.level, share=self.share)


@dataclass(frozen=True)
class Plan:
    """The users or the epsilon that one mechanism needs.

    Attributes:
        name: of the spec. bits: of a report, at the epsilon below; None where it is refused.
        epsilon: of a report; None where none up to 16 is enough.
        need: users at this epsilon; None where it is refused.
        refused: why there is no mechanism at these parameters.
    """

    name: str
    bits: int | None
    epsilon: float | None
    need: Need | None
    refused: str = ""


def plans_for_users(epsilon: float, k: int, ask: Ask) -> tuple[Plan, ...]:
    """The users that each frequency oracle needs, the fewest first.

    Args:
        epsilon: of a report. k: the number of values.
        ask: `lambda made: users_for_error(made, 0.01)`, or with `users_to_detect`.

    Raises:
        ParameterError: no mechanism takes these parameters; or what is asked is out of range.
    """
    return tuple(sorted(_plans(lambda _: epsilon, k, ask, epsilon), key=_by_users))


def plans_for_epsilon(
    n: int, k: int, error: float, level: float = 0.95, share: float | None = None
) -> tuple[Plan, ...]:
    """The epsilon that each frequency oracle needs, the smallest first.

    Args:
        n: users. k: the number of values. error, level, share: as in `users_for_error`.

    Raises:
        ParameterError: no mechanism takes these parameters; or an argument is out of range.
    """
    _check_above_zero("error", error)
    check_level(level)
    check_integer("n", n, 1, MOST_USERS)
    found = _plans(
        lambda make: epsilon_for_error(lambda epsilon: make(epsilon, k), n, error, level, share),
        k,
        lambda made: users_for_error(made, error, level, share=share),
    )
    return tuple(sorted(found, key=lambda p: (p.epsilon or math.inf, p.bits or 0, p.name)))


def _plans(
    settled: Callable[[Maker], float | None], k: int, ask: Ask, refused_at: float | None = None
) -> list[Plan]:
    """A plan of every frequency oracle, at the epsilon that is settled for it.

    Raises:
        ParameterError: all of them are refused.
    """
    found: list[Plan] = []
    refusals: list[ParameterError] = []
    for name, make in {**makers(), **sketches()}.items():
        try:
            epsilon = settled(make)
            made = None if epsilon is None else make(epsilon, k)
        except ParameterError as error:
            found.append(Plan(name, None, refused_at, None, str(error)))
            refusals.append(error)
            continue
        bits, need = (None, None) if made is None else (made.bits_per_report, ask(made))
        found.append(Plan(name, bits, epsilon, need))
    if len(refusals) == len(found):
        raise refusals[0]
    return found


def _by_users(plan: Plan) -> tuple[float, int, str]:
    users = None if plan.need is None else plan.need.users
    return math.inf if users is None else users, plan.bits or 0, plan.name


def _check_above_zero(name: str, given: object) -> None:
    exact = exact_number(given)
    if exact is None or exact <= 0:
        raise ParameterError(name, "must be a number above 0", given)
