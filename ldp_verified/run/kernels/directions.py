"""Public random directions: unit vectors of d numbers that follow from a seed and a line's number.

Numbers of a vector are independent and normal (Box and Muller's method), so that its direction is
uniform on the sphere. Bits are those of SplitMix64 (Steele, Lea, Flood 2014, Fast Splittable
Pseudorandom Number Generators). Nothing here is secret, and privacy does not rest on it: that
estimates are unbiased does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.run.kernels.box_muller import STEP, normal_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SCALE: Final = 1 << 30
"""Coordinates of a direction are whole multiples of 1/SCALE on the server."""

_AT_A_TIME: Final = 1 << 16
"""Numbers: temporary arrays of them stay in the cache."""


def normals(
    seeds: NDArray[np.uint64], lines: NDArray[np.uint64], d: int, total: int | None = None
) -> NDArray[np.float32]:
    """Normal numbers of a line for each seed, float32 (n, d); no row is all zeros.

    A pair of numbers is 0, 0 with a chance of 2^-24. A line of zeros alone, which only one or two
    coordinates make likely enough to be met, has no direction: its first number is 1 instead.

    Args:
        seeds: below 2^56, shape (n,). lines: their numbers, shape (n,). d: how many numbers.
        total: of how many numbers these are a part; None if they are all.
    """
    half = -(-d // 2)
    starts = (seeds << np.uint64(8)) + STEP * (lines * np.uint64(half))
    found = normal_numbers(starts, half, total)[:, :d]
    zero_first = np.flatnonzero(found[:, 0] == 0)
    found[zero_first[~found[zero_first].any(axis=1)], 0] = 1.0
    return found


def scaled_lengths(vectors: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
    """The lengths of vectors, divided by the radius, float64 (n,); too large ones are infinite.

    Args:
        vectors: shape (n, d). radius: above 0.
    """
    n, d = vectors.shape
    found = np.empty(n)
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in pieces(n, d):
            scaled = vectors[rows] / radius
            found[rows] = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return found


def nearness(
    vectors: NDArray[np.float64],
    seeds: NDArray[np.uint64],
    lines: int,
    radius: float = 1.0,
    lengths: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Inner products of vectors with the unit vectors of their lines, float64 (n, lines).

    Args:
        vectors: shape (n, d). seeds: shape (n,). lines: how many there are for each seed.
        radius: by which vectors are divided. lengths: by which they are divided then, so that
            their lengths are 1 at most: single precision is enough for them. A vector of length 0
            becomes one of length 1. None for vectors whose lengths are at most the radius.
    """
    n, d = vectors.shape
    found = np.empty((n, lines))
    for rows in pieces(n, d):
        scaled = vectors[rows] / radius
        if lengths is not None:
            own = lengths[rows]
            scaled /= np.where(own > 0, own, 1.0)[:, np.newaxis]
            scaled[own == 0, 0] = 1.0
        held = scaled.astype(np.float32)
        for line in range(lines):
            drawn = normals(
                seeds[rows], np.full(len(held), line, dtype=np.uint64), d, n * d * lines
            )
            size = np.sqrt(np.einsum("ij,ij->i", drawn, drawn))
            found[rows, line] = np.einsum("ij,ij->i", held, drawn) / size
    return found


def of_ranks(near: NDArray[np.float64], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The directions of given ranks by nearness, int64 (n,): 2 j is line j, 2 j + 1 its opposite.

    Args:
        near: inner products of each vector with its lines, shape (n, lines). ranks: from 0, the
            nearest of both directions of all lines.
    """
    lines = near.shape[1]
    order = np.argsort(-np.abs(near), axis=1, kind="stable")
    # The opposite directions follow in the reverse order.
    opposite = ranks >= lines
    place = np.where(opposite, 2 * lines - 1 - ranks, ranks)
    line = np.take_along_axis(order, place[:, np.newaxis], axis=1)
    away = np.take_along_axis(near, line, axis=1)[:, 0] < 0
    directions: NDArray[np.int64] = 2 * line[:, 0] + (away ^ opposite)
    return directions


def added(
    seeds: NDArray[np.uint64], directions: NDArray[np.int64], d: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sum of the directions that were named, and of the squares of their coordinates.

    Args:
        seeds: shape (n,), n below 2^31. directions: 2 j for line j, 2 j + 1 for its opposite.
        d: coordinates.

    Returns:
        int64 (d,), in units of 1/SCALE each: every direction, and every square, is rounded.
    """
    totals, squares = np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64)
    for rows in pieces(len(seeds), d):
        line = (directions[rows] >> 1).astype(np.uint64)
        own = normals(seeds[rows], line, d, len(seeds) * d).astype(np.float64)
        signs = 1.0 - 2.0 * (directions[rows] & 1)
        own *= (signs / np.sqrt(np.einsum("ij,ij->i", own, own)))[:, np.newaxis]
        # Sums of so few integers below 2^31 are exact in doubles.
        each = own * own
        each *= SCALE
        squares += np.rint(each, out=each).sum(axis=0).astype(np.int64)
        own *= SCALE
        totals += np.rint(own, out=own).sum(axis=0).astype(np.int64)
    return totals, squares


def pieces(n: int, d: int) -> Iterator[slice]:
    """Rows of n vectors of d numbers, a few at a time."""
    size = max(1, _AT_A_TIME // d)
    return (slice(start, min(n, start + size)) for start in range(0, n, size))
