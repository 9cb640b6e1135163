"""The JavaScript printing draws what the interpreter draws, from the same words."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.app.cli.clients import client_texts, program_of
from ldp_verified.errors import ParameterError
from ldp_verified.run.program.javascript import javascript_module, typescript_types
from ldp_verified.run.program.vectors import vectors_of
from tests.broken.programs import wrong_programs
from tests.program.enumerated import CASES, at_small_width, law_of_answers, table_of, words_of
from tests.program.listed import LISTED, strings_of
from tests.program.node import every_answer, node, replayed, secure_source_is_read
from tests.program.test_c import every_reference
from tests.program.test_schemes import WIDE
from tests.program.wasm import has_tools

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program
    from ldp_verified.run.program.form import PrivateValue

ABOUT = ["A test."]


@pytest.mark.parametrize("name", CASES)
def test_every_word_at_small_width(name: str, tmp_path: Path) -> None:
    """In limbs of one bit and of half a word, the exact law is the table and no mass is left."""
    program, _ = at_small_width(name)
    reference = every_reference(program, words_of(name))
    if node() is None:
        return
    for limb in {1, (program.width + 1) // 2}:
        text = javascript_module(program, ABOUT, limb)
        answers = every_answer(text, program, words_of(name), tmp_path / str(limb))
        assert answers == reference
        for value in range(program.values):
            law, unresolved = law_of_answers(program, answers, value, name)
            assert law == table_of(name, value)
            assert unresolved == 0


@pytest.mark.parametrize("name", ["grr", "olh_shares", "oue"])
def test_printings_of_wrong_programs_differ(name: str, tmp_path: Path) -> None:
    program, _ = at_small_width(name)
    wrong = [(what, each) for what, each in wrong_programs(program) if "one too" in what]
    assert wrong
    if node() is None:
        return
    length = 12 // program.width
    right = every_reference(program)
    for i, (what, each) in enumerate(wrong):
        text = javascript_module(each, ABOUT, 1)
        assert every_answer(text, program, length, tmp_path / str(i)) != right, what


def rows_of(program: Program) -> tuple[list[tuple[PrivateValue, bytes]], list[Any]]:
    """Values and tapes of the vectors, and what they must give."""
    vectors = vectors_of(program)
    shift = 64 - program.width
    rows: list[tuple[PrivateValue, bytes]] = [
        (v.value, b"".join((word << shift).to_bytes(8, "little") for word in v.words))
        for v in vectors
    ]
    return rows, [(v.report, len(v.words)) for v in vectors]


@pytest.mark.parametrize("limb", [16, 8])
def test_vectors_at_full_width(limb: int, tmp_path: Path) -> None:
    """In limbs of other sizes; `tests/report/test_vector_files.py` replays those of 32 bits."""
    for i, made in enumerate(WIDE[::4]):
        program = made.program()
        rows, answers = rows_of(program)
        assert len(rows) >= 24
        if node() is not None:
            text = javascript_module(program, ABOUT, limb)
            assert replayed(text, rows, tmp_path / str(i)) == answers, made


def test_vectors_see_a_threshold_that_is_off_by_one(tmp_path: Path) -> None:
    for made in (WIDE[0], WIDE[5], WIDE[-1]):
        program = made.program()
        rows, answers = rows_of(program)
        wrong = [(what, each) for what, each in wrong_programs(program) if "one too" in what]
        assert wrong
        for i, (what, each) in enumerate(wrong):
            if node() is not None:
                text = javascript_module(each, ABOUT)
                assert replayed(text, rows, tmp_path / f"{made.name}{i}") != answers, what


def test_short_tapes_and_foreign_values_give_no_report(tmp_path: Path) -> None:
    if node() is None:
        return
    program = WIDE[0].program()
    tape = bytes(range(8))
    rows: list[tuple[PrivateValue, bytes]]
    rows = [(3, b""), (3, tape[:7]), (3, tape), (16, tape), (-1, tape), (2**64, tape)]
    answers = replayed(javascript_module(program, ABOUT), rows, tmp_path)
    assert [answer[0] for answer in answers[:2]] == ["Error"] * 2
    assert isinstance(answers[2][0], tuple)
    assert answers[3:] == [("RangeError", 0)] * 3


@pytest.mark.parametrize("made", [WIDE[0], WIDE[4], WIDE[-1]], ids=repr)
def test_secure_words_are_read_once_and_nothing_stands_in_for_them(
    made: Any, tmp_path: Path
) -> None:
    """The bytes of getRandomValues, in order; an error where it is missing or gives none."""
    if node() is None:
        return
    text = javascript_module(made.program(), ABOUT)
    assert secure_source_is_read(text, made.k, tmp_path)


@pytest.mark.parametrize("language", ["javascript", "wasm"])
@pytest.mark.parametrize("case", LISTED)
def test_the_module_imports_nothing_and_is_small(case: str, language: str) -> None:
    """5 kB gzipped at most, what is printed above the code and the binary included.

    `sign_matrix` has AES-256 in it, each of the 14 rounds spelled out: 13 kB at most.
    """
    if language == "wasm" and not has_tools():
        return
    made, strings = LISTED[case], strings_of(LISTED[case])
    text = client_texts(made, language, strings)[f"{program_of(made, strings).name}.mjs"]
    assert isinstance(text, str)
    code = text.split("*/")[1]
    assert not re.search(r"\bimport\b", code)
    assert language == "wasm" or "Math" not in code
    most = 13_000 if case == "sign_matrix" else 5_000
    assert len(gzip.compress(text.encode())) <= most


def test_no_number_holds_a_threshold() -> None:
    """Whatever has more than 32 bits is written as a BigInt or in limbs."""
    for made in WIDE:
        digits = "".join(c if c.isalnum() else " " for c in javascript_module(made.program(), []))
        assert all(int(word) <= 1 << 32 for word in digits.split() if word.isdigit())


def test_types_follow_the_ranges() -> None:
    many = replace(WIDE[0].program(), inputs=1 << 40)
    assert "value: number): number;" in typescript_types(WIDE[0].program(), ABOUT)
    assert "value: number): bigint[];" in typescript_types(WIDE[-2].program(), ABOUT)
    assert "value: bigint): number;" in typescript_types(many, ABOUT)


@pytest.mark.parametrize(("width", "limb"), [(48, 16), (64, 12), (64, 33), (8, 0)])
def test_words_that_cannot_be_cut_are_refused(width: int, limb: int) -> None:
    with pytest.raises(ParameterError):
        javascript_module(replace(WIDE[0].program(), width=width), ABOUT, limb)
