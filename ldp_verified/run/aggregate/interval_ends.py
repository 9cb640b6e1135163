"""Ends of intervals of counts: by the tails of support counts, or by score.

The support count of a value that c of n users hold is a sum of n independent coins. c of them have
the chance p*, the others q*. An interval holds all c for which neither tail is too small. A normal
approximation of the tails fails where n q* is small. It fails most far from the mean, and there
the intervals of many values end. It remains where reports are no such coins.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ldp_verified.run.aggregate.listed import Listed
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.score import Parabola, furthest

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.oracle import Estimator

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LIKELIEST: Final = 0.4689
"""No value of a sum of coins is likelier than this number, divided by the standard deviation.

J.-B. Baillon, R. Cominetti, J. Vaisman (2016), "A sharp uniform bound for the distribution of sums
of Bernoulli trials".
"""

SMALL: Final = 8.0
"""The variance of tilted supports from which the saddlepoint is used."""

ROUNDS: Final = 14
"""Steps of the search for an end, which converges faster than linearly."""


def coins_of_supports(oracle: Estimator) -> FrequencyOracle | None:
    """The oracle whose reports support each value independently; None where they do not."""
    inner: object = oracle.oracle if isinstance(oracle, Listed) else oracle
    # Permanent answers are new draws in the state of one period, as `honest` has it.
    if isinstance(inner, FrequencyOracle) and (inner.fresh or inner.in_period):
        return inner
    return None


def support_ends(
    oracle: FrequencyOracle, n: int, supports: Integers, miss: float
) -> tuple[Floats, Floats]:
    """Ends of the counts that neither tail of the supports rejects, in [0, n].

    Args:
        oracle: whose supports are coins. n: reports, at least 1.
        supports: int64 (k,), in 0..n. miss: the chance that one end is wrong, at most.

    Returns:
        The lower and the upper ends, float64 (k,) each.
    """
    # A chance of 0 or 1 has no logarithm of its odds.
    p, q = (min(max(float(each), 1e-15), 1 - 1e-15) for each in (oracle.p_star, oracle.q_star))
    seen, where = np.unique(supports, return_inverse=True)
    some = seen.astype(np.float64)
    low = _lower(some, n, p, q, miss)
    # Reports that do not support it are coins too: 1 - q* is the chance of the n - c others.
    high = n - _lower(n - some, n, 1 - q, 1 - p, miss)
    return low[where], high[where]


def _lower(seen: Floats, n: int, p: float, q: float, miss: float) -> Floats:
    """The least count at which so many supports or more have a chance above `miss`.

    Each tilt of the coins has one count at which the tilted mean is what was seen. So the search is
    for a tilt. It lies between those at which all users and no user hold the value.
    """
    limit = math.log(miss)
    goal = math.sqrt(-2 * limit)

    def beyond(tilt: Floats, s: Floats) -> Floats:
        # The root of twice the logarithm is nearly linear in the tilt.
        log_tail, _ = _tail(tilt, s, n, p, q)
        return np.asarray(np.sqrt(-2 * np.minimum(log_tail, 0.0)) - goal)

    # n supports have the chance p^c q^(n - c); up to the mean at c = 0 no count is too high.
    found = np.where(seen >= n, (limit - n * math.log(q)) / (math.log(p) - math.log(q)), 0.0)
    some = np.flatnonzero((seen > n * q) & (seen < n))
    s = seen[some]
    odds = np.log(s) - np.log(n - s)
    near = np.maximum(odds - (math.log(p) - math.log1p(-p)), 0.0)
    far = odds - (math.log(q) - math.log1p(-q))
    at_near, at_far = beyond(near, s), beyond(far, s)
    found[some[at_near >= 0]] = n
    inside = (at_near < 0) & (at_far >= 0)
    some, s, near, far = some[inside], s[inside], near[inside], far[inside]
    at_near, at_far = at_near[inside], at_far[inside]
    for _ in range(ROUNDS):  # the Illinois method: false position, a side that stays is halved
        tilt = far - at_far * (far - near) / (at_far - at_near)
        value = beyond(tilt, s)
        past = value >= 0
        at_near = np.where(past, at_near / 2, value)
        at_far = np.where(past, value, at_far / 2)
        near, far = np.where(past, near, tilt), np.where(past, tilt, far)
    found[some] = _tail(far, s, n, p, q)[1]
    return np.clip(found, 0.0, n)


def _tail(tilt: Floats, s: Floats, n: int, p: float, q: float) -> tuple[Floats, Floats]:
    """Bounds of log P(s supports or more), and the counts for which s is the tilted mean.

    Chernoff's inequality has a factor, the tilted mean of e^(-tilt (supports - s)) from s on. It is
    at most 1, and at most a geometric sum of the likeliest value. Where the tilted variance is not
    small, the factor is that of the saddlepoint, with room for its error. The tests compare it with
    exact tails; no theorem says that the room is enough. R. Lugannani, S. Rice (1980), "Saddle
    Point Approximation for the Distribution of the Sum of Independent Random Variables". The normal
    tail in it is bounded as by M. R. Sampford (1953), "Some Inequalities on Mill's Ratio and
    Related Functions".
    """
    grown = np.expm1(tilt)
    up, down = 1 + p * grown, 1 + q * grown
    held, other = p * (grown + 1) / up, q * (grown + 1) / down
    count = (s - n * other) / (held - other)
    rate = np.maximum(tilt * s - count * np.log(up) - (n - count) * np.log(down), 0.0)
    variance = count * held * (1 - held) + (n - count) * other * (1 - other)
    step = -np.expm1(-tilt) * np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.minimum(LIKELIEST / step, 1.0)
        w = np.sqrt(2 * rate)
        mills = 4 / (3 * w + np.sqrt(w * w + 8))
        near = (mills + 1 / step - 1 / w) * (1 + 1 / variance) / math.sqrt(2 * math.pi)
        factor = np.where(variance >= SMALL, np.fmin(factor, near), factor)
        return np.asarray(np.log(factor) - rate), np.asarray(count)


def score_ends(oracle: Estimator, n: int, shares: Floats, z: float) -> tuple[Floats, Floats]:
    """Ends of score intervals, a normal approximation, in [0, n].

    They hold all shares f with |estimate - n f| <= z sqrt(n (a + b f)) + c. Here n (a + b f) is the
    exact variance at f, and c the continuity correction of half a support count. Where outputs
    support no value, a + b f is the largest variance over all populations of which a share f holds
    the value, and c half of the most that one report may change. Intervals are then wider than
    necessary.

    Args:
        oracle: of the shares. n: reports, at least 1. shares: estimated, float64 (k,).
        z: how many standard errors an interval reaches.

    Returns:
        The lower and the upper ends, in users, float64 (k,) each.
    """
    half = oracle.half_step / n
    a, b = oracle.variance_line(n)
    spread = z * z / n
    ends = []
    for estimates, last in ((shares - half, 0.0), (shares + half, 1.0)):
        # Where an estimate lies outside [0, 1], the end of the range beside it may be too far from
        # it, and then so are all shares: that end stands for the interval.
        first, bound = np.clip(estimates, 0.0, 1.0), np.full(len(estimates), last)
        near, middle, far = (spread * (a + b * f) for f in (first, (first + bound) / 2, bound))
        ends.append(n * furthest(first, bound, estimates, Parabola(near, middle, far)))
    return ends[0], ends[1]
