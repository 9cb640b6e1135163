"""The interpreter, on programs whose reports are plain to see."""

from __future__ import annotations

import pytest

from ldp_verified.errors import DomainError
from ldp_verified.run.program.form import (
    Choice,
    Constant,
    Draw,
    Loop,
    Private,
    Program,
    Store,
    Variable,
)
from ldp_verified.run.program.interpret import OutOfWordsError, interpret

WORD, TURN = Variable("word", 8), Variable("turn", 4)
SECRET = 4321


def test_a_loop_ends_when_its_condition_fails() -> None:
    body = (
        Draw(WORD),
        Loop(TURN, 4, (Store(TURN, WORD), Draw(WORD)), WORD.unequal(0)),
    )
    program = Program("loop", 2, 3, 4, 8, body)
    assert interpret(program, 0, [5, 3, 0, 9]) == ((5, 3, 0, 0), 3)
    assert interpret(program, 0, [1, 2, 3, 4, 5]) == ((1, 2, 3, 4), 5)


@pytest.mark.parametrize(("word", "report"), [(2, 7), (3, 1)])
def test_a_choice_compares(word: int, report: int) -> None:
    chosen = Choice(WORD.less(3), Constant(7), Private())
    program = Program("choice", 2, 3, 1, 8, (Draw(WORD), Store(Constant(0), chosen)))
    assert interpret(program, 1, [word]).report == (report,)


def test_too_few_words_and_foreign_values_are_refused() -> None:
    program = Program("one", 4000, 3, 1, 8, (Draw(WORD), Store(Constant(0), WORD)))
    with pytest.raises(OutOfWordsError, match="words: must be more than 0"):
        interpret(program, 0, [])
    with pytest.raises(DomainError) as refused:
        interpret(program, SECRET, [1])
    assert str(SECRET) not in str(refused.value)
