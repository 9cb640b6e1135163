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
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

PREFIX: Final = 16
"""Bits of a field in words of 64 bits: a table of 64 KiB."""

GROUP: Final = 8
"""Bits of a report that a field decides at most: entries of the table are bytes."""

UNROLLED: Final = 4
"""Fields of a word that are looked up without a loop."""

GUIDE: Final = 8
"""Bits of a field, at most, by which the limits near it are found."""


class Limits(NamedTuple):
    """The limits between numbers, as tables that turn a field of a word into a number.

    Attributes:
        table: for each field a byte: 0 where it may be a tie, else the number it stands for, turned
            by `turn` so that the number which is 0 is the least likely one.
        turn: exclusive or with it turns a number.
        guide: how many limits are below each of the cells that the first bits of a field tell.
        tops: the first bits of each limit, as many as a field has.
        digits: the further digits of each limit in base 2^word, `depths` for each.
    """

    table: bytes
    turn: int
    guide: tuple[int, ...]
    tops: tuple[int, ...]
    digits: tuple[int, ...]
    depths: int


@dataclass(frozen=True)
class Fields:
    """The layout of fields in words, from which a block of bits is drawn.

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
        """Return the fastest layout for blocks of 64 bits at full width; else one field a word.

        Args:
            width: bits of a threshold. lanes: bits of a block.
        """
        if width >= 64 == lanes:
            return cls(64, UNROLLED, PREFIX, GROUP, 64 // (UNROLLED * GROUP))
        group = max(size for size in range(1, GROUP + 1) if lanes % size == 0)
        return cls(width, 1, min(width, PREFIX), group, lanes // group)


@lru_cache(maxsize=16)
def limits_of(threshold: int, width: int, fields: Fields) -> Limits:
    """The limits between the numbers that a field stands for.

    Args:
        threshold: a bit is 1 with probability threshold/2^width, 0 < threshold < 2^width.
        width: bits of a threshold. fields: of a word.
    """
    group, prefix, word = fields.group, fields.prefix, fields.word
    powers = [
        threshold**ones * ((1 << width) - threshold) ** (group - ones) for ones in range(group + 1)
    ]
    ends = accumulate(powers[number.bit_count()] for number in range((1 << group) - 1))
    depths = -(-max(0, width * group - prefix) // word)
    limits = [end << (prefix + depths * word - width * group) for end in ends]
    tops = [limit >> (depths * word) for limit in limits]
    first, tied = limits_below(tops, prefix)
    turn = (1 << group) - 1 if 2 * threshold < 1 << width else 0
    table = np.where(tied, 0, first ^ turn).astype(np.uint8).tobytes()
    step = 1 << max(0, prefix - GUIDE)
    mask, places = (1 << word) - 1, range(depths - 1, -1, -1)
    digits = tuple(limit >> (word * place) & mask for limit in limits for place in places)
    return Limits(table, turn, tuple(first[::step].tolist()), tuple(tops), digits, depths)


def limits_below(tops: Sequence[int], prefix: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return for each field how many limits are below it, and whether it may be a tie.

    Args:
        tops: the first bits of each limit, ascending. prefix: bits of a field.
    """
    fields = np.arange(1 << prefix)
    return np.searchsorted(tops, fields, "left"), np.isin(fields, tops)


