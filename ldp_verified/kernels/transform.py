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
    """sum over y of H[a, y] counts[y] for every row a of Sylvester's matrix.

    Args:
        counts: int64, shape (K,) with K a power of two.

    Returns:
        int64, shape (K,).

    Raises:
        ParameterError: if K is no power of two.
    """
    order = len(counts)
    if order < 1 or order & (order - 1):
        raise ParameterError("counts", "must have a power of two of entries", order)
    result = np.array(counts, dtype=np.int64)
    half = 1
    while half < order:
        pairs = result.reshape(-1, 2, half)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
        half *= 2
    return result


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
    current = np.array(table, dtype=np.int64)
    size = 1
    while size < vectors:
        # One coordinate a after the other becomes the v of the same place: with b the inner
        # product so far, new[b, v] = sum over a of old[b + a v, a].
        old = current.reshape(prime, -1, prime, size)
        new = np.zeros_like(old)
        for v in range(prime):
            for a in range(prime):
                shift = a * v % prime
                new[: prime - shift, :, v] += old[shift:, :, a]
                new[prime - shift :, :, v] += old[:shift, :, a]
        current = new
        size *= prime
    if size != vectors:
        raise ParameterError("table", f"must have a power of {prime} columns", vectors)
    result: NDArray[np.int64] = current.reshape(prime, vectors)[0]
    return result
