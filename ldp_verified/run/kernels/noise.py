"""Sampling two-sided geometric noise: integers only, every choice exact.

For a = share/2^(width - 1), a geometric number N, P(N >= n) = a^n, is drawn bit by bit: its bits
are independent, bit i being 1 with odds a^(2^i) to 1. A word in the upper half is a 0, one below
a^(2^i) of the lower half a 1, any other is drawn again. What is above the bits is counted: one more
2^levels with probability a^(2^levels). A power of a is compared with a word by its first digit, and
where that is equal with another word by the next one; so it is exact, and takes one word nearly
always. The noise z is 1 + N with odds a to 1, else -N.

The usual way, a logarithm of a float scaled and added to a float, gives outputs from which the
input can be read off. See Ilya Mironov (2012), On Significance of the Least Significant Bits for
Differential Privacy. Here the input is an integer, and so is the noise.
"""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_width, smallest_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

BASE: Final = 63
"""Decays are multiples of 2^-63."""

MOST_LEVELS: Final = 13
"""Bits of a geometric number that are drawn on their own: tables have 2^(levels + 1) words."""

MOST_CELLS: Final = 1 << 32
"""Reports are numbers below this."""


def check_decay(share: int, base: int) -> None:
    """Refuse a decay share/2^base outside (0, 1)."""
    if not 0 < share < 1 << base:
        raise ParameterError("share", f"must be in 1..{(1 << base) - 1}", share)


def check_cells(m: int, reach: int) -> None:
    """Refuse inputs 0..m, and outputs up to `reach` beyond them, that are too many or none."""
    if not (m > 0 and reach >= 0 and m + 2 * reach < MOST_CELLS):
        raise ParameterError("m, reach", f"must give at most {MOST_CELLS} cells", (m, reach))


def power_digits(share: int, levels: int, base: int) -> tuple[list[int], list[int]]:
    """The digits of (share/2^base)^(2^i) in base 2^base, for i = 0..levels, without zeros behind.

    Args:
        share: 0 < share < 2^base.
        levels: the last i.
        base: bits of a digit.

    Returns:
        The digits, one power after another, the most significant first; how many each has.
    """
    digits: list[int] = []
    counts: list[int] = []
    mask, power, size = (1 << base) - 1, share, 1
    for _ in range(levels + 1):
        kept = [(power >> (base * place)) & mask for place in range(size - 1, -1, -1)]
        while kept[-1] == 0:
            kept.pop()
        digits += kept
        counts.append(len(kept))
        power, size = power * power, 2 * size
    return digits, counts


def fraction_digits(number: int, bits: int, prefix: int, width: int) -> tuple[int, list[int]]:
    """The first bits of number/2^bits, and its digits behind them in base 2^width, no zeros last.

    Args:
        number: 0..2^bits. prefix: how many bits come first. width: bits of a digit.
    """
    more = -(-max(0, bits - prefix) // width)
    whole = number << (prefix + more * width - bits)
    top = whole >> (more * width)
    # Cut out of its binary form: shifting the whole number for each digit takes seconds.
    written = f"{whole - (top << (more * width)):0{more * width}b}" if more else ""
    digits = [int(written[at : at + width], 2) for at in range(0, more * width, width)]
    while digits and not digits[-1]:
        digits.pop()
    return top, digits


def digit_constants(digits: Sequence[Sequence[int]], at: int) -> list[int]:
    """Return the digits of all limits as constants of a kernel, after an index of their places.

    The index says where the digits of each limit begin, and last where all of them end.

    Args:
        digits: of each limit. at: how many constants of a kernel come before these.
    """
    spans = accumulate(map(len, digits), initial=at + len(digits) + 1)
    return [*spans, *chain.from_iterable(digits)]


def useful_levels(share: int, base: int) -> int:
    """The least number of bits after which half of all numbers need no more, or `MOST_LEVELS`."""
    power = share
    for levels in range(MOST_LEVELS):
        if 2 * power <= 1 << base:
            return levels
        power = power * power >> base  # a little too small, which only matters for speed
    return MOST_LEVELS


def geometric_sampler(
    m: int, reach: int, share: int, width: int = 64, levels: int | None = None
) -> Sampler:
    """x plus two-sided geometric noise, cut off at -reach and m + reach.

    Reports count from 0 at 1 - reach; the last two are -reach or less, m + reach or more. So
    P(y|x) = (1 - a)/(1 + a) a^|y - x| between the ends, for a = share/2^(width - 1).

    Args:
        m: inputs are 0..m. reach: how far beyond them outputs may lie, at least 0.
        share: 0 < share < 2^(width - 1).
        width: bits of a word that are used, at least 2.
        levels: bits that are drawn on their own; by default what is fastest.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    check_decay(share, width - 1)
    check_cells(m, reach)
    half = 1 << (width - 1)
    bits = useful_levels(share, width - 1) if levels is None else levels
    digits, counts = power_digits(share, bits, width - 1)
    return Sampler(
        fill=geometric_fill,
        inputs=m + 1,
        cuts=(half, *digits),
        sizes=(bits, m, reach, *counts),
        shape=(),
        dtype=smallest_dtype(m + 2 * reach + 1),
        word_bits=width,
        words_per_value=4 + 2 * bits,
        least_words=2,
    )


def geometric_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: side and size of the noise, then the sum, cut off at both ends."""
    half, levels, m, reach = cuts[0], sizes[0], sizes[1], sizes[2]
    most = m + 2 * reach
    have = len(words)
    used = 0
    for i in range(len(values)):
        cursor = used
        size = 0
        above = False
        # Round 0 draws the side like a bit of level 0, then come the bits, then the count.
        first = 1
        count = 1
        level = 0
        for turn in range(levels + 2):
            last_turn = turn == levels + 1
            undecided = True
            while undecided:
                if cursor >= have:
                    return i, used
                word = words[cursor]
                cursor += 1
                if last_turn:
                    if word >= half:
                        word -= half
                elif word >= half:
                    break  # a 0
                place = 0
                digits = sizes[3 + level]
                while word == cuts[first + place] and place + 1 < digits:
                    place += 1
                    if cursor >= have:
                        return i, used
                    word = words[cursor]
                    cursor += 1
                    if word >= half:
                        word -= half
                if word < cuts[first + place]:
                    if turn == 0:
                        above = True
                        undecided = False
                    else:
                        size += count
                        undecided = last_turn and size <= most  # further out it is all the same
                elif last_turn:
                    undecided = False
            if 0 < turn <= levels:
                first += sizes[3 + level]
                level += 1
                count *= 2
        position = values[i] + reach
        place = position + 1 + size if above else position - size
        if place >= most:
            out[i] = most
        else:
            out[i] = place - 1 if place > 0 else most - 1
        used = cursor
    return len(values), used
