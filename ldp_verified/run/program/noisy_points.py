"""Programs of noise on points of a grid as they are: bits of a one-hot vector, a cell of a plane.

No point is rounded, so no word is read for it. The bits have the noise of `noise.geometric_noise`,
from the words of its kernel, one number after another; both axes of the plane that of
`noise.truncated_noise`, whose number of words tells nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Constant,
    Loop,
    Private,
    Program,
    Store,
    Variable,
)
from ldp_verified.run.program.groups import InnerProgram, all_of, digits_of
from ldp_verified.run.program.noise import folded, two_sided, walk

if TYPE_CHECKING:
    from collections.abc import Sequence


def noisy_bits(
    name: str,
    k: int,
    m: int,
    reach: int,
    digits: Sequence[int],
    counts: Sequence[int],
    width: int = 64,
) -> Program:
    """Two-sided geometric noise on each of k numbers: m for the value's own, 0 for the others.

    Args:
        name: of the mechanism.
        k: values.
        m: steps from 0 to 1.
        reach: how far beyond both the ends are.
        digits, counts: as in `noise.geometric_noise`.
        width: bits of a word.

    Returns:
        A program whose k numbers count from 0 at 1 - reach; the last two are the ends.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    most, number = m + 2 * reach, Variable("number", k)
    position, drawn = Variable("position", m + reach + 1), two_sided(most, digits, counts, width)
    own = Choice(number.unequal(Private()), Constant(reach), Constant(m + reach))
    turn = (Assign(position, own), *drawn.steps, *folded(position, drawn, most, number))
    return check(Program(name, k, width, k, most + 1, (Loop(number, k, turn),)))


def noisy_cell(name: str, axes: Sequence[tuple[int, int]], width: int = 64) -> Program:
    """Truncated geometric noise on the number of a cell along each axis.

    Args:
        name: of the mechanism.
        axes: of each the steps from its first cell to its last, and the share of its noise, as in
            `noise.truncated_noise`.
        width: bits of a word.

    Returns:
        A program whose value is the tuple of these numbers as one integer, the last axis lowest,
        and whose report has a number for each axis.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    cells, inputs = [m + 1 for m, _ in axes], 1
    for each in cells:
        inputs *= each
    parts = [
        InnerProgram(_moved_along(name, m, share, width), held)
        for (m, share), held in zip(axes, digits_of(cells), strict=True)
    ]
    return all_of(name, inputs, parts)


def _moved_along(name: str, m: int, share: int, width: int) -> Program:
    """One of m + 1 cells in a row, moved by noise that ends at the first and at the last one."""
    drawn, held = walk(m, share, width), Private()
    far, ones = drawn.far, drawn.far.below - 1
    further = Choice((held + far).less(m), (held + far + 1) % (m + 1), Constant(m))
    # held - far, where that is not negative.
    before = ((held + ((far ^ ones) + 1)) & ones) % (m + 1)
    back = Choice(far.at_most(held), before, Constant(0))
    report = Store(Constant(0), Choice(drawn.above.unequal(0), further, back))
    return check(Program(name, m + 1, width, 1, m + 1, (*drawn.steps, report)))
