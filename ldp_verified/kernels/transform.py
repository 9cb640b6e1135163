"""From counts of outputs to supports of values: exact integer transforms.

Every sum is over some of the counts, so nothing exceeds the number of reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    half = 1
    while half < order:
        pairs = result.reshape(-1, 2, half)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
        half *= 2
    return result


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
    """For every vector v over Z_q, the sum over vectors a of table[<a, v>, a].

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
