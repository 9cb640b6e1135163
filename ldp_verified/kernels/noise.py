"""Sampling two-sided geometric and staircase noise: integers only, every choice exact.

A geometric number N, P(N >= n) = a^n for a = share/2^width, is drawn bit by bit: its bits are
independent, bit i being 1 with odds a^(2^i) to 1. That is a fair bit, accepted if 1 with
probability a^(2^i), else drawn again. What is above the bits is counted: one more 2^levels with
probability a^(2^levels). A power of a is compared with uniform words word by word, most
significant first, until they differ; so it is exact, and takes one word nearly always.

The usual way, a logarithm of a float scaled and added to a float, gives outputs from which the
input can be read off: Ilya Mironov (2012), On Significance of the Least Significant Bits for
Differential Privacy. Here the input enters as an integer, after the noise is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
from ldp_verified.kernels.draw import Sampler, check_width, smallest_dtype

if TYPE_CHECKING:
    from ldp_verified.kernels.draw import Column, Slots

MOST_LEVELS: Final = 13
"""Bits of a geometric number that are drawn on their own: tables have 2^(levels + 1) words."""

MOST_CELLS: Final = 1 << 32
"""Reports are numbers below this."""


def power_digits(share: int, levels: int, width: int) -> list[int]:
    """The digits of (share/2^width)^(2^i) in base 2^width, for i = 0..levels, one after another.

    The i-th has 2^i digits, the most significant first.
    """
    digits: list[int] = []
    mask = (1 << width) - 1
    power = share
    for i in range(levels + 1):
        count = 1 << i
        digits += [(power >> (width * (count - 1 - place))) & mask for place in range(count)]
        power *= power
    return digits


def useful_levels(share: int, width: int) -> int:
    """The least number of bits after which half of all numbers need no more, or `MOST_LEVELS`."""
    power, one = share, 1 << width
    for levels in range(MOST_LEVELS):
        if 2 * power <= one:
            return levels
        power = power * power >> width  # a little too small, which only matters for speed
    return MOST_LEVELS


def geometric_sampler(
    m: int, reach: int, share: int, width: int = 64, levels: int | None = None
) -> Sampler:
    """x plus two-sided geometric noise, cut off at -reach and m + reach; reports count from there.

    So P(y|x) = (1 - a)/(1 + a) a^|y - x| between the ends, for a = share/2^width.

    Args:
        m: inputs are 0..m. reach: how far beyond them outputs may lie, at least 0.
        share: 0 < share < 2^width.
        width: bits of a word that are used.
        levels: bits that are drawn on their own; by default what is fastest.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    if not 0 < share < 1 << width:
        raise ParameterError("share", f"must be in 1..{(1 << width) - 1}", share)
    if not (m > 0 and reach >= 0 and m + 2 * reach < MOST_CELLS):
        raise ParameterError("m, reach", f"must give at most {MOST_CELLS} cells", (m, reach))
    bits = useful_levels(share, width) if levels is None else levels
    return Sampler(
        fill=geometric_fill,
        inputs=m + 1,
        cuts=(1 << (width - 1), *power_digits(share, bits, width)),
        sizes=(bits, m, reach),
        shape=(),
        dtype=smallest_dtype(m + 2 * reach + 1),
        word_bits=width,
        words_per_value=6 + 4 * bits,
        least_words=2,
    )


def geometric_fill(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """Kernel: sign and size until they are not minus zero, then the sum, cut off."""
    half, levels, m, reach = cuts[0], sizes[0], sizes[1], sizes[2]
    most = m + 2 * reach
    have = len(words)
    used = 0
    for i in range(len(values)):
        cursor = used
        size = 0
        again = True
        negative = False
        while again:
            if cursor >= have:
                return i, used
            negative = words[cursor] < half
            cursor += 1
            size = 0
            first = 1  # of the digits of this level
            count = 1
            for _ in range(levels):
                undecided = True
                while undecided:
                    if cursor >= have:
                        return i, used
                    one = words[cursor] < half
                    cursor += 1
                    undecided = one
                    if one:
                        place = 0
                        while True:
                            if cursor >= have:
                                return i, used
                            word = words[cursor]
                            cursor += 1
                            if word < cuts[first + place]:
                                size += count
                                undecided = False
                                break
                            place += 1
                            if word > cuts[first + place - 1] or place == count:
                                break
                first += count
                count *= 2
            more = size <= most  # further out it makes no difference
            while more:
                place = 0
                while True:
                    if cursor >= have:
                        return i, used
                    word = words[cursor]
                    cursor += 1
                    if word < cuts[first + place]:
                        size += count
                        more = size <= most
                        break
                    place += 1
                    if word > cuts[first + place - 1] or place == count:
                        more = False
                        break
            again = negative and size == 0
        position = values[i] + reach
        if negative:
            out[i] = position - size if size < position else 0
        else:
            out[i] = position + size if size < most - position else most
        used = cursor
    return len(values), used
