"""Draw the input plus noise by an alias table: one look-up and one comparison, and exactly.

A table of 2^c columns is of one law with a list of masses where each column is shared by two
outcomes at most: its own one below a limit, and its alias from there on. The last bits of a word
tell the column. Its first bits, the field, are compared with the first bits of the limit; where
these are equal, further words are compared with the limit's other digits, until they differ. Limits
are finite binary fractions, and they are not rounded.

Masses need not add up to a power of two: what is left belongs to no noise, and another word is
drawn. So those of a law whose normalising factor is no binary fraction are all made a little
smaller. The first and the last outcome may be tails: from there the noise has no memory, and it
goes on by so much more as another word tells that falls on the same side.

Outputs beyond an end are the end; or they are folded, for staircase noise: see there.

Alastair J. Walker (1977), An Efficient Method for Generating Discrete Random Variables with General
Distributions. Michael D. Vose (1991), A Linear Algorithm for Generating Random Numbers with a Given
Distribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, smallest_dtype
from ldp_verified.run.kernels.noise import digit_constants, fraction_digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

MOST_BITS: Final = 24
"""An outcome's number has at most so many bits, so that a field has 16 at least."""

BORROW: Final = 58
"""A field has fewer bits. So the bits from here on of a difference of two are all the same."""

_HIGH: Final = 1 << 40
"""An offset larger than any noise: it is added so that no sum falls below 0."""

_WORD: Final = (1 << 64) - 1
"""The mask of 64 bits, which takes differences modulo 2^64 as the machine does."""

_HEAD: Final = 25
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


class AliasTable(NamedTuple):
    """An alias table.

    Attributes:
        owners, aliases: the two outcomes of each column.
        limits: the share of its own outcome in each column, in units of 2^-bits.
    """

    owners: tuple[int, ...]
    aliases: tuple[int, ...]
    limits: tuple[int, ...]


def alias_table(masses: Sequence[int], bits: int, places: int) -> AliasTable:
    """Share 2^places columns among outcomes.

    Args:
        masses: integers >= 0 that add up to 2^bits, at most 2^places of them.
        bits: of the masses.
        places: the logarithm of the number of columns.
    """
    full = 1 << bits
    left = [mass << places for mass in masses] + [0] * ((1 << places) - len(masses))
    aliases, limits = list(range(len(left))), [0] * len(left)
    short = [each for each, mass in enumerate(left) if mass < full]
    ample = [each for each, mass in enumerate(left) if mass >= full]
    while short:
        each, giver = short.pop(), ample[-1]
        aliases[each], limits[each] = giver, left[each]
        left[giver] -= full - left[each]
        if left[giver] < full:
            short.append(ample.pop())
    # A column with no limit is of one outcome; that of an outcome without mass is its alias's.
    owners = [each if limits[each] else alias for each, alias in enumerate(aliases)]
    return AliasTable(tuple(owners), tuple(aliases), tuple(limits))


def alias_sampler(
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
        start: what outcome 0 adds; not below 0 where no output is beyond an end.
        tails: None where the outcomes are all.
        ends: None where no output is beyond one. With a period, all but the tails are between them.
        width: bits of a word that are used.

    Raises:
        ParameterError: there are more outcomes than columns that a word can tell.
    """
    first = 1 if tails else 0
    inner = masses[first : len(masses) - first]
    # Those that are no noise come last: the two tails, and none at all.
    ordered = [*inner, *((masses[0], masses[-1]) if tails else ())]
    none, lost = len(ordered), (1 << bits) - sum(masses)
    ordered += [lost] if lost else []
    cells, period = ends or (m + len(masses), 0)
    bounded = int(ends is not None and not period)
    start += first
    # The numbers of outcomes are what they add, where no sum can be below 0.
    least = 0 if bounded else start
    none += least
    places, own = (len(ordered) - 1).bit_length(), none.bit_length()
    if places > width or own > MOST_BITS:
        rule = f"must be at most 2^{min(width, MOST_BITS)}, with what the first one adds"
        raise ParameterError("masses", rule, len(masses))
    table = alias_table(ordered, bits, places)
    field = min(width - places, 64 - 2 * own, BORROW - 1)
    edges, digits = zip(
        *(fraction_digits(limit, bits, field, width) for limit in table.limits), strict=True
    )
    entries = [
        ((edge << own) + least + owner << own) + least + alias
        for edge, owner, alias in zip(edges, table.owners, table.aliases, strict=True)
    ]
    spans = _HEAD + len(entries)
    regular = least + len(inner)
    tail = regular if tails else none + 1
    middle, stretch = (least + tails.middle - first, tails.stretch) if tails else (0, 0)
    cut_off = (cells, _HIGH + cells) if bounded else (_WORD, _WORD)
    fair = (1 << width) // period if period else 0
    constants = [_HEAD, spans, len(entries) - 1, width - field, 2 * own, own, (1 << own) - 1]
    constants += [regular, tail, none, middle, stretch, 1, 0, _WORD, _HIGH, _HIGH + start - least]
    constants += [bounded, *cut_off, cells, period, fair, max(0, period * fair - 1), cells + m]
    more = (4 if period else 2) if ends else 0
    return Sampler(
        fill=alias_fill,
        inputs=m + 1,
        cuts=(*constants, *entries, *digit_constants(digits, spans)),
        sizes=(),
        shape=(),
        dtype=smallest_dtype(cells + more),
        word_bits=width,
        unsigned=True,
    )


def alias_fill(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,
    sizes: DrawnColumn,  # noqa: ARG001  (a sampler calls every kernel alike)
) -> tuple[int, int]:
    """Kernel: a look-up, a comparison and a sum; further words where it ties or meets a tail."""
    guide, spans, columns, field_at, edge_at = cuts[0], cuts[1], cuts[2], cuts[3], cuts[4]
    own, mask, regular, tail, none = cuts[5], cuts[6], cuts[7], cuts[8], cuts[9]
    middle, stretch, unit, nothing, full = cuts[10], cuts[11], cuts[12], cuts[13], cuts[14]
    high, far, bounded, end, beyond = cuts[15], cuts[16], cuts[17], cuts[18], cuts[19]
    cells, period, fair, fair_last, most = cuts[20], cuts[21], cuts[22], cuts[23], cuts[24]
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
            entry = cuts[guide + (word & columns)]
            # A difference below 0 has all of its upper bits: the owner's number is taken.
            less = (word >> field_at) - (entry >> edge_at)
            low = entry >> (less >> BORROW & own) & mask
            if bounded:
                # What is below the lower end wraps around, and becomes the report of that end.
                total = values[spot] + far + low
                out[spot] = min(total - high & full, end) + (total >= beyond)
            else:
                out[spot] = values[spot] + low
            if low >= regular or not less:
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
            column = word & columns
            entry = cuts[guide + column]
            field = word >> field_at
            edge = entry >> edge_at
            owner = field < edge
            if field == edge:
                at = cuts[spans + column]
                until = cuts[spans + column + unit]
                while at < until:
                    if cursor >= have:
                        return i, begun
                    digit = words[place]
                    place += unit
                    cursor += 1
                    owner = digit < cuts[at]
                    at = at + unit if digit == cuts[at] else until
            low = (entry >> own if owner else entry) & mask
            below = low < middle or low == tail
            decided = low != none and (side == 0 or below == (side == 1))
            if decided and low >= regular:
                decided = False
                side = 1 if below else 2
                if size <= most:  # further out it is all the same
                    size += stretch
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
