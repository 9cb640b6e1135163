"""Sampling staircase noise: integers only, every choice exact.

The noise is a number of whole periods, geometric with decay b = share/2^(width - 1), and a cell of
one period. Each of the first w cells has weight 1, each of the other m - w weight b. A cell is
drawn with weights 1 and 2^-s >= b, and one of the others kept with probability b 2^s, else another
one is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_width, smallest_dtype
from ldp_verified.run.kernels.noise import MOST_CELLS, check_decay, power_digits, useful_levels

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots


def staircase_sampler(
    m: int, w: int, periods: int, share: int, width: int = 64, levels: int | None = None
) -> Sampler:
    """x plus staircase noise in cells, folded `periods` periods beyond the inputs.

    Report y is cell y - periods m, and covers [y - periods m, y - periods m + 1], for y below (2
    periods + 1) m. What lies j + k m cells beyond the last cell, j < m, is the report after the
    next two with probability j/m, else the next. The order is far below, below, above, far above.

    Args:
        m: inputs are 0..m, and a period has m cells. w: the cells of the high step, 1..m.
        periods: at least 1.
        share: 0 < share < 2^(width - 1).
        width: bits of a word that are used, at least 2.
        levels: bits of the number of periods that are drawn on their own.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    check_decay(share, width - 1)
    half = 1 << (width - 1)
    most = min(MOST_CELLS, 1 << width)
    if not (0 < w <= m <= most and periods > 0 and (2 * periods + 1) * m + 4 <= MOST_CELLS):
        rule = f"must give at most {MOST_CELLS} reports, of {most} per period"
        raise ParameterError("m, w, periods", rule, (m, w, periods))
    bits = useful_levels(share, width - 1) if levels is None else levels
    digits, counts = power_digits(share, bits, width - 1)
    fair = (1 << width) // m
    # 2^s is at most 1/b, and w 2^s + m - w at most 2^width.
    s = max(s for s in range(width) if share << s <= half and (w << s) + m - w <= 1 << width)
    both = (w << s) + m - w
    wide = (1 << width) // both
    return Sampler(
        fill=staircase_fill,
        inputs=m + 1,
        cuts=(half, fair, m * fair - 1, wide, both * wide - 1, w << s, 1 << s, share << s, *digits),
        sizes=(bits, m, w, periods, *counts),
        shape=(),
        dtype=smallest_dtype((2 * periods + 1) * m + 4),
        word_bits=width,
        words_per_value=6 + 2 * bits,
        least_words=3,
    )


def staircase_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: side, number of periods, cell, and where it lies far out, to which end it goes."""
    half, fair, last = cuts[0], cuts[1], cuts[2]
    wide, wide_last, inner, weight, kept = cuts[3], cuts[4], cuts[5], cuts[6], cuts[7]
    levels, m, w, periods = sizes[0], sizes[1], sizes[2], sizes[3]
    have = len(words)
    used = 0
    for i in range(len(values)):
        cursor = used
        if cursor >= have:
            return i, used
        above = words[cursor] >= half
        cursor += 1
        size = 0
        cell = 0
        first = 8
        count = 1
        level = 0
        for turn in range(levels + 1):
            last_turn = turn == levels
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
                digits = sizes[4 + level]
                while word == cuts[first + place] and place + 1 < digits:
                    place += 1
                    if cursor >= have:
                        return i, used
                    word = words[cursor]
                    cursor += 1
                    if word >= half:
                        word -= half
                if word < cuts[first + place]:
                    size += count
                    undecided = last_turn and size <= periods + 1  # further out it is all the same
                elif last_turn:
                    undecided = False
            if not last_turn:
                first += sizes[4 + level]
                level += 1
                count *= 2
        undecided = True
        while undecided:
            while cursor < have and words[cursor] > wide_last:
                cursor += 1
            if cursor >= have:
                return i, used
            drawn = words[cursor] // wide
            cursor += 1
            # Put into the slot and read back, it is no longer a word: it may meet the sizes.
            if drawn < inner:
                out[i] = drawn // weight
                cell = size * m + out[i]
                undecided = False
            else:
                out[i] = drawn - inner
                cell = size * m + w + out[i]
                if cursor >= have:
                    return i, used
                word = words[cursor]
                cursor += 1
                if word >= half:
                    word -= half
                undecided = word >= kept
        position = values[i] + periods * m
        position = position + cell if above else position - 1 - cell
        cells = (2 * periods + 1) * m
        if 0 <= position < cells:
            out[i] = position
        else:
            phase = (position - cells) % m if above else (-1 - position) % m
            while cursor < have and words[cursor] > last:
                cursor += 1
            if cursor >= have:
                return i, used
            out[i] = words[cursor] // fair
            cursor += 1
            far = out[i] < phase
            if above:
                out[i] = cells + 3 if far else cells + 2
            else:
                out[i] = cells if far else cells + 1
        used = cursor
    return len(values), used
