"""The kernel of independent bits: several at once by one look-up, exactly.

Bits that are independent are one number with a law of its own: j ones among `group` bits have
probability q^j (1 - q)^(group - j). A field of a word, `prefix` bits of it, is looked up in a table
that says which number it stands for. A field that a limit between two numbers falls into is not
decided by these bits: further words are compared with the other digits of the limits in it, until
they differ. Limits are products of probabilities of the table, 512 bits for eight bits at width 64,
and are not rounded: from limits of 64 bits the input could be told by rare reports.

One kernel draws blocks of bits, reports of unary encoding, and those of sketches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

PREFIX: Final = 15
"""Bits of a field in words of 64 bits: a table of 256 KiB, which the second cache holds."""

GROUP: Final = 8
"""Bits of a report that a field decides at most."""

UNROLLED: Final = 4
"""Fields of a word that are looked up without a loop."""

COUNT_AT: Final = 32
"""Bits of an entry that hold a number, or the first limit; above them is how many limits."""


@dataclass(frozen=True)
class Fields:
    """How a block of bits is taken from words.

    Attributes:
        word: bits of a word. count: fields of a word. prefix: bits of a field.
        group: bits of the block that a field decides. words: of a block.
    """

    word: int
    count: int
    prefix: int
    group: int
    words: int

    @classmethod
    def of(cls, width: int, lanes: int) -> Fields:
        """What is fastest for blocks of 64 bits in words of 64; else one field for each word.

        Args:
            width: bits of a threshold. lanes: bits of a block.
        """
        if (width, lanes) == (64, 64):
            return cls(64, UNROLLED, PREFIX, GROUP, 64 // (UNROLLED * GROUP))
        group = max(size for size in range(1, GROUP + 1) if lanes % size == 0)
        return cls(width, 1, min(width, PREFIX), group, lanes // group)


@lru_cache(maxsize=16)
def limits_of(
    threshold: int, width: int, fields: Fields
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """The table of a field, and the further digits of the limits.

    Args:
        threshold: a bit is 1 with probability threshold/2^width, 0 < threshold < 2^width.
        width: bits of a threshold. fields: of a word.

    Returns:
        2^prefix entries; the digits in base 2^word of each limit after its first `prefix` bits, as
        many for each; and how many that is.
    """
    group, prefix, word = fields.group, fields.prefix, fields.word
    powers = [
        threshold**ones * ((1 << width) - threshold) ** (group - ones) for ones in range(group + 1)
    ]
    ends = accumulate(powers[number.bit_count()] for number in range((1 << group) - 1))
    count = -(-max(0, width * group - prefix) // word)
    limits = [end << (prefix + count * word - width * group) for end in ends]
    tops = np.array([limit >> (count * word) for limit in limits])
    cells = np.arange(1 << prefix)
    first = np.searchsorted(tops, cells, "left")
    inside = np.searchsorted(tops, cells, "right") - first
    entries = (inside << COUNT_AT) + first
    mask = (1 << word) - 1
    places = range(count - 1, -1, -1)
    digits = [limit >> (word * place) & mask for limit in limits for place in places]
    return tuple(entries.tolist()), tuple(digits), count


def bits_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: words until one is a row, if there are rows; one for the own bit; then the blocks.

    A block's words come first, then those that decide its ties, field after field. The own lane is
    drawn like any other and overwritten, so that how many words are read says nothing of the value.
    """
    head, each, fields = sizes[0], sizes[2], sizes[3]
    has_own, runs = sizes[4], sizes[5]
    one, last_lanes, unit, mask = cuts[head], cuts[head + 1], cuts[head + 2], cuts[head + 3]
    prefix, group, tied = cuts[head + 4], cuts[head + 5], cuts[head + 6]
    count_at, numbers, lanes = cuts[head + 7], cuts[head + 8], cuts[head + 9]
    columns, digits, depths = cuts[head + 10], cuts[head + 11], cuts[head + 12]
    rows, row_at, cells = cuts[head + 13], cuts[head + 14], cuts[head + 15]
    each_row, places, tables = cuts[head + 16], cuts[head + 17], cuts[head + 18]
    nothing = unit ^ unit
    have = len(words)
    begin = nothing
    used = 0
    for i in range(len(values)):
        cursor = used
        slot = begin
        place = values[i]
        if rows > nothing:
            row = rows
            while row >= rows:
                if cursor >= have:
                    return i, used
                row = words[cursor] >> row_at
                cursor += 1
            at = tables + row * each_row
            rest = place
            place = nothing
            for _ in range(runs):
                place += cuts[at + rest % cells]
                rest = rest // cells
                at += cells
            place = place % places
            out[slot] = row
            slot += unit
        own = nothing
        if has_own > 0:
            if cursor >= have:
                return i, used
            if words[cursor] < one:
                own = unit
            cursor += 1
        first = slot
        end = begin + columns
        while slot < end:
            if cursor + each > have:
                return i, used
            start = cursor
            flags = tied
            if fields == UNROLLED:
                # Nearly all blocks are done with in this loop, which is small enough for registers.
                stop = min(have - 1, cursor + 2 * int(end - slot))
                flags = nothing
                while cursor < stop:
                    word, other = words[cursor], words[cursor + 1]
                    a, b = cuts[word & mask], cuts[word >> 15 & mask]
                    c, d = cuts[word >> 30 & mask], cuts[word >> 45 & mask]
                    e, f = cuts[other & mask], cuts[other >> 15 & mask]
                    g, h = cuts[other >> 30 & mask], cuts[other >> 45 & mask]
                    cursor += 2
                    low, high = a | b << 8 | c << 16 | d << 24, e | f << 8 | g << 16 | h << 24
                    out[slot] = low | high << 32
                    slot += unit
                    flags = low | high
                    if flags >= tied:
                        break
                if flags < tied:
                    continue
                start = cursor - 2
                slot -= unit
            else:
                cursor += each
            ones = nothing
            shift = nothing
            for step in range(each):
                word = words[start + step]
                for _ in range(fields):
                    entry = cuts[word & mask]
                    word = word >> prefix
                    low = entry & numbers
                    if entry >= tied:
                        top = low + (entry >> count_at)
                        depth = nothing
                        # Limits from `low` to `top` begin with what was drawn so far.
                        while low < top and depth < depths:
                            if cursor >= have:
                                return i, used
                            digit = words[cursor]
                            cursor += 1
                            limit = cuts[digits + low * depths + depth]
                            if top - low == unit and digit != limit:  # nearly always
                                if digit > limit:
                                    low = top
                                top = low
                                break
                            while low < top and cuts[digits + low * depths + depth] < digit:
                                low += unit
                            before = digits - depths + depth
                            while low < top and cuts[before + top * depths] > digit:
                                top -= unit
                            depth += unit
                        low = top  # what is equal to a limit is not below it
                    ones |= low << shift
                    shift += group
            out[slot] = ones
            slot += unit
        slot -= unit
        out[slot] = out[slot] & last_lanes
        if has_own > 0:
            slot = first + place // lanes
            bit = unit << place % lanes
            ones = out[slot] & ~bit
            if own > nothing:
                ones |= bit
            out[slot] = ones
        begin += columns
        used = cursor
    return len(values), used
