"""Independent bits with one probability, and bits randomized by what they were: packed and exact.

In bulk they are looked up (`run/kernels/bits.py`). A device reads as many words for each report,
whatever comes of them: there 64 bits are drawn by planes. A bit is [w < threshold] for a uniform
word w, which is decided from the top bit down, and the same top bit of 64 independent words is just
one random word. So a plane is a word for each bit of the threshold.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.bits import MOST_WIDTH, bits_sampler
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width
from ldp_verified.run.kernels.vectorised import bernoulli_with_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource


_BLOCKS: Final = 32
"""Blocks that are drawn as one report, since each report costs time of its own."""


@lru_cache(maxsize=64)
def bernoulli_sampler(threshold: int, width: int = 64, lanes: int = 64) -> Sampler:
    """The sampler of one block of `lanes` bits by planes, all of which are read.

    The same object for the same numbers: a client asks for it with every report.

    Args:
        threshold: each bit is 1 with probability threshold/2^width, 1..2^width - 1.
        width: bits per threshold.
        lanes: bits per block, 1..64.

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
        sizes=(planes,),
        shape=(),
        dtype=np.dtype(np.uint64),
        word_bits=lanes,
        words_per_value=planes,
        least_words=planes,
        vectorised=bernoulli_with_numpy,
    )


@lru_cache(maxsize=64)
def _looked_up(threshold: int, width: int, blocks: int) -> Sampler:
    """The sampler of so many blocks of 64 bits in bulk."""
    return bits_sampler(64 * blocks, threshold << max(0, 64 - width), max(64, width))


def bernoulli_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: the planes of each block. The values are all 0 and are not looked at."""
    all_lanes = cuts[0]
    planes = sizes[0]
    used = 0
    for i in range(len(values)):
        if used + planes > len(words):
            return i, used
        undecided = all_lanes
        ones = undecided ^ undecided
        for plane in range(planes):
            word = words[used + plane]
            mask = cuts[1 + plane]
            # A lane is below where the threshold has a 1 and the word a 0.
            ones |= undecided & mask & ~word
            undecided &= ~(word ^ mask)
        out[i] = ones
        used += planes
    return len(values), used


def bernoulli_blocks(
    count: int,
    threshold: int,
    source: WordSource,
    width: int = 64,
    every_plane: bool = False,
    out: NDArray[np.uint64] | None = None,
    buffer: NDArray[np.uint64] | None = None,
) -> NDArray[np.uint64]:
    """`count` blocks of 64 independent bits, each 1 with probability threshold / 2^width.

    Args:
        count: number of blocks.
        threshold: 0..2^width; the ends need no words.
        source: where the words come from.
        width: bits per threshold, 1..64; up to 128 where they are not drawn by planes.
        every_plane: whether they are drawn by planes, all of which are read, as on a device.
        out: a contiguous array for the blocks, of shape (count,); None for a new one.
        buffer: memory for the words, as in `Sampler.draw`.

    Raises:
        ParameterError: `threshold` is out of range.
    """
    check_width(width, 64 if every_plane else MOST_WIDTH)
    check_threshold("threshold", threshold, 0, 2**width)
    drawn = np.empty(count, dtype=np.uint64) if out is None else out
    if threshold in (0, 2**width):
        drawn[...] = np.uint64(0) if threshold == 0 else ~np.uint64(0)
        return drawn
    if every_plane:
        planes, values = bernoulli_sampler(threshold, width), np.zeros(count, dtype=np.int64)
        return planes.draw(values, source, drawn, in_range=True, buffer=buffer)
    rows = count // _BLOCKS
    for part, blocks in ((drawn[: rows * _BLOCKS], _BLOCKS), (drawn[rows * _BLOCKS :], None)):
        if len(part):
            sampler = _looked_up(threshold, width, blocks or len(part))
            values = np.zeros(len(part) // (blocks or len(part)), dtype=np.int64)
            sampler.draw(values, source, part, in_range=True, buffer=buffer)
    return drawn


def randomize_bits(
    encoded: NDArray[np.uint64],
    bits: int,
    one: int,
    zero: int,
    source: WordSource,
    width: int = 64,
    blocks_of: Callable[..., NDArray[np.uint64]] = bernoulli_blocks,
) -> NDArray[np.uint64]:
    """Every bit on its own: P(1|1) = one / 2^width, P(1|0) = zero / 2^width.

    Both possible answers of every bit are drawn, so what is read does not depend on the bits.

    Args:
        encoded: packed bits, shape (n, ceil(bits / 64)), dtype uint64; bits beyond are 0.
        bits: number of bits, at least 1.
        one: 0..2^width.
        zero: 0..2^width.
        source: where the words come from.
        width: bits per threshold, 1..128.
        blocks_of: what draws blocks of bits; `permanent_blocks` for an answer drawn from a key.

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
    kept = blocks_of(encoded.size, one, source, width).reshape(encoded.shape)
    raised = blocks_of(encoded.size, zero, source, width).reshape(encoded.shape)
    answer: NDArray[np.uint64] = ((encoded & kept) | (~encoded & raised)) & padding
    return answer
