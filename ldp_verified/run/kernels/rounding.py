"""Numbers of an interval on a grid of m steps: to one of the two neighbours, unbiased.

No part of privacy: whatever is drawn here goes through a randomizer. It is exact on multiples of
2^-52 of the interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

BITS: Final = 52
UNIT: Final = 1 << BITS
"""A position in the interval is an integer in 0..UNIT."""

_HALF: Final = 26

_AT_A_TIME: Final = 1 << 15
"""Positions: numpy's temporary arrays of them stay in the cache."""


def positions_between(numbers: NDArray[np.float64], low: float, high: float) -> NDArray[np.int64]:
    """The positions of numbers in an interval, integers in 0..UNIT of the same shape.

    Args:
        numbers: within low..high, as the caller has seen.
        low, high: the ends, finite, low < high.
    """
    # Rounding is monotone, so the shares are in 0..1, ends included.
    return np.rint((numbers - low) / (high - low) * UNIT).astype(np.int64)


def round_to_grid(positions: NDArray[np.int64], m: int, source: WordSource) -> NDArray[np.int64]:
    """For each position, floor(position m / UNIT) or one more, so that the mean is exact.

    Args:
        positions: integers in 0..UNIT, shape (n,).
        m: number of steps, 1..2^32.
        source: one word per value.

    Returns:
        Integers in 0..m, shape (n,).
    """
    if len(positions) == 1:
        return np.array([_one_on_grid(int(positions[0]), m, source)], dtype=np.int64)
    out = np.empty(len(positions), dtype=np.int64)
    words = np.empty(min(len(positions), _AT_A_TIME), dtype=np.uint64)
    for start in range(0, len(positions), _AT_A_TIME):
        chunk = positions[start : start + _AT_A_TIME]
        source.fill(words[: len(chunk)])
        whole, rest = scaled(chunk, m)
        draws = (words[: len(chunk)] >> np.uint64(64 - BITS)).astype(np.int64)
        out[start : start + len(chunk)] = whole + (draws < rest)
    words[...] = 0  # with the report they tell the value more precisely
    return out


def _one_on_grid(position: int, m: int, source: WordSource) -> int:
    """The same of one position, in the time that numpy takes for a few of its calls."""
    word = np.empty(1, dtype=np.uint64)
    source.fill(word)
    whole, rest = divmod(position * m, UNIT)
    found = whole + ((int(word[0]) >> (64 - BITS)) < rest)
    word[0] = 0
    return found


def scaled(positions: NDArray[np.int64], m: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Quotient and remainder of position m / UNIT, exactly, in two halves of 26 bits."""
    high = (positions >> _HALF) * m
    low = (positions & ((1 << _HALF) - 1)) * m
    rest = ((high & ((1 << _HALF) - 1)) << _HALF) + low
    return (high >> _HALF) + (rest >> BITS), rest & (UNIT - 1)
