"""Estimates from a tree or wavelet of ranges: counts of values and ranges, and quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ldp_verified.run.aggregate.honest import UNTESTED, Honesty
from ldp_verified.run.aggregate.tabulated import (
    TableRow,
    Tabulated,
    check_level,
    normal_columns,
    normal_row,
    quantile,
)
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class ShareFit(Protocol):
    """How shares of leaves were fitted."""

    def variance_of(self, first: NDArray[np.int64], past: NDArray[np.int64]) -> NDArray[np.float64]:
        """The variance of the fitted share of the leaves first, ..., past - 1, for each pair."""


class RangeQuantile(NamedTuple):
    """A quantile of the users' values: the smallest value that a share of them do not exceed.

    Attributes:
        value: the estimate. low, high: ends of its interval, which are values too.
    """

    value: int
    low: int
    high: int


@dataclass(frozen=True, eq=False, repr=False)
class RangeEstimate(Tabulated):
    """Estimates of the fitted leaves, for the very users who reported.

    Given how many users each level has, every count is unbiased, but for what lies beyond the last
    value: the tree may have more leaves, and those that are no values are estimated too. Standard
    errors of one-bit responses are bounds: no values of the users make them larger. Those of
    `RangeHierarchy` are at the estimated shares.

    Attributes:
        n: the number of users. k: the number of values.
        leaves: the fitted shares of the leaves, float64, which sum to 1; some are
            negative.
        fit: with the variances of a share.
        honesty: of the state.
    """

    n: int
    k: int
    leaves: Floats
    fit: ShareFit
    honesty: Honesty = UNTESTED

    @cached_property
    def counts(self) -> Floats:
        """The estimated number of users of each value, float64 (k,); may be below 0."""
        return self.n * self.leaves[: self.k]

    @cached_property
    def std_error(self) -> Floats:
        """The standard error of each count, or a bound for it, in users, float64 (k,)."""
        places = np.arange(self.k)
        return self._errors(places, places + 1)

    @property
    def names(self) -> range:
        """The values."""
        return range(self.k)

    @property
    def heading(self) -> str:
        """The number of users."""
        return f"{self.n:,} users{self.honesty.doubt}"

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts, errors and the ends of intervals, in users within 0..n; as `Tabulated`.

        Args:
            level: of the intervals, in (0, 1).
            simultaneous: whether they hold for all rows at once.
        """
        within = 0.0, float(self.n)
        return normal_columns(self.counts, self.std_error, level, simultaneous, within)

    def between(self, first: int, last: int, level: float = 0.95) -> TableRow:
        """The number of users with a value in first..last, both included.

        Args:
            first, last: values in order, fixed before the reports are seen. level: of the interval.

        Raises:
            ParameterError: these are no such values, or `level` is not in (0, 1).
        """
        start = check_integer("first", first, 0, self.k - 1)
        past = check_integer("last", last, start, self.k - 1) + 1
        found = self._cumulated[past] - self._cumulated[start]
        (error,) = self._errors(np.array([start]), np.array([past]))
        return normal_row(f"{start}..{past - 1}", found, error, level, self.n)

    @cached_property
    def at_most(self) -> Floats:
        """The estimated number of users whose value is at most 0, 1, ..., k - 1, float64 (k,).

        It need not rise.
        """
        return self._cumulated[1 : self.k + 1]

    @cached_property
    def at_most_error(self) -> Floats:
        """The standard error of each of `at_most`, or a bound for it, in users, float64 (k,)."""
        return self._errors(np.zeros(self.k, dtype=np.int64), np.arange(self.k) + 1)

    def quantile(self, share: float, level: float = 0.95) -> RangeQuantile:
        """The smallest value that this share of the users do not exceed, with its interval.

        The interval holds every value that a test of level 1 - `level` does not reject: below it
        so many are too few, and above it those before are enough. So it covers the quantile of the
        users with the level, up to the normal approximation of single counts.

        Args:
            share: in (0, 1). level: of the interval.

        Raises:
            ParameterError: a number is not in (0, 1).
        """
        check_level(share, "share")
        wanted, last = share * self.n, self.k - 1
        reach = quantile(level) * self.at_most_error
        highest, lowest = self.at_most + reach, self.at_most - reach
        # Estimates cross the wanted number several times: the middle of the first and the last.
        found = (_first(self.at_most >= wanted, last) + _next(self.at_most < wanted, last)) // 2
        low, high = _first(highest >= wanted, last), _next(lowest < wanted, last)
        return RangeQuantile(found, min(low, found), max(high, found))

    @cached_property
    def _cumulated(self) -> Floats:
        found = np.concatenate(([0.0], np.cumsum(self.leaves))) * self.n
        found[-1] = self.n  # where rounding may leave a little less
        return found

    def _errors(self, first: NDArray[np.int64], past: NDArray[np.int64]) -> Floats:
        # Users are dealt to the levels without replacement, which adds at most a share 1/(n - 1).
        scale = self.n**2 * (1 + 1 / max(self.n - 1, 1))
        return np.asarray(np.sqrt(scale * self.fit.variance_of(first, past)))


def _first(places: NDArray[np.bool_], last: int) -> int:
    """The first of the places; the last value if there is none."""
    return int(places.argmax()) if places.any() else last


def _next(places: NDArray[np.bool_], last: int) -> int:
    """The value after the last of the places, if there is one; 0 if there is no place."""
    found = np.flatnonzero(places)
    return min(int(found[-1]) + 1, last) if len(found) else 0
