"""Numbers of an interval on a grid of m steps: to one of the two neighbours, unbiased.

No part of privacy: whatever is drawn here goes through a randomizer. It is exact on multiples of
2^-52 of the interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.run.kernels.compiled import compiled, machine_code, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

BITS: Final = 52
UNIT: Final = 1 << BITS
"""A position in the interval is an integer in 0..UNIT."""

PURE_NUMBERS: Final = 1 << 11
"""NumPy rounds no more numbers than this, without numba."""

_HALF: Final = 26
_LOW: Final = (1 << _HALF) - 1
_REST: Final = UNIT - 1

_SCALE: Final = float(UNIT)

_ZERO: Final = (1023 + BITS) << BITS
"""The bits of the double 2^52. From there to 2^53 doubles are the integers, and the sum of 2^52 and
less is the nearest of them, the even one of two; its bits less these are the integer."""

_AT_A_TIME: Final = 1 << 15
"""Numbers: temporary arrays of them stay in the cache."""


def outside(numbers: NDArray[np.float64], low: float, high: float) -> int | None:
    """The place of the first number that is not in low..high, or None. It is for nan, too.

    Args:
        numbers: doubles, shape (n,).
        low, high: the bounds.
    """
    if not len(numbers) or (numbers.min() >= low and numbers.max() <= high):
        return None
    return int((~((numbers >= low) & (numbers <= high))).argmax())


def positions_between(numbers: NDArray[np.float64], low: float, high: float) -> NDArray[np.int64]:
    """Which share of an interval lies below each number, to the nearest multiple of 2^-52.

    Division and difference are monotone, so that no share is below 0 or above 1.

    Args:
        numbers: within the bounds, shape (n,).
        low, high: the bounds.

    Returns:
        Integers in 0..UNIT, shape (n,).
    """
    sums = (numbers - low) / (high - low) * _SCALE + _SCALE
    return sums.view(np.int64) - _ZERO


def round_to_grid(positions: NDArray[np.int64], m: int, source: WordSource) -> NDArray[np.int64]:
    """Round each position to floor(position m / UNIT) or one more, so that the mean is exact.

    Args:
        positions: integers in 0..UNIT, shape (n,).
        m: number of steps, 1..2^32.
        source: one word per value.

    Returns:
        Integers in 0..m, shape (n,).
    """
    return numbers_to_grid(positions.astype(np.float64), 0.0, _SCALE, m, source)


def numbers_to_grid(
    numbers: NDArray[np.float64],
    low: float,
    high: float,
    m: int,
    source: WordSource,
    out: NDArray[np.int64] | None = None,
    buffer: NDArray[np.uint64] | None = None,
) -> NDArray[np.int64]:
    """What `round_to_grid` gives for the positions of numbers, in one pass where it is compiled.

    Args:
        numbers: within the bounds, shape (n,).
        low, high: the bounds.
        m: number of steps, 1..2^32.
        source: one word per value.
        out: a contiguous array for the points; None for a new one.
        buffer: memory for words, one or more; None for new memory. It is erased.

    Returns:
        Integers in 0..m, shape (n,).
    """
    if out is None:
        out = np.empty(len(numbers), dtype=np.int64)
    if len(numbers) == 1:
        out[0] = _one_on_grid(int(positions_between(numbers, low, high)[0]), m, source)
        return out
    words = np.empty(min(len(numbers), _AT_A_TIME), dtype=np.uint64) if buffer is None else buffer
    size = min(len(words), _AT_A_TIME)
    fast = len(numbers) > PURE_NUMBERS and machine_code()
    given = read_only(numbers) if fast else numbers
    for start in range(0, len(numbers), size or 1):
        chunk, part = given[start : start + size], out[start : start + size]
        own = words[: len(chunk)]
        source.fill(own)
        draws = own.view(np.int64)
        if fast:
            compiled(_round)(chunk, low, high - low, m, draws, part, part.view(np.float64))
        else:
            whole, rest = scaled(positions_between(chunk, low, high), m)
            own >>= np.uint64(64 - BITS)
            part[...] = whole + (draws < rest)
    words[:size] = 0  # with the report they tell the value more precisely
    return out


def _one_on_grid(position: int, m: int, source: WordSource) -> int:
    """The point of one position, in the time that numpy takes for a few of its calls."""
    word = np.empty(1, dtype=np.uint64)
    source.fill(word)
    whole, rest = divmod(position * m, UNIT)
    found = whole + ((int(word[0]) >> (64 - BITS)) < rest)
    word[0] = 0
    return found


def scaled(positions: NDArray[np.int64], m: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Quotient and remainder of position m / UNIT, exactly, in two halves of 26 bits."""
    high = (positions >> _HALF) * m
    low = (positions & _LOW) * m
    rest = ((high & _LOW) << _HALF) + low
    return (high >> _HALF) + (rest >> BITS), rest & _REST


def _round(
    numbers: NDArray[np.float64],
    low: float,
    width: float,
    m: int,
    draws: NDArray[np.int64],
    out: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None:
    """Kernel: `positions_between` and `scaled`, and 1 more where 52 bits are below the remainder.

    Args:
        numbers, low, m: as in `numbers_to_grid`. width: high - low.
        draws: words, as integers with a sign. out: gets the points. sums: the same memory.
    """
    for i in range(len(numbers)):
        sums[i] = (numbers[i] - low) / width * _SCALE + _SCALE
    for i in range(len(numbers)):
        # Another thread may have changed a number after it was looked at.
        position = min(max(out[i] - _ZERO, 0), UNIT)
        upper = (position >> _HALF) * m
        rest = ((upper & _LOW) << _HALF) + (position & _LOW) * m
        draw = draws[i] >> (64 - BITS) & _REST
        out[i] = (upper >> _HALF) + (rest >> BITS) + (draw < (rest & _REST))
