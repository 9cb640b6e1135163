"""Estimate from key-value reports: how many users have each key, and the mean of its numbers.

Let d = p - q, and l the number of places. A user who has a key with the number v in -1..1 supports
(key, +) with chance q + d (1 + v)/(2 l), and (key, -) with chance q + d (1 - v)/(2 l). Where the
other sign of a sampled key is likelier or rarer than q, each has a part of that too. The chances
give the variances of the count and of the sum, and their covariance. They are exact where no set of
pairs is cut. One term needs the mean square of the numbers, which is not estimated. It is replaced
by the square of their mean, so the variance of the sum is a bound.

E. C. Fieller (1954), Some Problems in Interval Estimation: the interval of a ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import check_kind
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty
from ldp_verified.run.aggregate.tabulated import FromReports, Tabulated, normal_columns, quantile
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer, check_share

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Columns = tuple[Floats, Floats, Floats, Floats]


@dataclass(frozen=True, eq=False, repr=False)
class KeyValueEstimate(FromReports):
    """Estimated numbers of users of each key; `means` has the means of their numbers.

    Attributes:
        n: the number of reports.
        plus, minus: estimated numbers of users with a key of either sign, float64 (k,).
        length: of places. p, q: P(a signed key is supported), if sampled, and if not.
        joint: whether a report may support both signs of a key.
        bounds: of the numbers. honesty: of the state.
        opposite: P(the other sign of a key is supported), if the key is sampled; None for q.
    """

    n: int
    plus: Floats
    minus: Floats
    length: int
    p: float
    q: float
    joint: bool
    bounds: tuple[float, float]
    honesty: Honesty = UNTESTED
    opposite: float | None = None

    @property
    def counts(self) -> Floats:
        """Users of each key, unbiased where no set is cut; may fall below 0 or above n."""
        return self.plus + self.minus

    @property
    def sums(self) -> Floats:
        """Sums of the users' numbers, scaled to -1..1 each; unbiased where no set is cut."""
        return self.plus - self.minus

    @cached_property
    def std_error(self) -> Floats:
        """Standard errors of `counts`, in users: exact, up to the count that is plugged in."""
        return np.sqrt(self._variances[0])

    @property
    def names(self) -> range:
        """The keys."""
        return range(len(self.plus))

    def columns(self, level: float = 0.95, simultaneous: bool = False) -> Columns:
        """Counts, errors and the ends of intervals, in users within 0..n; as `Tabulated`.

        Args:
            level: of the intervals, in (0, 1).
            simultaneous: whether they hold for all rows at once.
        """
        within = 0.0, float(self.n)
        return normal_columns(self.counts, self.std_error, level, simultaneous, within)

    @property
    def means(self) -> KeyMeans:
        """The mean of the numbers of each key, in the users' units."""
        return KeyMeans(self)

    def variance_of_count(self, n: int, f: float | Fraction = 0.0) -> float:
        """Variance of an estimated count, of n users of whom a share f has the key.

        Args:
            n: number of users, at least 0. f: share of them who have the key, in [0, 1].

        Returns:
            The variance, in users squared.

        Raises:
            ParameterError: f is not in [0, 1], or n no such number.
        """
        check_integer("n", n, 0, LARGEST_N)
        share = float(check_share("f", f))
        held, absent = self._of_one(1 / self.length)[0], self._of_one(0.0)[0]
        return n * (share * held + (1 - share) * absent) * self._scale**2

    @property
    def _other(self) -> float:
        return self.q if self.opposite is None else self.opposite

    @property
    def _scale(self) -> float:
        """The factor by which supports of either sign are multiplied for a count."""
        return self.length / (self.p + self._other - 2 * self.q)

    @property
    def _sign_scale(self) -> float:
        """The factor by which supports of + less those of - are multiplied for a sum."""
        return self.length / (self.p - self._other)

    def _of_one(self, chance: float) -> tuple[float, float, float]:
        """Describe how a report supports a key that is sampled with this chance.

        Returns:
            The variance of the number of signs that it supports, the mean square of + less -, and
            the mean of that number.
        """
        gain = self.p + self._other - 2 * self.q
        either = 2 * self.q + chance * gain
        both = self.q**2 + chance * gain * self.q if self.joint else 0.0
        return either + 2 * both - either**2, either - 2 * both, either

    @cached_property
    def _variances(self) -> tuple[Floats, Floats, Floats]:
        """The variances of counts and of sums, and their covariances, float64 (k,) each."""
        users = np.clip(self.counts, 0, self.n)
        sums = np.clip(self.sums, -users, users)
        count, square, both = self._moments(users)
        least = np.divide(sums**2, users, out=np.zeros(len(users)), where=users > 0)
        return count, np.maximum(square - least, 0), sums * both

    def _moments(self, users: Floats) -> tuple[Floats, Floats, float]:
        """The parts that variances are made of, if so many users have each key.

        Returns:
            The variances of counts, the mean squares that sums have beyond those of the numbers,
            and the covariance of a count and its sum, for each unit of the sum.
        """
        held, absent = self._of_one(1 / self.length), self._of_one(0.0)
        count, square = (
            (users * held[i] + (self.n - users) * absent[i]) * scale**2
            for i, scale in enumerate((self._scale, self._sign_scale))
        )
        return count, square, self._scale * (1 - held[2])


