"""Ill-formed programs are refused before they run."""

from __future__ import annotations

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Constant,
    Draw,
    Loop,
    Private,
    Program,
    ProgramEntry,
    Retry,
    Store,
    Variable,
    When,
)

WORD = Variable("word", 16)
SMALL = Variable("small", 3)
TURN = Variable("turn", 4)
ZERO = Constant(0)
DRAW = Draw(WORD)

WRONG = {
    "word: must be set before it is read": (Store(ZERO, WORD % 3),),
    "number of the report: must be in 0..2, got 15": (DRAW, Store(ZERO, WORD)),
    "index: must be in 0..0, got 15": (DRAW, Store(WORD, ZERO)),
    "index: must be in 0..1, got 2": (Store(ZERO, ProgramEntry((0, 1), Private())),),
    "divisor: must be a positive constant": (DRAW, Store(ZERO, Private() % WORD)),
    "small: must be in 0..2, got 15": (DRAW, Assign(SMALL, WORD)),
    "small: must be in 0..2, got 3": (
        Assign(SMALL, ZERO),
        Loop(TURN, 4, (Assign(SMALL, SMALL + 1),)),
    ),
    "small: must be set": (DRAW, When(WORD.less(3), (Assign(SMALL, ZERO),)), Store(ZERO, SMALL)),
    "turn: must be set": (Loop(TURN, 4, (DRAW,)), Store(ZERO, TURN)),
    "shift: must be in 0..63, got 64": (Store(ZERO, Constant(1) << 64),),
    "expression: must be at most 18446744073709551615": (Store(ZERO, (Private() << 63) % 3),),
    "turn: must not be written": (Loop(TURN, 4, (Assign(TURN, ZERO),)),),
    "turn: must be in 0..3, got 4": (Loop(TURN, 5, (DRAW,)),),
}


@pytest.mark.parametrize("message", WRONG)
def test_a_program_that_could_leave_its_ranges_is_refused(message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace(".", r"\.")):
        check(Program("wrong", 3, 4, 1, 3, WRONG[message]))


def test_comparisons_bound_a_word_until_it_is_drawn_again() -> None:
    kept = Store(ZERO, WORD)
    check(Program("right", 3, 4, 1, 3, (DRAW, When(WORD.less(3), (kept,)))))
    check(Program("right", 3, 4, 1, 3, (Retry((DRAW,), WORD.at_most(2)), kept)))
    for body in ((DRAW, When(WORD.less(3), (DRAW, kept))), (DRAW, When(WORD.less(3), (), (kept,)))):
        with pytest.raises(ParameterError, match="number of the report"):
            check(Program("wrong", 3, 4, 1, 3, body))
