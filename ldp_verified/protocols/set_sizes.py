"""Estimate the mean size of the users' sets, from the supports of items or of dummies.

A set of s items has s places, or `length` if that is more, and one of them is sampled. So the mean
share of sampled places that hold one of some items follows from how many reports support these.
Ends hold for every number of users. Of k-ary response a report supports one of the items or none.
Of unary encodings the number of ones among m items has the law of m independent coins: m - 1 of
them of an item not sampled, and one whose chance counts the sampling. W. Hoeffding (1956), "On the
Distribution of the Number of Successes in Independent Trials", has the tails of such sums below
those of binomials. Of hash functions the supports of one report hang together, in ways that differ
from item to item: W. Hoeffding (1963), "Probability Inequalities for Sums of Bounded Random
Variables", holds for any numbers in bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.extras import needs
from ldp_verified.protocols.collisions import divergence, first_beyond
from ldp_verified.run.aggregate.distinct import largest_means
from ldp_verified.run.aggregate.listed import check_values
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.mechanisms import GRR, SUE
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ldp_verified.protocols.padding import PaddedSampling
    from ldp_verified.run.aggregate.kept import KeptState
    from ldp_verified.run.aggregate.state import State
    from ldp_verified.run.mechanisms import BLH, OLH


@dataclass(frozen=True)
class MeanItems:
    """The mean number of items of a user's set, or of some items within it.

    Attributes:
        value: the estimate, in items; unbiased for sets that are cut. It may fall below 0.
        low, high: ends of its interval, in items.
        level: the chance, at least, that the interval holds, whatever the users hold.
        full: a share of the users, at least as large as that of those with `length` items or more;
            it holds with the level, too. Sets of more items than that are cut.
    """

    value: float
    low: float
    high: float
    level: float
    full: float


def successes(count: int, n: int, miss: float) -> tuple[float, float]:
    """Ends of the mean chance of n independent coins, of which `count` came up.

    Args:
        count: 0..n. n: at least 1. miss: the chance that each end is wrong, at most, in (0, 1).
    """
    needs("the mean number of items of a set", "scipy")
    from scipy.special import betaincinv  # not needed by clients

    # Tails are those of a binomial from one beyond the mean on.
    low = min(float(betaincinv(count, n - count + 1, miss)), (count - 1) / n) if count else 0.0
    return max(low, 0.0), float(largest_means(np.array(float(count)), n, miss))


def bounded(share: float, n: int, miss: float) -> tuple[float, float]:
    """Ends of the mean of n independent numbers in 0..1, of which `share` is the average.

    Args:
        share: in 0..1. n: at least 1. miss: the chance that each end is wrong, at most, in (0, 1).
    """
    limit = -math.log(miss) / n if miss > 0 else math.inf

    def likely(mean: float) -> bool:
        return divergence(share, mean) < limit

    return first_beyond(likely, share, 0.0), first_beyond(likely, share, 1.0)


def sampled_share(
    inner: GRR | OLH | BLH | SUE, supports: int, values: int, n: int, miss: float
) -> tuple[float, float, float]:
    """The share of users who sampled one of some values, and its ends, within 0..1.

    Args:
        inner: what reports on the value that is sampled. supports: of all these values together.
        values: how many they are. n: reports, at least 1. miss: of each end.
    """
    p, q = float(inner.p_star), float(inner.q_star)
    mean = supports / (n * values)
    if isinstance(inner, GRR):
        low, high = (end / values for end in successes(supports, n, miss))
    elif isinstance(inner, SUE):
        low, high = successes(supports, n * values, miss)
    else:
        low, high = bounded(mean, n, miss)
    found, first, last = (values * (each - q) / (p - q) for each in (mean, low, high))
    return found, min(max(first, 0.0), 1.0), min(max(last, 0.0), 1.0)


def mean_items(
    made: PaddedSampling,
    state: State | KeptState,
    items: Iterable[int] | None,
    level: float,
    largest: int | None,
) -> MeanItems:
    """Estimate the mean number of items of a user: see `PaddedSampling.mean_items`.

    Args:
        made: the protocol. state: of its reports. items, level, largest: as there.

    Raises:
        DomainError, ParameterError: as there.
    """
    check_level(level)
    level = float(level)  # of whatever kind of number
    k, length = made.k, made.length
    if largest is not None:
        largest = check_integer("largest", largest, 0, LARGEST_N)
    dummies = range(k, k + length)
    asked = dummies if items is None else check_values(items, k, "items")
    if state.n == 0:
        raise ParameterError("state", "must have seen a report", 0)
    beyond = 0 if largest is None else max(largest - length, 0)
    # Two ends, and a third where sets may be cut.
    miss = (1 - level) / (3 if beyond else 2)

    def sampled(values: Iterable[int], chance: float) -> tuple[float, float, float]:
        listed = list(values)
        supports = int(state.estimate(listed).support_counts.sum())
        return sampled_share(made.inner, supports, len(listed), state.n, chance)

    # The first dummy stands in the sets of fewer items than places.
    full = min(max(1 - length * sampled(dummies[:1], miss if beyond else 2 * miss)[1], 0.0), 1.0)
    found = [length * each for each in sampled(asked, miss)]
    value, low, high = found
    if items is None:
        value, low, high = length - value, length - high, length - low
    return MeanItems(value, low, high + beyond * full, level, full)


def mean_number(inner: GRR | OLH, supports: NDArray[np.int64], n: int, level: float) -> MeanItems:
    """The mean of numbers 0, 1, ... that were reported themselves.

    Args:
        inner: what reports on the number. supports: of each number, int64 (numbers,). n: reports.
        level: in (0, 1), checked.

    Raises:
        ParameterError: there are no reports.
    """
    if n == 0:
        raise ParameterError("state", "must have seen a report", 0)
    total, most = sum(range(len(supports))), len(supports) - 1
    if not isinstance(inner, GRR):  # a report supports any numbers
        most = total
    p, q = float(inner.p_star), float(inner.q_star)
    share = int(supports @ np.arange(len(supports))) / (n * most)
    ends = (share, *bounded(share, n, (1 - level) / 2))
    value, low, high = ((most * each - q * total) / (p - q) for each in ends)
    largest = len(supports) - 1.0
    return MeanItems(value, max(low, 0.0), min(high, largest), level, 0.0)