@dataclass(frozen=True, eq=False, repr=False)
class KeyMeans(Tabulated):
    """The mean of the numbers of each key, a ratio of estimates; their bias falls with n.

    Attributes:
        found: counts and sums of each key.
    """

    found: KeyValueEstimate

    quantity: ClassVar[str] = "average"

    @property
    def names(self) -> range:
        """The keys."""
        return self.found.names

    @property
    def honesty(self) -> Honesty:
        """The tests whether the reports are as honest ones would be, those of the counts."""
        return self.found.honesty

    @property
    def heading(self) -> str:
        """The number of reports."""
        return self.found.heading

    @property
    def values(self) -> Floats:
        """The mean of each key in the users' units, float64 (k,), within the bounds.

        It is nan where the count of the key is not above 0.
        """
        return self.columns()[0]

    def columns(self, level: float = 0.95, simultaneous: bool = False) -> Columns:
        """Means, errors and the ends of Fieller's intervals, in the users' units.

        Errors are those of the linearised ratio. An interval has every mean m at which
        sum - m count is no farther from 0 than its error allows. The error is taken at the
        estimated sum, and at the sum that m gives. The interval reaches as far as either allows:
        few signs of a key may be all alike, and then the first is too small. It is all of the
        bounds where the count may be 0. No mean is beyond the bounds, so the nearest sum that may
        be stands for one that may not. Args and Raises: as `Tabulated`.
        """
        check_kind("simultaneous", simultaneous, bool)
        counts, sums = self.found.counts, self.found.sums
        count, total, both = self.found._variances
        z = quantile(level, len(counts) if simultaneous else 1)
        known = counts > 0
        safe = np.where(known, counts, 1.0)
        sums = np.where(known, np.clip(sums, -safe, safe), sums)
        mean = np.clip(sums / safe, -1, 1)
        spread = np.maximum(total - 2 * mean * both + mean**2 * count, 0)
        # lead m^2 - 2 cross m + last <= 0, a parabola that opens upwards where the count is
        # certain to be above 0.
        lead = counts**2 - z**2 * count
        bounded = known & (lead > 0)
        users = np.clip(counts, 0, self.found.n)
        _, square, of_sum = self.found._moments(users)
        # At the sum m users, its variance and the covariance are functions of m themselves.
        more = z**2 * users * (1 + 2 * of_sum)
        ends = [
            _roots(lead, sums * counts - z**2 * both, sums**2 - z**2 * total, bounded),
            _roots(lead + more, sums * counts, sums**2 - z**2 * square, bounded),
        ]
        low, high = np.min(ends, axis=0)[0], np.max(ends, axis=0)[1]
        start, end = self.found.bounds
        half, middle = (end - start) / 2, (end + start) / 2
        shown = np.where(known, mean * half + middle, math.nan)
        error = np.where(known, np.sqrt(spread) / safe * half, math.nan)
        first, last = (np.clip(each, -1, 1) * half + middle for each in (low, high))
        return shown, error, first, last


def _roots(lead: Floats, cross: Floats, last: Floats, bounded: NDArray[np.bool_]) -> Floats:
    """The roots m of lead m^2 - 2 cross m + last, shape (2, k); -1 and 1 where not `bounded`."""
    width = np.sqrt(np.maximum(cross**2 - lead * last, 0))
    divisor = np.where(bounded, lead, 1.0)
    ends = [(cross - width) / divisor, (cross + width) / divisor]
    return np.where(bounded, ends, [[-1.0], [1.0]])
