"""Draw one-hot rows plus two-sided geometric noise: by table look-ups, and exactly.

A row has k numbers: m at the place of the user's value and 0 elsewhere. Two-sided geometric noise
with a = share/2^base is added to each of them. A word gives two noises: it has four fields of 16
bits, and each noise is made from two of them, which are looked up in tables:

- the fine field gives z in 1 - B..B, where B is a power of two and P(z) is proportional to a^|z|;
- the coarse field gives c, with P(c >= j) = a^(B j), up to C. At C another field is drawn, and what
  it gives is added: a geometric number that is at least C has the same law from there on.

The noise is z + B c if z > 0, else z - B c. Its probability is proportional to a^|z| a^(B c), so
that it has the law of `run.kernels.noise`. A table says which number a field stands for, that is
between which limits it lies. A field that equals the first bits of a limit does not decide: further
words are compared with the other digits of the limits, until they differ. Limits are finite binary
fractions, and are not rounded: those of z are all multiplied by one factor, so that hardly anything
is left above the last of them. What falls there is drawn again.

The noise at the user's own place is drawn like any other, so that the number of words that are read
does not depend on the value.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, smallest_dtype
from ldp_verified.run.kernels.noise import (
    BASE,
    check_cells,
    check_decay,
    digit_constants,
    fraction_digits,
)
from ldp_verified.run.kernels.prefix_bits import limits_below
from ldp_verified.run.kernels.prefix_noise import COARSE, block_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

PREFIX: Final = 16
"""Bits of a field in words of 64 bits: two tables of 64 KiB."""

MOST_BLOCK: Final = 64
"""The largest B, which keeps all entries of the tables below `_TIE`."""

_TIE: Final = 128
"""An entry of a table for a field that is not decided by its bits."""

_HIGH: Final = 1 << 40
"""An offset larger than any noise: it is added so that no sum falls below 0."""

_WORD: Final = (1 << 64) - 1
"""The mask of 64 bits, which takes differences modulo 2^64 as the machine does."""

_HEAD: Final = 23
"""The number of constants before the tables."""


def has_tables(reach: int, share: int, base: int = BASE) -> bool:
    """Return whether `noisy_one_hot_sampler` is the kernel to use for this noise.

    That is so where few coarse fields give C, and no noise of up to B C reaches an end.

    Args:
        reach: how far beyond 0..m outputs may lie. share, base: a = share/2^base.
    """
    block = block_of(share, base)
    return block <= 2 * MOST_BLOCK and min(block, MOST_BLOCK) * COARSE < reach


def noisy_one_hot_sampler(
    k: int,
    m: int,
    reach: int,
    share: int,
    base: int = BASE,
    prefix: int = PREFIX,
    block: int | None = None,
    coarse: int = COARSE,
) -> Sampler:
    """Return the sampler of rows of k numbers, each with the law of `noise.geometric_sampler`.

    Args:
        k: numbers of a row; inputs are 0..k-1.
        m: what the number at the place of the input has more.
        reach: how far beyond 0..m outputs may lie.
        share, base: a = share/2^base.
        prefix: bits of a field; 16, others for enumeration.
        block: B; None for `block_of`, or 64 if that is more. coarse: C.

    Raises:
        ParameterError: something is outside its range.
    """
    check_decay(share, base)
    check_cells(m, reach)
    if k < 1:
        raise ParameterError("k", "must be at least 1", k)
    size = min(block_of(share, base), MOST_BLOCK) if block is None else block
    if not (size <= MOST_BLOCK and size * coarse < reach):
        rule = f"must give blocks of at most {MOST_BLOCK}, {coarse} of them below the reach"
        raise ParameterError("share, reach", rule, (share, reach))
    cuts, table = _constants(m, reach, share, base, prefix, size, coarse)
    return Sampler(
        fill=noisy_one_hot_fill,
        inputs=k,
        cuts=cuts,
        sizes=(k,),
        shape=(k,),
        dtype=smallest_dtype(m + 2 * reach + 1),
        word_bits=4 * prefix,
        words_per_value=(k + 1) // 2 + k // 128 + 2,
        least_words=(k + 1) // 2,
        unsigned=True,
        table=table,
    )


@lru_cache(maxsize=4)
def _constants(
    m: int, reach: int, share: int, base: int, prefix: int, size: int, coarse: int
) -> tuple[tuple[int, ...], bytes]:
    """Return the constants and the tables that the kernel reads, for rows of any length.

    Computing them takes 0.1 s, so they are kept.
    """
    # Powers are a^n 2^(base size); `scale` is 2^own over what they add up to, rounded down: it has
    # about `base` bits.
    powers = [share**n << (base * (size - n)) for n in range(size + 1)]
    sides = [powers[abs(z)] for z in range(1 - size, size + 1)]
    own = base * (size + 1) + size.bit_length()
    scale = (1 << own) // sum(sides)
    fine = [(scale * end, own) for end in accumulate(sides)]
    tails = accumulate([share**size] * coarse, mul)
    places = [base * size * c for c in range(1, coarse + 1)]
    blocks = [((1 << bits) - tail, bits) for bits, tail in zip(places, tails, strict=True)]
    tops, digits = zip(
        *(fraction_digits(*limit, prefix, 4 * prefix) for limit in [*fine, *blocks]), strict=True
    )
    spans = _HEAD + len(tops)
    most = m + 2 * reach
    cuts = [_HEAD, spans, 2 * size, len(tops), size, size.bit_length() - 1, m]
    cuts += [prefix, 2 * prefix, 3 * prefix, (1 << prefix) - 1, 1 << prefix, _TIE, 1, 0]
    cuts += [reach - size, reach + _HIGH + 1 - size, _HIGH + 1, _HIGH + most, most - 1, _WORD]
    cuts += [most, 2]
    table = _table(tops[: 2 * size], prefix) + _table(tops[2 * size :], prefix)
    return (*cuts, *tops, *digit_constants(digits, spans)), table


def _table(tops: Sequence[int], prefix: int) -> bytes:
    """Return a table that gives, for each field, the number of limits below it, or `_TIE`.

    `_TIE` stands for a field that equals the first bits of a limit, and for one above the last
    limit, where another field is drawn.
    """
    below, tied = limits_below(tops, prefix)
    return np.where(tied | (below >= len(tops)), _TIE, below).astype(np.uint8).tobytes()


def noisy_one_hot_fill(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: Any,
    sizes: DrawnColumn,
) -> tuple[int, int]:
    """Kernel: draw two numbers of a row from each word, and read further words where a field ties.

    Where k is odd, only half of the last word of a row is used.
    """
    table, constants = cuts
    tops, spans, both, limits = constants[0], constants[1], constants[2], constants[3]
    block, shift, own_more, prefix = constants[4], constants[5], constants[6], constants[7]
    second_at, third_at, mask, coarse_at = constants[8], constants[9], constants[10], constants[11]
    tie, unit, nothing, quick_base = constants[12], constants[13], constants[14], constants[15]
    base, floor, beyond, end = constants[16], constants[17], constants[18], constants[19]
    full, most, two = constants[20], constants[21], constants[22]
    have = len(words)
    begin = place = nothing
    used = 0
    for i in range(len(values)):
        cursor = used
        slot = begin
        own = begin + values[i]
        more = own_more
        left = sizes[0]
        while left > 0:
            # Nearly all words are done with in this loop, where no noise reaches an end.
            quick = min(have - cursor, left // 2)
            ready = quick
            for step in range(quick):
                word = words[place]
                a = table[word & mask] | nothing
                b = table[coarse_at + (word >> prefix & mask)] | nothing
                c = table[word >> second_at & mask] | nothing
                d = table[coarse_at + (word >> third_at)] | nothing
                if (a | b | c | d) >= tie:
                    ready = step
                    break
                # All ones where z is not above 0: it turns the sign of what is added to it.
                down = (a >> shift) - unit & full
                out[slot] = quick_base + a + ((b << shift ^ down) - down) & full
                down = (c >> shift) - unit & full
                out[slot + unit] = quick_base + c + ((d << shift ^ down) - down) & full
                slot += two
                place += unit
            cursor += ready
            left -= 2 * ready
            if left == 0:
                continue
            if cursor >= have:
                return i, used
            word = words[place]
            place += unit
            cursor += 1
            for _ in range(min(left, 2)):
                field = word & mask
                further = word >> prefix & mask
                word = word >> second_at
                size = fine = nothing
                low, top = nothing, both
                coarse = False
                decided = False
                while not decided:
                    until = top
                    while low < top:  # limits below the field
                        mean = (low + top) >> unit
                        if constants[tops + mean] < field:
                            low = mean + unit
                        else:
                            top = mean
                    while top < until and constants[tops + top] == field:
                        top += unit
                    depth = nothing
                    while low < top:
                        at = constants[spans + low] + depth
                        if at >= constants[spans + low + unit]:
                            low += unit  # its digits are used up: no word is below it
                            continue
                        if cursor >= have:
                            return i, used
                        digit = words[place]
                        place += unit
                        cursor += 1
                        # Those below the word come first, as do those that end before it.
                        while low < top and constants[at] < digit:
                            low += unit
                            if low < top:
                                at = constants[spans + low] + depth
                        while top > low:
                            at = constants[spans + top - unit] + depth
                            if constants[at] <= digit:
                                break
                            top -= unit
                        depth += unit
                    again = low == until
                    if coarse:
                        size += (low - both) * block
                        decided = not again or size > most  # further out it is all the same
                    elif not again:
                        fine = low
                        coarse = True
                        field = further
                    if coarse and not decided:
                        low, top = both, limits
                    elif not decided:
                        low, top = nothing, both
                    if again and not decided:
                        if cursor >= have:
                            return i, used
                        field = words[place] & mask
                        place += unit
                        cursor += 1
                total = base + fine
                total = total + size if fine >= block else total - size
                if slot == own:
                    total += own_more
                    more = nothing
                # What is at the lower end or below wraps around, and becomes the report of it.
                out[slot] = min(total - floor & full, end) + (total >= beyond)
                slot += unit
                left -= 1
        out[own] = out[own] + more
        begin = slot
        used = cursor
    return len(values), used
