"""The files of vectors are what the interpreter says; Python, C and JavaScript replay them."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.errors import DomainError
from ldp_verified.program.c import c_header
from ldp_verified.program.interpret import OutOfWordsError, interpret
from ldp_verified.program.javascript import javascript_module
from ldp_verified.program.python import python_function
from ldp_verified.program.words import WordBuffer
from ldp_verified.report.vector_files import NOTES, SCHEMA
from tests.program import gcc
from tests.program import node as javascript
from tests.program.vector_groups import FOLDER, GROUPS, text_of
from tests.report.json_schema import problems

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.program import Program

    Answer = tuple[tuple[int, ...] | None, int]

ABOUT = ["A test."]
RULES: dict[str, Any] = json.loads((FOLDER / SCHEMA).read_text())


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def rows_of(group: dict[str, Any]) -> list[tuple[int, bytes]]:
    return [(int(test["value"]), bytes.fromhex(test["tape"])) for test in group["tests"]]


def answers_of(group: dict[str, Any]) -> list[Answer]:
    return [
        (tuple(map(int, test["numbers"])) if test["result"] == "valid" else None, test["words"])
        for test in group["tests"]
    ]


def words_in(tape: bytes) -> list[int]:
    """The whole words of a tape."""
    return [int.from_bytes(tape[i : i + 8], "little") for i in range(0, len(tape) - 7, 8)]


def in_python(program: Program, rows: list[tuple[int, bytes]]) -> list[Answer]:
    """What the Python printing answers."""

    def end() -> list[int]:
        raise OutOfWordsError("words", "must be more")

    def refuse(_: object) -> int:
        raise DomainError("value", "is none")

    buffer = WordBuffer(end)
    report = python_function(program, buffer, lambda: buffer.owner[0], refuse)
    answers: list[Answer] = []
    for value, tape in rows:
        words = words_in(tape)
        buffer.words[:] = reversed(words)
        try:
            drawn = report(value)
        except (OutOfWordsError, DomainError):
            answers.append((None, len(words) - len(buffer.words)))
            continue
        numbers = drawn if isinstance(drawn, tuple) else (drawn,)
        answers.append((numbers, len(words) - len(buffer.words)))
    return answers


@pytest.mark.parametrize("name", GROUPS)
def test_a_file_is_what_the_programs_make_now(name: str) -> None:
    """If it is not: python -m tests.program.vector_groups."""
    assert (FOLDER / f"{name}.json").read_text() == text_of(name)


@pytest.mark.parametrize("name", GROUPS)
def test_a_file_has_the_shape_of_the_schema(name: str) -> None:
    found = read(name)
    assert problems(found, RULES) == []
    tests = [test for group in found["testGroups"] for test in group["tests"]]
    assert [test["tcId"] for test in tests] == [*range(1, found["numberOfTests"] + 1)]
    assert {flag for test in tests for flag in test["flags"]} == {*NOTES}
    for spoil in ("tape", "report", "words", "numbers"):
        wrong = copy.deepcopy(found)
        wrong["testGroups"][0]["tests"][0][spoil] = "0x1"
        assert problems(wrong, RULES)


def test_there_are_ten_thousand_and_no_other_files() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {SCHEMA, *(f"{n}.json" for n in GROUPS)}
    assert sum(read(name)["numberOfTests"] for name in GROUPS) >= 10_000


@pytest.mark.parametrize("name", GROUPS)
def test_the_descriptor_makes_the_program_and_every_language_replays_it(
    name: str, tmp_path: Path
) -> None:
    for i, group in enumerate(read(name)["testGroups"]):
        deployment = Deployment.from_text(group["descriptor"])
        assert deployment.digest.hex() == group["descriptorSha256"]
        made = deployment.mechanism
        program = made.program()
        rows, right = rows_of(group), answers_of(group)
        assert in_python(program, rows) == right
        text = c_header(program, ABOUT)
        assert gcc.replayed(text, program, rows, tmp_path / f"c{i}") == right
        if javascript.node() is not None:
            text = javascript_module(program, ABOUT)
            found = javascript.replayed(text, rows, tmp_path / f"j{i}")
            assert [(None if isinstance(a, str) else a, n) for a, n in found] == right


@pytest.mark.parametrize("name", GROUPS)
def test_the_payload_is_that_of_the_wire_format(name: str) -> None:
    """Read by the rules of docs/wire-format.md, bit by bit, it gives the numbers."""
    for group in read(name)["testGroups"]:
        fields = json.loads(group["descriptor"])["payload"]
        for test in group["tests"]:
            if test["result"] == "valid":
                assert by_the_page(fields, bytes.fromhex(test["report"])) == in_bits(test, fields)


def by_the_page(fields: list[dict[str, Any]], payload: bytes) -> list[int]:
    """The numbers of a payload's fields; those of one bit as one number of many."""
    bits = [payload[i // 8] >> (i % 8) & 1 for i in range(8 * len(payload))]
    found, at = [], 0
    for field in fields:
        width = (int(field["below"]) - 1).bit_length()
        for _ in range(field["times"]):
            found.append(sum(bits[at + i] << i for i in range(width)))
            at += width
    assert not any(bits[at:])
    return found


def in_bits(test: dict[str, Any], fields: list[dict[str, Any]]) -> list[int]:
    """The numbers of a test; where fields are bits, those of 64-bit numbers."""
    numbers = [int(number) for number in test["numbers"]]
    times = sum(field["times"] for field in fields)
    if len(numbers) == times:
        return numbers
    assert all(field["below"] == "2" for field in fields)
    return [numbers[i // 64] >> (i % 64) & 1 for i in range(times)]


def test_the_interpreter_stops_where_a_tape_does() -> None:
    """A tape that is a word short is short for the reference too."""
    group = read("grr")["testGroups"][0]
    program = Deployment.from_text(group["descriptor"]).mechanism.program()
    short = [test for test in group["tests"] if test["flags"] == ["ShortTape"]]
    assert short
    for test in short:
        with pytest.raises(OutOfWordsError):
            interpret(program, int(test["value"]), words_in(bytes.fromhex(test["tape"])))
