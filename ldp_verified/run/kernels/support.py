"""Support counts of locally hashed reports: how many reports (a, b) have h_a(v) = b, for each v.

A bucket is a sum over digits, so the buckets of all values come by additions mod g, over bytes.
First come those of the values with few digits, then, for each choice of the further digits, the
same ones moved by a constant. That leaves about one comparison per report and value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.errors import ReportError
from ldp_verified.run.kernels.compiled import compiled, machine_code, read_only
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.family import digit_base, digit_count, evaluate

if TYPE_CHECKING:
    from numpy.typing import NDArray

PURE_HASHES: Final = 1 << 18
"""Up to this many hashes numpy counts, beyond it numba; also numpy's hashes at a time."""

_GROUP: Final = 128
"""Reports side by side: a few vector registers, and at most 255 (their hits fit in a byte)."""

_LEAST_GROUP: Final = 16
_MOST_CELLS: Final = 1 << 20
"""A table beyond this many cells (g a large prime) makes do with a smaller group."""

_LEAST_TABLE: Final = 64
"""Values in the table, if so many: enough to make the work on prefixes small beside it."""


def support_counts(reports: NDArray[np.unsignedinteger[Any]], k: int, g: int) -> NDArray[np.int64]:
    """The number of reports that support each value.

    Args:
        reports: rows a_1..a_m, b as `local_hash` gives them: shape (n, m + 1), entries in 0..g-1.
        k: number of values, 2..2^31.
        g: number of buckets, 2..65536.

    Returns:
        Counts, shape (k,).

    Raises:
        ParameterError: if k or g is outside its range.
        ReportError: if `reports` is no such array.
    """
    columns = digit_count(k, g) + 1
    if reports.ndim != 2 or reports.shape[1] != columns or reports.dtype != smallest_dtype(g):
        rule = f"must be {smallest_dtype(g)} of shape (n, {columns})"
        raise ReportError("reports", rule, f"{reports.dtype} of shape {reports.shape}")
    if len(reports) and int(reports.max()) >= g:
        raise ReportError("reports", f"must have entries in 0..{g - 1}")
    counts = np.zeros(k, dtype=np.int64)
    if len(reports) <= 1 or len(reports) * k <= PURE_HASHES or not machine_code():
        _count_with_numpy(reports, g, counts)
    else:
        base = digit_base(g)
        size = base
        while size < min(k, _LEAST_TABLE):
            size *= base
        size = min(size, k)
        group = min(_GROUP, max(_LEAST_GROUP, _MOST_CELLS // size))
        table = np.empty((size, group), dtype=reports.dtype)
        compiled(_count_digit_by_digit)(read_only(reports), base, g, table, counts)
    return counts


def _count_with_numpy(
    reports: NDArray[np.unsignedinteger[Any]], g: int, counts: NDArray[np.int64]
) -> None:
    """Add the supports to `counts` by evaluating each function at each value."""
    at_a_time = max(1, PURE_HASHES // max(1, len(reports)))
    for start in range(0, len(counts), at_a_time):
        values = np.arange(start, min(start + at_a_time, len(counts)))
        hashes = evaluate(reports[:, None, :-1], values, g)
        counts[values] += np.count_nonzero(hashes == reports[:, -1:], axis=0)


def _count_digit_by_digit(
    reports: NDArray[np.unsignedinteger[Any]],
    base: int,
    g: int,
    table: NDArray[np.unsignedinteger[Any]],
    counts: NDArray[np.int64],
) -> None:
    """Add the supports to `counts`, for a group of reports side by side; for numba.

    `table`, scratch of shape (l^j, reports in a group) and the dtype of the reports, holds the
    group's buckets of the values with j digits. The further digits add the same to all of them: so
    for each prefix of such digits, the table is compared with the reported bucket less that sum.
    """
    kind = table.dtype.type
    size, group = table.shape
    digits = reports.shape[1] - 1
    sought = np.empty(group, dtype=table.dtype)
    steps = np.empty((digits, group), dtype=table.dtype)
    returns = np.empty((digits, group), dtype=table.dtype)
    prefix = np.empty(digits, dtype=np.int64)

    def add(old: Any, step: Any, new: Any, width: int) -> None:
        """new = old + step mod g, element by element, without leaving the dtype."""
        for r in range(width):
            bucket, rise = old[r], step[r]
            if bucket <= kind(g - 1 - rise):
                new[r] = bucket + rise
            else:
                new[r] = bucket + rise - g

    for start in range(0, len(reports), group):
        width = min(group, len(reports) - start)
        for r in range(width):
            table[0, r] = 0
            sought[r] = reports[start + r, digits]
        # Digits of the table. A digit d adds d a_i: one step more than the digit d - 1 does.
        known = 1
        position = 0
        while known < size:
            for r in range(width):
                steps[0, r] = reports[start + r, position]
            for v in range(known, min(known * base, size)):
                add(table[v - known], steps[0], table[v], width)
            known *= base
            position += 1
        # Digits of the prefix, counted up like a mileometer: a digit that advances takes a_i from
        # the bucket sought, one that falls back to 0 returns (l - 1) a_i.
        for high in range(position, digits):
            prefix[high] = 0
            for r in range(width):
                coefficient = np.int64(reports[start + r, high])
                steps[high, r] = (g - coefficient) % g
                returns[high, r] = (base - 1) * coefficient % g
        for low in range(0, len(counts), size):
            for v in range(low, min(low + size, len(counts))):
                row = table[v - low]
                hits = kind(0)
                for r in range(width):
                    hits = kind(hits + (row[r] == sought[r]))
                counts[v] += hits
            high = position
            while high < digits and prefix[high] == base - 1:
                add(sought, returns[high], sought, width)
                prefix[high] = 0
                high += 1
            if high < digits:
                add(sought, steps[high], sought, width)
                prefix[high] += 1
