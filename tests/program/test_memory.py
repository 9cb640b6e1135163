"""Clients that keep answers: two reports in a row have the table's law, in every language."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import protocols
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import Constant, Keep, Kept
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.memory import bits_twice, k_rr_twice
from ldp_verified.run.program.python import python_function
from ldp_verified.run.program.rust import rust_crate
from ldp_verified.run.program.state import read_state, written_state
from ldp_verified.run.program.words import WordBuffer
from tests.broken.programs import wrong_programs
from tests.program import gcc, node, rustc, wasm
from tests.program.kept import KEPT, every_pair, is_the_table, law_of_pairs, pairs

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program

ABOUT = ["A test."]


@pytest.mark.parametrize("name", KEPT)
def test_the_law_of_two_reports_is_the_tables(name: str) -> None:
    """Found without the program; where words are rejected, some mass is left at the last word."""
    answers = every_pair(name)
    assert is_the_table(KEPT[name], answers)
    left = max(left for _, left in law_of_pairs(KEPT[name], answers))
    assert (left > 0) == (name in ("dbitflip_two", "change_tree_shares"))


@pytest.mark.parametrize("name", ["lgrr", "dbitflip", "lsue", "rappor", "rappor_cohorts"])
def test_wrong_programs_have_another_law(name: str) -> None:
    case = KEPT[name]
    found = 0
    for what, wrong in [*wrong_programs(case.program), *forgetful(case.program)]:
        if "nothing is rejected" in what or "a table is off" in what:
            continue  # none of these is
        try:
            check(wrong)
        except ParameterError:
            continue
        found += 1
        assert not is_the_table(case, answers_of(wrong, name)), what
    assert found >= 3


def forgetful(program: Program) -> list[tuple[str, Program]]:
    """What is kept is never looked for, or is kept in one cell for all values."""

    def changed(node: Any) -> Any:
        match node:
            case Keep(_, value):
                return Keep(Constant(0), changed(value))
            case Kept():
                return Kept(Constant(0))
            case tuple():
                return tuple(changed(each) for each in node)
        return _rebuilt(node, changed)

    return [("one cell for all", replace(program, body=changed(program.body)))]


def _rebuilt(node: Any, changed: Any) -> Any:
    names = [name for name in getattr(node, "__dataclass_fields__", ()) if name != "below"]
    values = {name: getattr(node, name) for name in names}
    kept = {n: changed(v) for n, v in values.items() if not isinstance(v, int | str)}
    return replace(node, **kept) if kept else node


def answers_of(program: Program, name: str) -> list[Any]:
    """What the Python printing answers to all tapes, for all pairs of values."""
    case = KEPT[name]
    cells = [0] * program.cells

    class _EndError(Exception):
        pass

    def end() -> list[int]:
        raise _EndError

    buffer = WordBuffer(end)
    report = python_function(program, buffer, lambda: buffer.owner[0], lambda _: 0, kept=cells)
    answers: list[Any] = []
    for tape in itertools.product(range(1 << program.width), repeat=case.words):
        for both in pairs(case):
            cells[:] = [0] * program.cells
            buffer.words[:] = reversed(tape)
            drawn: list[int] = []
            read: list[int] = []
            try:
                for value in both:
                    each = report(value)
                    drawn += each if isinstance(each, tuple) else (each,)
                    read.append(len(tape) - len(buffer.words))
            except _EndError:
                answers.append(None)
            else:
                answers.append((tuple(drawn), read[0] << 8 | read[1]))
    return answers


@pytest.mark.parametrize("name", KEPT)
def test_every_word_in_every_language(name: str, tmp_path: Path) -> None:
    program, words, right = KEPT[name].program, KEPT[name].words, every_pair(name)
    assert answers_of(program, name) == right
    assert gcc.every_answer(c_header(program, ABOUT), program, words, tmp_path / "c") == right
    if node.node() is not None:
        for limb in (1, 2):
            text = javascript_module(program, ABOUT, limb)
            assert node.every_answer(text, program, words, tmp_path / f"js{limb}") == right
    if rustc.rustc() is not None:
        text = rust_crate(program, ABOUT)
        assert rustc.every_answer(text, program, words, tmp_path / "rust") == right
    if wasm.has_tools():
        text = wasm.module(program)
        assert node.every_answer(text, program, words, tmp_path / "wasm") == right


def test_states_are_held_to_size_checksum_deployment_and_range() -> None:
    program = KEPT["lgrr_three"].program
    cells = [3, 0, 1]
    mine, other = bytes(range(8)), bytes(8)
    state = written_state(cells, 7, mine)
    assert read_state(program, state, mine) == (cells, 7)
    with pytest.raises(ReportError, match="another deployment"):
        read_state(program, state, other)
    for place in range(len(state)):
        damaged = bytearray(state)
        damaged[place] ^= 4
        with pytest.raises(ReportError, match="damaged"):
            read_state(program, bytes(damaged), mine)
    for wrong in (state[:-1], state + b"\0", b""):
        with pytest.raises(ReportError, match="bytes"):
            read_state(program, wrong, mine)
    with pytest.raises(ReportError, match="cells"):
        read_state(program, written_state([4, 0, 0], 7, mine), mine)
    with pytest.raises(ReportError, match="fewer"):
        read_state(program, written_state(cells, 2**32 - 1, mine), mine)


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(ParameterError, match="cells"):
        k_rr_twice("lgrr", (1 << 16) + 1, (1, 1))
    with pytest.raises(ParameterError):
        check(replace(KEPT["lgrr"].program, cells=1))
    with pytest.raises(ParameterError):
        check(replace(KEPT["lgrr"].program, kept_below=2))
    with pytest.raises(ParameterError):
        bits_twice("lsue", [(0,)], 1, (1, 1), (1, 1))


@pytest.mark.parametrize(
    "made",
    [
        protocols.LGRR(3.0, 1.0, 5),
        protocols.LOLOHA(3.0, 1.0, 40),
        protocols.DBitFlip(2.0, 50, 8, 3),
        protocols.LSUE(3.0, 1.0, 70),
        protocols.LOUE(3.0, 1.0, 3),
    ],
    ids=repr,
)
def test_thresholds_at_full_width_are_the_deployments(made: Any) -> None:
    """The constants that the C compares words with are those of the table."""
    text = c_header(made.program(), ABOUT)
    for threshold in made.thresholds:
        outputs = {2, getattr(made, "k", 0), getattr(made, "g", 0), 1}
        shown = {f"UINT64_C({threshold * count - step})" for count in outputs for step in (0, 1)}
        assert any(each in text for each in shown) or threshold in (0, 1 << 64)


def test_limits_of_permanent_bits_are_in_every_printing() -> None:
    """No tape makes a key give a word at a limit: that each is printed as it is must be looked at.

    A limit that is one off is in none of the texts.
    """
    made = protocols.Rappor(0.3, 0.2, 0.7, 40, 2)
    program = made.program(("red", "green"))
    lie, low, high = made.thresholds
    limits = {(1 << 64) - lie, lie, low, high}
    assert len(limits) == 4
    of_c, of_rust, of_javascript = (
        printed(program, ABOUT) for printed in (c_header, rust_crate, javascript_module)
    )
    for limit in (each + step for each in limits for step in (-1, 0, 1)):
        upper, lower = limit >> 32, limit & 0xFFFFFFFF
        halves = f"v_word_1 < {upper} || (v_word_1 === {upper} && (v_word_0 < {lower}))"
        assert (f"v_word < UINT64_C({limit})" in of_c) == (limit in limits)
        assert (f"v_word < {limit}u64" in of_rust) == (limit in limits)
        assert (halves in of_javascript) == (limit in limits)
