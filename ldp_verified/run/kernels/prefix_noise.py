"""Draw two-sided geometric noise by prefix tables: one word decides nearly always, and exactly.

A word has three fields. Each picks one of several intervals of [0, 1) whose ends are
finite binary fractions, powers of a = share/2^base: a table says which, unless an end lies in the
field's cell. Then further words are compared with the digits of the ends, until they differ.

- fine: r in 0..B-1 with odds a^r, as U B < 1 + a + ... + a^(B-1); what is above is drawn again;
- coarse: c with P(c >= j) = a^(B j), up to C, from where it is drawn on, for it has no memory;
- side: below with odds 1 to a for above; what is beyond both is drawn again.

B c + r is geometric, and the noise is 1 + B c + r above, -(B c + r) below: the law of
`run.kernels.noise`, from fewer words. Ends are not rounded: those of 64 bits would let the input be
told with certainty from rare outputs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, smallest_dtype
from ldp_verified.run.kernels.noise import MOST_CELLS

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

FIELDS: Final = (14, 12, 14)
"""Bits of the fields: the tables of the first two, 40 KiB, stay in the fastest cache."""

COARSE: Final = 32
"""C: blocks that the coarse field tells apart."""

MOST_BLOCK: Final = 1 << 8
"""B at most: the ends of a block of B have B^2/2 digits in all."""

UNDECIDED: Final = (1 << 16) - 1
"""In a table: an end lies in this cell."""

_HIGH: Final = 1 << 40
"""No noise is so large: sums with it do not fall below 0."""

_HEAD: Final = 22
_AT_ONCE: Final = 4
"""Entries of a table in one number."""


def block_of(share: int, base: int) -> int:
    """B: the largest power of two with a^B >= 0.7, or 1: a twelfth of the words is drawn again.

    Args:
        share, base: a = share/2^base.
    """
    block, power = 1, share
    while block <= MOST_BLOCK and 10 * power * power >= 7 << (2 * base):
        block, power = 2 * block, max(1, power * power >> base)
    return block


@lru_cache(maxsize=8)
def prefix_noise_sampler(
    m: int,
    reach: int,
    share: int,
    base: int = 63,
    fields: tuple[int, int, int] = FIELDS,
    block: int | None = None,
    coarse: int = COARSE,
) -> Sampler:
    """x plus two-sided geometric noise, as `noise.geometric_sampler` has it.

    Args:
        m: inputs are 0..m. reach: how far beyond them outputs may lie, at least 0.
        share, base: a = share/2^base.
        fields: bits of each; others than these for enumeration.
        block: B; None for `block_of`. coarse: C.

    Raises:
        ParameterError: something is outside its range, or a so near to 1 that B were above 2^9.
    """
    if not 0 < share < 1 << base:
        raise ParameterError("share", f"must be in 1..{(1 << base) - 1}", share)
    if not (m > 0 and reach >= 0 and m + 2 * reach < MOST_CELLS):
        raise ParameterError("m, reach", f"must give at most {MOST_CELLS} cells", (m, reach))
    size = block_of(share, base) if block is None else block
    if size > MOST_BLOCK:
        raise ParameterError("share", f"must need a block of at most {MOST_BLOCK}", size)
    width = sum(fields)
    parts = [
        _digits(ends, bits, prefix, width)
        for prefix, (ends, bits) in zip(
            fields,
            (
                _fine(share, base, size),
                _coarse(share, base, size, coarse),
                ([1 << base, (1 << base) + share], base + 1),
            ),
            strict=True,
        )
    ]
    cuts: list[int] = [0] * _HEAD
    for part, (tops, digits) in enumerate(parts):
        within = [bool(each) for each in digits]
        table = _packed(tops, within, fields[part]) if part < 2 else []
        cuts[3 * part : 3 * part + 3] = len(cuts), len(cuts) + len(table), len(tops)
        cuts += table
        # For each end: its cell, where its digits begin, and where they stop.
        start = len(cuts) + 3 * len(tops)
        for top, each in zip(tops, digits, strict=True):
            cuts += [top, start, start + len(each)]
            start += len(each)
        cuts += [digit for each in digits for digit in each]
    cuts[9:17] = size, (1 << fields[0]) - 1, fields[0], 1, UNDECIDED, m + 2 * reach, reach, _HIGH
    (_, last), (_, inside) = parts[2]
    masks = (1 << fields[1]) - 1, fields[1]
    cuts[17:_HEAD] = fields[2] - 1, last, last if inside else 1 << fields[2], *masks
    return Sampler(
        fill=prefix_noise_fill,
        inputs=m + 1,
        cuts=tuple(cuts),
        sizes=(),
        shape=(),
        dtype=smallest_dtype(m + 2 * reach + 1),
        word_bits=width,
        words_per_value=2,
        least_words=1,
        unsigned=True,
    )


def _fine(share: int, base: int, size: int) -> tuple[list[int], int]:
    """The ends (1 + ... + a^r)/B, r = 0..B-1, in units of 2^-bits; the bits."""
    log = size.bit_length() - 1
    bits = base * (size - 1) + log
    ends, total, power = [], 0, 1 << (base * (size - 1))
    for _ in range(size):
        total += power
        ends.append(total)
        power = (power >> base) * share
    return ends, bits


def _coarse(share: int, base: int, size: int, coarse: int) -> tuple[list[int], int]:
    """The ends 1 - a^(B c), c = 1..C, in units of 2^-bits; the bits."""
    bits = base * size * coarse
    one, part = 1 << bits, share**size
    return [one - (part**c << (bits - base * size * c)) for c in range(1, coarse + 1)], bits


def _digits(
    ends: list[int], bits: int, prefix: int, width: int
) -> tuple[list[int], list[list[int]]]:
    """For each end below 1 its cell of 2^-prefix, and its digits beyond in base 2^width.

    An end at 1 is none.
    """
    more = -(-max(0, bits - prefix) // width)
    scaled = prefix + more * width
    tops, digits = [], []
    for end in ends:
        if end >> bits:
            continue
        number = end << (scaled - bits)
        tops.append(number >> (more * width))
        below = f"{number & ((1 << (more * width)) - 1):0{more * width}b}".rstrip("0")
        own = [
            int(below[at : at + width].ljust(width, "0"), 2) for at in range(0, len(below), width)
        ]
        digits.append(own)
    return tops, digits


def _packed(tops: list[int], within: list[bool], prefix: int) -> list[int]:
    """The interval of each cell, `UNDECIDED` where an end lies within; four in a number.

    An end without digits is not within: it lies at the beginning of its cell.
    """
    cells = np.searchsorted(np.array(tops), np.arange(1 << prefix), side="right").astype(np.uint64)
    cells[[top for top, inside in zip(tops, within, strict=True) if inside]] = UNDECIDED
    padded = np.zeros(-(-len(cells) // _AT_ONCE) * _AT_ONCE, dtype="<u2")
    padded[: len(cells)] = cells
    return [int(each) for each in padded.view("<u8")]


def prefix_noise_fill(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,
    sizes: DrawnColumn,  # noqa: ARG001  (kernels have one signature)
) -> tuple[int, int]:
    """Kernel: two look-ups, a side and a sum; further words where a field is undecided.

    A word that is rejected is used. What it would have given is written over by the next one.
    """
    fine_table, coarse_table, last_coarse = cuts[0], cuts[3], cuts[5]
    block, mask, prefix, unit = cuts[9], cuts[10], cuts[11], cuts[12]
    undecided, most, reach, high = cuts[13], cuts[14], cuts[15], cuts[16]
    top_bit, taken_below, edge = cuts[17], cuts[18], cuts[19]
    coarse_mask, coarse_prefix = cuts[20], cuts[21]
    nothing = unit ^ unit
    two = unit + unit
    three = two + unit
    four = two + two
    middle = reach + high
    beyond = high + most
    have = len(words)
    count = len(values)
    cursor = 0
    i = 0
    while i < count and cursor < have:
        word = words[cursor]
        cursor += 1
        place = word & mask
        fine = cuts[fine_table + (place >> two)] >> ((place & three) << four) & undecided
        rest = word >> prefix
        place = rest & coarse_mask
        coarse = cuts[coarse_table + (place >> two)] >> ((place & three) << four) & undecided
        side = rest >> coarse_prefix
        above = side >> top_bit
        taken = side < taken_below
        size = nothing
        if fine == undecided or coarse >= last_coarse or side == edge:
            begun = cursor - 1
            # The fields in order; the coarse one again, from new words, while it is C.
            part = 0
            field = word & mask
            code = fine
            while part < 3:
                if code == undecided:
                    ends = cuts[3 * part + 1]
                    low = nothing
                    top = cuts[3 * part + 2]
                    stop = top
                    while low < top:  # ends in cells below this one
                        mean = (low + top) >> unit
                        if cuts[ends + three * mean] < field:
                            low = mean + unit
                        else:
                            top = mean
                    while top < stop and cuts[ends + three * top] == field:
                        top += unit
                    depth = nothing
                    while low < top:
                        at = cuts[ends + three * low + unit] + depth
                        if at >= cuts[ends + three * low + two]:
                            low += unit  # its digits are used up: no word is below it
                            continue
                        if cursor >= have:
                            return i, begun
                        digit = words[cursor]
                        cursor += 1
                        # Those below the word come first, as do those that end before it.
                        while low < top and cuts[at] < digit:
                            low += unit
                            if low < top:
                                at = cuts[ends + three * low + unit] + depth
                        while top > low:
                            at = cuts[ends + three * (top - unit) + unit] + depth
                            if cuts[at] <= digit:
                                break
                            top -= unit
                        depth += unit
                    code = low
                if part == 0:
                    fine = code
                    part = 1
                    field = rest & coarse_mask
                    code = coarse
                elif part == 2:
                    if side == edge:
                        above = code & unit
                        taken = code < two
                    part = 3
                elif code >= last_coarse and size <= most:
                    size += last_coarse * block
                    if cursor >= have:
                        return i, begun
                    field = words[cursor] & coarse_mask
                    cursor += 1
                    place = cuts[coarse_table + (field >> two)]
                    code = place >> ((field & three) << four) & undecided
                else:
                    coarse = code
                    part = 2
                    field = side
                    code = undecided if side == edge else nothing
        size += coarse * block + fine
        total = values[i] + middle - size + above * (size + size + unit)
        if total <= high:
            total = high + most
        elif total >= beyond:
            total = high + most + unit
        out[i] = total - high - unit
        i += int(taken & (fine < block))
    return i, cursor
