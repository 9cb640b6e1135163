"""One-hot bit vectors with every bit randomized on its own: packed, bit-sliced and exact.

A Bernoulli(zero / 2^width) bit is [w < zero] for a uniform word w. That comparison is decided from
the top bit down, and the same top bit of 64 independent words is just one random word. So 64 such
bits are drawn together, one random word per bit of the threshold, until all are decided (about
eight words instead of 64).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width
from ldp_verified.run.kernels.vectorised import FIRST_PLANES, least_planes, one_hot_with_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource


def one_hot_bits(
    values: NDArray[np.integer[Any]],
    k: int,
    one: int,
    zero: int,
    source: WordSource,
    width: int = 64,
    lanes: int = 64,
) -> NDArray[np.uint64]:
    """Independent bits: P(bit v = 1) is one / 2^width for v = x and zero / 2^width for the others.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, so of bits.
        one: threshold of the value's own bit, 1..2^width - 1.
        zero: threshold of every other bit, 1..2^width - 1.
        source: where the words come from.
        width: bits per threshold.
        lanes: bits drawn together and packed into one number of the report, 1..64. Anything but
            64 is for enumeration.

    Returns:
        Packed reports, shape (n, ceil(k / lanes)), dtype uint64: bit v is bit v % lanes of
        number v // lanes; the bits beyond k are 0.

    Raises:
        ParameterError: if k, one, zero, width or lanes is outside its range.
        DomainError: if `values` is no such array.
    """
    return one_hot_sampler(k, one, zero, width, lanes).draw(values, source)


def one_hot_sampler(
    k: int, one: int, zero: int, width: int = 64, lanes: int = 64, every_plane: bool = False
) -> Sampler:
    """The sampler that `one_hot_bits` draws from (same k, one, zero, width and lanes).

    Args:
        every_plane: whether all planes are read, as a device does: the number of words then says
            nothing beside the report. In bulk they are read until all lanes are decided.
    """
    check_width(width)
    if k < 2:
        raise ParameterError("k", "must be an integer >= 2", k)
    if not 1 <= lanes <= 64:
        raise ParameterError("lanes", "must be in 1..64", lanes)
    check_threshold("one", one, 1, 2**width - 1)
    check_threshold("zero", zero, 1, 2**width - 1)
    blocks = -(-k // lanes)
    word_bits = max(width, lanes)
    all_lanes = 2**lanes - 1
    last_lanes = 2 ** (k - (blocks - 1) * lanes) - 1
    # Trailing zero bits of the threshold decide nothing: an undecided lane is then not below it.
    planes = width - ((zero & -zero).bit_length() - 1)
    bits_of_zero = (zero >> (width - 1 - plane) & 1 for plane in range(planes))
    return Sampler(
        fill=one_hot_fill,
        inputs=k,
        cuts=(
            one << (word_bits - width),
            all_lanes,
            last_lanes,
            1,
            *(bit * all_lanes for bit in bits_of_zero),
        ),
        sizes=(blocks, planes, lanes, planes if every_plane else 0),
        shape=(blocks,),
        dtype=np.dtype(np.uint64),
        word_bits=word_bits,
        words_per_value=1 + blocks * (planes if every_plane else min(planes, FIRST_PLANES + 1)),
        least_words=1 + blocks * least_planes(planes, every_plane),
        vectorised=one_hot_with_numpy,
    )


def one_hot_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: a word for the own bit, then the planes of each block; the own bit goes in last.

    The own lane is drawn like any other and overwritten, so that the number of words read does
    not depend on the value.
    """
    one = cuts[0]
    all_lanes = cuts[1]
    last_lanes = cuts[2]
    unit = cuts[3]
    first_mask = 4
    blocks = sizes[0]
    planes = sizes[1]
    lanes = sizes[2]
    at_least = sizes[3]
    used = 0
    for i in range(len(values)):
        cursor = used
        row = i * blocks
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
            if planes >= FIRST_PLANES:
                if cursor + FIRST_PLANES > len(words):
                    return i, used
                for step in range(FIRST_PLANES):
                    word = words[cursor + step]
                    mask = cuts[first_mask + step]
                    # A lane is below where the threshold has a 1 and the word a 0.
                    ones |= undecided & mask & ~word
                    undecided &= ~(word ^ mask)
                cursor += FIRST_PLANES
                plane = FIRST_PLANES
            while plane < planes and (undecided != 0 or plane < at_least):
                if cursor == len(words):
                    return i, used
                word = words[cursor]
                mask = cuts[first_mask + plane]
                ones |= undecided & mask & ~word
                undecided &= ~(word ^ mask)
                cursor += 1
                plane += 1
            out[row + block] = ones
        slot = row + values[i] // lanes
        bit = unit << (values[i] % lanes)
        ones = out[slot] & ~bit
        if own:
            ones |= bit
        out[slot] = ones
        used = cursor
    return len(values), used
