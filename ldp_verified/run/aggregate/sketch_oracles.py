"""Sketches: counters for each row and bucket, whatever the number of values.

A report names its row. What is estimated without bias, and what the collisions of rows that were
drawn once add to the variance, is said in `ldp_verified.run.realize.designs.sketch`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.layouts import (
    CheckedReports,
    IndexedSupport,
    Unsigned,
    check_report_array,
    unless_sum,
)
from ldp_verified.run.aggregate.oracle import Floats, FrequencyOracle
from ldp_verified.run.aggregate.packing import Field, PackedShape
from ldp_verified.run.kernels import look_ups
from ldp_verified.run.kernels.family import evaluate
from ldp_verified.run.kernels.row_counts import row_bit_counts
from ldp_verified.run.kernels.sketch_reports import coefficients, row_buckets
from ldp_verified.run.kernels.transform import walsh_hadamard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.kernels.look_ups import Told

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Sketch:
    """The public functions of a sketch, and what they say of a table of rows and buckets.

    Attributes:
        k: the number of values.
        buckets: the number g of buckets.
        rows: how many functions were drawn; None for the whole family.
        seed: of the draw.
    """

    k: int
    buckets: int
    rows: int | None
    seed: int

    @cached_property
    def functions(self) -> Integers:
        """The coefficients of the rows' functions, int64 (rows, digits)."""
        return coefficients(self.k, self.buckets, self.rows, self.seed)

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.functions)

    def value_buckets(self) -> Iterator[Integers]:
        """Yield the buckets of all values in each row, int64 (k,)."""
        return (row_buckets(self.k, self.buckets, row) for row in self.functions)

    @cached_property
    def bucket_table(self) -> Integers:
        """The buckets of all values in all rows, int64 (rows, k)."""
        return np.stack(list(self.value_buckets()))

    def buckets_of(self, value: int) -> Integers:
        """The bucket of one value in each row, int64 (rows,)."""
        return evaluate(self.functions, np.array(value), self.buckets)

    def looked_up(
        self, table: Integers, values: tuple[int, ...] | None = None, told: Told | None = None
    ) -> Integers:
        """The sum over rows of `table` at each value's bucket.

        Args:
            table: int64 (rows, buckets).
            values: those that are asked for; None for all.
            told: is told now and then how many rows are done, of how many that have reports.

        Returns:
            int64 (values,), or (k,).
        """
        listed = None if values is None else np.array(values, dtype=np.int64)
        return look_ups.looked_up(table, self.functions, self.k, listed, told)


class SummedSketch(Sketch):
    """A sketch whose counters become numbers by row and bucket, which are looked up."""

    @abstractmethod
    def sums(self, counters: Integers) -> Integers:
        """The numbers that are looked up, int64 (rows, buckets), 0 in rows without reports."""

    def supports_told(
        self, counters: Integers, values: tuple[int, ...] | None, told: Told | None
    ) -> Integers:
        """`supports`, or `supports_of` some values, with words of progress.

        Args:
            counters: of a state. values: those that are asked for; None for all.
            told: as in `looked_up`.
        """
        return self.looked_up(self.sums(counters), values, told)


