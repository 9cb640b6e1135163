"""A distribution of numbers over bins: what EM finds, and bounds that hold at a stated level.

The bounds hold for all distributions that fit the reports. The reports are looked at at `LOOKS`
cuts. The number of reports below a cut is a sum of independent coins. Its mean lies within a
Chernoff bound of what was counted, at all cuts at once with the level. This also holds for coins of
different chances (Hoeffding, 1963). A number in a bin gives a report below a cut with a chance
between those of the ends of the bin. So the shares of the bins satisfy linear inequalities. Linear
programs find the least and the largest value of each figure. Nothing is assumed of the users or of
n.

Wassily Hoeffding (1963), Probability Inequalities for Sums of Bounded Random Variables.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import InternalError, ParameterError, ReportError
from ldp_verified.extras import needs
from ldp_verified.run.aggregate.in_order import numbers_in_order
from ldp_verified.run.aggregate.reconstruct import Reconstruction
from ldp_verified.run.aggregate.tabulated import check_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LOOKS = 63
"""Cuts at which reports are compared with chances."""

PIECES = 16
"""Parts of the interval of the mean, in each of which the variance is bounded from below."""


@dataclass(frozen=True, eq=False)
class Distribution(Reconstruction):
    """A reconstructed distribution with its bins in the users' units; biased, as EM is.

    Attributes:
        edges: float64 (bins + 1,), the ends of the bins, in the users' units.
        n: the number of reports.
    """

    edges: Floats
    n: int

    @property
    def cdf(self) -> Floats:
        """The share of users below each edge, float64 (bins + 1,), from 0 to 1."""
        return np.concatenate(([0.0], np.cumsum(self.shares)))

    @property
    def mean(self) -> float:
        """The mean in the users' units, each bin standing for its middle."""
        return float(self.shares @ self._middles)

    @property
    def variance(self) -> float:
        """The variance of the users' numbers, which are taken to be spread evenly in each bin."""
        widths = np.diff(self.edges)
        squares = self._middles**2 + widths**2 / 12
        return float(self.shares @ squares) - self.mean**2

    def quantile(self, share: float) -> float:
        """The number below which this share of the users lies, within its bin by a straight line.

        Raises:
            ParameterError: `share` is not in (0, 1).
        """
        check_level(share, "share")
        return float(np.interp(share, self.cdf, self.edges))

    @property
    def _middles(self) -> Floats:
        return (self.edges[1:] + self.edges[:-1]) / 2


