"""The base of every estimate: rows by label, tables, a picture, simultaneous intervals."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import astuple, dataclass, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.extras import needs
from ldp_verified.run.aggregate.honest import Honesty
from ldp_verified.run.aggregate.labels import is_label
from ldp_verified.run.aggregate.picture import page, picture
from ldp_verified.scalars import is_integer, is_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

ROUNDED: Final = 64 * float(np.finfo(np.float64).eps)
"""The part of a number, and of the largest one that may be true, that it may be off by rounding."""

SEVERAL: Final = -1
"""The place of a label that several rows have."""


def check_level(level: object, name: str = "level") -> None:
    """Refuse what is no level of an interval.

    Raises:
        ParameterError: `level` is not a number in (0, 1); the error calls it `name`.
    """
    if not is_number(level) or not 0 < level < 1:
        raise ParameterError(name, "must be a number between 0 and 1, both excluded", level)


def quantile(level: float, together: int = 1) -> float:
    """Return how many standard errors an interval reaches, of so many that all hold at once.

    Raises:
        ParameterError: `level` is not a number in (0, 1).
    """
    from statistics import NormalDist  # not needed by clients

    check_level(level)
    return -NormalDist().inv_cdf((1.0 - level) / together / 2)


def normal_columns(
    values: Floats,
    errors: Floats,
    level: float,
    simultaneous: bool,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return columns whose intervals are -+ so many standard errors: a normal approximation.

    What is rounded comes on top, so that a number without an error is in its interval.
    They cover less where few supports of a value are expected, about n q* below 30.

    Args:
        values, errors: float64 (k,). level, simultaneous: see `Tabulated.columns`.
        within: where the true numbers lie. None of them is beyond it, so an interval is around the
            nearest number that may be true. Around the estimate it would be a point, and sure of
            it, where the estimate lies far beyond; this one holds all that are in that one.

    Raises:
        ParameterError: as `Tabulated.columns`.
    """
    check_kind("simultaneous", simultaneous, bool)
    scale = np.abs(values) + max((abs(end) for end in within if math.isfinite(end)), default=0.0)
    reach = quantile(level, len(values) if simultaneous else 1) * errors + ROUNDED * scale
    nearest = np.clip(values, *within)
    low, high = (np.clip(end, *within) for end in (nearest - reach, nearest + reach))
    return values, errors, low, high


@dataclass(frozen=True)
class TableRow:
    """One estimated number and what is known of it.

    Attributes:
        label: of the value, the coordinate, or what else was estimated.
        value: the estimate. std_error: of it.
        low, high: ends of the interval of the true number.
    """

    label: str | int
    value: float
    std_error: float
    low: float
    high: float


def normal_row(
    label: str | int, value: float, std_error: float, level: float, most: float
) -> TableRow:
    """Return one number from 0 to `most`, with the interval that `normal_columns` gives it.

    Args:
        label: of the row. value, std_error: the estimate and its error. level: as for the columns.
        most: the largest number that may be true.

    Raises:
        ParameterError: `level` is not a number in (0, 1).
    """
    one = np.array([value], dtype=np.float64), np.array([std_error], dtype=np.float64)
    columns = normal_columns(*one, level, False, (0.0, float(most)))
    return TableRow(label, *(float(column[0]) for column in columns))


