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


def round_to_grid(positions: NDArray[np.int64], m: int, source: WordSource) -> NDArray[np.int64]:
    """For each position, floor(position m / UNIT) or one more, so that the mean is exact.

    Args:
        positions: integers in 0..UNIT, shape (n,).
        m: number of steps, 1..2^32.
        source: one word per value.

    Returns:
        Integers in 0..m, shape (n,).
    """
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


def scaled(positions: NDArray[np.int64], m: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Quotient and remainder of position m / UNIT, exactly, in two halves of 26 bits."""
    high = (positions >> _HALF) * m
    low = (positions & ((1 << _HALF) - 1)) * m
    rest = ((high & ((1 << _HALF) - 1)) << _HALF) + low
    return (high >> _HALF) + (rest >> BITS), rest & (UNIT - 1)
