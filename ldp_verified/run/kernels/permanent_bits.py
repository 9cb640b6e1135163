"""Bits of a permanent answer, by planes until all are decided: they must stay what they are.

A client draws a permanent answer again from its key, whenever it needs it. Were the same words read
in another way, an update of the package would draw a second answer to the same value, and averages
over answers find the value. So this way stays, whatever other samplers become. It is
that of `run/kernels/bernoulli.py` but for one thing: planes behind the first eight are read until
all 64 bits are decided. No server sees how many that were.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource

FIRST_PLANES: Final = 8
"""Planes that are read in any case, of a threshold that has so many."""


def permanent_blocks(
    count: int, threshold: int, source: WordSource, width: int = 64
) -> NDArray[np.uint64]:
    """`count` blocks of 64 independent bits, as `bernoulli_blocks`, of a permanent answer.

    Args:
        count: number of blocks.
        threshold: each bit is 1 with probability threshold/2^width, 0..2^width; the ends need no
            words.
        source: where the words come from.
        width: bits per threshold, 1..64.

    Raises:
        ParameterError: a number is out of range.
    """
    check_width(width)
    check_threshold("threshold", threshold, 0, 2**width)
    if threshold in (0, 2**width):
        filled = np.uint64(0) if threshold == 0 else ~np.uint64(0)
        return np.full(count, filled, dtype=np.uint64)
    sampler = permanent_sampler(64, None, threshold, width)
    drawn = sampler.draw(np.zeros(count, dtype=np.int64), source, in_range=True)
    blocks: NDArray[np.uint64] = drawn[:, 0]
    return blocks


@lru_cache(maxsize=64)
def permanent_sampler(
    k: int, one: int | None, zero: int, width: int = 64, lanes: int = 64
) -> Sampler:
    """The sampler of k bits of a permanent answer, packed as those of `one_hot_sampler`.

    Args:
        k: number of bits.
        one: threshold of the value's own bit, 1..2^width - 1; None where no bit is its own.
        zero: threshold of every other bit, 1..2^width - 1.
        width: bits per threshold, 1..64.
        lanes: bits drawn together, 1..64. Anything but 64 is for enumeration.

    Raises:
        ParameterError: a number is out of range.
    """
    check_width(width)
    if not 1 <= lanes <= 64:
        raise ParameterError("lanes", "must be in 1..64", lanes)
    check_threshold("zero", zero, 1, 2**width - 1)
    if one is not None:
        check_threshold("one", one, 1, 2**width - 1)
    blocks = -(-k // lanes)
    word_bits = max(width, lanes)
    all_lanes = 2**lanes - 1
    # Trailing zero bits of the threshold decide nothing: an undecided lane is then not below it.
    planes = width - ((zero & -zero).bit_length() - 1)
    at_least = FIRST_PLANES if planes >= FIRST_PLANES else 0
    masks = ((zero >> (width - 1 - plane) & 1) * all_lanes for plane in range(planes))
    own = 0 if one is None else 1
    return Sampler(
        fill=permanent_fill,
        inputs=1 if one is None else k,
        cuts=(
            (one or 0) << (word_bits - width),
            all_lanes,
            2 ** (k - (blocks - 1) * lanes) - 1,
            1,
            *masks,
        ),
        sizes=(blocks, planes, lanes, at_least, own),
        shape=(blocks,),
        dtype=np.dtype(np.uint64),
        word_bits=word_bits,
        # Words are asked for by these numbers, so they may not change either.
        words_per_value=own + blocks * min(planes, FIRST_PLANES + 1),
        least_words=own + blocks * max(1, at_least),
    )


def permanent_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: a word for the own bit, if there is one, then the planes of each block.

    The own lane is drawn like any other and overwritten.
    """
    one, all_lanes, last_lanes, unit = cuts[0], cuts[1], cuts[2], cuts[3]
    blocks, planes, lanes, at_least, has_own = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    used = 0
    for i in range(len(values)):
        cursor = used
        row = i * blocks
        own = False
        if has_own != 0:
            if cursor == len(words):
                return i, used
            own = words[cursor] < one
            cursor += 1
        for block in range(blocks):
            undecided = all_lanes
            if block == blocks - 1:
                undecided = last_lanes
            ones = undecided ^ undecided
            plane = 0
            while plane < planes and (undecided != 0 or plane < at_least):
                if cursor == len(words):
                    return i, used
                word = words[cursor]
                mask = cuts[4 + plane]
                # A lane is below where the threshold has a 1 and the word a 0.
                ones |= undecided & mask & ~word
                undecided &= ~(word ^ mask)
                cursor += 1
                plane += 1
            out[row + block] = ones
        if has_own != 0:
            slot = row + values[i] // lanes
            bit = unit << (values[i] % lanes)
            ones = out[slot] & ~bit
            if own:
                ones |= bit
            out[slot] = ones
        used = cursor
    return len(values), used
