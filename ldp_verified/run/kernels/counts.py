"""Support counts of reports that name a value, or hold one bit for each value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.kernels.compiled import compiled, machine_code, read_only
from ldp_verified.run.kernels.draw import within

if TYPE_CHECKING:
    from numpy.typing import NDArray

PURE_REPORTS: Final = 1 << 12
"""Up to this many reported values numpy counts; beyond it numba, in four interleaved tables. Where
there is no numba, numpy counts all, so many blocks of bits at a time."""

PURE_BLOCKS: Final = 1 << 12
"""Up to this many 64-bit blocks of reported bits numpy counts; beyond it numba."""

_PLANES: Final = 11
"""Counts up to 2^11 - 1 between read-outs: longer costs more rippling, shorter more reading."""

_ROW_BLOCKS: Final = 16
"""Blocks of a row that is counted, at least: with one, every addition waits for the last one."""

_FOUR_TABLES: Final = 1 << 14
"""Up to this many values the four tables of counts stay in the cache."""


def value_counts(outputs: NDArray[np.integer[Any]], k: int) -> NDArray[np.int64]:
    """Return how often each of the values 0..k-1 was reported.

    Args:
        outputs: integers in 0..k-1, shape (n,).
        k: number of values, at least 1.

    Returns:
        Counts, shape (k,).

    Raises:
        ParameterError: if k is below 1.
        ReportError: if `outputs` is no such array.
    """
    if k < 1:
        raise ParameterError("k", "must be an integer >= 1", k)
    if outputs.ndim != 1 or outputs.dtype.kind not in "iu":
        shown = f"{outputs.dtype} of shape {outputs.shape}"
        raise ReportError("outputs", "must be a 1-D integer array", shown)
    if len(outputs) <= PURE_REPORTS or not machine_code():
        if len(outputs) and not within(outputs, k):
            raise ReportError("outputs", f"must be integers in 0..{k - 1}")
        return np.bincount(outputs.astype(np.int64), minlength=k)
    # Half the width leaves room in the smallest cache.
    dtype = np.uint32 if len(outputs) < 1 << 32 else np.int64
    tables = np.zeros((4 if k <= _FOUR_TABLES else 1, k + 1), dtype=dtype)
    compiled(_count_values)(read_only(outputs), tables)
    if tables[:, k].any():
        raise ReportError("outputs", f"must be integers in 0..{k - 1}")
    return np.asarray(tables[:, :k].sum(axis=0, dtype=np.int64))


def _count_values(outputs: NDArray[np.integer[Any]], tables: NDArray[Any]) -> None:
    """Count in four tables by turns (or one), so that equal neighbours do not wait for each other.

    For numba. The last column counts all that has none of its own: negative numbers are huge
    without their sign.
    """
    whole = len(outputs) - len(outputs) % 4
    last = len(tables) - 1
    other = np.uint64(tables.shape[1] - 1)
    for i in range(0, whole, 4):
        tables[0, min(np.uint64(outputs[i]), other)] += 1
        tables[min(1, last), min(np.uint64(outputs[i + 1]), other)] += 1
        tables[min(2, last), min(np.uint64(outputs[i + 2]), other)] += 1
        tables[min(3, last), min(np.uint64(outputs[i + 3]), other)] += 1
    for i in range(whole, len(outputs)):
        tables[0, min(np.uint64(outputs[i]), other)] += 1


def bit_counts(packed: NDArray[np.uint64], k: int) -> NDArray[np.int64]:
    """Return how many reports have bit v set, for each v.

    Args:
        packed: shape (n, ceil(k / 64)), dtype uint64: bit v of a report is bit v % 64 of its
            number v // 64. Bits beyond k are not looked at.
        k: number of bits, at least 1.

    Returns:
        Counts, shape (k,).

    Raises:
        ParameterError: if k is below 1.
        ReportError: if `packed` is no such array.
    """
    if k < 1:
        raise ParameterError("k", "must be an integer >= 1", k)
    blocks = -(-k // 64)
    if packed.ndim != 2 or packed.shape[1] != blocks or packed.dtype != np.uint64:
        rule = f"must be uint64 of shape (n, {blocks})"
        raise ReportError("packed", rule, f"{packed.dtype} of shape {packed.shape}")
    if packed.size <= PURE_BLOCKS or not machine_code():
        return _unpacked_counts(packed, k)
    # Short reports lie side by side in one row, whose blocks the processor takes several at once.
    beside = max(1, _ROW_BLOCKS // blocks)
    rows = len(packed) // beside
    width = beside * blocks
    counts = np.zeros((width, 64), dtype=np.int64)
    planes = np.zeros((_PLANES + 1, width), dtype=np.uint64)
    whole = read_only(packed[: rows * beside]).reshape(rows, width)
    compiled(_count_bits)(whole, planes, counts)
    found = counts.reshape(beside, -1).sum(axis=0)[:k]
    return np.asarray(found + _unpacked_counts(packed[rows * beside :], k))


def _unpacked_counts(packed: NDArray[np.uint64], k: int) -> NDArray[np.int64]:
    """The counts of bits, with numpy: some reports at a time, one byte for each bit of these."""
    counts = np.zeros(k, dtype=np.int64)
    at_a_time = max(1, PURE_BLOCKS // packed.shape[1])
    for start in range(0, len(packed), at_a_time):
        counts += unpacked(packed[start : start + at_a_time], k).sum(axis=0, dtype=np.int64)
    return counts


def unpacked(packed: NDArray[np.uint64], k: int) -> NDArray[np.uint8]:
    """The first k bits of each row, shape (n, k): 0 or 1, bit v from number v // 64."""
    octets = np.ascontiguousarray(packed, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=k, bitorder="little")


