"""Reports that come one by one: each is looked at, copied, and counted together with the next ones.

A state of many counters is replaced as a whole by an update, so that counting each report alone
would cost as many additions as it has counters. What waits is the bytes of the reports, one after
the other: to add some is a single step, which nothing can break off halfway.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.run.aggregate.layouts import BitLayout, HashLayout, Indexed
from ldp_verified.run.aggregate.structured import SubsetLayout
from ldp_verified.run.kernels.draw import smallest_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.layouts import Layout

    Look = Callable[[NDArray[Any]], bytes]

LEAST_ROWS: Final = 1 << 10
"""Reports that wait, of a state with few counters."""

LEAST_BYTES: Final = 1 << 18
"""Bytes of reports that may wait, of a state with few counters."""


class WaitingReports:
    """What it takes for reports of one layout to wait as bytes. Its owner holds the bytes.

    Args:
        layout: of the reports.

    Attributes:
        admits: the bytes of an array that is surely one valid report, and may wait; none of others.
        size: the bytes of a report.
        room: bytes that may wait: where there are as many, they are counted before the next come.
    """

    def __init__(self, layout: Layout) -> None:
        look = quick_look(layout)
        self.size, self.room = 1, 0
        if look is not None:
            counters, shape = layout.counters, layout.shape
            columns = sum(field.columns for field in shape.fields)
            self.size = columns * shape.dtype.itemsize
            most = max(LEAST_BYTES, 2 * counters) // self.size
            rows = min(max(LEAST_ROWS, counters >> 3), most)
            self.room = rows * self.size if rows > 1 else 0
            self._dtype, self._row = shape.dtype, () if shape.flat else (columns,)
        self.admits: Look = _nothing if look is None or not self.room else look

    def reports(self, waiting: bytearray) -> NDArray[Any]:
        """The reports that wait, copied: no more could be added to bytes that an array looks at."""
        return np.frombuffer(bytes(waiting), self._dtype).reshape(-1, *self._row)


def quick_look(layout: Layout) -> Look | None:
    """Make a check that sees in a fraction of a microsecond that an array is one report.

    It looks at the bytes that it gives back, whoever writes to the array meanwhile.

    Returns:
        A function that gives the bytes of an array only if `layout.check` gives it back as it is;
        of others it may give none. None where there is no such function.
    """
    check = getattr(type(layout), "check", None)
    if check is Indexed.check:
        return _index(layout.counters)
    if isinstance(layout, BitLayout) and check is BitLayout.check:
        return _bits(layout.k)
    if isinstance(layout, SubsetLayout) and check is SubsetLayout.check:
        return _bits(layout.k, layout.omega)
    if isinstance(layout, HashLayout) and check is HashLayout.check:
        return _buckets(layout)
    return None


def _nothing(data: NDArray[Any]) -> bytes:
    del data
    return b""


def _index(below: int) -> Look:
    dtype, number, order = smallest_dtype(below), int.from_bytes, sys.byteorder

    def row_of(data: NDArray[Any]) -> bytes:
        if data.shape != (1,) or data.dtype != dtype:
            return b""
        row = data.tobytes()
        return row if number(row, order) < below else b""

    return row_of


def _bits(k: int, ones: int | None = None) -> Look:
    shape, dtype, last = (1, -(-k // 64)), np.dtype(np.uint64), k % 64
    number, order = int.from_bytes, sys.byteorder

    def row_of(data: NDArray[Any]) -> bytes:
        if data.shape != shape or data.dtype != dtype:
            return b""
        row = data.tobytes()
        if last and number(row[-8:], order) >> last:
            return b""
        return row if ones is None or number(row, order).bit_count() == ones else b""

    return row_of


def _buckets(layout: HashLayout) -> Look:
    g, (field,) = layout.g, layout.shape.fields
    shape, dtype = (1, field.times), smallest_dtype(g)
    narrow, valid = dtype.itemsize == 1, bytes(range(min(g, 256)))

    def row_of(data: NDArray[Any]) -> bytes:
        if data.shape != shape or data.dtype != dtype:
            return b""
        row = data.tobytes()
        # What is left of a row without its valid ends begins with a number that is none.
        wrong = row.strip(valid) if narrow else max(np.frombuffer(row, dtype).tolist()) >= g
        return b"" if wrong else row

    return row_of
