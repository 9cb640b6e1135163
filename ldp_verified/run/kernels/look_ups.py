"""Look-ups in the rows of a sketch: for each value the sum over rows of the number at its bucket.

A bucket is linear in the digits of a value. So a value is cut into its low digits and the others,
and each part has a table of what it adds. A bucket is one sum: modulo g by a row that is written
twice. Rows that are 0 everywhere are left out, so that few reports cost few look-ups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.run.kernels.compiled import compiled, machine_code
from ldp_verified.run.kernels.family import digit_base, evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Told = Callable[[int, int], object]

PURE_LOOK_UPS: Final = 1 << 16
"""With no more of them than this, NumPy looks up, without numba."""

LOW_VALUES: Final = 1 << 10
"""Values that differ in their low digits only, at most, unless one digit has more."""

SHARING: Final = 4
"""Upper parts that share the table of the low digits, at least, unless one digit has more values:
otherwise that table takes longer to make than to use."""

ROWS_AT_ONCE: Final = 64
"""Rows whose tables are made together."""

TOLD_EACH: Final = 1 << 28
"""Look-ups between two words about how far they are, about."""


def looked_up(
    table: Integers,
    functions: Integers,
    k: int,
    values: Integers | None = None,
    told: Told | None = None,
) -> Integers:
    """The sum over rows of `table` at each value's bucket.

    Args:
        table: int64 (rows, g).
        functions: coefficients in 0..g-1, int64 (rows, m).
        k: number of values.
        values: those that are asked for, int64 (n,) in 0..k-1; None for all.
        told: is told now and then how many rows are done, of how many that are not 0.

    Returns:
        int64 (n,), or (k,).
    """
    used = np.flatnonzero(table.any(axis=1))
    if len(used) < len(table):
        table, functions = table[used], functions[used]
    asked = k if values is None else len(values)
    found = np.zeros(asked, dtype=np.int64)
    if len(used) * asked <= PURE_LOOK_UPS or not machine_code():
        _with_numpy(table, functions, k, values, found, told)
        return found
    g, m = table.shape[1], functions.shape[1]
    base = digit_base(g)
    most = min(LOW_VALUES, k // SHARING)
    low_digits = max((d for d in range(1, m + 1) if base**d <= most), default=1)
    size = base**low_digits
    tops = -(-k // size)
    rows = max(1, min(ROWS_AT_ONCE, TOLD_EACH // asked))
    padded = found if values is not None else np.zeros(tops * size, dtype=np.int64)
    upper, lower = np.divmod(np.zeros(0, np.int64) if values is None else values, size)
    # Of a few values of very many, what their upper digits add is looked up and not tabulated.
    few = values is not None and asked < tops
    uppers, places = np.unique(upper, return_inverse=True) if few else (upper, upper)
    for start in range(0, len(used), rows):
        some = functions[start : start + rows]
        low = buckets_of_rows(size, g, some[:, :low_digits]).astype(np.uint16)
        if few:
            top = evaluate(some[:, np.newaxis, low_digits:], uppers, g)
        else:
            top = buckets_of_rows(tops, g, some[:, low_digits:])
        twice = np.tile(table[start : start + rows], 2)
        if values is None:
            compiled(_all_values)(twice, low, top, padded)
        else:
            # numba adds the two kinds of integers as floats: all places are words.
            compiled(_some_values)(
                *(twice, low, top.view(np.uint64)),
                *(places.view(np.uint64), lower.view(np.uint64), padded),
            )
        if told is not None:
            told(min(start + rows, len(used)), len(used))
    return padded[:asked]


def buckets_of_rows(k: int, g: int, rows: Integers) -> Integers:
    """The buckets of 0..k-1 under each function, int64 (rows, k): each digit once, by doubling.

    Args:
        k: number of values, at most base^m. g: number of buckets.
        rows: coefficients, int64 (rows, m), of the lowest digit first.
    """
    base = digit_base(g)
    found = np.zeros((len(rows), k), dtype=np.uint64)
    size = 1
    for column in rows.T[:, :, np.newaxis]:
        if size >= k:
            break
        for digit in range(1, base):
            start, end = digit * size, min((digit + 1) * size, k)
            if start >= k:
                break
            part = found[:, start:end]
            np.add(found[:, : end - start], (column * digit % g).view(np.uint64), out=part)
            # Modulo g without a division: what is below g becomes huge when g is taken off.
            np.minimum(part, part - np.uint64(g), out=part)
        size *= base
    return found.view(np.int64)


def _with_numpy(
    table: Integers,
    functions: Integers,
    k: int,
    values: Integers | None,
    found: Integers,
    told: Told | None,
) -> None:
    g = table.shape[1]
    rows = max(1, PURE_LOOK_UPS // len(found))
    for start in range(0, len(table), rows):
        some = functions[start : start + rows]
        if values is None:
            buckets = buckets_of_rows(k, g, some)
        else:
            buckets = evaluate(some[:, np.newaxis], values, g)
        found += np.take_along_axis(table[start : start + rows], buckets, axis=1).sum(axis=0)
        if told is not None:
            told(min(start + rows, len(table)), len(table))


def _all_values(
    twice: NDArray[np.int64],
    low: NDArray[np.uint16],
    top: NDArray[np.int64],
    found: NDArray[np.int64],
) -> None:
    """Kernel: values in their order, in blocks that stay in the cache while rows go by."""
    rows, size = low.shape
    tops = top.shape[1]
    block = max(1, 16384 // size)
    for first in range(0, tops, block):
        for row in range(rows):
            lows = low[row]
            for upper in range(first, min(first + block, tops)):
                numbers = twice[row, top[row, upper] :]
                sums = found[upper * size : (upper + 1) * size]
                for lower in range(size):
                    sums[lower] += numbers[lows[lower]]


def _some_values(
    twice: NDArray[np.int64],
    low: NDArray[np.uint16],
    top: NDArray[np.uint64],
    uppers: NDArray[np.uint64],
    lowers: NDArray[np.uint64],
    found: NDArray[np.int64],
) -> None:
    """Kernel: values as they are given."""
    for first in range(0, len(found), 4096):
        last = min(first + 4096, len(found))
        for row in range(len(low)):
            numbers, lows, tops = twice[row], low[row], top[row]
            for i in range(first, last):
                found[i] += numbers[tops[uppers[i]] + lows[lowers[i]]]
