"""The Python printing draws what the interpreter draws, from the same words."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from ldp_verified.run.program.python import python_function, python_text
from ldp_verified.run.program.words import WordBuffer
from tests.broken.programs import wrong_programs
from tests.program.enumerated import CASES, at_small_width
from tests.program.test_schemes import WIDE, boundary_words

if TYPE_CHECKING:
    import numpy as np

    from ldp_verified.run.program import Program


class _NoMoreWordsError(Exception):
    """The tape has ended."""


def printed(program: Program) -> Any:
    """A function of a value and a tape: the report and the words read, or None."""
    tape: list[int] = []

    def end() -> NoReturn:
        raise _NoMoreWordsError

    buffer = WordBuffer(end)
    report = python_function(program, buffer, lambda: buffer.owner[0], lambda _: 0)

    def draw(value: int, words: Any) -> tuple[tuple[int, ...], int] | None:
        tape[:] = words
        buffer.words[:] = reversed(tape)
        try:
            drawn = report(program.value_of(value))
        except _NoMoreWordsError:
            return None
        numbers = drawn if isinstance(drawn, tuple) else (drawn,)
        return numbers, len(tape) - len(buffer.words)

    return draw


def interpreted(program: Program, value: int, words: Any) -> Any:
    try:
        return tuple(interpret(program, program.value_of(value), words))
    except OutOfWordsError:
        return None


def differs(program: Program, of: Program) -> bool:
    """Return whether a printing differs from the interpreter on some words at small width."""
    draw = printed(of)
    count = 12 // program.width
    return any(
        draw(value, words) != interpreted(program, value, words)
        for words in itertools.product(range(1 << program.width), repeat=count)
        for value in range(program.values)
    )


@pytest.mark.parametrize("name", CASES)
def test_every_word_at_small_width(name: str) -> None:
    program, _ = at_small_width(name)
    assert not differs(program, program)


@pytest.mark.parametrize("name", ["grr", "grr_wide", "olh_shares", "oue"])
def test_printings_of_wrong_programs_differ(name: str) -> None:
    """What is off by one where a word of the last place shows it."""
    program, _ = at_small_width(name)
    wrong = [(what, each) for what, each in wrong_programs(program) if "one too" in what]
    assert wrong
    for what, each in wrong:
        assert differs(program, each), what


@pytest.mark.parametrize("made", WIDE, ids=repr)
def test_boundary_and_random_words_at_full_width(made: Any, rng: np.random.Generator) -> None:
    program = made.program()
    draw = printed(program)
    for word in boundary_words(made):
        tape = rng.integers(0, 2**64 - 1, size=999, dtype="u8", endpoint=True).tolist()
        tape[made.sampler().least_words - 1] = word
        for value in (0, made.k - 1):
            drawn = draw(value, tape)
            assert drawn is not None
            assert drawn == interpreted(program, value, tape)


def test_the_text_has_the_thresholds_in_it() -> None:
    made = WIDE[0]
    assert f"v_word <= {16 * made.thresholds[0] - 1}" in python_text(made.program())
