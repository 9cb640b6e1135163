"""Bisection in a program: how many cuts of two words are not above a number of two words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Constant,
    Expression,
    Loop,
    ProgramEntry,
    Variable,
    When,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def cuts_passed(
    cuts: Sequence[int], number: tuple[Expression, Expression], width: int
) -> tuple[Block, Variable]:
    """How many cuts are at most a number of two words, the upper one first.

    Args:
        cuts: different integers below 2^(2 width) that grow, one at least.
        number: both words; they are looked at several times.
        width: bits of a word.

    Returns:
        Statements, and the variable that has the count then.

    Raises:
        ParameterError: the cuts are none of these.
    """
    if list(cuts) != sorted({*cuts}) or not cuts or cuts[0] < 0 or cuts[-1] >> (2 * width):
        raise ParameterError("cuts", f"must grow, below 2^{2 * width}, and be one at least")
    turns = len(cuts).bit_length()
    upper = (0, *(cut >> width for cut in cuts))
    lower = (0, *(cut & ((1 << width) - 1) for cut in cuts))
    passed, probe = Variable("passed", 1 << turns), Variable("probe", 1 << turns)
    turn = Variable("bisection", turns)
    steps = tuple(1 << place for place in reversed(range(turns)))
    take = (Assign(passed, probe),)
    high, low = number
    cut = ProgramEntry(upper, probe)
    second = (When(ProgramEntry(lower, probe).at_most(low), take),)
    compared = (When(cut.at_most(high), (When(cut.less(high), take, second),)),)
    one = (
        Assign(probe, passed | ProgramEntry(steps, turn)),
        When(probe.at_most(len(cuts)), compared),
    )
    # The remainder changes nothing: it says how large the count is to who looks at bounds alone.
    counted = Assign(passed, passed % (len(cuts) + 1))
    return (Assign(passed, Constant(0)), Loop(turn, turns, one), counted), passed
