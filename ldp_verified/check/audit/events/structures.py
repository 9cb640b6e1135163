"""Decide which values a report supports, for block indices of a known structure.

Written from the definitions of the structures, apart from the code that samples and counts them.
All take reports and values as arrays of the same shape (n,).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Held = NDArray[np.bool_]


def odd(numbers: Whole) -> Held:
    """Return whether a number >= 0 has an odd number of 1 bits."""
    return np.asarray(np.bitwise_count(numbers.astype(np.uint64)) % 2 == 1)


def column(reports: Whole, values: Whole) -> Held:
    """A column y of Sylvester's matrix H speaks for v where H[v + 1, y] = +1."""
    return ~odd(reports & (values + 1))


def sign(reports: Whole, values: Whole) -> Held:
    """2 j + s, a column j and s = 0 for +1, 1 for -1, speaks for v where H[v, j] is that sign."""
    return np.asarray(odd((reports >> 1) & values) == (reports & 1).astype(np.bool_))


def bucket(reports: Whole, values: Whole, g: int) -> Held:
    """a g + b speaks for v where the inner product of the base-g digits of a and v is b mod g."""
    functions, total = reports // g, np.zeros(len(reports), dtype=np.int64)
    while np.any(functions):
        total += functions % g * (values % g)
        functions, values = functions // g, values // g
    return np.asarray(total % g == reports % g)


def point(index: Whole, q: int) -> Whole:
    """The vector of a point, a number in base q: 1, then m digits that write index - (1 + q + ...).

    Raises:
        OverflowError: never for indices below 2^62.
    """
    found, first, size = np.zeros_like(index), 0, 1
    most = int(index.max(initial=0))
    while first <= most:
        rows = (index >= first) & (index < first + size)
        found[rows] = size + index[rows] - first
        first, size = first + size, size * q
    return found


def orthogonal(reports: Whole, values: Whole, q: int) -> Held:
    """A point speaks for the points whose inner product with it is 0 mod q."""
    one, other = point(reports, q), point(values, q)
    total = np.zeros(len(reports), dtype=np.int64)
    while np.any(one) and np.any(other):
        total += one % q * (other % q)
        one, other = one // q, other // q
    return np.asarray(total % q == 0)


def listed(reports: Whole, values: Whole, blocks: Sequence[Sequence[int]]) -> Held:
    """Return which values a report speaks for that is the number of a block: those in the block."""
    most = max(max(block, default=0) for block in blocks)
    table = np.zeros((len(blocks), most + 2), dtype=np.bool_)
    for i, block in enumerate(blocks):
        table[i, list(block)] = True
    return np.asarray(
        table[np.minimum(reports, len(blocks) - 1), np.minimum(values, most + 1)]
        & (reports < len(blocks))
    )


def digits(rows: Whole, values: Whole, base: int, g: int) -> Held:
    """m coefficients a and a bucket b speak for v where sum a_i (digit i of v in base) = b mod g.

    Args:
        rows: shape (n, m + 1).
        values: shape (n,).
        base: of the digits.
        g: the number of buckets.
    """
    total = np.zeros(len(rows), dtype=np.int64)
    for i in range(rows.shape[1] - 1):
        total += rows[:, i] * (values % base)
        values = values // base
    return np.asarray(total % g == rows[:, -1])


def of_number(head: str, rest: str) -> Callable[[Whole, Whole], Held] | None:
    """The function of a reading of numbers; None where it is another reading.

    Raises:
        ValueError: its part is not what it needs.
    """
    if head == "column":
        return column
    if head == "sign":
        return sign
    if head == "bucket":
        g = int(rest)
        return lambda reports, values: bucket(reports, values, g)
    if head == "orthogonal":
        q = int(rest)
        return lambda reports, values: orthogonal(reports, values, q)
    if head == "blocks":
        blocks = [[int(v) for v in block.split(".") if v] for block in rest.split(",")]
        return lambda reports, values: listed(reports, values, blocks)
    return None
