"""Tests that nobody holds a value: a p-value for each of several values.

A fresh report supports a value that its user does not hold with the chance q*, whatever else the
user holds. So the supports of a value that nobody holds are binomial, and the tail is exact. Where
the rows of a sketch were drawn once, users collide with the value together, row by row, and the
tail is bounded over the draw of the rows. A table without supports has a bound over whatever the
users hold. Elsewhere the estimate is compared with its standard error, by normal approximation.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ldp_verified.extras import needs
from ldp_verified.run.aggregate.asked import AskedOracle
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.aggregate.listed import Listed
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.sketch_oracles import SignSketchLayout, SketchOracle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.oracle import Estimator, Floats

    Integers = NDArray[np.int64]

TILTS: Final = np.geomspace(2.0**-24, 16.0, 161)
"""The tilts that are tried in Chernoff's inequality; the best of their bounds is taken."""

FEWER_TILTS: Final = np.geomspace(2.0**-16, 8.0, 77)
"""The tilts that are tried for tables, in units of 1/(the largest weight of a report)."""

MOST_CELLS: Final = 1 << 26
"""The largest k^2 times outputs at which the bound of a table is computed."""


class AbsentCoins(NamedTuple):
    """Reports that support a value nobody holds independently, each with the same chance.

    Attributes:
        n: how many reports. chance: of a support, q*.
    """

    n: int
    chance: float


def absent_coins(oracle: Estimator, n: int) -> AbsentCoins | None:
    """The coins of a value that nobody holds; None where reports are no such coins.

    Args:
        oracle: of the estimate; of others than those of this folder, one with `absent_coins`.
        n: reports.

    Raises:
        ParameterError: its candidates were chosen by the same reports.
    """
    if isinstance(oracle, AskedOracle):
        return absent_coins(oracle.oracle, oracle.asked)
    inner = oracle.oracle if isinstance(oracle, Listed) else oracle
    if isinstance(inner, FrequencyOracle):
        # Permanent answers are new draws in the state of one period, as `honest` has it.
        independent = inner.fresh or inner.in_period
        return AbsentCoins(n, float(inner.q_star)) if independent else None
    own: Any = getattr(inner, "absent_coins", None)
    return None if own is None else own()


def absences(estimate: Estimate) -> tuple[Floats, str]:
    """The p-values, float64 (k,), of the hypotheses that nobody holds a value; and their law.

    Under its hypothesis a p-value is at most s with a chance of at most s, for any s.

    Args:
        estimate: of values that were fixed before the reports were looked at.

    Returns:
        The p-values, and "binomial" (exact), "Chernoff" (a bound) or "normal" (approximate).

    Raises:
        ParameterError: the values were chosen by the same reports.
    """
    oracle, n = estimate.oracle, estimate.n
    coins = absent_coins(oracle, n)
    if estimate.reports == 0:
        return np.ones(oracle.k), "binomial"
    if coins is not None:
        needs("a test that nobody holds a value", "scipy")
        from scipy.special import betainc  # not needed by clients

        supports = estimate.support_counts.astype(np.float64)
        some = np.maximum(supports, 1.0)
        tails = betainc(some, coins.n - some + 1.0, coins.chance)
        return np.where(supports > 0, tails, 1.0), "binomial"
    inner = oracle.oracle if isinstance(oracle, Listed) else oracle
    if isinstance(inner, SketchOracle) and estimate.counters is not None:
        return _of_rows(inner, estimate.support_counts, estimate.counters), "Chernoff"
    linear = inner.oracle if isinstance(inner, AskedOracle) else inner
    if isinstance(linear, LinearOracle):
        cells = linear.k * linear.k * len(linear.table[0])
        if cells <= MOST_CELLS:
            return _of_table(linear, estimate.reports, estimate.support_counts), "Chernoff"
    return _normal(estimate), "normal"


def _normal(estimate: Estimate) -> Floats:
    """Tails of the estimate over its standard error at the share 0."""
    absent, _ = estimate.oracle.variance_line(estimate.n)
    error = np.sqrt(estimate.n * np.maximum(absent, 0.0))
    above = np.maximum(estimate.counts - estimate.oracle.half_step, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = above / error / math.sqrt(2)
    found = np.array([math.erfc(score) / 2 for score in scores.tolist()])
    return np.where(above > 0, found, 1.0)


def _of_rows(oracle: SketchOracle, supports: Integers, counters: Integers) -> Floats:
    """Chernoff's bounds over the draw of the rows, which are independent of each other.

    Given the function of a row, supports are independent: of chance p* where the user's value
    collides with the candidate, and of another one where not. A value collides with a chance of
    1/buckets. Of the users of a row, whatever they hold, the mean of e^(tilt supports) is largest
    where all hold one value, because the exponential function is convex.
    """
    layout: Any = oracle.layout
    if isinstance(layout, SignSketchLayout):
        rows = counters.reshape(layout.height, -1).sum(axis=1)
    else:
        rows = layout.tables(counters)[1]
    sizes, many = np.unique(rows, return_counts=True)
    share, p = 1 / layout.buckets, float(oracle.p_star)
    apart = float((oracle.q_star - oracle.p_star / layout.buckets) * layout.buckets) / (
        layout.buckets - 1
    )
    turn = np.expm1(TILTS)[:, np.newaxis]
    alone, collided = sizes * np.log1p(apart * turn), sizes * np.log1p(p * turn)
    each = np.logaddexp(np.log1p(-share) + alone, np.log(share) + collided)
    total = each @ many
    bounds = np.min(total[:, np.newaxis] - TILTS[:, np.newaxis] * supports, axis=0)
    return np.asarray(np.exp(np.minimum(bounds, 0.0)))


def _of_table(oracle: LinearOracle, n: int, counts: Integers) -> Floats:
    """Chernoff's bounds, where every user holds whichever other value makes them largest."""
    table, weights = oracle.floats
    scaled = weights / np.abs(weights).max()
    sums, best = scaled @ counts, np.zeros(oracle.k)
    own = np.eye(oracle.k, dtype=bool)
    for tilt in FEWER_TILTS:
        means = table @ np.exp(tilt * scaled).T  # of a user with the row's value, for the column's
        largest = np.where(own, 0.0, means).max(axis=0)
        best = np.minimum(best, n * np.log(largest) - tilt * sums)
    return np.asarray(np.exp(best))
