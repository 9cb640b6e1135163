"""Sum over the points orthogonal to each point of a projective space over Z_q.

The digits of a point are those of `hyperplanes`. What is known after the j lowest digits is

    T_j[x, h, z] = the sum over the points y whose higher digits are h,
                   of those with x_0 y_0 + ... + x_(j-1) y_(j-1) = z.

It is the same at (a x, h, a z) for every a but 0, so it is kept for one x of each line. These are
as many numbers as there are points; all vectors with all inner products would be q^2 times as many.
That is how Feldman, Nelson, Nguyen and Talwar (2022, Private Frequency Estimation via Projective
Geometry) sum over points and not over vectors. Over few elements, where q^2 is small, NumPy goes
through all those vectors sooner than through so many parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.compiled import compiled, machine_code
from ldp_verified.run.kernels.transform import inner_product_sums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Counts = NDArray[np.int64] | NDArray[np.int32]


PURE_ENTRIES: Final = 1 << 16
"""Up to so many numbers in a table NumPy is fast enough, and nothing has to be compiled."""

FEW_ELEMENTS: Final = 5
"""Up to this prime, all vectors with all inner products are summed over, if they are few."""

FEW_VECTORS: Final = 1 << 20
"""Vectors times inner products that are few: 8 MiB."""


def orthogonal_sums(counts: Integers, prime: int) -> Integers:
    """Sum counts over the points that are orthogonal to each point.

    Args:
        counts: of every point, int64 (b,), with b = 1 + q + ... + q^m for some m >= 0.
        prime: q.

    Returns:
        int64 (b,).

    Raises:
        ParameterError: `counts` has another length.
    """
    first = [0]
    while first[-1] < max(1, len(counts)):
        first.append(first[-1] * prime + 1)
    if first[-1] != len(counts):
        raise ParameterError("counts", f"must be of all points over {prime} elements", len(counts))
    digits = len(first) - 2  # of the largest points, beside their first one
    if prime <= FEW_ELEMENTS and prime ** (digits + 2) <= FEW_VECTORS:
        return _over_vectors(counts, digits, prime)
    vectors = np.concatenate(
        [[0], *(np.arange(prime**j, 2 * prime**j, dtype=np.int64) for j in range(digits))]
    )
    sums, minus = np.zeros(len(counts), dtype=np.int64), -np.arange(prime) % prime
    if np.abs(counts).sum() < 1 << 31:  # no sum is larger, and half the memory takes half the time
        counts = counts.astype(np.int32)
    for m in range(digits + 1):
        # The points y whose first 1 is at place m; a digit d of x there meets that 1.
        lines = _by_line(counts[first[m] : first[m + 1]], m, prime, vectors)
        sums[: first[m]] += lines[1:, 0]  # x has its first 1 below
        if m == digits:
            for scale, rows, numbers in _multiples(vectors, first[m], prime):
                sums[first[m] + numbers] += lines[rows, -pow(scale, -1, prime) % prime]
            break
        every = np.empty((prime, prime**m), dtype=counts.dtype)
        for scale, rows, numbers in _multiples(vectors, first[m], prime):
            every[:, numbers] = lines[rows].T[minus * pow(scale, -1, prime) % prime]
        sums[first[m] : first[m + 1]] += every[1]
        for above in range(m + 1, digits + 1):
            sums[first[above] : first[above + 1]].reshape(-1, *every.shape)[:] += every
    return sums


def _over_vectors(counts: Integers, digits: int, prime: int) -> Integers:
    """`orthogonal_sums` over all vectors, of which those that are no points count nothing."""
    points = np.concatenate([np.arange(prime**j, 2 * prime**j) for j in range(digits + 1)])
    table = np.zeros((prime, prime ** (digits + 1)), dtype=np.int64)
    table[0, points] = counts
    return np.asarray(inner_product_sums(table, prime)[points])


def _by_line(counts: Counts, m: int, prime: int, vectors: Integers) -> Counts:
    """T_m of the points with m digits after their first 1, shape (lines, q); 0 is the first line.

    Args:
        counts: of these points, by the number that their digits write. m, prime: q.
        vectors: the number of each line's point, 0 first.
    """
    # After no digit all sums are 0 but where z is: the first digit is added without that table.
    by_digit = counts.reshape(-1, prime if m else 1)
    table = np.zeros((2 if m else 1, len(by_digit), prime), dtype=counts.dtype)
    table[0, :, 0] = by_digit.sum(axis=1)
    if m:
        table[1] = by_digit
    for j in range(1, m):
        lines = len(table)
        old = table.reshape(lines, -1, prime, prime)  # the next digit d of y before z
        table = np.empty((lines + prime**j, old.shape[1], prime), dtype=counts.dtype)
        old.sum(axis=2, out=table[:lines])  # of x with 0 as its next digit
        fast = old.size > PURE_ENTRIES and machine_code()
        add = compiled(_add_turned) if fast else _add_with_numpy
        for scale, rows, numbers in _multiples(vectors, lines - 1, prime):
            add(old, table, rows, lines + numbers, pow(scale, -1, prime))
    return table.reshape(len(table), prime)


def _add_turned(old: Counts, new: Counts, rows: Integers, places: Integers, inverse: int) -> None:
    """Kernel: new[x, h, z] = sum over d of old[x/a, h, d, (z - d)/a], where x has a 1 above.

    Args:
        old: (lines, h, d, z). new: (lines, h, z), filled at `places`.
        rows: places of x/a in `old`. inverse: that of a.
    """
    q = old.shape[3]
    turn = np.arange(q) * inverse % q
    for i in range(len(rows)):
        source, total = old[rows[i]], new[places[i]]
        for h in range(len(source)):
            total[h, :] = 0
            for d in range(q):
                row = source[h, d]
                for z in range(d):
                    total[h, z] += row[turn[z + q - d]]
                for z in range(d, q):
                    total[h, z] += row[turn[z - d]]


def _add_with_numpy(
    old: Counts, new: Counts, rows: Integers, places: Integers, inverse: int
) -> None:
    """`_add_turned` with numpy."""
    q = old.shape[3]
    turned = old[rows][..., np.arange(q) * inverse % q]
    total = turned[:, :, 0].copy()
    for d in range(1, q):
        total[..., d:] += turned[:, :, d, :-d]
        total[..., :d] += turned[:, :, d, -d:]
    new[places] = total


def _multiples(
    vectors: Integers, points: int, prime: int
) -> Iterator[tuple[int, Integers, Integers]]:
    """(a, places of lines, the numbers of a times their points): all vectors, each once.

    Args:
        vectors: as in `_by_line`. points: how many of the lines, beside 0. prime: q.
    """
    yield 1, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for scale in range(1, prime if points else 1):
        found, power, rest = np.zeros(points, dtype=np.int64), 1, vectors[1 : points + 1]
        while rest.any():
            found += scale * (rest % prime) % prime * power
            rest, power = rest // prime, power * prime
        yield scale, np.arange(1, points + 1), found