@dataclass(frozen=True)
class BitSketchLayout(SummedSketch, CheckedReports):
    """A report is a row and one bit per bucket; it supports v where the bit of v's bucket is 1.

    Shape (n, 1 + ceil(buckets/64)), uint64: the row, then the packed bits; those from `buckets` on
    are zero. Counters: ones by row and bucket, then reports by row.
    """

    @property
    def counters(self) -> int:
        """One for each row and bucket, and one for each row."""
        return self.height * (self.buckets + 1)

    @property
    def shape(self) -> PackedShape:
        """A row, then a bit for each bucket."""
        fields = (Field(1, self.height), Field(self.buckets, 2, packed=True))
        return PackedShape(fields, np.dtype(np.uint64))

    def check(self, data: object) -> Unsigned:
        """Check reports: only uint64 is taken.

        Raises:
            ReportError: no uint64 array of that shape, no such row, or a padding bit is set.
        """
        columns = 1 + -(-self.buckets // 64)
        array = check_report_array("reports", data, 2)
        if array.dtype != np.uint64:
            raise ReportError("reports", "must be a row and packed bits of dtype uint64")
        if array.shape[1] != columns:
            raise ReportError("reports", f"must have {columns} words each", array.shape)
        if len(array) and int(array[:, 0].max()) >= self.height:
            raise ReportError("reports", f"must name a row in 0..{self.height - 1}")
        used = self.buckets % 64
        if used and np.any(array[:, -1] >> np.uint64(used)):
            raise ReportError("reports", f"must have zero bits from bit {self.buckets} on")
        return array.astype(np.uint64, copy=False)

    def count(self, data: Unsigned) -> Integers:
        """Ones by row and bucket, then reports by row."""
        rows = data[:, 0].astype(np.int64)
        ones = row_bit_counts(data, self.height, self.buckets)
        return np.concatenate([ones.reshape(-1), np.bincount(rows, minlength=self.height)])

    def tables(self, counters: Integers) -> tuple[Integers, Integers]:
        """(ones, int64 (rows, buckets); reports, int64 (rows,))."""
        cells = self.height * self.buckets
        return counters[:cells].reshape(self.height, self.buckets), counters[cells:]

    def impossible(self, n: int, counters: Integers) -> str | None:
        """Say why no reports add up to this: each names one row, and has at most one 1 a bucket."""
        ones, reports = self.tables(counters)
        if np.any(ones > reports[:, np.newaxis]):
            return "must not have more ones in a row than reports"
        return unless_sum(n, reports)

    def sums(self, counters: Integers) -> Integers:
        """The ones by row and bucket."""
        return self.tables(counters)[0]

    def supports(self, counters: Integers) -> Integers:
        """The ones at each value's bucket, over all rows."""
        return self.supports_told(counters, None, None)

    def supports_of(self, counters: Integers, values: tuple[int, ...]) -> Integers:
        """The support counts of some values."""
        return self.supports_told(counters, values, None)

    def support_counts(self, data: Unsigned) -> Integers:
        """`supports` of `count`."""
        return self.supports(self.count(data))

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports support a value."""
        buckets = self.buckets_of(value)[data[:, 0].astype(np.int64)]
        words = data[np.arange(len(data)), 1 + buckets // 64]
        return np.asarray(words >> (buckets % 64).astype(np.uint64) & np.uint64(1) != 0)


@dataclass(frozen=True)
class SignSketchLayout(SummedSketch, IndexedSupport):
    """A report is 2 (row g + l) for +1 and 2 (row g + l) + 1 for -1; l a row of Sylvester's matrix.

    It supports v where H[l, bucket of v] is that sign.
    """

    @property
    def counters(self) -> int:
        """Two signs for each row and l."""
        return 2 * self.height * self.buckets

    def transformed(self, counters: Integers) -> Integers:
        """The +1 reports that agree with each row and bucket, less those that do not."""
        table = counters.reshape(self.height, self.buckets, 2)
        found = table[..., 0] - table[..., 1]
        used = np.flatnonzero(found.any(axis=1))
        if len(used) == len(found):
            return walsh_hadamard(found)
        found[used] = walsh_hadamard(found[used])
        return found

    def sums(self, counters: Integers) -> Integers:
        """Supports less non-supports by row and bucket."""
        return self.transformed(counters)

    def supports_told(
        self, counters: Integers, values: tuple[int, ...] | None, told: Told | None
    ) -> Integers:
        """The support counts, from looked-up supports less non-supports and all reports.

        Args:
            counters: of a state. values: those that are asked for; None for all.
            told: as in `looked_up`.
        """
        differences = super().supports_told(counters, values, told)
        return np.asarray((differences + counters.sum()) // 2)

    def supports(self, counters: Integers) -> Integers:
        """Return the support counts of all values."""
        return self.supports_told(counters, None, None)

    def supports_of(self, counters: Integers, values: tuple[int, ...]) -> Integers:
        """The support counts of some values."""
        return self.supports_told(counters, values, None)

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports support a value."""
        places, signs = np.divmod(data.astype(np.int64), 2)
        rows, coefficients = np.divmod(places, self.buckets)
        common = coefficients & self.buckets_of(value)[rows]
        return np.asarray(np.bitwise_count(common) & 1 == signs)


@dataclass(frozen=True)
class SketchOracle(FrequencyOracle):
    """An oracle whose functions were drawn once for all users.

    Two users with one value x other than v collide with v together where they share a row. This
    adds n_x (n_x - 1)/(rows (buckets - 1)) to the variance of the count of v, beyond what
    independent functions give.

    Attributes:
        shared: 1/(rows (buckets - 1)).
    """

    shared: float = 0.0

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The line of independent functions, and collisions at the estimated shares.

        The sum of the squared shares is estimated without bias (an estimated share squared has its
        own variance, of which collisions are part) and kept in [0, 1].
        """
        a, b = super().variance_line(n)
        alone = a + b * np.clip(shares, 0.0, 1.0)
        others = self.shared * (self.k - 1)
        seen = float((n * shares**2 - (a + b * shares)).sum())
        squares = min(max((seen + others) / (1 + others), 0.0), float(n))
        held = np.clip(shares, 0.0, 1.0)
        return np.asarray(alone + self.shared * np.maximum(squares - n * held**2 - 1 + held, 0.0))

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """Return where all other users hold one value: the largest that collisions add."""
        a, b = super().variance_line(n)
        most = np.asarray(self.shared * max(n - 1, 0))
        return a + most, b - most