def ones(packed: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how many bits of each report are set, shape (n,).

    Args:
        packed: shape (n, words), dtype uint64.
    """
    found = np.zeros(len(packed), dtype=np.int64)
    if packed.size > PURE_BLOCKS and machine_code():
        compiled(_count_ones)(read_only(packed), found)
        return found
    for word in range(packed.shape[1]):
        found += np.bitwise_count(packed[:, word])
    return found


def _count_ones(packed: NDArray[np.uint64], found: NDArray[np.int64]) -> None:
    """Add the ones of each row to `found`: sums of neighbours, twice as wide each time; for numba.

    Compilers know the pattern (Warren, 2012, "Hacker's Delight", 5-1).
    """
    pairs, fours = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    bytes_, all_of_them = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
    one, two, four, top = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
    for row in range(len(packed)):
        for word in range(packed.shape[1]):
            bits = packed[row, word]
            bits -= (bits >> one) & pairs
            bits = (bits & fours) + ((bits >> two) & fours)
            bits = (bits + (bits >> four)) & bytes_
            found[row] += np.int64((bits * all_of_them) >> top)


def _count_bits(
    packed: NDArray[np.uint64], planes: NDArray[np.uint64], counts: NDArray[np.int64]
) -> None:
    """Positional popcount by carry-save addition (Warren, 2012, "Hacker's Delight"); for numba.

    Lane b of planes[.., j], read as a binary number, counts the bits b of block j; `planes` is
    zero at first and its last row is scratch. Eight reports at a time go through full adders,
    whose carries, of weight eight, ripple upwards; the planes are read out before they overflow.
    """

    def read_out(rows: NDArray[np.uint64], weight: int) -> None:
        for block in range(len(counts)):
            for lane in range(64):
                counts[block, lane] += np.int64((rows[block] >> lane) & np.uint64(1)) * weight

    def add(a: int, b: int, c: int) -> tuple[int, int]:
        half = a ^ b
        return half ^ c, (a & b) | (half & c)

    top = len(planes) - 1
    carries = planes[top]
    most = 2**top - 1
    tallied = 0
    whole = len(packed) - len(packed) % 8
    for start in range(0, whole, 8):
        a, b, c, d = packed[start], packed[start + 1], packed[start + 2], packed[start + 3]
        e, f, g, h = packed[start + 4], packed[start + 5], packed[start + 6], packed[start + 7]
        ones, twos, fours = planes[0], planes[1], planes[2]
        for block in range(len(carries)):
            one, two_1 = add(ones[block], a[block], b[block])
            one, two_2 = add(one, c[block], d[block])
            two, four_1 = add(twos[block], two_1, two_2)
            one, two_1 = add(one, e[block], f[block])
            one, two_2 = add(one, g[block], h[block])
            two, four_2 = add(two, two_1, two_2)
            fours[block], carries[block] = add(fours[block], four_1, four_2)
            ones[block], twos[block] = one, two
        for position in range(3, top):
            plane = planes[position]
            for block in range(len(carries)):
                carry = carries[block]
                carries[block] = plane[block] & carry
                plane[block] ^= carry
        tallied += 8
        if tallied + 8 > most or start + 8 == whole:
            for position in range(top):
                read_out(planes[position], 1 << position)
            planes[:] = 0
            tallied = 0
    for row in range(whole, len(packed)):
        read_out(packed[row], 1)
