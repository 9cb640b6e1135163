"""Ends of intervals of counts: by the tails of support counts, or by score.

The support count of a value that c of n users hold is a sum of n independent coins. c of them have
the chance p*, the others q*. An interval holds all c for which neither tail is too small. A normal
approximation of the tails fails where n q* is small. It fails most far from the mean, and there
the intervals of many values end. It remains where reports are no such coins.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import InternalError
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

ROUNDS: Final = 120
"""Steps of the search for an end, at most; most ends take about ten."""

CLOSE: Final = 1e-6
"""The search ends where two tilts differ by no more than this part of the larger one."""

FLAT: Final = 1e-4
"""Tilts below which two large terms of the saddlepoint are replaced by their difference."""

LEAST: Final = 1e-30
"""Chances are at least this far from 0 and 1, where the logarithm of odds has no value."""

EXACT: Final = 1 << 53
"""Up to so many users every count is a double."""


@dataclass(frozen=True)
class Coin:
    """A coin that falls up with the chance `up`, down with the chance `down`.

    Both are kept, because 1 - up has lost its digits where it is near 0.
    """

    up: float
    down: float

    @classmethod
    def of(cls, chance: Fraction | float) -> Coin:
        """The coin of a chance in [0, 1]."""
        exact = Fraction(chance)
        return cls(*(max(float(each), LEAST) for each in (exact, 1 - exact)))

    @property
    def turned(self) -> Coin:
        """This coin, looked at from below."""
        return Coin(self.down, self.up)

    @property
    def log_odds(self) -> float:
        """The logarithm of up/down."""
        return math.log(self.up) - math.log(self.down)

    @property
    def log_up(self) -> float:
        """The logarithm of the chance `up`."""
        return math.log1p(-self.down) if self.up > 0.5 else math.log(self.up)


@dataclass(frozen=True)
class SupportCoins:
    """The coins of users who hold a value, of those who hold another, and how far they differ."""

    held: Coin
    other: Coin
    gap: float

    @property
    def turned(self) -> SupportCoins:
        """The coins of no support: users who hold another value have the higher chance."""
        return SupportCoins(self.other.turned, self.held.turned, self.gap)


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

    Beyond 2^53 users not every count is a double. Ends are then moved outwards by n/2^50,
    divided by p* - q*: that is more than what is rounded, and mostly far below a standard error.

    Args:
        oracle: whose supports are coins. n: reports, at least 1.
        supports: int64 (k,), in 0..n. miss: the chance that one end is wrong, at most.

    Returns:
        The lower and the upper ends, float64 (k,) each.

    Raises:
        InternalError: a tail is no number.
    """
    gap = float(Fraction(oracle.p_star) - Fraction(oracle.q_star))
    coins = SupportCoins(Coin.of(oracle.p_star), Coin.of(oracle.q_star), gap)
    seen, where = np.unique(supports, return_inverse=True)
    some, rest = seen.astype(np.float64), (n - seen).astype(np.float64)
    low = _lower(some, rest, coins, miss)
    # Reports that do not support it are coins too, and the n - c others are theirs.
    high = n - _lower(rest, some, coins.turned, miss)
    if n > EXACT:
        rounded = n / 2**50 / gap
        low, high = np.maximum(low - rounded, 0.0), np.minimum(high + rounded, float(n))
    return low[where], high[where]


