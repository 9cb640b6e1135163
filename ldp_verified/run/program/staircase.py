"""The program of staircase noise: periods, a cell of one, and where it lies far out, to which end.

It reads the same words to the same end as `run.kernels.rounding`, then `run.kernels.staircase`,
whose page says how the cell of a period is drawn.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Loop,
    Program,
    ProgramEntry,
    Retry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.grid import BITS, rounded, share_of
from ldp_verified.run.program.noise import PowerComparison
from ldp_verified.run.program.parts import fair, word_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def staircase_noise(
    name: str,
    grid: tuple[int, int, int],
    weights: tuple[int, int, int],
    digits: Sequence[int],
    counts: Sequence[int],
    width: int = 64,
    bits: int = BITS,
) -> Program:
    """A grid point 0..m plus staircase noise in cells, folded some periods beyond the ends.

    Args:
        name: of the mechanism.
        grid: (m, w, periods): m steps, of a period's m cells w with the high step, and the periods
            beyond the inputs before noise is folded.
        weights: (inner, weight, kept): a cell is drawn from w weight + m - w = inner + m - w equal
            shares, `weight` for each high one; a low one is kept with kept / 2^(width - 1).
        digits: of the powers decay^(2^i), i = 0..levels, in base 2^(width - 1), one power after
            another (`run.kernels.noise.power_digits`).
        counts: how many digits each power has.
        width: bits of a word.
        bits: of a position, an even number up to `width`.

    Returns:
        A program whose reports are the cells, then far below, below, above and far above.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    (m, w, periods), (inner, weight, kept) = grid, weights
    levels, half, cells = len(counts) - 1, 1 << (width - 1), (2 * periods + 1) * m
    word, point = word_of(width), Variable("point", m + 1)
    above, open_, turn = Variable("above", 2), Variable("open", 2), Variable("turn", max(levels, 1))
    size = Variable("size", 1 << levels)
    far = Variable("far", 1 << (periods + 1 + size.below).bit_length())
    cell, drawn = Variable("cell", m), Variable("drawn", inner + m - w)
    noise = Variable("noise", 1 << (far.below * m).bit_length())
    starts = [0, *accumulate(counts)][: levels + 1]
    compared = PowerComparison(word, tuple(digits), tuple(counts), width)
    powers = tuple(1 << i for i in range(max(levels, 1)))
    one = (Assign(open_, Constant(0)), Assign(size, size | ProgramEntry(powers, turn)))
    bit = (
        *(Draw(word), Assign(open_, Constant(0))),
        When(
            word.less(half),  # in the upper half it is a 0
            (
                *compared.steps(ProgramEntry(tuple(starts[: max(levels, 1)]), turn)),
                *(Assign(open_, Constant(1)), When(compared.below, one)),
            ),
        ),
    )
    further = (far + size.below) % far.below
    again = Choice(far.at_most(periods + 1), Constant(1), Constant(0))
    count = (
        *(Draw(word), Assign(word, word & (half - 1)), *compared.steps(Constant(starts[-1]))),
        *(Assign(open_, Constant(0)), When(compared.below, _all(far, further, open_, again))),
    )
    share = (1 << width) // drawn.below
    low = (
        *(Assign(cell, (drawn % m + (m - inner % m) + w) % m), Draw(word)),
        Assign(open_, Choice((word & (half - 1)).less(kept), Constant(0), Constant(1))),
    )
    high = (Assign(cell, (drawn // weight) % m), Assign(open_, Constant(0)))
    place = (
        *fair(word, drawn.below * share - 1, width),
        *(Assign(drawn, share_of(word, share)), When(drawn.less(inner), high, low)),
    )
    body = (
        *rounded(word, point, m, width, bits),
        *(Draw(word), Assign(above, Choice(word.less(half), Constant(0), Constant(1)))),
        Assign(size, Constant(0)),
        *((Loop(turn, levels, (Retry(bit, open_.at_most(0)),)),) if levels else ()),
        *(Assign(far, size), Retry(count, open_.at_most(0))),
        *(Retry(place, open_.at_most(0)), Assign(noise, far * m + cell)),
        *_placed(point, noise, above, (m, periods, cells), width),
    )
    return check(Program(name, (1 << bits) + 1, width, 1, cells + 4, body))


def _all(far: Variable, further: Expression, open_: Variable, again: Expression) -> Block:
    """Go further out, and on, unless it is all the same from there on."""
    return Assign(far, further), Assign(open_, again)


def _placed(
    point: Variable, noise: Variable, above: Variable, sizes: tuple[int, int, int], width: int
) -> Block:
    """Store the cell that lies so far above the point, or below it; an end where it is none."""
    m, periods, cells = sizes
    word, phase = word_of(width), Variable("phase", m)
    place = Variable("end", noise.below + cells)
    middle, ones = point + periods * m, noise.below - 1
    share = (1 << width) // m

    def end(near: int, beyond: int) -> Block:
        further = share_of(word, share).less(phase)
        chosen = Choice(further, Constant(beyond), Constant(near))
        return (*fair(word, m * share - 1, width), Store(Constant(0), chosen))

    up = (
        Assign(place, middle + noise),
        When(
            place.less(cells),
            *((Store(Constant(0), place),), (Assign(phase, place % m), *end(cells + 2, cells + 3))),
        ),
    )
    lower = ((middle + (noise ^ ones)) & ones) % cells  # middle - noise - 1
    down = (
        When(
            noise.less(middle),
            (Store(Constant(0), lower),),
            (Assign(phase, (noise + point * (m - 1)) % m), *end(cells + 1, cells)),
        ),
    )
    return (When(above.unequal(0), up, down),)
