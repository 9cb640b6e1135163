"""Reports that come one by one: each is looked at, copied, and counted together with the next ones.

A state of many counters is replaced as a whole by an update, so that counting each report alone
would cost as many additions as it has counters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.run.aggregate.layouts import BitLayout, HashLayout, Indexed
from ldp_verified.run.aggregate.structured import SubsetLayout
from ldp_verified.run.kernels.draw import smallest_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.layouts import Layout

    Look = Callable[[NDArray[Any]], bool]

LEAST_ROWS: Final = 1 << 10
"""Reports that wait, of a state with few counters."""

LEAST_BYTES: Final = 1 << 18
"""Bytes of reports that may wait, of a state with few counters."""


class WaitingReports:
    """Memory for reports of one layout that are not counted yet. Its owner says how many there are.

    Args:
        layout: of the reports.

    Attributes:
        admits: whether an array is surely one valid report, and may wait.
        room: how many may wait.
        rows: their memory, an array of so many reports.
    """

    def __init__(self, layout: Layout) -> None:
        look = quick_look(layout)
        self.room = 0
        if look is not None:
            counters, shape = layout.counters, layout.shape
            columns = sum(field.columns for field in shape.fields)
            most = max(LEAST_BYTES, 2 * counters) // (columns * shape.dtype.itemsize)
            self.room = min(max(LEAST_ROWS, counters >> 3), most)
            row = () if shape.flat else (columns,)
            self.rows = np.empty((self.room, *row), shape.dtype)
        self.admits: Look = _nothing if look is None or self.room < 2 else look


def quick_look(layout: Layout) -> Look | None:
    """Make a check that sees in a fraction of a microsecond that an array is one report.

    Returns:
        A function that is True only for an array that `layout.check` gives back as it is; of others
        it may be False. None where there is none.
    """
    check = getattr(type(layout), "check", None)
    if check is Indexed.check:
        return _index(layout.counters)
    if isinstance(layout, BitLayout) and check is BitLayout.check:
        return _bits(layout.k)
    if isinstance(layout, SubsetLayout) and check is SubsetLayout.check:
        packed, size = _bits(layout.k), layout.omega
        return lambda data: packed(data) and sum(map(int.bit_count, data[0].tolist())) == size
    if isinstance(layout, HashLayout) and check is HashLayout.check:
        return _buckets(layout)
    return None


def _nothing(data: NDArray[Any]) -> bool:
    del data
    return False


def _index(below: int) -> Look:
    dtype = smallest_dtype(below)
    return lambda data: data.shape == (1,) and data.dtype == dtype and data.item() < below


def _bits(k: int) -> Look:
    shape, dtype, last = (1, -(-k // 64)), np.dtype(np.uint64), k % 64
    if not last:
        return lambda data: data.shape == shape and data.dtype == dtype
    return lambda data: (
        data.shape == shape and data.dtype == dtype and int(data[0, -1]) >> last == 0
    )


def _buckets(layout: HashLayout) -> Look:
    g, (field,) = layout.g, layout.shape.fields
    shape, dtype = (1, field.times), smallest_dtype(g)
    if dtype.itemsize == 1:
        return lambda data: data.shape == shape and data.dtype == dtype and max(data.tobytes()) < g
    return lambda data: data.shape == shape and data.dtype == dtype and max(data[0].tolist()) < g