def _lower(seen: Floats, unseen: Floats, coins: SupportCoins, miss: float) -> Floats:
    """The least count at which so many supports or more have a chance above `miss`.

    Each tilt of the coins has one count at which the tilted mean is what was seen. So the search is
    for a tilt. It lies between those at which all users and no user hold the value. The result is
    the count of the tilt beyond the end, so it is never above the end, however the search goes.
    """
    held, other = coins.held, coins.other
    limit = math.log(miss)
    goal = math.sqrt(-2 * limit)

    def beyond(tilt: Floats, s: Floats, rest: Floats) -> Floats:
        log_tail, _ = _tail(tilt, s, rest, coins)
        if np.isnan(log_tail).any():  # no comparison holds, so a bracket would stay as it is
            raise InternalError("interval", "must have tails that are numbers")
        # The root of twice the logarithm is nearly linear in the tilt.
        return np.asarray(np.sqrt(-2 * np.minimum(log_tail, 0.0)) - goal)

    # n supports have the chance p^c q^(n - c); up to the mean at c = 0 no count is too high.
    all_seen = (limit - seen * other.log_up) / (held.log_up - other.log_up)
    found = np.where(unseen <= 0, all_seen, 0.0)
    some = np.flatnonzero((seen * other.down > unseen * other.up) & (unseen > 0))
    s, rest = seen[some], unseen[some]
    odds = np.log(s) - np.log(rest)
    near = np.maximum(odds - held.log_odds, 0.0)
    far = np.maximum(odds - other.log_odds, near)
    at_near, at_far = beyond(near, s, rest), beyond(far, s, rest)
    # Where even the first tilt counts as too far, no end is above all users, or the estimate.
    first = np.where(near > 0, s + rest, _tail(near, s, rest, coins)[1])
    found[some] = np.where(at_near >= 0, first, 0.0)
    inside = (at_near < 0) & (at_far >= 0)
    some, s, rest, near, far = some[inside], s[inside], rest[inside], near[inside], far[inside]
    at_near, at_far = at_near[inside], at_far[inside]
    for done in range(ROUNDS):
        # What is found stays as it is: no end depends on which others are sought with it.
        seeking = far - near > CLOSE * far
        if not seeking.any():
            break
        # The Illinois method: false position, a side that stays is halved. Halving the bracket now
        # and then ends the search where the tail is far from linear.
        line = far - at_far * (far - near) / (at_far - at_near)
        tilt = (near + far) / 2 if done % 4 == 3 else line
        value = beyond(tilt, s, rest)
        past = value >= 0
        at_near = np.where(past, at_near / 2, value)
        at_far = np.where(past, value, at_far / 2)
        near = np.where(seeking & ~past, tilt, near)
        far = np.where(seeking & past, tilt, far)
    found[some] = _tail(far, s, rest, coins)[1]
    return np.clip(found, 0.0, seen + unseen)


def _tail(tilt: Floats, s: Floats, rest: Floats, coins: SupportCoins) -> tuple[Floats, Floats]:
    """Bounds of log P(s supports or more), and the counts for which s is the tilted mean.

    Chernoff's inequality has a factor, the tilted mean of e^(-tilt (supports - s)) from s on. It is
    at most 1, and at most a geometric sum of the likeliest value. Where the tilted variance is not
    small, the factor is that of the saddlepoint, with room for its error. The tests compare it with
    exact tails; no theorem says that the room is enough. R. Lugannani, S. Rice (1980), "Saddle
    Point Approximation for the Distribution of the Sum of Independent Random Variables". The normal
    tail in it is bounded as by M. R. Sampford (1953), "Some Inequalities on Mill's Ratio and
    Related Functions".
    """
    held, other = coins.held, coins.other
    grown, shrunk, less = np.expm1(tilt), np.expm1(-tilt), np.exp(-tilt)
    # Divided by e^tilt: the tilted chances have the same denominators.
    scale, other_scale = held.up + held.down * less, other.up + other.down * less
    count = (s * other.down * less - rest * other.up) * scale / less / coins.gap
    others = s + rest - count
    # The logarithm of a coin that hardly falls down is nearly the tilt. The tilt is taken out of
    # it, and out of the supports: few digits of their difference would be left.
    base, logs = s, []
    for coin, users, without in ((held, count, s - count), (other, others, -rest)):
        if coin.up > 0.5:
            base = without
            logs.append(users * np.log1p(coin.down * shrunk))
        else:
            logs.append(users * np.log1p(coin.up * grown))
    rate = np.maximum(tilt * base - logs[0] - logs[1], 0.0)
    up, down = held.up / scale, held.down * less / scale
    other_up, other_down = other.up / other_scale, other.down * less / other_scale
    part, other_part = count * up * down, others * other_up * other_down
    variance = part + other_part
    step = -shrunk * np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        # 1/step - 1/w is all rounding where both are large: the limit has the skewness.
        skewness = (part * (down - up) + other_part * (other_down - other_up)) / variance
        flat = (0.5 - skewness / 6) / np.sqrt(variance)
        w = np.sqrt(2 * rate)
        mills = 4 / (3 * w + np.sqrt(w * w + 8))
        apart = np.where(tilt < FLAT, flat, 1 / step - 1 / w)
        near = (mills + apart) * (1 + 1 / variance) / math.sqrt(2 * math.pi)
        factor = np.minimum(LIKELIEST / step, 1.0)
        factor = np.where((variance >= SMALL) & (near > 0), np.minimum(factor, near), factor)
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
