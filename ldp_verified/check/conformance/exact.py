"""Tests whose level holds at every sample size, and the deviations that they would detect.

Counts are compared by the exact binomial law; the spread of estimates by a Chernoff bound on its
exact law, which can only overstate a p-value. Nothing is asymptotic but the stated power of the
test of spread. A two-sided p-value is twice the smaller tail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import betainccinv, betaincinv, logsumexp
from scipy.stats import binom, chi2, norm

Floats = NDArray[np.float64]
Counts = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class BinomialTests:
    """Events that happen independently in each of n reports, event i with probability p[i].

    The events may depend on each other: nothing here joins them.

    Attributes:
        n: the number of reports.
        p: probabilities under the null, shape (events,).
    """

    n: int
    p: Floats

    def p_values(self, counts: Counts) -> Floats:
        """Two-sided p-values of the counts, shape (events,)."""
        below = np.asarray(binom.cdf(counts, self.n, self.p), dtype=np.float64)
        above = np.asarray(binom.sf(counts - 1, self.n, self.p), dtype=np.float64)
        return np.minimum(1.0, 2.0 * np.minimum(below, above))

    def detectable(self, level: float, miss: float) -> Floats:
        """Deviations of the probabilities that are missed with probability at most `miss`.

        For each event the smallest d such that every probability at distance d or more from p, on
        either side, is rejected at `level` with probability >= 1 - miss. Where no count on one
        side is rejected, the distance to 0 or 1: no probability lies beyond.
        """
        # By bisection on the tails themselves: scipy's search for quantiles overflows, or stops
        # without having bracketed, at probabilities near 1e-18.
        low = self._most(lambda counts: np.asarray(binom.cdf(counts, self.n, self.p)), level / 2)
        high = self.n - self._most(
            lambda counts: np.asarray(binom.sf(self.n - counts - 1, self.n, self.p)), level / 2
        )
        inner_low, inner_high = np.maximum(low, 0), np.minimum(high, self.n)
        down = betaincinv(inner_low + 1, self.n - inner_low, miss)
        up = betainccinv(inner_high, self.n - inner_high + 1, miss)
        down = np.where(low < 0, 0.0, down)
        up = np.where(high > self.n, 1.0, up)
        return np.maximum(up - self.p, self.p - down)

    def _most(self, tail: Callable[[NDArray[np.int64]], Floats], level: float) -> Floats:
        """The largest count of each event whose tail is at most `level`; -1 if none is."""
        most = np.full(self.p.shape, -1, dtype=np.int64)
        above = np.full(self.p.shape, self.n + 1, dtype=np.int64)
        while np.any(above - most > 1):
            middle = (most + above) // 2
            inside = tail(middle) <= level
            most = np.where(inside, middle, most)
            above = np.where(inside, above, middle)
        return most.astype(np.float64)


@dataclass(frozen=True)
class BinomialSumTest:
    """The sum of two independent binomial counts: supports by holders and by others.

    Attributes:
        holders, others: numbers of trials.
        p, q: their probabilities under the null.
    """

    holders: int
    others: int
    p: float
    q: float

    def p_value(self, count: int) -> float:
        """Two-sided p-value of a sum."""
        below, above = self._tails(0.0, count, count)
        return min(1.0, 2.0 * min(below, above))

    def detectable(self, level: float, miss: float) -> float:
        """A shift of both probabilities that is missed with probability at most `miss`.

        Proposed by the normal law and enlarged until the exact law agrees, in both directions.
        """
        first, law = self._law(0.0)
        low = first + int(np.searchsorted(np.cumsum(law), level / 2, side="right")) - 1
        high = (
            first + len(law) - int(np.searchsorted(np.cumsum(law[::-1]), level / 2, side="right"))
        )
        spread = sqrt(self.holders * self.p * (1 - self.p) + self.others * self.q * (1 - self.q))
        reach = float(norm.isf(level / 2)) + float(norm.isf(miss))
        shift = reach * spread / (self.holders + self.others)
        most_up, most_down = 1 - max(self.p, self.q), min(self.p, self.q)
        while shift < 1:
            seen_above = self._tails(min(shift, most_up), low, high)[1]
            seen_below = self._tails(-min(shift, most_down), low, high)[0]
            if min(seen_above, seen_below) >= 1 - miss:
                return shift
            shift *= 1.02
        return 1.0

    def _law(self, shift: float) -> tuple[int, Floats]:
        """The smallest sum that has any weight, and the law from there on."""
        first, law = 0, np.ones(1)
        for trials, chance in ((self.holders, self.p + shift), (self.others, self.q + shift)):
            # 12 standard deviations, and as much as a rare event may need.
            reach = 12 * sqrt(trials * chance * (1 - chance)) + 100
            start = max(0, int(trials * chance - reach))
            counts = np.arange(start, min(trials, int(trials * chance + reach)) + 1)
            first, law = first + start, np.convolve(law, binom.pmf(counts, trials, chance))
        return first, law

    def _tails(self, shift: float, low: int, high: int) -> tuple[float, float]:
        """P(sum <= low) and P(sum >= high)."""
        first, law = self._law(shift)
        below, above = max(0, low - first + 1), max(0, high - first)
        return float(law[:below].sum()), float(law[above:].sum())


@dataclass(frozen=True, eq=False)
class SpreadTest:
    """The sum of squared deviations of `repeats` independent counts with one exactly known law.

    Attributes:
        law: P(count = c) for c = 0, 1, ..., shape (largest + 1,).
        repeats: the number of counts.
    """

    law: Floats
    repeats: int

    @cached_property
    def mean(self) -> float:
        """Expected count."""
        return float(self.law @ np.arange(len(self.law)))

    @cached_property
    def variance(self) -> float:
        """Variance of one count: the expectation of a squared deviation."""
        return float(self.law @ (np.arange(len(self.law)) - self.mean) ** 2)

    @cached_property
    def _squares(self) -> tuple[Floats, Floats]:
        """Logarithms of the law, and centred squared deviations, where the law is positive."""
        used = np.flatnonzero(self.law > 0)
        squares = (used.astype(np.float64) - self.mean) ** 2 - self.variance
        return np.asarray(np.log(self.law[used]), dtype=np.float64), squares

    def _log_tail(self, excess: float) -> float:
        """Chernoff's bound on ln P(mean square is beyond variance + excess, on that side)."""
        log_law, squares = self._squares
        sign = 1.0 if excess > 0 else -1.0

        def exponent(tilt: float) -> float:
            cumulant = float(logsumexp(log_law + sign * tilt * squares))
            return self.repeats * (cumulant - sign * tilt * excess)

        # Any tilt gives a valid bound; near 1/(2 variance) the normal law's would diverge.
        found = minimize_scalar(exponent, bounds=(0.0, 2.0 / self.variance), method="bounded")
        return min(0.0, float(found.fun))

    def p_value(self, sum_of_squares: float) -> float:
        """A p-value that is at least the exact one, two-sided."""
        excess = sum_of_squares / self.repeats - self.variance
        return min(1.0, 2.0 * exp(self._log_tail(excess))) if excess else 1.0

    def detectable(self, level: float, miss: float) -> float:
        """Relative deviation of the variance that is missed with probability at most `miss`.

        Where the counts follow a normal law; infinite where the level cannot be reached.
        """
        target = log(level / 2)

        def critical(sign: float) -> float | None:
            furthest = self.variance * (0.999999 if sign < 0 else 1e3)
            if self._log_tail(sign * furthest) > target:
                return None
            start = self.variance * 1e-9
            return sign * float(
                brentq(lambda e: self._log_tail(sign * e) - target, start, furthest, rtol=1e-6)
            )

        up, down = critical(1.0), critical(-1.0)
        if up is None or down is None:
            return float("inf")
        total = self.repeats * (1 + up / self.variance), self.repeats * (1 + down / self.variance)
        wide = total[0] / float(chi2.ppf(miss, self.repeats)) - 1
        narrow = 1 - total[1] / float(chi2.isf(miss, self.repeats))
        return max(wide, narrow)


def count_law(holders: int, others: int, p: float, q: float) -> Floats:
    """The law of the supports in one population: two binomial laws, convolved."""
    return np.convolve(
        binom.pmf(np.arange(holders + 1), holders, p), binom.pmf(np.arange(others + 1), others, q)
    )


@dataclass(frozen=True)
class CoverageTest:
    """A one-sided exact test that intervals cover the truth as often as they should.

    Attributes:
        repeats: the number of intervals, independent of each other.
        least: the smallest coverage that is still right.
    """

    repeats: int
    least: float

    def p_value(self, covered: int) -> float:
        """The probability of covering this seldom at coverage `least`."""
        return float(binom.cdf(covered, self.repeats, self.least))

    def detectable(self, level: float, miss: float) -> float:
        """How far below `least` a coverage lies that is missed with probability at most `miss`."""
        low = int(binom.ppf(level, self.repeats, self.least))
        if float(binom.cdf(low, self.repeats, self.least)) > level:
            low -= 1
        if low < 0:
            return self.least
        return self.least - float(betaincinv(low + 1, self.repeats - low, miss))
