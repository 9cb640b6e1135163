"""Draw two-sided geometric noise by prefix tables: one word decides nearly always, and exactly.

For a = share/2^base, a word has four fields, the lowest first:

- side: 0 is below, 1 above;
- fine: r in 0..B-1, B a power of two;
- kept: the word is used if this field, as a number in [0, 1), is below a^(r + side); else the next
  word is taken;
- coarse: c with P(c >= j) = a^(B j), up to C, from where it is drawn on, for it has no memory.

The noise is 1 + B c + r above and -(B c + r) below. Its odds are a^(r + side) a^(B c), so that its
law is that of `run.kernels.noise`, from fewer words. Limits are finite binary fractions, and they
are not rounded: those of 64 bits would let the input be told with certainty from rare outputs. A
field is compared with the first bits of a limit. Where these are equal, further words are compared
with its other digits, until they differ.

A guide table has one entry for each cell of the coarse field: how many limits lie below it, and the
limit that lies in it. A cell with several limits is looked up among all of them, and so is the last
one, where the number of blocks has no end. A sum beyond the ends is cut off at once.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.alias_noise import alias_noise
from ldp_verified.run.kernels.draw import Sampler, smallest_dtype
from ldp_verified.run.kernels.noise import (
    BASE,
    check_cells,
    check_decay,
    digit_constants,
    fraction_digits,
    geometric_sampler,
)

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

COARSE_BITS: Final = 26
"""The number of bits of the coarse field, in words of 64 bits."""

GUIDE_BITS: Final = 11
"""The number of bits that find a cell of the guide table: its 16 KiB stay in the fastest cache."""

COARSE: Final = 64
"""C: the number of blocks that the coarse field tells apart."""

MOST_BLOCK: Final = 1 << 8
"""The largest B: the limits of a block of B have B^2 digits in all."""

FEW_BLOCKS: Final = 8
"""The largest B for which one table of cuts is used, without blocks.

