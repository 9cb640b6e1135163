"""Unary encoding by planes of bits, as devices draw it: programs are held against it, word by word.

The package draws them otherwise in bulk (`run/kernels/prefix_bits.py`); no code is shared with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.family import bucket_of, digit_base

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots


def planes_sampler(k: int, one: int, zero: int, width: int = 64, lanes: int = 64) -> Sampler:
    """A word for the own bit, then a word for each plane of each block of lanes.

    Args:
        k: number of values. one, zero: thresholds, out of 2^width.
        width: bits of a threshold. lanes: bits of a number of the report.
    """
    blocks = -(-k // lanes)
    # Zeros behind the last one of a threshold decide nothing: a lane that is equal is not below.
    planes = width - ((zero & -zero).bit_length() - 1)
    masks = [(zero >> (width - 1 - plane) & 1) * (2**lanes - 1) for plane in range(planes)]
    word_bits = max(width, lanes)
    return Sampler(
        fill=planes_fill,
        inputs=k,
        cuts=(one << (word_bits - width), *masks),
        sizes=(k, lanes, blocks),
        shape=(blocks,),
        dtype=np.dtype(np.uint64),
        word_bits=word_bits,
        words_per_value=1 + blocks * planes,
        least_words=1 + blocks * planes,
    )


def planes_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel in plain Python: the own lane is drawn like any other and overwritten."""
    k, lanes, blocks = sizes[0], sizes[1], sizes[2]
    masks = [cuts[1 + plane] for plane in range(len(cuts) - 1)]
    each = 1 + blocks * len(masks)
    done = min(len(values), len(words) // each)
    for i in range(done):
        first = i * each
        for block in range(blocks):
            undecided, ones = (1 << min(lanes, k - block * lanes)) - 1, 0
            for plane, mask in enumerate(masks):
                word = words[first + 1 + block * len(masks) + plane]
                ones |= undecided & mask & ~word
                undecided &= ~(word ^ mask)
            out[i * blocks + block] = ones
        slot, bit = i * blocks + values[i] // lanes, 1 << values[i] % lanes
        out[slot] = out[slot] & ~bit | bit * (words[first] < cuts[0])
    return done, done * each


def sketch_planes_sampler(
    k: int,
    g: int,
    functions: NDArray[np.int64],
    one: int,
    zero: int,
    width: int = 64,
    lanes: int = 64,
) -> Sampler:
    """Words for the row until one is a row, then the planes of the bucket's bits.

    Args:
        k: number of values. g: of buckets. functions: coefficients of each row.
        one, zero, width, lanes: as in `planes_sampler`.
    """
    bits = planes_sampler(g, one, zero, width, lanes)
    rows = functions.tolist()
    row_bits = max(1, (len(rows) - 1).bit_length())

    def fill(
        values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
    ) -> tuple[int, int]:
        columns, used = 1 + bits.columns, 0
        for i in range(len(values)):
            cursor, row = used, len(rows)
            while row >= len(rows):
                if cursor == len(words):
                    return i, used
                row = words[cursor] >> (bits.word_bits - row_bits)
                cursor += 1
            bucket, slots = bucket_of(rows[row], values[i], g, digit_base(g)), [0] * bits.columns
            read = [words[at] for at in range(cursor, min(len(words), cursor + bits.least_words))]
            done, more = planes_fill([bucket], slots, read, cuts, sizes)
            if not done:
                return i, used
            out[i * columns] = row
            for place, number in enumerate(slots):
                out[i * columns + 1 + place] = number
            used = cursor + more
        return len(values), used

    return Sampler(
        fill=fill,
        inputs=k,
        cuts=bits.cuts,
        sizes=bits.sizes,
        shape=(1 + bits.columns,),
        dtype=bits.dtype,
        word_bits=bits.word_bits,
        words_per_value=bits.words_per_value + 2,
        least_words=bits.least_words + 1,
    )
