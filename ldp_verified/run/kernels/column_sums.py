"""Sums of the columns of a table of unsigned numbers, and the largest number, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.run.kernels.compiled import compiled, machine_code, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

PURE_NUMBERS: Final = 1 << 14
"""NumPy sums no more numbers than this, without numba."""

ROWS: Final = 1 << 15
"""Numbers of 16 bits that 32 bits hold the sum of."""


def column_sums(data: NDArray[np.unsignedinteger[Any]]) -> tuple[NDArray[np.uint64], int]:
    """(sums of the columns, the largest number or 0) of numbers whose sums are below 2^64.

    Args:
        data: unsigned, shape (n, k).
    """
    if data.size <= PURE_NUMBERS or not machine_code():
        return data.sum(axis=0, dtype=np.uint64), int(data.max(initial=0))
    narrow = data.dtype.itemsize <= 2
    part = np.zeros(data.shape[1], dtype=np.uint32 if narrow else np.uint64)
    largest = np.zeros(data.shape[1], dtype=data.dtype.newbyteorder("="))
    sums = np.zeros(data.shape[1], dtype=np.uint64)
    plain = read_only(data.astype(largest.dtype, copy=False))
    for start in range(0, len(data), ROWS):
        part[:] = 0
        compiled(_add_rows)(plain[start : start + ROWS], part, largest)
        sums += part.astype(np.uint64)
    return sums, int(largest.max(initial=0))


def _add_rows(data: NDArray[Any], sums: NDArray[Any], largest: NDArray[Any]) -> None:
    """Kernel: each row to the sums, each number to the largest of its column."""
    for row in range(len(data)):
        numbers = data[row]
        for column in range(len(sums)):
            sums[column] += numbers[column]
            largest[column] = max(largest[column], numbers[column])
