"""Count the values that at least a share of the users hold, or anybody, with bounds.

Reports of a value that few users hold are those of a value that nobody holds. So the number of
different values that anybody holds has a lower bound only. Whatever was reported, one user more may
hold each of the others; that changes the law of the reports by next to nothing. How many values
are held by at least a share has two bounds, which are near each other where the share is well above
the errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.extras import needs
from ldp_verified.run.aggregate.absent import absences, absent_coins
from ldp_verified.run.aggregate.asked import AskedOracle
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.scalars import is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.oracle import Floats


@dataclass(frozen=True)
class Distinct:
    """The number of values that at least a share of the users hold.

    Attributes:
        share: of the users.
        value: how many of the listed values have an estimate of at least that.
        low, high: ends of the interval of the number of listed values.
        unlisted: how many values that are not listed may be held so often, at most, where the
            interval holds; 0 where all values are listed. None where users may hold several values,
            so that nothing is known of it.
    """

    share: float
    value: int
    low: int
    high: int
    unlisted: int | None


def check_held_share(share: object) -> float:
    """A share in (0, 1].

    Raises:
        ParameterError: something else.
    """
    if not is_number(share) or not 0 < share <= 1:
        raise ParameterError("share", "must be a number above 0, up to 1", share)
    return float(share)


def held_by(
    share: float,
    n: int,
    counts: Floats,
    ends: tuple[Floats, Floats],
    *,
    complete: bool,
    exclusive: bool,
) -> Distinct:
    """The number of values with `share` of the users or more, and what contains it.

    Where all true counts lie within their ends, as many values have the share as have a lower end
    of at least that, or more; and no more than have such an upper end. The listed values have all
    of their lower ends together, and so many values more fit into the rest of the users.

    Args:
        share: in (0, 1]. n: the number of users. counts: the estimates.
        ends: of intervals that hold for all values at once.
        complete: whether these are all values. exclusive: whether a user holds one value only.
    """
    # Users are whole, and a rounding must not ask for one more.
    needed = max(1, math.ceil(share * n * (1 - 1e-12)))
    low, high = (_many(each >= needed) for each in ends)
    value = min(max(_many(counts >= needed), low), high)
    unlisted: int | None = 0
    if not complete:
        # What rounding takes from the ends is less than this.
        rest = n - float(ends[0].sum()) + 1e-9 * n
        unlisted = max(0, math.floor(rest / needed)) if exclusive else None
    return Distinct(share, value, low, high, unlisted)


def _many(places: NDArray[Any]) -> int:
    return int(places.sum())


@dataclass(frozen=True)
class AtLeast:
    """A number of different values that are held, at least.

    Attributes:
        level: the chance, at least, that all of this is true.
        value: so many different values are held, or more.
        held: labels of values that are held, each of them, those that are shown best first.
        law: of the p-values behind `held`: "binomial" is exact, "Chernoff" a bound that holds for
            every number of users, "normal" an approximation.
    """

    level: float
    value: int
    held: tuple[str | int, ...]
    law: str


def distinct_at_least(estimate: Estimate, level: float) -> AtLeast:
    """Bound from below how many different values are held: see `Estimate.distinct_at_least`.

    Args:
        estimate: of values that were fixed beforehand. level: in (0, 1), checked.

    Raises:
        ParameterError: the values were chosen by the same reports.
    """
    p_values, law = absences(estimate)
    miss = 1.0 - level
    uppers = _uppers(estimate, miss / 2) if estimate.of_all_values and estimate.n else None
    if uppers is not None:
        miss /= 2  # the other half is for the ends of the counts
    order = np.argsort(p_values, kind="stable")
    left = len(order) - np.arange(len(order))
    above = p_values[order] > miss / left
    found = order[: int(above.argmax()) if above.any() else len(order)]
    held = tuple(estimate.names[place] for place in found.tolist())
    value = len(held) if uppers is None else max(len(held), _fewest(estimate, uppers))
    return AtLeast(level, value, held, law)


def _uppers(estimate: Estimate, miss: float) -> Floats:
    """Upper ends of the counts among the users who reported, which hold together but for `miss`.

    The supports of a value that c of n users hold are a sum of coins of the mean n q + c (p - q).
    """
    oracle: object = estimate.oracle
    coins = absent_coins(estimate.oracle, estimate.n)
    inner = oracle.oracle if isinstance(oracle, AskedOracle) else oracle
    if coins is None or not isinstance(inner, FrequencyOracle):
        return estimate.interval(1.0 - miss, simultaneous=True)[1]
    n, counts, k = coins.n, estimate.support_counts.astype(np.float64), estimate.oracle.k
    if n == 0:
        return np.zeros(k)
    ends = largest_means(counts, n, miss / k)
    slope = float(inner.p_star - inner.q_star)
    return np.asarray(np.clip(n * (ends - coins.chance) / slope, 0.0, n))


def largest_means(counts: Floats, n: int, miss: float) -> Floats:
    """Upper ends of the mean chance of n independent coins, by how many of them came up.

    W. Hoeffding (1956), "On the Distribution of the Number of Successes in Independent Trials": up
    to the mean less one, the lower tail of such a sum is at most that of the binomial of that mean.
    So ends that hold for binomials hold, from one beyond the count on.

    Args:
        counts: 0..n each, float64. n: at least 1. miss: the chance that an end is wrong, at most.
    """
    needs("the largest mean chance of coins", "scipy")
    from scipy.special import betainccinv  # not needed by clients

    ends = betainccinv(np.minimum(counts, n - 1) + 1, np.maximum(n - counts, 1), miss)
    return np.asarray(np.where(counts >= n, 1.0, np.maximum(ends, (counts + 1) / n)))


def _fewest(estimate: Estimate, uppers: Floats) -> int:
    """Every user holds one value: so few values have room for all of them.

    Where all values together have too little room, some end is wrong for sure. Such ends say
    nothing, and what is left is that somebody holds something.
    """
    users = estimate.reports
    room = np.cumsum(np.sort(uppers)[::-1])
    # What rounding takes from the ends is less than this.
    needed = users * (1 - 1e-9)
    if not users:
        return 0
    return 1 if room[-1] < needed else int(np.searchsorted(room, needed)) + 1
