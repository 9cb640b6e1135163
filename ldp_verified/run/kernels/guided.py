"""Draw the input plus noise from a table of cuts: one look-up and one comparison, and exactly.

A number U in [0, 1), the digits of which are words, is placed among cuts: the noise is how many of
them are not above it. Cuts are finite binary fractions, and they are not rounded. The first bits of
a word, its field, tell the cell of a guide table, which has the number of cuts below the cell and
the first bits of the one in it. Where a field equals these, or where a cell has several cuts, whole
words are compared, and further ones with further digits, until they differ.

What is above the last cut belongs to no noise: another U is drawn. So masses need not add up to 1,
and those of a law whose normalising factor is no binary fraction are all made a little smaller. The
first and the last outcome may be tails: from there the noise has no memory, and it goes on by so
much more as another U tells that falls on the same side.

Outputs beyond an end are the end; or they are folded, for staircase noise: see there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from ldp_verified.run.kernels.draw import Sampler, smallest_dtype
from ldp_verified.run.kernels.noise import digit_constants, fraction_digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

FIELD_BITS: Final = 31
"""The largest number of bits of a field."""

LEAST_GUIDE, MOST_GUIDE = 8, 14
"""The least and the most bits that find a cell of the guide table: it has 128 KiB at most."""

RARE: Final = 1 / 256
"""The guide table is fine enough when at most this share of its cells have several cuts."""

_HALF: Final = 32
"""The number of bits of each half of an entry of the guide table."""

_MANY: Final = 1 << 63
"""The mark of an entry of the guide table where whole words have to be compared."""

_HIGH: Final = 1 << 40
"""An offset larger than any noise: it is added so that no sum falls below 0."""

_WORD: Final = (1 << 64) - 1
"""The mask of 64 bits, which takes differences modulo 2^64 as the machine does."""

_HEAD: Final = 26
"""The number of constants before the tables."""


class Tails(NamedTuple):
    """Describe how the noise goes on where the first and the last outcome are tails.

    Attributes:
        middle: outcomes below this one are on the side of the first.
        stretch: how much is added to the size of the noise each time that a tail is met.
    """

    middle: int
    stretch: int


class Overflow(NamedTuple):
    """The ends of the outputs.

    Attributes:
        cells: between the ends are the outputs 0..cells-1.
        period: of staircase noise, what is beyond is folded by it; 0 where the output `cells`
            stands for all below, and the next one for all above.
    """

    cells: int
    period: int = 0


def guided_sampler(
    m: int,
    masses: Sequence[int],
    bits: int,
    start: int = 0,
    tails: Tails | None = None,
    ends: Overflow | None = None,
    width: int = 64,
) -> Sampler:
    """The input plus `start` plus j, where P(j) is in proportion to masses[j].

    Args:
        m: inputs are 0..m.
        masses: two or more positive integers that add up to 2^bits at most.
        bits: of the masses.
        start: what outcome 0 adds.
        tails: None where the outcomes are all.
        ends: None where no output is beyond one. With a period, all but the tails are between them.
        width: bits of a word that are used.
    """
    complete = sum(masses) == 1 << bits
    cuts = list(accumulate(masses[:-1] if complete else masses))
    tops, rest = zip(*(fraction_digits(cut, bits, width, width) for cut in cuts), strict=True)
    none = len(masses)  # the outcome above the last cut
    special = (1, none - 1, none) if tails else (0, none, none)
    field = min(FIELD_BITS, width)
    guide, entries = _guide([top >> (width - field) for top in tops], field, special)
    at_tops = _HEAD + len(entries)
    at_spans = at_tops + len(cuts)
    middle, stretch = tails or (0, 0)
    cells, period = ends or (m + len(masses), 0)
    cut_off = (cells, _HIGH + cells) if ends and not period else (_WORD, _WORD)
    fair = (1 << width) // period if period else 0
    constants = [_HEAD, at_tops, at_spans, width - field, field - guide, _HALF, (1 << _HALF) - 1]
    constants += [_MANY, (_MANY >> _HALF) - 1, 1, 0, _WORD, _HIGH, _HIGH + start, *cut_off]
    constants += [*special, middle, stretch, cells, period, fair, max(0, period * fair - 1)]
    constants += [cells + m]
    more = (4 if period else 2) if ends else 0
    return Sampler(
        fill=guided_fill,
        inputs=m + 1,
        cuts=(*constants, *entries, *tops, *digit_constants(rest, at_spans)),
        sizes=(),
        shape=(),
        dtype=smallest_dtype(cells + more),
        word_bits=width,
        unsigned=True,
    )


def _guide(
    fields: Sequence[int], bits: int, special: tuple[int, int, int]
) -> tuple[int, list[int]]:
    """Return the bits that find a cell of the guide table, and the table's entries.

    The upper half of an entry is the number of cuts below the cell. The lower half is the field of
    a cut in the cell, or 2^bits, which no field equals. `_MANY` is added where several cuts
    are in the cell, or where the outcome may be one of those beside `special`. The last entry is
    that of a cell above all.
    """
    guide = min(LEAST_GUIDE, bits)
    while guide < min(MOST_GUIDE, bits):
        held = Counter(field >> (bits - guide) for field in fields)
        if sum(count > 1 for count in held.values()) <= RARE * (1 << guide):
            break
        guide += 1
    firsts = [bisect_left(fields, cell << (bits - guide)) for cell in range((1 << guide) + 1)]
    firsts[-1] = len(fields)
    entries = []
    for first, after in pairwise(firsts):
        edge = fields[first] if first < after else 1 << bits
        many = after - first > 1 or first < special[0] or after >= special[1]
        entries.append(_MANY * many + (first << _HALF) + edge)
    return guide, [*entries, len(fields) << _HALF]


def guided_fill(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,
    sizes: DrawnColumn,  # noqa: ARG001  (a sampler calls every kernel alike)
) -> tuple[int, int]:
    """Kernel: a look-up, a comparison and a sum; whole words, and further ones, where it ties."""
    guide, tops, spans = cuts[0], cuts[1], cuts[2]
    field_at, guide_at, half, low_half = cuts[3], cuts[4], cuts[5], cuts[6]
    many, index_mask, unit, nothing, full = cuts[7], cuts[8], cuts[9], cuts[10], cuts[11]
    high, far, end, beyond = cuts[12], cuts[13], cuts[14], cuts[15]
    lower, upper, none, middle, stretch = cuts[16], cuts[17], cuts[18], cuts[19], cuts[20]
    cells, period, fair, fair_last, most = cuts[21], cuts[22], cuts[23], cuts[24], cuts[25]
    have = len(words)
    count = len(values)
    # i and cursor count; spot and place are the same without a sign, which are quicker as indices.
    i = cursor = 0
    spot = place = nothing
    while i < count and cursor < have:
        # Nearly all words are done with in this loop.
        word = nothing
        quick = min(count - i, have - cursor)
        ready = quick
        for step in range(quick):
            word = words[place]
            place += unit
            field = word >> field_at
            entry = cuts[guide + (field >> guide_at)]
            edge = entry & low_half
            total = values[spot] + far + (entry >> half)
            total = total + unit if field >= edge else total
            # What is below the lower end wraps around, and becomes the report of that end.
            out[spot] = min(total - high & full, end) + (total >= beyond)
            if field == edge or entry >= many:
                ready = step
                break
            spot += unit
        i += ready
        cursor += ready
        if ready == quick:
            continue
        begun = cursor
        cursor += 1
        size = low = nothing
        side = 0  # of the tail that was met: 1 below, 2 above
        decided = False
        while not decided:
            cell = guide + (word >> field_at >> guide_at)
            low = cuts[cell] >> half & index_mask
            top = cuts[cell + unit] >> half & index_mask
            until = top
            while low < top:  # cuts below the word
                mean = (low + top) >> unit
                if cuts[tops + mean] < word:
                    low = mean + unit
                else:
                    top = mean
            while top < until and cuts[tops + top] == word:
                top += unit
            depth = nothing
            while low < top:
                at = cuts[spans + low] + depth
                if at >= cuts[spans + low + unit]:
                    low += unit  # its digits are used up: no word is below it
                    continue
                if cursor >= have:
                    return i, begun
                digit = words[place]
                place += unit
                cursor += 1
                # Those below the word come first, as do those that end before it.
                while low < top and cuts[at] < digit:
                    low += unit
                    if low < top:
                        at = cuts[spans + low] + depth
                while top > low:
                    at = cuts[spans + top - unit] + depth
                    if cuts[at] <= digit:
                        break
                    top -= unit
                depth += unit
            decided = True
            if low >= none or (side == 1 and low >= middle) or (side == 2 and low < middle):
                decided = False
            elif low < lower or low >= upper:
                side = 1 if low < lower else 2
                if size <= most:  # further out it is all the same
                    size += stretch
                decided = False
            if not decided:
                if cursor >= have:
                    return i, begun
                word = words[place]
                place += unit
                cursor += 1
        total = values[spot] + far + low
        total = total - size if side == 1 else total + size
        if period == nothing or (total >= high and total < high + cells):
            out[spot] = min(total - high & full, end) + (total >= beyond)
        else:
            below = total < high
            phase = (high - total - unit if below else total - high - cells) % period
            while cursor < have and words[place] > fair_last:
                place += unit
                cursor += 1
            if cursor >= have:
                return i, begun
            further = words[place] < phase * fair
            place += unit
            cursor += 1
            # Far below, below, above, far above.
            if below:
                out[spot] = cells if further else cells + unit
            else:
                out[spot] = cells + unit + unit + unit if further else cells + unit + unit
        i += 1
        spot += unit
    return i, cursor
