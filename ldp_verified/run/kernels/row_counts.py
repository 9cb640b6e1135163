"""Bits counted row by row, for reports that name a row and hold packed bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.run.kernels.compiled import compiled, machine_code, read_only
from ldp_verified.run.kernels.counts import PURE_BLOCKS, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK: Final = 1 << 20
"""Reports that are put in order at a time."""

_PLANES: Final = 8
"""Counts up to 2^8 - 1 between read-outs; the planes of a row stay in the smallest cache."""


def row_bit_counts(data: NDArray[np.uint64], height: int, k: int) -> NDArray[np.int64]:
    """Return how many of the reports of each row have bit v set, for each v.

    Args:
        data: shape (n, 1 + ceil(k / 64)), dtype uint64: the row that a report names, in
            0..height-1 (unchecked), then its bits: bit v is bit v % 64 of number 1 + v // 64. Bits
            beyond k are not looked at.
        height: number of rows, 1..2^16.
        k: number of bits, at least 1.

    Returns:
        Counts, int64, shape (height, k).
    """
    blocks = data.shape[1] - 1
    if data.size <= PURE_BLOCKS or not machine_code():
        found = np.zeros((height, k), dtype=np.int64)
        at_a_time = max(1, PURE_BLOCKS // data.shape[1])
        for start in range(0, len(data), at_a_time):
            chunk = data[start : start + at_a_time]
            np.add.at(found, chunk[:, 0].astype(np.int64), unpacked(chunk[:, 1:], k))
        return found
    counts = np.zeros((height, blocks, 64), dtype=np.int64)
    planes = np.zeros((_PLANES + 1, blocks), dtype=np.uint64)
    for start in range(0, len(data), CHUNK):
        chunk = data[start : start + CHUNK]
        order = np.argsort(chunk[:, 0].astype(np.uint16), kind="stable")
        compiled(_count_rows)(read_only(chunk), order, planes, counts)
    return np.ascontiguousarray(counts.reshape(height, -1)[:, :k])


def _count_rows(
    data: NDArray[np.uint64],
    order: NDArray[np.int64],
    planes: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> None:
    """Positional popcount by carry-save addition, four reports of one row at a time; for numba.

    Lane b of planes[.., j], read as a binary number, counts the bits b of block j of the present
    row; `planes` is zero before and after, and its last row is scratch. `order` has the reports of
    each row one after the other.
    """

    def read_out(bits: NDArray[np.uint64], weight: int, into: NDArray[np.int64]) -> None:
        for block in range(len(bits)):
            for lane in range(64):
                into[block, lane] += np.int64((bits[block] >> lane) & np.uint64(1)) * weight

    def add(a: int, b: int, c: int) -> tuple[int, int]:
        half = a ^ b
        return half ^ c, (a & b) | (half & c)

    top = len(planes) - 1
    carries = planes[top]
    most = 2**top - 1
    blocks = planes.shape[1]
    first = 0
    while first < len(order):
        row = data[order[first], 0]
        last = first
        while last < len(order) and data[order[last], 0] == row:
            last += 1
        into = counts[row]
        tallied = 0
        while first + 4 <= last:
            a, b = data[order[first], 1:], data[order[first + 1], 1:]
            c, d = data[order[first + 2], 1:], data[order[first + 3], 1:]
            ones, twos = planes[0], planes[1]
            for block in range(blocks):
                one, two_1 = add(ones[block], a[block], b[block])
                ones[block], two_2 = add(one, c[block], d[block])
                twos[block], carries[block] = add(twos[block], two_1, two_2)
            for position in range(2, top):
                plane = planes[position]
                for block in range(blocks):
                    carry = carries[block]
                    carries[block] = plane[block] & carry
                    plane[block] ^= carry
            first += 4
            tallied += 4
            if tallied + 4 > most or first + 4 > last:
                for position in range(top):
                    read_out(planes[position], 1 << position, into)
                planes[:] = 0
                tallied = 0
        while first < last:
            read_out(data[order[first], 1:], 1, into)
            first += 1