@dataclass(frozen=True, eq=False)
class DistributionBounds:
    """Intervals that hold all at once with the level, for the very users who reported.

    Attributes:
        edges: float64 (bins + 1,), the ends of the bins, in the users' units.
        level: with which all intervals hold together, whatever the users' numbers are.
        least, most: float64 (bins, cuts), between which lies the chance that a number in a bin is
            reported below a cut.
        low, high: float64 (cuts,), between which lies the share of the reports below a cut.

    Raises:
        ReportError: no distribution fits the reports; honest ones have that with a chance of at
            most 1 - `level`. ImportError: scipy is not installed.
    """

    edges: Floats
    level: float
    least: Floats
    most: Floats
    low: Floats
    high: Floats

    def __post_init__(self) -> None:
        """Check that some distribution fits the reports."""
        self._least(np.zeros(len(self.edges) - 1))

    @cached_property
    def cdf(self) -> tuple[Floats, Floats]:
        """(low, high): of the share of users below each edge, float64 (bins + 1,) each."""
        bins = len(self.edges) - 1
        found = [self.ends((np.arange(bins) < edge).astype(float)) for edge in range(bins + 1)]
        low, high = np.array(found).T
        return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """(low, high): of the share of users in each bin, float64 (bins,) each.

        A histogram: more bins than the wave can tell apart have wide intervals.
        """
        found = [self.ends(one) for one in np.eye(len(self.edges) - 1)]
        low, high = np.clip(np.array(found).T, 0.0, 1.0)
        return low, high

    @cached_property
    def mean(self) -> tuple[float, float]:
        """The ends of the interval of the mean, in the users' units."""
        return self.ends(self.edges[:-1])[0], self.ends(self.edges[1:])[1]

    @cached_property
    def variance(self) -> tuple[float, float]:
        """The ends of the interval of the variance of the users' numbers.

        Around any centre the mean square is at least the variance, so its largest value is a bound
        from above. From below the mean is bounded to parts of its interval.
        """
        needs("bounds of a variance", "scipy")
        from scipy.optimize import minimize_scalar  # not needed by clients

        def most(centre: float) -> float:
            return self.ends(self._squares(centre)[1])[1]

        first, last = self.mean
        scale = float(self.edges[-1] - self.edges[0])
        best = minimize_scalar(
            most, bounds=(first, last), method="bounded", options={"maxiter": 20}
        )
        centre = float(np.asarray(best.x))
        least = math.inf
        parts = np.linspace(first, last, PIECES + 1)
        for start, end in zip(parts[:-1].tolist(), parts[1:].tolist(), strict=True):
            found = self._least_square(centre, start, end, scale)
            least = min(least, found - max((start - centre) ** 2, (end - centre) ** 2))
        return max(least, 0.0), most(centre)

    def quantile(self, share: float) -> tuple[float, float]:
        """The ends of the interval of a quantile, which are edges.

        Args:
            share: of the users, in (0, 1).

        Raises:
            ParameterError: `share` is not in (0, 1).
        """
        check_level(share, "share")
        bins = len(self.edges) - 1

        def below(edge: int) -> Floats:
            return np.asarray(np.arange(bins) < edge, dtype=np.float64)

        # Both ends of `cdf` rise, so that a few edges have to be looked at, and not all.
        every = range(bins + 1)
        last = bisect_left(every, True, key=lambda edge: self._least(below(edge)) >= share)
        past = bisect_left(every, True, key=lambda edge: -self._least(-below(edge)) >= share)
        return float(self.edges[max(past - 1, 0)]), float(self.edges[min(last, bins)])

    def ends(self, weights: Floats) -> tuple[float, float]:
        """The least and the largest sum of weights times shares.

        Args:
            weights: of the bins, float64 (bins,).

        Returns:
            In the unit of the weights, by shares of users.

        Raises:
            ParameterError: `weights` are others.
        """
        bins = len(self.edges) - 1
        array = numbers_in_order("weights", weights, bins)
        return self._least(array), -self._least(-array)

    def _least(self, weights: Floats) -> float:
        """The least sum of weights times shares.

        Raises:
            ReportError: there are no such shares.
        """
        found = self._solved(weights)
        if found == math.inf:
            rule = (
                f"must fit some distribution at the level {self.level:.12g}, and fits none; honest "
                f"reports have that with a chance of at most {1 - self.level:.3g}: ask for a "
                "higher level, and where none fits there either, find the reports that are not "
                "of this mechanism"
            )
            raise ReportError("state", rule)
        return found

    def _least_square(self, centre: float, first: float, last: float, scale: float) -> float:
        """The least mean square around a centre where the mean is in first..last; inf if never."""
        slack = 1e-9 * scale
        more = np.array([self.edges[:-1], -self.edges[1:]])
        return self._solved(self._squares(centre)[0], more, np.array([last, -first]) + slack)

    def _squares(self, centre: float) -> tuple[Floats, Floats]:
        """The least and the largest square of the distance of a bin from a centre."""
        left, right = self.edges[:-1] - centre, self.edges[1:] - centre
        most = np.maximum(left**2, right**2)
        return np.where((left < 0) & (right > 0), 0.0, np.minimum(left**2, right**2)), most

    def _solved(
        self, weights: Floats, more: Floats | None = None, ends: Floats | None = None
    ) -> float:
        """The least sum of weights times shares, perhaps with further inequalities.

        It is infinite where no shares satisfy all of them.
        """
        needs("bounds of a distribution", "scipy")
        from scipy.optimize import linprog  # not needed by clients

        rows, limits = np.concatenate([self.least.T, -self.most.T]), [self.high, -self.low]
        if more is not None and ends is not None:
            rows, limits = np.concatenate([rows, more]), [*limits, ends]
        whole = np.ones((1, len(weights)))
        found = linprog(weights, A_ub=rows, b_ub=np.concatenate(limits), A_eq=whole, b_eq=[1.0])
        if found.status == 2:
            return math.inf
        if found.status != 0 or found.fun is None:
            raise InternalError("bounds", "were not found by the linear program", found.message)
        return float(found.fun)


def counted_within(below: NDArray[np.int64], n: int, level: float) -> tuple[Floats, Floats]:
    """Bound the mean share of reports below each cut, at all cuts at once.

    The bounds enclose all m with n KL(below/n, m) <= ln(2 cuts/(1 - level)): Chernoff, at every n.

    Args:
        below: how many of n reports lie below each cut, int64 (cuts,). n: at least 1.
        level: for all cuts together.

    Raises:
        ParameterError: `level` is not in (0, 1).
    """
    check_level(level)
    if n < 1:
        raise ParameterError("n", "must be at least 1", n)
    limit = math.log(2 * len(below) / (1 - level)) / n
    seen = below / n

    def beyond(mean: Floats) -> NDArray[np.bool_]:
        with np.errstate(divide="ignore", invalid="ignore"):
            first = np.where(seen > 0, seen * np.log(seen / mean), 0.0)
            last = np.where(seen < 1, (1 - seen) * np.log((1 - seen) / (1 - mean)), 0.0)
        return np.asarray(first + last > limit)

    def end(outside: Floats) -> Floats:
        inside = seen.copy()
        for _ in range(60):
            middle = (inside + outside) / 2
            off = beyond(middle)
            outside, inside = np.where(off, middle, outside), np.where(off, inside, middle)
        return outside

    return end(np.zeros(len(seen))), end(np.ones(len(seen)))
