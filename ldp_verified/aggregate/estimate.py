"""Estimated counts with standard errors and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.aggregate.oracle import FrequencyOracle

Floats = NDArray[np.float64]


def _frozen(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """What n reports say about how many users hold each value.

    All arrays are read-only and in the order of the values. With n = 0 the counts, standard errors
    and intervals are 0 and the shares nan.

    Attributes:
        oracle: the frequency oracle; p*, q* and variances of the realized table.
        n: the number of reports.
        support_counts: int64 (k,), how many reports support each value.
        simulated: whether any of the reports was simulated.
    """

    oracle: FrequencyOracle
    n: int
    support_counts: NDArray[np.int64]
    simulated: bool = False

    def __post_init__(self) -> None:
        """Take a read-only view of the support counts."""
        view = self.support_counts.view()
        view.flags.writeable = False
        object.__setattr__(self, "support_counts", view)

    @cached_property
    def counts(self) -> Floats:
        """Unbiased estimated counts, float64 (k,): (support count - n q*) / (p* - q*).

        They may fall below 0 or above n.
        """
        # n q* is split at the integer: the subtraction is exact and only the last steps round.
        whole, part = divmod(self.n * self.oracle.q_star, 1)
        exact = (self.support_counts - whole).astype(np.float64)
        spread = float(self.oracle.p_star - self.oracle.q_star)
        return _frozen((exact - float(part)) / spread)

    @cached_property
    def shares(self) -> Floats:
        """Estimated shares, counts / n, float64 (k,); nan where n = 0."""
        if self.n == 0:
            return _frozen(np.full(self.oracle.k, np.nan))
        return _frozen(self.counts / self.n)

    @cached_property
    def std_error(self) -> Floats:
        """Plug-in standard error of `counts`, float64 (k,).

        sqrt(n (a + b f)), the exact variance at a share f, with the estimated share clipped to [0,
        1] in the place of f.
        """
        a, b = self._variance_line
        if self.n == 0:
            return _frozen(np.zeros(self.oracle.k))
        return _frozen(np.sqrt(self.n * (a + b * np.clip(self.shares, 0.0, 1.0))))

    def interval(self, level: float = 0.95, simultaneous: bool = False) -> tuple[Floats, Floats]:
        """Score intervals for the true counts.

        For each value, all shares f with |estimate - n f| <= z sqrt(n (a + b f)) + c, where n (a +
        b f) is the exact variance at f, z the normal quantile and c the continuity correction of
        half a support count; as counts, clipped to [0, n]. The level is that of a normal
        approximation to the support count.

        Args:
            level: the coverage asked for, in (0, 1).
            simultaneous: cover all k values at once with this level (Bonferroni), rather than each.

        Returns:
            The lower and the upper ends, float64 (k,) each.

        Raises:
            ParameterError: `level` is not a number in (0, 1).
        """
        if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
            raise ParameterError("level", "must be a number between 0 and 1, both excluded", level)
        if self.n == 0:
            return _frozen(np.zeros(self.oracle.k)), _frozen(np.zeros(self.oracle.k))
        from statistics import NormalDist  # not needed by clients

        alpha = (1.0 - level) / (self.oracle.k if simultaneous else 1)
        z = -NormalDist().inv_cdf(alpha / 2)
        half = float(Fraction(1, 2) / (self.oracle.p_star - self.oracle.q_star)) / self.n
        # An end solves (e - f)^2 = (z^2/n)(a + b f), e being the corrected share: a quadratic in f.
        a, b = self._variance_line
        spread = z * z / self.n
        bend = spread * b / 2

        def roots(e: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
            inner = bend * bend + spread * (a + b * e)
            reach = np.sqrt(np.maximum(inner, 0.0))
            first, last = e + bend - reach, e + bend + reach
            return first, last, (inner < 0.0) | (last < 0.0) | (first > 1.0)

        # `none`: e lies outside [0, 1] and no share inside is compatible with it; the nearer end of
        # the range stands for the interval.
        e = self.shares - half
        first, _, none = roots(e)
        low = np.where(e <= 0.0, 0.0, np.where(none, 1.0, first))
        e = self.shares + half
        _, last, none = roots(e)
        high = np.where(e >= 1.0, 1.0, np.where(none, 0.0, last))
        n = float(self.n)
        return _frozen(n * np.clip(low, 0.0, 1.0)), _frozen(n * np.clip(high, 0.0, 1.0))

    @property
    def _variance_line(self) -> tuple[float, float]:
        """(a, b): the variance per user at a share f is a + b f."""
        a = self.oracle.variance_absent
        return float(a), float(self.oracle.variance_held - a)

    def __repr__(self) -> str:
        simulated = "simulated " if self.simulated else ""
        typical = math.sqrt(self.n * self.oracle.variance_absent)
        return (
            f"<Estimate from {self.n} {simulated}{self.oracle.identity.mechanism} reports: "
            f"k={self.oracle.k}, standard error {typical:.6g} for a value that nobody holds>"
        )