Few cells of its guide table have several cuts then.
"""

_HIGH: Final = 1 << 40
"""An offset larger than any noise: it is added so that no sum falls below 0."""

_HALF: Final = 32
"""The number of bits of each half of an entry of the guide table."""

_MANY: Final = 1 << 63
"""The mark of an entry of the guide table where all limits have to be looked at."""

_WORD: Final = (1 << 64) - 1
"""The mask of 64 bits, which takes differences modulo 2^64 as the machine does."""

_HEAD: Final = 20


def block_of(share: int, base: int) -> int:
    """B: the largest power of two with a^B >= 0.8, or 1: a tenth of the words is drawn again.

    Args:
        share, base: a = share/2^base.
    """
    block, power = 1, share
    while block <= MOST_BLOCK and 10 * power * power >= 8 << (2 * base):
        block, power = 2 * block, max(1, power * power >> base)
    return block


def fields_of(block: int) -> tuple[int, int]:
    """Bits of the fields `kept` and `coarse` in words of 64 bits.

    Args:
        block: B.
    """
    return 64 - block.bit_length() - COARSE_BITS, COARSE_BITS


def noise_sampler(m: int, reach: int, share: int) -> Sampler:
    """The fastest kernel of `noise.geometric_sampler`'s law: by tables, unless they were too large.

    Args:
        m: inputs are 0..m. reach: how far beyond them outputs may lie, at least 0.
        share: a = share/2^63.

    Raises:
        ParameterError: something is outside its range.
    """
    check_decay(share, BASE)
    size = block_of(share, BASE)
    if size > MOST_BLOCK:
        return geometric_sampler(m, reach, share)
    if size <= FEW_BLOCKS:
        return alias_noise(m, reach, share)
    return prefix_noise_sampler(m, reach, share)


@lru_cache(maxsize=8)
def prefix_noise_sampler(
    m: int,
    reach: int,
    share: int,
    base: int = BASE,
    fields: tuple[int, int] | None = None,
    block: int | None = None,
    coarse: int = COARSE,
) -> Sampler:
    """x plus two-sided geometric noise, as `noise.geometric_sampler` has it.

    Args:
        m: inputs are 0..m. reach: how far beyond them outputs may lie, at least 0.
        share, base: a = share/2^base.
        fields: bits of `kept` and `coarse`; None for words of 64 bits, others for enumeration.
        block: B; None for `block_of`. coarse: C.

    Raises:
        ParameterError: something is outside its range, or a so near to 1 that B were above 2^8.
    """
    check_decay(share, base)
    check_cells(m, reach)
    size = block_of(share, base) if block is None else block
    if size > MOST_BLOCK:
        raise ParameterError("share", f"must need a block of at most {MOST_BLOCK}", size)
    places = size.bit_length()  # of side and fine
    kept, last = fields or fields_of(size)
    width, guide = places + kept + last, min(GUIDE_BITS, last)
    powers = [share**n for n in range(size + 1)]
    limits = [(powers[r + side], base * (r + side)) for r in range(size) for side in (0, 1)]
    tails = accumulate([powers[size]] * coarse, mul)
    bits = [base * size * c for c in range(1, coarse + 1)]
    blocks = [((1 << own) - tail, own) for own, tail in zip(bits, tails, strict=True)]
    tops, digits = zip(
        *(fraction_digits(*limit, kept, width) for limit in limits),
        *(fraction_digits(*limit, last, width) for limit in blocks),
        strict=True,
    )
    entries = _guide(tops[2 * size :], last, guide, size)
    spans = _HEAD + len(tops) + len(entries)
    cuts = [_HEAD, _HEAD + len(tops), spans, 2 * size, coarse, _MANY, size]
    cuts += [(1 << places) - 1, places, (1 << kept) - 1, places + kept, last - guide, _HALF]
    cuts += [(1 << _HALF) - 1, 1, m + 2 * reach, reach, _HIGH, 0, _WORD]
    cuts += [*tops, *entries, *digit_constants(digits, spans)]
    return Sampler(
        fill=prefix_noise_fill,
        inputs=m + 1,
        cuts=tuple(cuts),
        sizes=(),
        shape=(),
        dtype=smallest_dtype(m + 2 * reach + 1),
        word_bits=width,
        words_per_value=1,
        least_words=1,
        unsigned=True,
    )


def _guide(tops: tuple[int, ...], bits: int, cells: int, size: int) -> list[int]:
    """Return the guide table: for each cell what the limits below it add, and the limit in it.

    The lower half is that limit, or 2^bits, which no field reaches. `_MANY` is added where several
    limits are in the cell, or the last one.
    """
    entries = []
    for cell in range(1 << cells):
        first = bisect_left(tops, cell << (bits - cells))
        after = bisect_left(tops, (cell + 1) << (bits - cells))
        edge = tops[first] if first < after else 1 << bits
        many = _MANY * (after - first > 1 or after == len(tops))
        entries.append(many + (first * size << _HALF) + edge)
    return entries


def prefix_noise_fill(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,
    sizes: DrawnColumn,  # noqa: ARG001  (a sampler calls every kernel alike)
) -> tuple[int, int]:
    """Kernel: two look-ups, two comparisons and a sum; further words where a field ties.

    A word that is rejected is used. What it would have given is written over by the next one.
    """
    tops, guide, spans, blocks = cuts[0], cuts[1], cuts[2], cuts[3]
    last, many, block = cuts[4], cuts[5], cuts[6]
    mask, places, kept_mask, coarse_at = cuts[7], cuts[8], cuts[9], cuts[10]
    guide_at, half, low_half, unit = cuts[11], cuts[12], cuts[13], cuts[14]
    most, reach, high, nothing, full = cuts[15], cuts[16], cuts[17], cuts[18], cuts[19]
    far = reach + high
    floor = high + unit
    beyond = high + most
    end = most - unit
    have = len(words)
    count = len(values)
    # i and cursor count; spot and at_word are the same without a sign, quicker as indices.
    i = cursor = 0
    spot = at_word = nothing
    while i < count and cursor < have:
        # Nearly all words are done with in this loop.
        kept = field = place = nothing
        quick = min(count - i, have - cursor)
        ready = quick
        for step in range(quick):
            word = words[at_word]
            at_word += unit
            place = word & mask
            kept = word >> places & kept_mask
            field = word >> coarse_at
            limit = cuts[tops + place]
            entry = cuts[guide + (field >> guide_at)]
            edge = entry & low_half
            size = (entry >> half) + (place >> unit)
            size = size + block if field >= edge else size
            total = values[spot] + far
            total = total + size + unit if place & unit else total - size
            # What is at the lower end or below wraps around, and becomes the report of that end.
            out[spot] = min(total - floor & full, end) + (total >= beyond)
            if kept == limit or field == edge or entry >= many:
                ready = step
                break
            i += int(kept < limit)
            spot = spot + unit if kept < limit else spot
        cursor += ready
        if ready == quick:
            continue
        begun = cursor
        cursor += 1
        size = coarse = nothing
        # Whether the word is kept; then its block, again from new words while it is C.
        own = kept
        low = place
        top = place + unit
        part = 0
        while part < 2:
            until = top
            while low < top:  # limits below the field
                mean = (low + top) >> unit
                if cuts[tops + mean] < own:
                    low = mean + unit
                else:
                    top = mean
            while top < until and cuts[tops + top] == own:
                top += unit
            depth = nothing
            while low < top:
                at = cuts[spans + low] + depth
                if at >= cuts[spans + low + unit]:
                    low += unit  # its digits are used up: no word is below it
                    continue
                if cursor >= have:
                    return i, begun
                digit = words[at_word]
                at_word += unit
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
            if part == 0:
                part = 1 if low == place else 2
                own = field
            else:
                coarse = low - blocks
                if coarse < last or size > most:
                    part = 3
                else:
                    size += last * block
                    if cursor >= have:
                        return i, begun
                    own = words[at_word] >> coarse_at
                    at_word += unit
                    cursor += 1
            low = blocks
            top = blocks + last
        if part == 3:  # kept
            size += coarse * block + (place >> unit)
            total = values[spot] + far
            total = total + size + unit if place & unit else total - size
            out[spot] = min(total - floor & full, end) + (total >= beyond)
            spot += unit
            i += 1
    return i, cursor
