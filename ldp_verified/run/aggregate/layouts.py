"""How reports lie in an array: what a valid one looks like, and which values it supports.

A layout knows sizes, not probabilities, so the server needs nothing of the mechanism but its
layout, p* and q*.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.packing import Field, PackedShape, numbers_shape
from ldp_verified.run.kernels import counts, support
from ldp_verified.run.kernels.draw import smallest_dtype, within
from ldp_verified.run.kernels.family import digit_count, evaluate

Unsigned = NDArray[np.unsignedinteger[Any]]


class Layout(Protocol):
    """The layout of a report array, as far as the aggregate side needs it."""

    @property
    def k(self) -> int:
        """The number of values."""

    @property
    def counters(self) -> int:
        """Return how many counters a state has."""

    @property
    def shape(self) -> PackedShape:
        """How reports become bits, to be sent."""

    def check(self, data: object) -> Unsigned:
        """The reports in the layout's own dtype; the array itself where it already fits.

        Raises:
            ReportError: wrong type, dtype, shape, range or padding.
        """

    def count(self, data: Unsigned) -> NDArray[np.int64]:
        """Return the counters that (checked) reports add to a state; shape (counters,)."""

    def tally(self, data: object) -> NDArray[np.int64]:
        """`count` of `check`, in one pass over the reports where that is possible.

        Raises:
            ReportError: as `check`.
        """

    def impossible(self, n: int, counters: NDArray[np.int64]) -> str | None:
        """Say why no n reports add up to these counters, each in 0..n; None where some do."""

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of reports that support each value, from what was added up, shape (k,).

        Of a layout without support: how often each output came.
        """

    def support_counts(self, data: Unsigned) -> NDArray[np.int64]:
        """`supports` of `count`."""

    def supports_of(
        self, counters: NDArray[np.int64], values: tuple[int, ...]
    ) -> NDArray[np.int64]:
        """`supports` of some values, int64 (values,), without the others where that is possible."""


class SupportLayout(Layout, Protocol):
    """A layout of reports that support values."""

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which of (checked) reports support a value, shape (n,)."""


class CheckedReports:
    """All reports are looked at before any is counted."""

    @abstractmethod
    def check(self, data: object) -> Unsigned:
        """The reports in the layout's own dtype."""

    @abstractmethod
    def count(self, data: Unsigned) -> NDArray[np.int64]:
        """Return the counters that (checked) reports add to a state."""

    @abstractmethod
    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """The supports of all values from what was added up."""

    def supports_of(
        self, counters: NDArray[np.int64], values: tuple[int, ...]
    ) -> NDArray[np.int64]:
        """`supports` of some values."""
        return self.supports(counters.copy())[list(values)]

    def tally(self, data: object) -> NDArray[np.int64]:
        """Count reports after their check."""
        return self.count(self.check(data))


class _Supported(CheckedReports):
    """Counters are the supports of the values: each batch is looked at value by value."""

    k: int

    @property
    def counters(self) -> int:
        """The number of counters: one per value."""
        return self.k

    def count(self, data: Unsigned) -> NDArray[np.int64]:
        """Return how many reports support each value."""
        return self.support_counts(data)

    def impossible(self, n: int, counters: NDArray[np.int64]) -> str | None:
        """Return None: a report may support any of the values, or no value."""
        del n, counters
        return None

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counters themselves."""
        return counters

    def supports_of(
        self, counters: NDArray[np.int64], values: tuple[int, ...]
    ) -> NDArray[np.int64]:
        """The counters of some values."""
        return counters[list(values)]

    @abstractmethod
    def support_counts(self, data: Unsigned) -> NDArray[np.int64]:
        """Return how many reports support each value."""


class Indexed(CheckedReports):
    """A report is one integer, the index of an output; counters are how often each came.

    Shape (n,), the narrowest unsigned dtype for the number of outputs. A layout whose outputs are
    not the values says which values they support; so that is done once, not for each batch.
    """

    @property
    @abstractmethod
    def counters(self) -> int:
        """The number of outputs."""

    @property
    def shape(self) -> PackedShape:
        """The shape of a report: one number."""
        return numbers_shape(self.counters, smallest_dtype(self.counters))

    def check(self, data: object) -> Unsigned:
        """Check reports: any integer dtype is taken, after its range has been looked at.

        Raises:
            ReportError: not an integer array of one axis, or no index of an output.
        """
        array = _integer_array(data, 1)
        _in_range(array, self.counters)
        return array.astype(smallest_dtype(self.counters), copy=False)

    def count(self, data: Unsigned) -> NDArray[np.int64]:
        """Return how often each output came."""
        return counts.value_counts(data, self.counters)

    def tally(self, data: object) -> NDArray[np.int64]:
        """`count` of `check`; their range is looked at as they are counted.

        Raises:
            ReportError: as `check`.
        """
        array = _integer_array(data, 1)
        if array.dtype != smallest_dtype(self.counters):
            return self.count(self.check(array))
        try:
            return counts.value_counts(array, self.counters)
        except ReportError:
            self.check(array)  # says it of reports
            raise

    def impossible(self, n: int, counters: NDArray[np.int64]) -> str | None:
        """Say why no reports add up to these counters: every report is one output."""
        return unless_sum(n, counters)

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counters themselves: an output is a value, or speaks for none."""
        return counters

    def support_counts(self, data: Unsigned) -> NDArray[np.int64]:
        """`supports` of `count`."""
        return self.supports(self.count(data))


class IndexedSupport(Indexed):
    """An output that supports some of the values."""

    @abstractmethod
    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports support a value."""

    def held(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each output the sum of the weights of the values that it supports.

        Args:
            weights: of the values, int64 (k,), whose absolute values add up below 2^62.
        """
        outputs = np.arange(self.counters, dtype=np.uint64).astype(self.shape.dtype)
        found = np.zeros(self.counters, dtype=np.int64)
        for place in np.flatnonzero(weights).tolist():
            found += weights[place] * self.holds(outputs, place)
        return found


