"""The C printing draws what the interpreter draws, from the same words."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import GRR, OUE
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.vectors import vectors_of
from tests.broken.programs import wrong_programs
from tests.program.enumerated import (
    CASES,
    at_small_width,
    law_of_answers,
    table_of,
    words_of,
)
from tests.program.gcc import FLAGS, built, every_answer
from tests.program.test_python import interpreted
from tests.program.test_schemes import WIDE

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program

ABOUT = ["A test."]


def every_reference(program: Program, length: int = 0) -> list[Any]:
    length = length or 12 // program.width
    words = itertools.product(range(1 << program.width), repeat=length)
    return [interpreted(program, v, tape) for tape in words for v in range(program.values)]


@pytest.mark.parametrize("name", CASES)
def test_every_word_at_small_width(name: str, tmp_path: Path) -> None:
    """The reports are the interpreter's; their exact law, found without it, is the table."""
    program, _ = at_small_width(name)
    answers = every_answer(c_header(program, ABOUT), program, words_of(name), tmp_path)
    assert answers == every_reference(program, words_of(name))
    for value in range(program.values):
        law, unresolved = law_of_answers(program, answers, value, name)
        assert law == table_of(name, value)
        assert unresolved == 0


@pytest.mark.parametrize("name", ["grr", "olh_shares", "oue"])
def test_printings_of_wrong_programs_differ(name: str, tmp_path: Path) -> None:
    program, _ = at_small_width(name)
    length = 12 // program.width
    right = every_reference(program)
    wrong = [(what, each) for what, each in wrong_programs(program) if "one too" in what]
    assert wrong
    for i, (what, each) in enumerate(wrong):
        text = c_header(each, ABOUT)
        assert every_answer(text, program, length, tmp_path / str(i)) != right, what


def self_test(program: Program, vectors: Any, folder: Path) -> int:
    """What the header's own test returns."""
    name = program.name
    test = f"int client_test(void);\nint client_test(void) {{ return {name}_self_test(); }}\n"
    text = f"#define {name.upper()}_SELF_TEST\n" + c_header(program, ["A test."], vectors) + test
    result: int = built(folder, text).client_test()
    return result


@pytest.mark.parametrize("made", WIDE, ids=repr)
def test_vectors_at_full_width(made: Any, tmp_path: Path) -> None:
    program = made.program()
    vectors = vectors_of(program)
    assert len(vectors) >= 24
    assert self_test(program, vectors, tmp_path) == 0


def test_vectors_see_a_threshold_that_is_off_by_one(tmp_path: Path) -> None:
    for made in (WIDE[0], WIDE[5], WIDE[-1]):
        program = made.program()
        vectors = vectors_of(program)
        name = program.name
        wrong = [(what, each) for what, each in wrong_programs(program) if "one too" in what]
        assert wrong
        for i, (what, each) in enumerate(wrong):
            assert self_test(each, vectors, tmp_path / f"{name}{i}") != 0, what


def test_a_vector_whose_report_is_wrong_is_named(tmp_path: Path) -> None:
    program = WIDE[0].program()
    first, second, *rest = vectors_of(program)
    changed = second._replace(report=(second.report[0] ^ 1,))
    assert self_test(program, [first, changed, *rest], tmp_path) == 2


def test_the_header_needs_nothing(tmp_path: Path) -> None:
    """No symbol is left to be linked, and values outside the domain are refused."""
    program = replace(WIDE[0].program(), name="poll")
    use = "int use(uint64_t v, uint64_t *r, int (*fill)(void *, size_t));\n"
    use += "int use(uint64_t v, uint64_t *r, int (*fill)(void *, size_t))"
    text = c_header(program, ["A test."]) + use + "{ return poll_report(v, r, fill); }"
    library = built(tmp_path, text)
    assert library.use(ctypes.c_uint64(16), (ctypes.c_uint64 * 1)(), None) == 1
    compiled = tmp_path / "client.o"
    command = ["gcc", *FLAGS, "-c", "-o", str(compiled), str(tmp_path / "client.c")]
    subprocess.run(command, check=True)
    listed = subprocess.run(["nm", "-u", str(compiled)], capture_output=True, text=True, check=True)
    assert listed.stdout == ""


def test_two_clients_of_one_name_in_one_file_are_an_error(tmp_path: Path) -> None:
    """The guard would leave the second one out in silence, whatever its epsilon is."""
    for place, made in enumerate((GRR(8.0, 16), GRR(0.5, 5), OUE(0.5, 5))):
        (tmp_path / f"q{place}.h").write_text(c_header(made.program(), ABOUT), encoding="utf-8")
    use = "int use(void);\nint use(void) { return 0; }\n"
    for included, said in (("0", ""), ("010", "two different clients of grr"), ("0020", "")):
        text = "".join(f'#include "q{place}.h"\n' for place in included) + use
        (tmp_path / "client.c").write_text(text, encoding="utf-8")
        command = ["gcc", *FLAGS, "-fsyntax-only", str(tmp_path / "client.c")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert bool(done.returncode) == bool(said), done.stderr
        assert said in done.stderr
