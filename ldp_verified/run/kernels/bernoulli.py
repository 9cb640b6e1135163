"""Independent bits with one probability, and bits randomized by what they were: packed and exact.

This is the bit-slicing of `run/kernels/bits.py` without a value. It draws 64 bits at a time: a
random word for each bit of the threshold, at least `FIRST_PLANES` of them if it has so many, until
all 64 are decided.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width
from ldp_verified.run.kernels.vectorised import (
    FIRST_PLANES,
    bernoulli_with_numpy,
    least_planes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource


@lru_cache(maxsize=64)
def bernoulli_sampler(
    threshold: int, width: int = 64, lanes: int = 64, every_plane: bool = False
) -> Sampler:
    """The sampler of one block of `lanes` bits, each 1 with probability threshold / 2^width.

    The same object for the same numbers: a client asks for it with every report.

    Args:
        threshold: 1..2^width - 1.
        width: bits per threshold.
        lanes: bits per block, 1..64.
        every_plane: as in `one_hot_sampler`.

    Raises:
        ParameterError: an argument is out of range.
    """
    check_width(width)
    if not 1 <= lanes <= 64:
        raise ParameterError("lanes", "must be in 1..64", lanes)
    check_threshold("threshold", threshold, 1, 2**width - 1)
    all_lanes = 2**lanes - 1
    # Trailing zero bits of the threshold decide nothing: an undecided lane is then not below it.
    planes = width - ((threshold & -threshold).bit_length() - 1)
    bits = (threshold >> (width - 1 - plane) & 1 for plane in range(planes))
    return Sampler(
        fill=bernoulli_fill,
        inputs=1,
        cuts=(all_lanes, *(bit * all_lanes for bit in bits)),
        sizes=(planes, planes if every_plane else 0),
        shape=(),
        dtype=np.dtype(np.uint64),
        word_bits=lanes,
        words_per_value=planes if every_plane else min(planes, FIRST_PLANES + 1),
        least_words=least_planes(planes, every_plane),
        vectorised=bernoulli_with_numpy,
    )


def bernoulli_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: the planes of each block. The values are all 0 and are not looked at."""
    all_lanes = cuts[0]
    planes = sizes[0]
    at_least = sizes[1]
    used = 0
    for i in range(len(values)):
        cursor = used
        undecided = all_lanes
        ones = undecided ^ undecided
        plane = 0
        if planes >= FIRST_PLANES:
            if cursor + FIRST_PLANES > len(words):
                return i, used
            for step in range(FIRST_PLANES):
                word = words[cursor + step]
                mask = cuts[1 + step]
                # A lane is below where the threshold has a 1 and the word a 0.
                ones |= undecided & mask & ~word
                undecided &= ~(word ^ mask)
            cursor += FIRST_PLANES
            plane = FIRST_PLANES
        while plane < planes and (undecided != 0 or plane < at_least):
            if cursor == len(words):
                return i, used
            word = words[cursor]
            mask = cuts[1 + plane]
            ones |= undecided & mask & ~word
            undecided &= ~(word ^ mask)
            cursor += 1
            plane += 1
        out[i] = ones
        used = cursor
    return len(values), used


def bernoulli_blocks(
    count: int,
    threshold: int,
    source: WordSource,
    width: int = 64,
    every_plane: bool = False,
) -> NDArray[np.uint64]:
    """`count` blocks of 64 independent bits, each 1 with probability threshold / 2^width.

    Args:
        count: number of blocks.
        threshold: 0..2^width; the ends need no words.
        source: where the words come from.
        width: bits per threshold.
        every_plane: as in `one_hot_sampler`.

    Raises:
        ParameterError: `threshold` is out of range.
    """
    check_width(width)
    check_threshold("threshold", threshold, 0, 2**width)
    if threshold in (0, 2**width):
        filled = np.uint64(0) if threshold == 0 else ~np.uint64(0)
        return np.full(count, filled, dtype=np.uint64)
    sampler = bernoulli_sampler(threshold, width, every_plane=every_plane)
    values = np.zeros(count, dtype=np.int64)
    drawn: NDArray[np.uint64] = sampler.draw(values, source, in_range=True)
    return drawn


def randomize_bits(
    encoded: NDArray[np.uint64], bits: int, one: int, zero: int, source: WordSource, width: int = 64
) -> NDArray[np.uint64]:
    """Every bit on its own: P(1|1) = one / 2^width, P(1|0) = zero / 2^width.

    Both possible answers of every bit are drawn, so what is read does not depend on the bits.

    Args:
        encoded: packed bits, shape (n, ceil(bits / 64)), dtype uint64; bits beyond are 0.
        bits: number of bits, at least 1.
        one: 0..2^width.
        zero: 0..2^width.
        source: where the words come from.
        width: bits per threshold.

    Returns:
        An array of the same shape and dtype; the bits beyond are 0.

    Raises:
        DomainError: `encoded` is no such array.
        ParameterError: a threshold is out of range.
    """
    blocks = -(-bits // 64)
    if encoded.ndim != 2 or encoded.shape[1] != blocks or encoded.dtype != np.uint64:
        shown = f"{encoded.dtype} of shape {encoded.shape}"
        raise DomainError("encoded", f"must be uint64 of shape (n, {blocks})", shown)
    padding = np.full(blocks, ~np.uint64(0))
    padding[-1] = np.uint64(2 ** (bits - 64 * (blocks - 1)) - 1)
    if np.any(encoded & ~padding):
        raise DomainError("encoded", f"must be 0 beyond its {bits} bits")
    kept = bernoulli_blocks(encoded.size, one, source, width).reshape(encoded.shape)
    raised = bernoulli_blocks(encoded.size, zero, source, width).reshape(encoded.shape)
    answer: NDArray[np.uint64] = ((encoded & kept) | (~encoded & raised)) & padding
    return answer
