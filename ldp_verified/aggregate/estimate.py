"""Estimated counts with standard errors and intervals."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ldp_verified.aggregate.combined import Combined, combination, ratio
from ldp_verified.aggregate.consistent import Consistent
from ldp_verified.aggregate.fitted import made_consistent
from ldp_verified.aggregate.picture import page, picture
from ldp_verified.aggregate.tested import Compared, changed, equal_to
from ldp_verified.errors import ParameterError, check_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure

    from ldp_verified.aggregate.oracle import Estimator

Floats = NDArray[np.float64]


def check_level(level: object, name: str = "level") -> None:
    """Refuse what is no level of an interval.

    Raises:
        ParameterError: `level` is not a number in (0, 1); the error calls it `name`.
    """
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ParameterError(name, "must be a number between 0 and 1, both excluded", level)


@dataclass(frozen=True)
class Row:
    """One value and what is known of its count.

    Attributes:
        label: of the value.
        count: estimated, in users. std_error: of it.
        low, high: ends of the interval of the true count.
    """

    label: str | int
    count: float
    std_error: float
    low: float
    high: float


COLUMNS = tuple(field.name for field in fields(Row))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{name} is needed: pip install ldp-verified[tables]") from None


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
        """Score intervals for the true counts among these very n users, who need be no sample.

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

    def simultaneous(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Intervals that hold all true counts at once. Args and Raises: as `interval`."""
        return self.interval(level, simultaneous=True)

    @property
    def reports(self) -> int:
        """The number of reports that were counted: n, or those of users asked about this."""
        return int(getattr(self.oracle, "asked", self.n))

    # --- values by their labels ----------------------------------------------------------------

    @property
    def names(self) -> tuple[str | int, ...] | range:
        """The labels of all values, in order; 0, ..., k - 1 where there are none."""
        return range(self.oracle.k) if self.labels is None else self.labels

    @cached_property
    def _places(self) -> dict[str | int, int]:
        return {label: place for place, label in enumerate(self.names)}

    def _place(self, argument: str, label: object) -> int:
        plain = int(label) if isinstance(label, np.integer) else label
        known = isinstance(plain, str | int) and not isinstance(plain, bool)
        found = self._places.get(cast("str | int", plain)) if known else None
        if found is None:
            raise ParameterError(argument, "must be the label of a value", label)
        return found

    def rows(self, level: float = 0.95, simultaneous: bool = False) -> list[Row]:
        """All values, in order. Args and Raises: as `interval`."""
        low, high = self.interval(level, simultaneous)
        columns = (self.counts, self.std_error, low, high)
        return [Row(*row) for row in zip(self.names, *(c.tolist() for c in columns), strict=True)]

    def __getitem__(self, label: str | int) -> Row:
        """The count of one value, with its interval at the level 0.95.

        Raises:
            ParameterError: there is no such label.
        """
        place = self._place("label", label)
        columns = (self.counts, self.std_error, *self.interval())
        return Row(self.names[place], *(float(column[place]) for column in columns))

    def top(self, values: int = 10, level: float = 0.95) -> list[Row]:
        """The values with the largest estimates, largest first.

        Which values these are depends on the reports. So their intervals hold for all values at
        once, and their counts are too high on average: they were chosen for being high.

        Args:
            values: how many, at most. level: of the intervals.

        Raises:
            ParameterError: `values` is no positive integer, or `level` not in (0, 1).
        """
        if isinstance(values, bool) or not isinstance(values, int) or values < 1:
            raise ParameterError("values", "must be a positive integer", values)
        rows = self.rows(level, simultaneous=True)
        return sorted(rows, key=lambda row: -row.count)[:values]

    # --- several values together ---------------------------------------------------------------

    def _combined(self, weights: dict[int, float]) -> Combined:
        array = np.zeros(self.oracle.k)
        for place, weight in weights.items():
            array[place] += weight
        return combination(self.oracle, self.n, self.counts, self.std_error, array)

    def sum_of(self, labels: Iterable[str | int]) -> Combined:
        """Estimate how many users hold one of several values.

        Args:
            labels: of the values, fixed before the reports are looked at.

        Raises:
            ParameterError: there is no such label, one stands there twice, or none at all.
        """
        listed = [labels] if isinstance(labels, str) else list(labels)
        places = {self._place("labels", label): 1.0 for label in listed}
        if not places or len(places) != len(listed):
            raise ParameterError("labels", "must be one or more, each once", len(listed))
        return self._combined(places)

    def contrast(self, first: str | int, second: str | int) -> Combined:
        """Estimate how many more users hold the first value than the second.

        Raises:
            ParameterError: there is no such label, or both are the same.
        """
        places = self._place("first", first), self._place("second", second)
        if places[0] == places[1]:
            raise ParameterError("second", "must be another value", second)
        return self._combined({places[0]: 1.0, places[1]: -1.0})

    def ratio(self, above: str | int, below: str | int) -> Combined:
        """Estimate how many times as many users hold the value `above` as the value `below`.

        Raises:
            ParameterError: there is no such label, or the count to divide by is not 3 standard
                errors above 0.
        """
        places = self._place("above", above), self._place("below", below)
        return ratio(self.oracle, self.n, self.counts, self.std_error, *places)

    def consistent(
        self,
        method: str = "norm-sub",
        level: float = 0.95,
        totals: Mapping[Any, float] | None = None,
    ) -> Consistent:
        """Counts that are not negative and add up to n, or as near as the method goes.

        Args:
            method: base-pos, base-cut, norm, norm-mul, norm-cut or norm-sub (`consistent.METHODS`),
                or power, power-norm-sub, least-squares, likelihood or ibu (see `fitted`).
            level: of the simultaneous intervals.
            totals: numbers of users that are known without the reports: from a label, or a tuple of
                labels, to how many of these n users hold one of them.

        Raises:
            ParameterError: no such method, or none for these reports; a level not in (0, 1); totals
                that contradict n; or these are not all values.
        """
        return made_consistent(self, method, level, totals)

    @property
    def of_all_values(self) -> bool:
        """Return whether every user holds exactly one of these values, as candidates do not say."""
        return bool(getattr(self.oracle, "exclusive", False))

    # --- hypotheses about the users ------------------------------------------------------------

    def equal_to(self, shares: object) -> Compared:
        """Test whether the users are drawn from a known distribution; exact, see `Compared`.

        The population is meant, not these users: they are a sample of it.

        Args:
            shares: of all values, in order, or by label; not negative, sum 1.

        Raises:
            ParameterError: no such shares; these are not all values; or not all reports are new
                draws, so that they are not independent.
        """
        return equal_to(self, shares)

    def changed_since(self, before: Estimate) -> Compared:
        """Test whether the users of an earlier date are drawn from the same distribution; exact.

        Users of the two dates are to be drawn independently. Where they are the same ones, who
        mostly keep their values, false alarms are rarer still.

        Args:
            before: an estimate by the same mechanism, of other reports.

        Raises:
            ParameterError: it is of another mechanism, or not all reports are new draws.
        """
        return changed(before, self)

    def plot(self, top: int = 30, level: float = 0.95) -> Figure:
        """Draw the largest estimates as bars, and all by rank where there are more.

        In a notebook the figure is shown; `plot().savefig("estimate.png")` writes it.

        Args:
            top: how many bars, 1..100. level: of the intervals, which hold for all values at once.

        Raises:
            ImportError: matplotlib is not installed. ParameterError: a number out of range.
        """
        return picture(self, top, level)

    # --- tables --------------------------------------------------------------------------------

    def to_arrow(self, level: float = 0.95) -> pa.Table:
        """A table of all values with the columns of `Row`; see `rows`."""
        import pyarrow as pa

        rows = self.rows(level)
        return pa.table({name: [getattr(row, name) for row in rows] for name in COLUMNS})

    def to_pandas(self, level: float = 0.95) -> pd.DataFrame:
        """The same as a data frame of pandas, by label.

        Raises:
            ImportError: pandas is not installed.
        """
        made, rows = _library("pandas").DataFrame, map(astuple, self.rows(level))
        found: pd.DataFrame = made(rows, columns=list(COLUMNS)).set_index("label")
        return found

    def to_polars(self, level: float = 0.95) -> pl.DataFrame:
        """The same as a data frame of Polars.

        Raises:
            ImportError: Polars is not installed.
        """
        made, rows = _library("polars").DataFrame, list(map(astuple, self.rows(level)))
        found: pl.DataFrame = made(rows, schema=COLUMNS, orient="row")
        return found

    def _repr_html_(self) -> str:
        """The largest estimates as a table, for notebooks."""
        return page(self)

    def __iter__(self) -> Iterator[tuple[str | int, float, float]]:
        return iter(zip(self.names, self.counts.tolist(), self.std_error.tolist(), strict=True))

    def __repr__(self) -> str:
        simulated = "simulated " if self.simulated else ""
        typical = math.sqrt(self.n * float(np.max(self.oracle.variance_line(self.n)[0])))
        return (
            f"<Estimate from {self.n} {simulated}{self.oracle.identity.mechanism} reports: "
            f"k={self.oracle.k}, standard error {typical:.6g} for a value that nobody holds>"
        )
