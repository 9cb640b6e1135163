"""Sampling a high step that moves with the input: integers only, every choice exact.

Inputs are 0..m; outputs are m + w cells, of which x, ..., x + w - 1 are the window of x. One
uniform integer chooses between the window and the other m cells, another the cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_width, smallest_dtype

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

MOST_CELLS = 1 << 32
"""Cells and two atoms more are numbers of at most 64 bits either way; reports fit in 32."""

NO_ATOMS = (1, 0, 0, 0, 0, 0)
"""What a window report without atoms has in their place; no coin chooses them."""


def window_sampler(m: int, w: int, inside: int, total: int, width: int = 64) -> Sampler:
    """Inside the window with probability inside/total, uniform in it; else uniform outside it.

    So P(y|x) = inside/(total w) for the w cells of the window, (total - inside)/(total m) for the
    others.

    Args:
        m: number of steps of the input, and of cells outside a window.
        w: cells of a window.
        inside, total: 0 < inside < total <= 2^width.
        width: bits of a word that are used.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    _check_cells(m, w, width)
    if not 0 < inside < total <= 2**width:
        raise ParameterError("inside", f"must satisfy 0 < inside < total <= {2**width}", inside)
    return Sampler(
        fill=window_fill,
        inputs=m + 1,
        cuts=(*_fair(total, width), inside, *_fair(w, width), *_fair(m, width), w, *NO_ATOMS),
        sizes=(),
        shape=(),
        dtype=smallest_dtype(m + w),
        word_bits=width,
        words_per_value=3,
        least_words=3,
    )


def _check_cells(m: int, w: int, width: int) -> None:
    if not (m > 0 and w > 0 and m + w <= min(2**width, MOST_CELLS)):
        raise ParameterError("m, w", f"must be positive, {MOST_CELLS} cells at most", (m, w))


def _fair(count: int, width: int) -> tuple[int, int]:
    """(words per number, last word) of a uniform number below `count`; later words are rejected.

    Words per number are 0 where there is one number: all words are its, one more than fits in one.
    """
    share = 2**width // count
    return share if count > 1 else 0, count * share - 1


def hybrid_sampler(m: int, w: int, width: int = 64) -> Sampler:
    """Return the sampler of a window report with probability 1 - w/m, else of one of two atoms.

    The window report is that of `window_sampler(m, w, m, m + w)`. The atoms are outputs m + w and
    m + w + 1: a sign that is + with probability x/m, turned with probability w^2/(m^2 + w^2).

    Args:
        m: number of steps of the input. w: cells of a window, less than m.
        width: bits of a word that are used; m^2 + w^2 <= 2^width.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    _check_cells(m, w, width)
    if not (w < m and m + w + 2 <= MOST_CELLS and m * m + w * w <= 2**width):
        raise ParameterError("m, w", f"must satisfy w < m, m^2 + w^2 <= {2**width}", (m, w))
    return Sampler(
        fill=window_fill,
        inputs=m + 1,
        cuts=(
            *_fair(m + w, width),
            m,
            *_fair(w, width),
            *_fair(m, width),
            w,
            *_fair(m * m + w * w, width),
            w * w,
            m - w,
            m + w,
            m + w + 1,
        ),
        sizes=(),
        shape=(),
        dtype=smallest_dtype(m + w + 2),
        word_bits=width,
        words_per_value=3,
        least_words=3,
    )


def window_fill(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,
    sizes: DrawnColumn,  # noqa: ARG001  (a sampler calls every kernel alike)
) -> tuple[int, int]:
    """Kernel: fair numbers choose window or rest and a cell of each; or, by a coin, two atoms.

    Of two atoms, fair numbers choose the sign and whether it is turned.
    """
    choice_share, choice_last, inside = cuts[0], cuts[1], cuts[2]
    window_share, window_last = cuts[3], cuts[4]
    rest_share, rest_last, w = cuts[5], cuts[6], cuts[7]
    turn_share, turn_last, turned = cuts[8], cuts[9], cuts[10]
    smooth, minus, plus = cuts[11], cuts[12], cuts[13]
    used = 0
    for i in range(len(values)):
        cursor = used
        steps = True
        if smooth:
            while cursor < len(words) and words[cursor] > rest_last:
                cursor += 1
            if cursor == len(words):
                return i, used
            steps = words[cursor] // rest_share < smooth
            cursor += 1
        share = choice_share if steps else rest_share
        last = choice_last if steps else rest_last
        while cursor < len(words) and words[cursor] > last:
            cursor += 1
        if cursor == len(words):
            return i, used
        choice = words[cursor] // share
        cursor += 1
        near = choice
        # Both cells are drawn, so that the number of words does not say which of them is taken.
        if steps:
            while cursor < len(words) and words[cursor] > window_last:
                cursor += 1
            if cursor == len(words):
                return i, used
            near = words[cursor] // window_share if window_share else window_share
            cursor += 1
        share = rest_share if steps else turn_share
        last = rest_last if steps else turn_last
        while cursor < len(words) and words[cursor] > last:
            cursor += 1
        if cursor == len(words):
            return i, used
        place = words[cursor] // share if share else share
        cursor += 1
        # Read back from the slot, the input is unsigned like the words.
        out[i] = values[i]
        first = out[i]
        if not steps:
            positive = choice < first
            turn = place < turned
            out[i] = plus if positive != turn else minus
        elif choice < inside:
            out[i] = first + near
        elif place < first:
            out[i] = place
        else:
            out[i] = place + w
        used = cursor
    return len(values), used
