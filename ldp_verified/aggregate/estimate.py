"""Estimated counts with standard errors and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ParameterError, check_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.aggregate.oracle import Estimator

Floats = NDArray[np.float64]


def check_level(level: object) -> None:
    """Refuse what is no level of an interval.

    Raises:
        ParameterError: `level` is not a number in (0, 1).
    """
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ParameterError("level", "must be a number between 0 and 1, both excluded", level)


def _frozen(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """The estimated number of users who hold each value, or each of some candidates.

    It iterates over (label, estimated count, standard error). All arrays are read-only and in the
    order of the values. With n = 0 the counts, standard errors and intervals are 0 and the shares
    nan.

    Attributes:
        oracle: the estimator and its variances, of the realized table.
        n: the number of reports.
        support_counts: int64 (k,), how many reports support each value; where outputs support none,
            int64 (outputs,), how often each output came.
        simulated: whether any of the reports was simulated.
        labels: of the k values or candidates, in order; None for 0, ..., k - 1.
    """

    oracle: Estimator
    n: int
    support_counts: NDArray[np.int64]
    simulated: bool = False
    labels: tuple[str | int, ...] | None = None

    def __post_init__(self) -> None:
        """Take a read-only view of the support counts."""
        view = self.support_counts.view()
        view.flags.writeable = False
        object.__setattr__(self, "support_counts", view)

    @cached_property
    def counts(self) -> Floats:
        """Unbiased estimated counts, float64 (k,): (support count - n q*) / (p* - q*).

        Where outputs support no value, the left inverse of the table applied to their counts. They
        may fall below 0 or above n.
        """
        return _frozen(self.oracle.estimated(self.n, self.support_counts))

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
        1] in the place of f. Where outputs support no value, the exact variance of a population
        with the estimated shares, clipped at 0 and scaled to sum 1.
        """
        if self.n == 0:
            return _frozen(np.zeros(self.oracle.k))
        return _frozen(np.sqrt(self.n * self.oracle.plug_in(self.shares, self.n)))

    def interval(self, level: float = 0.95, simultaneous: bool = False) -> tuple[Floats, Floats]:
        """Score intervals for the true counts.

        An interval holds all shares f with |estimate - n f| <= z sqrt(n (a + b f)) + c. Here n (a +
        b f) is the exact variance at f, z the normal quantile and c the continuity correction of
        half a support count. Ends are counts, clipped to [0, n]. The level is that of a normal
        approximation to the support count. Where outputs support no value, a + b f is the largest
        variance over all populations of which a share f holds the value, and c half of the most
        that one report may change. Intervals are then wider than necessary.

        Args:
            level: the coverage asked for, in (0, 1).
            simultaneous: cover all k values at once with this level (Bonferroni), rather than each.

        Returns:
            The lower and the upper ends, float64 (k,) each.

        Raises:
            ParameterError: `level` is not a number in (0, 1), or `simultaneous` no bool.
        """
        check_level(level)
        check_kind("simultaneous", simultaneous, bool)
        if self.n == 0:
            return _frozen(np.zeros(self.oracle.k)), _frozen(np.zeros(self.oracle.k))
        from statistics import NormalDist  # not needed by clients

        alpha = (1.0 - level) / (self.oracle.k if simultaneous else 1)
        z = -NormalDist().inv_cdf(alpha / 2)
        half = self.oracle.half_step / self.n
        # An end solves (e - f)^2 = (z^2/n)(a + b f), e being the corrected share: a quadratic in f.
        a, b = self.oracle.variance_line(self.n)
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

    def __iter__(self) -> Iterator[tuple[str | int, float, float]]:
        names = range(self.oracle.k) if self.labels is None else self.labels
        return iter(zip(names, self.counts.tolist(), self.std_error.tolist(), strict=True))

    def __repr__(self) -> str:
        simulated = "simulated " if self.simulated else ""
        typical = math.sqrt(self.n * float(np.max(self.oracle.variance_line(self.n)[0])))
        return (
            f"<Estimate from {self.n} {simulated}{self.oracle.identity.mechanism} reports: "
            f"k={self.oracle.k}, standard error {typical:.6g} for a value that nobody holds>"
        )