def unless_sum(total: int, counters: NDArray[np.int64]) -> str | None:
    """Say why counters of what every report has as often are none; None where the sum is right."""
    found = sum(counters.tolist()) if len(counters) and int(counters.max()) >> 32 else None
    found = int(counters.sum()) if found is None else found
    return None if found == total else f"must be {total} in all, not {found}"


def check_report_array(argument: str, data: object, ndim: int) -> NDArray[np.integer[Any]]:
    """The array itself, if it is one of integers with so many axes.

    Raises:
        ReportError: something else; a masked array too, whose mask nobody would look at.
    """
    if not isinstance(data, np.ndarray):
        raise ReportError(argument, "must be a numpy array", type(data))
    if isinstance(data, np.ma.MaskedArray):
        raise ReportError(argument, "must not be a masked array", type(data))
    if data.dtype.kind not in "iu":
        raise ReportError(argument, "must hold integers", data.dtype)
    if data.ndim != ndim:
        raise ReportError(argument, f"must have {ndim} axes", data.shape)
    return data


def _integer_array(data: object, ndim: int) -> NDArray[np.integer[Any]]:
    return check_report_array("reports", data, ndim)


def _in_range(data: NDArray[np.integer[Any]], size: int) -> None:
    if data.size and not within(data, size):
        raise ReportError("reports", f"must hold integers in 0..{size - 1}")


@dataclass(frozen=True)
class OutputLayout(IndexedSupport):
    """A report is one of the values, and supports itself; or one of other outputs, not said how.

    Attributes:
        k: the number of values.
        outputs: the number of outputs; k where they are the values.
    """

    k: int
    outputs: int

    @property
    def counters(self) -> int:
        """The number of counters: one per output."""
        return self.outputs

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports are the value."""
        return np.asarray(data == value)


@dataclass(frozen=True)
class BlockLayout(IndexedSupport):
    """A report is the index of a block, and supports the values in it.

    Attributes:
        k: the number of values.
        blocks: the values of each block.
    """

    k: int
    blocks: tuple[tuple[int, ...], ...]

    @property
    def counters(self) -> int:
        """The number of counters: one per block."""
        return len(self.blocks)

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the reported blocks that hold each value."""
        found = np.zeros(self.k, dtype=np.int64)
        for block, times in zip(self.blocks, counters, strict=True):
            found[list(block)] += times
        return found

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which of the reported blocks hold a value."""
        return np.array([value in block for block in self.blocks])[data]


@dataclass(frozen=True)
class BitLayout(_Supported):
    """A report is k packed bits, and supports the values whose bits are 1.

    Shape (n, ceil(k/64)), uint64; bit v is bit v % 64 of word v // 64, bits from k on are zero.

    Attributes:
        k: the number of values.
    """

    k: int

    @property
    def shape(self) -> PackedShape:
        """The shape of a report: k bits."""
        return PackedShape((Field(self.k, 2, packed=True),), np.dtype(np.uint64))

    def check(self, data: object) -> Unsigned:
        """Check reports: only uint64 is taken.

        Raises:
            ReportError: not a uint64 array of shape (n, ceil(k/64)), or a padding bit is set.
        """
        array = _integer_array(data, 2)
        words = -(-self.k // 64)
        if array.dtype != np.uint64:
            raise ReportError("reports", "must be packed bits of dtype uint64", array.dtype)
        if array.shape[1] != words:
            raise ReportError("reports", f"must have {words} words each", array.shape)
        used = self.k % 64
        if used and np.any(array[:, -1] >> np.uint64(used)):
            raise ReportError("reports", f"must have zero bits from bit {self.k} on")
        return array.astype(np.uint64, copy=False)

    def support_counts(self, data: Unsigned) -> NDArray[np.int64]:
        """Return how many reports have bit v set, for each v."""
        return counts.bit_counts(data.astype(np.uint64, copy=False), self.k)

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports have the bit of a value set."""
        return np.asarray(data[:, value // 64] >> np.uint64(value % 64) & np.uint64(1) != 0)


@dataclass(frozen=True)
class HashLayout(_Supported):
    """A report is a hash function and a bucket: shape (n, m + 1), uint8 for g <= 256, else uint16.

    Columns a_1..a_m are the function's coefficients in 0..g-1, the last one is the bucket. It
    supports the values v with h_a(v) = bucket.

    Attributes:
        k: the number of values.
        g: the number of buckets.
    """

    k: int
    g: int

    @property
    def shape(self) -> PackedShape:
        """m coefficients and a bucket."""
        columns = digit_count(self.k, self.g) + 1
        return PackedShape((Field(columns, self.g),), smallest_dtype(self.g))

    def check(self, data: object) -> Unsigned:
        """Check reports: any integer dtype is taken, after its range has been looked at.

        Raises:
            ReportError: not an integer array of shape (n, m + 1), or an entry outside 0..g-1.
        """
        array = _integer_array(data, 2)
        columns = digit_count(self.k, self.g) + 1
        if array.shape[1] != columns:
            raise ReportError("reports", f"must have {columns} columns", array.shape)
        _in_range(array, self.g)
        return array.astype(smallest_dtype(self.g), copy=False)

    def support_counts(self, data: Unsigned) -> NDArray[np.int64]:
        """Return how many reports have a bucket that value v falls into, for each v."""
        return support.support_counts(data, self.k, self.g)

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports have the bucket that a value falls into."""
        return np.asarray(evaluate(data[:, :-1], np.array(value), self.g) == data[:, -1])
