"""Bound epsilon below by counts, exactly at every sample size, and say with what power.

Every event that an audit looks at is brought to one form. Samples are independent pairs (x, y): an
input drawn by the auditor, uniformly from those of the event, and the randomizer's output. Each
falls on one of three sides: *plus* (y speaks for the input x that was given), *minus* (y speaks for
another one) or neither. With X uniform on k inputs, S_x the outputs that speak for x, and x' drawn
uniformly from the inputs other than x,

    P(plus)  = 1/k sum over x of P(S_x | x)
    P(minus) = odds/(k (k-1)) sum over x and x' != x of P(S_x | x')

(odds is k - 1 where all the other inputs are counted at once, 1 where one x' is drawn for each
sample and S_x may then depend on x' as well). A claim of (eps, delta)-LDP says
P(S_x|x) <= e^eps P(S_x|x') + delta for every single pair, hence also for the average over pairs:

    P(plus) <= e^eps P(minus) / odds + share * delta                                            (*)

where `share` is how much of the weight of all pairs the event uses (1, or 1/2 where only one input
of two has an event). (*) holds for EVERY randomizer that keeps the claim: pooling needs no symmetry
of its table and no trust in what mechanism it is said to be. It needs inputs to be drawn uniformly,
which the auditor does. Symmetry only decides whether anything is lost by it: nothing is where all
pairs have the same ratio.

For delta = 0 the null is about theta = P(plus)/(P(plus) + P(minus)), and given the number of
samples that are not "neither", the number of plus is binomial with exactly that theta: its
Clopper-Pearson bound is an exact bound on eps ("conditional"). For delta > 0, P(plus) and P(minus)
are bounded one by one with the level split between them ("split").

C. J. Clopper, E. S. Pearson (1934), The Use of Confidence or Fiducial Limits Illustrated in the
Case of the Binomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainccinv, betaincinv

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.scalars import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

METHODS = ("conditional", "split 1/2", "split 1/5", "split 4/5")
"""Bounds to choose from; the fraction is the share of the level that goes to P(plus)."""

ENOUGH = 100_000
"""Methods are compared at no more samples than this: the order hardly changes beyond."""

_SHARES = {"split 1/2": 0.5, "split 1/5": 0.2, "split 4/5": 0.8}


@dataclass(frozen=True)
class Stake:
    """The odds and the share that a claim gives to an event's sides; see (*) above.

    Attributes:
        odds: how many inputs a minus sample is counted for.
        share: the part of delta that the event may use.
    """

    odds: float = 1.0
    share: float = 1.0


@dataclass(frozen=True)
class Tally:
    """The numbers of samples, of n, that fell on either side of an event.

    Attributes:
        plus: samples whose output speaks for the input that was given.
        minus: samples whose output speaks for another input.
        n: all samples of the event, those on neither side included.
    """

    plus: int
    minus: int
    n: int

    def __post_init__(self) -> None:
        if min(self.plus, self.minus) < 0 or self.plus + self.minus > self.n:
            raise ParameterError("tally", "must have plus + minus <= n, none negative", self)

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.plus + other.plus, self.minus + other.minus, self.n + other.n)

    def point(self, stake: Stake, delta: float = 0.0) -> float:
        """The plug-in estimate of the event's ln ratio; infinite where no minus was seen."""
        left = self.plus - stake.share * delta * self.n
        if left <= 0:
            return -inf
        return inf if self.minus == 0 else log(stake.odds * left / self.minus)


def check_claim(epsilon: float, delta: float) -> None:
    """Refuse a claim that is no claim."""
    if not is_number(epsilon) or not 0 <= epsilon < inf:
        raise ParameterError("epsilon", "must be a finite number >= 0", epsilon)
    if not is_number(delta) or not 0 <= delta < 1:
        raise ParameterError("delta", "must be at least 0 and below 1", delta)


def binomial_lower(count: int, n: int, level: float) -> float:
    """Clopper-Pearson: at most the probability, except with probability <= level."""
    return 0.0 if count == 0 else float(betaincinv(count, n - count + 1, level))


def binomial_upper(count: int, n: int, level: float) -> float:
    """Clopper-Pearson: at least the probability, except with probability <= level."""
    return 1.0 if count == n else float(betainccinv(count + 1, n - count, level))


def lower_bound(
    tally: Tally,
    stake: Stake,
    level: float,
    delta: float = 0.0,
    method: str = "conditional",
) -> float:
    """A lower confidence bound on eps: above the true eps with probability <= level.

    Args:
        tally: counts of samples that took no part in choosing the event or the method.
        stake: of the event.
        level: of this one bound.
        delta: of the claim; "conditional" is for delta = 0.
        method: one of `METHODS`.

    Returns:
        At least 0, since every randomizer is that private at best.
    """
    if tally.plus == 0:
        return 0.0
    if method == "conditional":
        if delta:
            raise ParameterError("method", "must be a split one where delta > 0", method)
        low = float(betaincinv(tally.plus, tally.minus + 1, level))
        rest = float(betainccinv(tally.minus + 1, tally.plus, level))
        ratio = stake.odds * low / rest
    else:
        part = _SHARES[method]
        low = binomial_lower(tally.plus, tally.n, part * level) - stake.share * delta
        ratio = stake.odds * low / binomial_upper(tally.minus, tally.n, (1 - part) * level)
    return log(ratio) if ratio > 1 else 0.0