class Tabulated(ABC):
    """Numbers that were estimated together, each with a label, a standard error and an interval.

    It iterates over (label, estimate, standard error).

    Attributes:
        quantity: what is estimated: "count", in users, "share" or "average".
    """

    quantity: ClassVar[str] = "count"

    @property
    @abstractmethod
    def names(self) -> tuple[str | int, ...] | range:
        """The labels, in order."""

    @property
    @abstractmethod
    def heading(self) -> str:
        """The source of the estimate, as a phrase."""

    @property
    @abstractmethod
    def honesty(self) -> Honesty:
        """Tests that reports drawn from the table pass at a stated level, whatever users hold.

        Where any of them rejects at the significance 1e-9, `heading` says so.
        """

    @abstractmethod
    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """The estimates, their standard errors, and the ends of the intervals.

        All are in the unit of `quantity`: users, shares of users, or the users' own units.

        Args:
            level: the coverage asked for, in (0, 1).
            simultaneous: cover all numbers at once with this level, rather than each.

        Returns:
            float64 (k,) each.

        Raises:
            ParameterError: `level` is not a number in (0, 1), or `simultaneous` no bool.
        """

    def simultaneous(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """The ends of intervals that hold all true numbers at once, in the unit of `quantity`.

        Args and Raises: as `columns`.

        Returns:
            The lower and the upper ends, float64 (k,) each.
        """
        return self.columns(level, True)[2:]

    def rows(self, level: float = 0.95, simultaneous: bool = False) -> list[TableRow]:
        """All rows, in order, in the unit of `quantity`. Args and Raises: as `columns`."""
        columns = self.columns(level, simultaneous)
        return [
            TableRow(*row) for row in zip(self.names, *(c.tolist() for c in columns), strict=True)
        ]

    def _places(self) -> dict[str | int, int]:
        found: dict[str | int, int] = {}
        # Labels of cells are put together from others, so that two may read the same.
        for place, label in enumerate(self.names):
            found[label] = SEVERAL if label in found else place
        return found

    def _place(self, argument: str, label: object) -> int:
        found = self._places().get(label) if is_label(label) else None
        if found is None:
            raise ParameterError(argument, "must be the label of a value", label)
        if found == SEVERAL:
            raise ParameterError(argument, "must be the label of one value only", label)
        return found

    def __getitem__(self, label: str | int) -> TableRow:
        """The row of one label, with its interval at the level 0.95.

        Raises:
            ParameterError: there is no such label, or several rows have it.
        """
        place = self._place("label", label)
        return TableRow(self.names[place], *(float(column[place]) for column in self.columns()))

    def top(self, values: int = 10, level: float = 0.95) -> list[TableRow]:
        """The largest estimates, largest first, in the unit of `quantity`.

        Which ones these are depends on the reports. So their intervals hold for all at once, and
        their estimates are too high on average: they were chosen for being high.

        Args:
            values: how many, at most. level: of the intervals.

        Raises:
            ParameterError: `values` is no positive integer, or `level` not in (0, 1).
        """
        if not is_integer(values) or values < 1:
            raise ParameterError("values", "must be a positive integer", values)
        rows = self.rows(level, simultaneous=True)
        return sorted(rows, key=lambda row: -row.value)[:values]

    def plot(self, top: int = 30, level: float = 0.95) -> Figure:
        """Draw the largest estimates as bars, and where there are more the smaller ones by rank.

        In a notebook the figure is shown; `plot().savefig("estimate.png")` writes it.

        Args:
            top: how many bars, 1..100. level: of the intervals, which hold for all values at once.

        Raises:
            ImportError: matplotlib is not installed. ParameterError: a number out of range.
        """
        return picture(self, top, level)

    def _header(self) -> list[str]:
        named = {"value": self.quantity}
        return [named.get(field.name, field.name) for field in fields(TableRow)]

    def to_arrow(self, level: float = 0.95) -> pa.Table:
        """A table of all rows, in the unit of `quantity`; estimates are in the column of that name.

        Args:
            level: of the intervals, each of which holds for its own value.

        Raises:
            ImportError: pyarrow is not installed. ParameterError: `level` is not in (0, 1).
        """
        needs("to_arrow", "pyarrow")
        import pyarrow as pa

        columns = zip(*map(astuple, self.rows(level)), strict=True)
        return pa.table(dict(zip(self._header(), map(list, columns), strict=True)))

    def to_pandas(self, level: float = 0.95) -> pd.DataFrame:
        """The table of `to_arrow`, in the unit of `quantity`, as a data frame of pandas by label.

        Args:
            level: of the intervals, in (0, 1).

        Raises:
            ImportError: pandas is not installed. ParameterError: `level` is not in (0, 1).
        """
        made, rows = _library("pandas").DataFrame, map(astuple, self.rows(level))
        found: pd.DataFrame = made(rows, columns=self._header()).set_index("label")
        return found

    def to_polars(self, level: float = 0.95) -> pl.DataFrame:
        """The table of `to_arrow`, in the unit of `quantity`, as a data frame of Polars.

        Args:
            level: of the intervals, in (0, 1).

        Raises:
            ImportError: Polars is not installed. ParameterError: `level` is not in (0, 1).
        """
        made, rows = _library("polars").DataFrame, list(map(astuple, self.rows(level)))
        found: pl.DataFrame = made(rows, schema=self._header(), orient="row")
        return found

    def _repr_html_(self) -> str:
        """The largest estimates as a table, for notebooks."""
        return page(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} from {self.heading}: {len(self.names)} numbers>"

    def __iter__(self) -> Iterator[tuple[str | int, float, float]]:
        values, errors, *_ = self.columns()
        return iter(zip(self.names, values.tolist(), errors.tolist(), strict=True))


class FromReports(Tabulated):
    """Estimates from n reports whose heading says no more than how many these are."""

    n: int

    @property
    def heading(self) -> str:
        """The number of reports."""
        return f"{self.n:,} reports{self.honesty.doubt}"


def _library(name: str) -> Any:
    needs(f"a table of {name}", name)
    return import_module(name)
