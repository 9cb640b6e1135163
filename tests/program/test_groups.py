"""Programs of protocols that draw a group first send what these send from the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.protocols import BoxWavelet, ParityTables, RangeTree, RangeWavelet
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import Constant, Private
from ldp_verified.run.program.groups import Names, Part, one_of
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.schemes import k_rr, one_hot
from ldp_verified.run.program.vectors import boundary_words, vectors_of
from tests.broken.grouped import wrong_groups
from tests.program.enumerated import law_of, table_of
from tests.program.group_cases import GROUP_CASES
from tests.program.node import node, replayed
from tests.program.test_c import self_test
from tests.program.test_javascript import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program

MADE: list[Any] = [
    *(RangeTree(1.0, 100), RangeTree(0.5, 2), RangeTree(1.0, 1 << 24, 4)),
    *(RangeWavelet(1.0, 100), RangeWavelet(2.0, 2), RangeWavelet(1.0, 1 << 24)),
    *(ParityTables(1.0, tuple("abcde"), 3), BoxWavelet(1.0, (10, 20)), BoxWavelet(1.0, (2, 2))),
    ParityTables(0.5, tuple(f"attribute {i}" for i in range(62)), 2),
]


def given(made: Any, value: int) -> Any:
    """One user's value as the protocol takes it."""
    return [divmod(value, made.sizes[1])] if isinstance(made, BoxWavelet) else [value]


def sent(made: Any, value: int, tape: Any) -> tuple[int, ...]:
    """The numbers that the protocol's own client draws from words."""
    found = made.privatize(given(made, value), ReplayWords(tape))
    return (int(found.data[0]),)


def differs(made: Any, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some value and words make another report than the protocol's own client."""
    length = 40
    tapes = [rng.integers(0, 1 << 64, length, dtype=np.uint64) for _ in range(20)]
    for word in boundary_words(made.program()):
        for place in range(4):
            tapes.append(rng.integers(0, 1 << 64, length, dtype=np.uint64))
            tapes[-1][place] = word
    for tape in tapes:
        for value in {0, program.inputs - 1, int(rng.integers(program.inputs))}:
            right = sent(made, value, tape)
            if interpret(program, value, tape.tolist()).report != right:
                return True
    return False


@pytest.mark.parametrize("made", MADE, ids=lambda made: repr(made)[:60])
def test_the_program_sends_what_the_protocol_sends(made: Any, rng: np.random.Generator) -> None:
    """At width 64: random words, and those at and beside every limit in each of four places."""
    assert not differs(made, made.program(), rng)


@pytest.mark.parametrize("made", MADE[::3], ids=lambda made: repr(made)[:60])
def test_wrong_programs_are_seen_at_full_width(made: Any, rng: np.random.Generator) -> None:
    """The group of some values, a threshold one off, another digit; rejection is too rare here."""
    wrong = [(w, each) for w, each in wrong_groups(made.program()) if "modulo" not in w]
    assert len(wrong) >= 3
    for what, each in wrong:
        try:
            check(each)
        except LdpError:
            continue
        assert any(differs(made, each, rng) for _ in range(4)), what


@pytest.mark.parametrize("name", GROUP_CASES)
def test_wrong_programs_are_rejected_at_small_width(name: str) -> None:
    """By their ranges, or because a law is not the table's."""
    program = GROUP_CASES[name].program
    wrong = [*wrong_groups(program)]
    assert len(wrong) >= 3
    for what, each in wrong:
        try:
            check(each)
        except LdpError:
            continue
        values = range(program.inputs)
        assert any(law_of(each, v, name)[0] != table_of(name, v) for v in values), what


@pytest.mark.parametrize("made", MADE, ids=lambda made: repr(made)[:60])
def test_numbers_are_reports_of_the_protocol(made: Any) -> None:
    """What clients give, as an array, is what the protocol counts."""
    vectors = vectors_of(made.program(), 40)
    data = np.array([vector.report for vector in vectors], dtype=np.uint64)
    state = made.empty().update(made.reports(data[:, 0].astype(dtype_of(made)), simulated=False))
    assert state.n == len(vectors)


def dtype_of(made: Any) -> Any:
    """The type of the numbers of a report."""
    return made.oracle.layout.shape.dtype


@pytest.mark.parametrize("made", MADE[::3], ids=lambda made: repr(made)[:60])
def test_c_and_javascript_replay_vectors_at_full_width(made: Any, tmp_path: Path) -> None:
    from ldp_verified.run.program.javascript import javascript_module

    program = made.program()
    assert self_test(program, vectors_of(program), tmp_path / "c") == 0
    if node() is not None:
        rows, answers = rows_of(program)
        assert replayed(javascript_module(program, ["A test."]), rows, tmp_path) == answers


def test_names_of_parts_do_not_meet() -> None:
    """Parts with one variable of two ranges get two names; words are shared."""
    small, large = k_rr("a", 3, 2, 4), k_rr("b", 5, 1, 4)
    parts = [Part(small, Private() % 3), Part(large, Private() // 3), Part(small, Private() % 3)]
    program = one_of("pair", 15, parts, told=True)
    assert program.numbers == 2
    assert "held_b" in repr(program)
    assert Names().renamed(program.body[0].body[0].target).name == "coin"  # type: ignore[union-attr]  # a Retry


def test_what_cannot_be_put_together_is_refused() -> None:
    bits = one_hot("bits", 2, 2, 1, 2, 2)
    with pytest.raises(ParameterError, match="must not read its report"):
        one_of("bits", 2, [Part(bits, Private(), code=Constant(1), most=1)])
    with pytest.raises(ParameterError, match="2\\^64 values"):
        one_of("many", 1 << 65, [Part(k_rr("a", 3, 2, 4), Private() % 3)])
    with pytest.raises(LdpError, match="must be in 0"):
        one_of("large", 4, [Part(k_rr("a", 3, 2, 4), Private())])
