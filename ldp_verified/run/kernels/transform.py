"""Turn counts of outputs into supports of values, by exact integer transforms.

Every sum is over some of the counts, so nothing exceeds the number of reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.compiled import compiled, machine_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

PURE_ENTRIES: Final = 1 << 12
"""Up to this many numbers numpy transforms; beyond it numba."""

_PART: Final = 1 << 12
"""Numbers that the smallest cache holds (32 KiB)."""

_STRIP: Final = 64
"""Columns at a time above that: eight cache lines in a row."""


def walsh_hadamard(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """sum over y of H[a, y] counts[..., y] for every row a of Sylvester's matrix.

    Args:
        counts: int64, shape (..., K) with K a power of two.

    Returns:
        int64, of the same shape.

    Raises:
        ParameterError: if K is no power of two.
    """
    order = counts.shape[-1]
    if order < 1 or order & (order - 1):
        raise ParameterError("counts", "must have a power of two of entries", order)
    result = np.array(counts, dtype=np.int64, order="C")
    rows = result.reshape(-1, order)
    if result.size <= PURE_ENTRIES or not machine_code():
        _with_numpy(rows)
    else:
        scratch = np.empty((max(1, order // _PART), min(order, _STRIP)), dtype=np.int64)
        compiled(_part_by_part)(rows, min(order, _PART), scratch)
    return result


def _with_numpy(rows: NDArray[np.int64]) -> None:
    """Transform every row in place, level by level."""
    half = 1
    while half < rows.shape[1]:
        pairs = rows.reshape(-1, 2, half)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
        half *= 2


def _part_by_part(rows: NDArray[np.int64], part: int, scratch: NDArray[np.int64]) -> None:
    """Transform every row in place: first parts of it that a cache holds, then strips across them.

    For numba. The levels above a part combine numbers that are far apart. A strip of neighbouring
    columns is copied to `scratch`, shape (parts, width), transformed there and copied back. So
    memory is passed through twice whatever the order. Two levels are done at a time.
    """
    parts, width = scratch.shape
    flat = scratch.reshape(-1)

    def levels(numbers: NDArray[np.int64], least: int) -> None:
        """All levels of an array whose elements are runs of `least` numbers."""
        half = least
        while 4 * half <= len(numbers):
            if half == 1:
                for start in range(0, len(numbers), 4):
                    q = numbers[start : start + 4]
                    s, t, u, v = q[0] + q[1], q[0] - q[1], q[2] + q[3], q[2] - q[3]
                    q[0], q[1], q[2], q[3] = s + u, t + v, s - u, t - v
            elif half == 4:
                for start in range(0, len(numbers), 16):
                    q = numbers[start : start + 16]
                    for i in range(4):
                        s, t = q[i] + q[i + 4], q[i] - q[i + 4]
                        u, v = q[i + 8] + q[i + 12], q[i + 8] - q[i + 12]
                        q[i], q[i + 4], q[i + 8], q[i + 12] = s + u, t + v, s - u, t - v
            else:
                for start in range(0, len(numbers), 4 * half):
                    a = numbers[start : start + half]
                    b = numbers[start + half : start + 2 * half]
                    c = numbers[start + 2 * half : start + 3 * half]
                    d = numbers[start + 3 * half : start + 4 * half]
                    for i in range(half):
                        s, t, u, v = a[i] + b[i], a[i] - b[i], c[i] + d[i], c[i] - d[i]
                        a[i], b[i], c[i], d[i] = s + u, t + v, s - u, t - v
            half *= 4
        if 2 * half <= len(numbers):
            for start in range(0, len(numbers), 2 * half):
                a = numbers[start : start + half]
                b = numbers[start + half : start + 2 * half]
                for i in range(half):
                    s = a[i]
                    a[i], b[i] = s + b[i], s - b[i]

    for row in range(len(rows)):
        for start in range(0, parts * part, part):
            levels(rows[row, start : start + part], 1)
        if parts > 1:
            for first in range(0, part, width):
                for high in range(parts):
                    start = high * part + first
                    scratch[high, :] = rows[row, start : start + width]
                levels(flat, width)
                for high in range(parts):
                    start = high * part + first
                    rows[row, start : start + width] = scratch[high]


def inner_products(
    left: NDArray[np.int64], right: NDArray[np.int64], prime: int
) -> NDArray[np.int64]:
    """Inner products mod q of vectors whose coordinates are the base-q digits of numbers.

    Args:
        left, right: numbers >= 0, int64, shapes (n,) and (m,).
        prime: q.

    Returns:
        int64, shape (n, m).
    """
    total = np.zeros((len(left), len(right)), dtype=np.int64)
    while len(right) and left.any():
        total += np.multiply.outer(left % prime, right % prime)
        left, right = left // prime, right // prime
    return np.asarray(total % prime)


def inner_product_sums(table: NDArray[np.int64], prime: int) -> NDArray[np.int64]:
    """The sum over vectors a of table[<a, v>, a], for every vector v over Z_q.

    Args:
        table: int64, shape (q, q^m): a row for each inner product, a column for each vector, whose
            coordinates are the base-q digits of its number.
        prime: q.

    Returns:
        int64, shape (q^m,).

    Raises:
        ParameterError: if the shape is another one.
    """
    if table.ndim != 2 or len(table) != prime:
        raise ParameterError("table", f"must have {prime} rows", table.shape)
    vectors = table.shape[1]
    rest, digits = vectors, 0
    while rest > 1 and rest % prime == 0:
        rest, digits = rest // prime, digits + 1
    if rest != 1:
        raise ParameterError("table", f"must have a power of {prime} columns", vectors)
    current = np.ascontiguousarray(table, dtype=np.int64)
    for _ in range(digits):
        # The leading coordinate a becomes one of v, at the end: after all turns the order is the
        # old one. With b the inner product so far, new[b, v] = sum over a of old[b + a v, a].
        old = current.reshape(prime, prime, -1)
        new = np.empty((prime, old.shape[2], prime), dtype=np.int64)
        for v in range(prime):
            total = np.zeros((prime, old.shape[2]), dtype=np.int64)
            for a in range(prime):
                shift = a * v % prime
                total[: prime - shift] += old[shift:, a]
                total[prime - shift :] += old[:shift, a]
            new[:, :, v] = total
        current = new
    return np.asarray(current.reshape(prime, vectors)[0])