def ceiling(n: int, level: float, stake: Stake | None = None, delta: float = 0.0) -> float:
    """The largest bound that n samples could give: all of them on the plus side."""
    check_level(level)
    if n < 1:
        return 0.0
    methods = METHODS[1:] if delta else METHODS
    perfect, one = Tally(n, 0, n), stake or Stake()
    return max(lower_bound(perfect, one, level, delta, method) for method in methods)


def _window(n: int, p: float) -> NDArray[np.int64]:
    """Counts outside of which a binomial law has less than 1e-9 of its weight."""
    reach = 6.5 * (n * p * (1 - p)) ** 0.5 + 40
    return np.arange(max(0, int(n * p - reach)), min(n, int(n * p + reach) + 1) + 1)


def power(
    plus: float,
    minus: float,
    n: int,
    stake: Stake,
    level: float,
    *,
    target: float,
    delta: float = 0.0,
    method: str = "conditional",
) -> float:
    """P(the bound is above `target`) where the true P(plus) and P(minus) are known.

    Computed from the exact law of the counts; what is left out, at most 1e-9, is counted as
    failure.
    """
    from scipy.stats import binom

    if plus <= 0:
        return 0.0
    if method == "conditional":
        null = 1 / (1 + stake.odds * exp(-target))
        either = min(1.0, plus + minus)
        trials = _window(n, either)
        needed = binom.isf(level, trials, null) + 1
        reached = binom.sf(needed - 1, trials, plus / (plus + minus))
        return float(binom.pmf(trials, n, either) @ reached)
    part = _SHARES[method]
    counts = _window(n, minus)
    high = np.where(
        counts == n, 1.0, betainccinv(counts + 1, np.maximum(n - counts, 1), (1 - part) * level)
    )
    bar = exp(target) * high / stake.odds + stake.share * delta
    needed = binom.isf(part * level, n, np.minimum(bar, 1.0)) + 1
    reached = np.where(
        bar >= 1, 0.0, binom.sf(needed - 1, n - counts, min(1.0, plus / max(1 - minus, 1e-300)))
    )
    return float(binom.pmf(counts, n, minus) @ reached)


def best_method(
    plus: float, minus: float, n: int, stake: Stake, level: float, delta: float = 0.0
) -> str:
    """The method with the largest exact power, for probabilities guessed beforehand.

    Each method is valid, so choosing is too, as long as the counts have no part in it. Powers are
    compared at the best bound that any of them would give at the expected counts.
    """
    methods = METHODS[1:] if delta else METHODS
    n = min(n, ENOUGH)
    expected = Tally(round(n * plus), min(round(n * minus), n - round(n * plus)), n)
    target = max(lower_bound(expected, stake, level, delta, method) for method in methods)
    return max(
        methods,
        key=lambda m: power(
            plus, minus, n, stake, level, target=0.98 * target, delta=delta, method=m
        ),
    )


def guaranteed(
    plus: float,
    minus: float,
    n: int,
    stake: Stake,
    level: float,
    *,
    delta: float = 0.0,
    method: str = "conditional",
    probability: float = 0.95,
) -> float:
    """The largest t, to 1e-3, such that the bound is above t with at least this probability."""

    def reached(target: float) -> bool:
        found = power(plus, minus, n, stake, level, target=target, delta=delta, method=method)
        return found >= probability

    low, high = 0.0, ceiling(n, level, stake, delta)
    if not reached(low):
        return 0.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return low


def samples_needed(
    plus: float,
    minus: float,
    stake: Stake,
    level: float,
    *,
    target: float,
    delta: float = 0.0,
    method: str = "conditional",
    probability: float = 0.95,
    most: int = 10**8,
) -> int | None:
    """The number of samples, to 5 %, whose bound is above `target` with this probability.

    None where `most` samples are not enough, as where the event's ratio is not above the target.
    """

    def reached(n: int) -> bool:
        found = power(plus, minus, n, stake, level, target=target, delta=delta, method=method)
        return found >= probability

    low, high = 0, 16
    while not reached(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > max(1, high // 20):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def least_shown(epsilon: float, shown: Callable[[float], bool]) -> float | None:
    """The smallest eps above a claim that is shown, to 1e-3 of it; None where none up to 40 is.

    Args:
        epsilon: the claim. shown: whether a true eps is; a larger one is too.
    """
    low, high = epsilon, epsilon + 0.5
    while not shown(high):
        low, high = high, high + 2 * (high - epsilon)
        if high > epsilon + 40:
            return None
    while high - low > 1e-3 * max(high, 0.1):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def predicted(
    plus: NDArray[np.float64],
    minus: NDArray[np.float64],
    n: NDArray[np.float64] | float,
    stake: Stake,
    level: float,
    delta: float = 0.0,
) -> NDArray[np.float64]:
    """Bounds for many counts at once, which need not be whole: to rank events by, not to report.

    One minus is added to each, so that an event without any does not look infinite.
    """
    minus = minus + 1.0
    if delta:
        trials = np.maximum(n, plus + minus)
        low = betaincinv(np.maximum(plus, 1e-9), trials - plus + 1, level / 2)
        high = betainccinv(minus + 1, np.maximum(trials - minus, 1e-9), level / 2)
        ratio = (low - stake.share * delta) / high
    else:
        low = betaincinv(np.maximum(plus, 1e-9), minus + 1, level)
        ratio = low / betainccinv(minus + 1, np.maximum(plus, 1e-9), level)
    return np.asarray(np.log(np.maximum(stake.odds * ratio, 1e-300)), dtype=np.float64)