def bits_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: Any, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: words until one is a row, if there are rows; one for the own bit; then the blocks.

    A block's words come first, then those that decide its ties, field after field. The own lane is
    drawn like any other and overwritten, so that how many words are read says nothing of the value.
    """
    table, constants = cuts
    each, fields, has_own, runs = sizes[1], sizes[2], sizes[3], sizes[4]
    one, last_lanes, unit, mask = constants[0], constants[1], constants[2], constants[3]
    group, turn, turned = constants[5], constants[6], constants[7]
    units, highest, lanes, columns = constants[8], constants[9], constants[10], constants[11]
    depths, rows, row_at, cells = constants[12], constants[13], constants[14], constants[15]
    each_row, places, guide_at = constants[16], constants[17], constants[18]
    guide, tops, digits, functions = constants[19], constants[20], constants[21], constants[22]
    nothing = unit ^ unit
    order, every_bit, last_bit = constants[23], constants[24], constants[25]
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
            at = functions + row * each_row
            rest = place
            place = nothing
            for _ in range(runs):
                if rest < cells:  # mostly so, without a division
                    place += constants[at + rest]
                    rest = nothing
                else:
                    place += constants[at + rest % cells]
                    rest = rest // cells
                place = min(place, place - places & every_bit)  # modulo `places`
                at += cells
            out[slot] = row
            slot += unit
        own = nothing
        if has_own > 0:
            if cursor >= have:
                return i, used
            own = unit if words[cursor] < one else nothing
            cursor += 1
        first = slot
        end = begin + columns
        while slot < end:
            if cursor + each > have:
                return i, used
            ones = tied = nothing
            if fields == UNROLLED:
                # Nearly all blocks are done with in this loop, which is small enough for registers.
                stop = min(have - 1, cursor + 2 * int(end - slot))
                while cursor < stop:
                    word, other = words[cursor], words[cursor + 1]
                    a, b = table[word & mask] | nothing, table[word >> 16 & mask] | nothing
                    c, d = table[word >> 32 & mask] | nothing, table[word >> 48] | nothing
                    e, f = table[other & mask] | nothing, table[other >> 16 & mask] | nothing
                    g, h = table[other >> 32 & mask] | nothing, table[other >> 48] | nothing
                    cursor += 2
                    ones = a | b << 8 | c << 16 | d << 24 | e << 32 | f << 40 | g << 48 | h << 56
                    out[slot] = ones ^ turned
                    slot += unit
                    # Whether a number in it is 0: only then the difference borrows from a top bit.
                    tied = (ones - units) & ~ones & highest
                    if tied > nothing:
                        break
                if tied == nothing:
                    continue
                slot -= unit
            else:
                shift = nothing
                for step in range(each):
                    ones |= (table[words[cursor + step] & mask] | nothing) << shift
                    shift += group
                tied = (ones - units) & ~ones & highest
                cursor += each
            start = cursor - each
            # Ties are rare, and what is mispredicted is most of their cost: few branches.
            while tied > nothing:
                lowest = tied & ~(tied - unit)
                tied ^= lowest
                shift = nothing
                if fields == UNROLLED:  # the product's first byte counts the bytes below
                    shift = ((lowest >> 7) * order & every_bit) >> 56 << 3
                    word = words[start + int(shift >= 32)]
                    field = word >> (shift + shift & last_bit) & mask
                else:
                    while lowest >> shift >= unit << group:
                        shift += group
                    field = words[start + int(shift // group)] & mask
                if table[field] | nothing > nothing:
                    continue  # a borrow of the number below it
                number = turn
                if field > nothing:
                    number ^= table[field - unit] | nothing
                if number == turn:  # the field before it is undecided as well
                    number = constants[guide + (field >> guide_at)]
                    while tops + number < digits and constants[tops + number] < field:
                        number += unit
                top = number
                while tops + top < digits and constants[tops + top] == field:
                    top += unit
                depth = nothing
                # Limits from `number` to `top` begin with what was drawn so far.
                while number < top and depth < depths:
                    if cursor >= have:
                        return i, used
                    digit = words[cursor]
                    cursor += 1
                    at = digits + depth
                    limit = constants[at + number * depths]
                    if top - number == unit and digit != limit:  # nearly always
                        top = top if digit > limit else number
                        break
                    while number < top and constants[at + number * depths] < digit:
                        number += unit
                    while number < top and constants[at + (top - unit) * depths] > digit:
                        top -= unit
                    depth += unit
                ones |= (top ^ turn) << shift  # what is equal to a limit is not below it
            out[slot] = ones ^ turned
            slot += unit
        slot -= unit
        out[slot] = out[slot] & last_lanes
        if has_own > 0:
            if lanes > last_bit:  # 64, without a division
                slot = first + (place >> 6)
                lane = place & last_bit
            else:
                slot = first + place // lanes
                lane = place % lanes
            out[slot] = out[slot] & ~(unit << lane) | own << lane
        begin += columns
        used = cursor
    return len(values), used
