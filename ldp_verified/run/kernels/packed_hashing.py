"""Local hashing for g a small power of two: no division, no rejection, many digits at a time.

Then values are written in base 2, and h_a(x) is the sum mod g of the coefficients at the ones of
x. A word has eight lanes, and the bits at the same log2(g) places of all lanes hold eight
coefficients: uniform and independent, since each is some bits of the word. Those where x has ones
are picked by a mask, and one multiplication adds all lanes up in the topmost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.run.kernels.division import reciprocal
from ldp_verified.run.kernels.draw import Sampler, smallest_dtype

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

LANES: Final = 8
"""Coefficients side by side in a 64-bit word, in which a lane is a byte."""

MOST_BUCKETS: Final = 32
"""The sum of eight coefficients below g must stay within a byte: nothing may be carried over."""


def lanes_for(g: int, width: int) -> int:
    """Return the lanes of a word: 8 at full width, fewer in narrower words, 0 if none fit.

    0 says that the kernel is not for this g and width.
    """
    if g & (g - 1) or g > MOST_BUCKETS:
        return 0
    lanes = LANES
    while lanes and (width % lanes or lanes * (g - 1) >= 1 << (width // lanes)):
        lanes //= 2
    return lanes


def packed_hash_sampler(digits: int, inputs: int, g: int, lie: int, width: int) -> Sampler:
    """The sampler of local hashing where there are lanes; the arguments are checked already.

    Args:
        digits: number m of coefficients, at least the number of bits of inputs - 1.
        inputs: values are integers in 0..inputs-1.
        g: number of buckets, a power of two.
        lie: threshold of each bucket, 1 <= lie and g * lie <= 2^width.
        width: bits of a word that are used.
    """
    lanes = lanes_for(g, width)
    lane = width // lanes
    bits = (g - 1).bit_length()
    ones = sum(1 << (lane * i) for i in range(lanes))
    masks = (
        sum((g - 1) << (lane * i) for i in range(lanes) if digits_of_x >> i & 1)
        for digits_of_x in range(1 << lanes)
    )
    runs = lane // bits
    words = -(-digits // (lanes * runs))
    inverse, fine, shift = reciprocal(lie, g)
    return Sampler(
        fill=packed_hash_fill,
        inputs=inputs,
        cuts=(
            lie,
            g * lie - 1,
            inverse,
            digits + 1,
            g - 1,
            ones * (g - 1),
            ones,
            2**width - 1,
            *masks,
        ),
        sizes=(digits, words, runs, bits, lanes, lane, fine, shift),
        shape=(digits + 1,),
        dtype=smallest_dtype(g),
        word_bits=width,
        words_per_value=words + 1,
        least_words=words + 1,
    )


def packed_hash_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: words of coefficients, one for each lane at a time; then k-RR of their hash."""
    lie = cuts[0]
    last_lie = cuts[1]
    inverse = cuts[2]
    row = cuts[3]
    last_bucket = cuts[4]
    lowest = cuts[5]
    ones = cuts[6]
    all_bits = cuts[7]
    first_mask = 8
    digits = sizes[0]
    coefficient_words = sizes[1]
    runs = sizes[2]
    bits = sizes[3]
    lanes = sizes[4]
    lane = sizes[5]
    fine = sizes[6]
    shift = sizes[7]
    top_lane = (lanes - 1) * lane
    all_lanes = (1 << lanes) - 1
    bytewise = lanes == 8 and lane == 8
    done = min(len(values), len(words) // (coefficient_words + 1))
    zero = lie ^ lie
    # 1, without a sign like the words, and known when this is compiled: places are counted in it,
    # so that they need no look for one counted from the end, and stores side by side become one.
    unit = ~(~zero << 1)
    cursor = zero
    start = zero
    for i in range(done):
        rest = values[i]
        bucket = zero
        word = zero
        run = runs
        left = digits
        place = start
        while left > 0:
            if run == runs:
                word = words[cursor]
                cursor += unit
                run = 0
            held = word & cuts[first_mask + (rest & all_lanes)]
            bucket += (held * ones & all_bits) >> top_lane
            picked = word & lowest
            if bytewise and (left >= 8 or i + 8 < done):
                # Eight bytes in one store. Those that are too many are written over: by the
                # bucket and by the next reports.
                for step in range(8):
                    out[place] = (picked >> (step * 8)) & 255
                    place += unit
            else:
                for _ in range(min(lanes, left)):
                    out[place] = picked & last_bucket
                    picked >>= lane
                    place += unit
            word >>= bits
            run += 1
            rest >>= lanes
            left -= lanes
        start += row
        word = words[cursor]
        cursor += unit
        # word // lie, which is meant for lies only.
        lied = (word >> fine) * inverse >> shift
        if word - lied * lie >= lie:
            lied += unit
        # Chosen by a mask: a branch would be mispredicted as often as people lie.
        lying = zero
        if word <= last_lie:
            lying = all_bits
        out[start - unit] = ((lied & lying) | (bucket & ~lying)) & last_bucket
    return done, done * (coefficient_words + 1)
