"""The files of vectors are what the interpreter says; every language replays them."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.app.report.vector_files import NOTES, SCHEMA, STATE_NOTES
from ldp_verified.app.report.vectors_kept import state_identity
from ldp_verified.deploy import Deployment
from ldp_verified.errors import DomainError, ReportError
from ldp_verified.protocols import LGRR, LOUE, LSUE, RegionChoice
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.python import python_function
from ldp_verified.run.program.rust import rust_crate
from ldp_verified.run.program.state import read_state, written_state
from ldp_verified.run.program.words import WordBuffer
from tests.program import gcc, rustc, wasm
from tests.program import node as javascript
from tests.program.vector_groups import FOLDER, GROUPS, text_of
from tests.report.json_schema import problems

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program
    from ldp_verified.run.program.form import PrivateValue

    Answer = tuple[tuple[int, ...] | None, int]
    Kept = tuple[tuple[int, ...] | None, int, bytes]

ABOUT = ["A test."]
RULES: dict[str, Any] = json.loads((FOLDER / SCHEMA).read_text())


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def value_of(test: dict[str, Any]) -> PrivateValue:
    """The value of a test: an integer, or a tuple of them."""
    value = test["value"]
    return tuple(map(int, value)) if isinstance(value, list) else int(value)


def rows_of(group: dict[str, Any]) -> list[tuple[PrivateValue, bytes]]:
    return [(value_of(test), bytes.fromhex(test["tape"])) for test in group["tests"]]


def answers_of(group: dict[str, Any]) -> list[Answer]:
    return [
        (tuple(map(int, test["numbers"])) if test["result"] == "valid" else None, test["words"])
        for test in group["tests"]
    ]


def kept_rows_of(group: dict[str, Any]) -> list[tuple[PrivateValue, bytes, bytes]]:
    """(value, tape, state) of each test; no bytes where nothing is kept."""
    states = [bytes.fromhex(test.get("state", "")) for test in group["tests"]]
    return [(*row, state) for row, state in zip(rows_of(group), states, strict=True)]


def kept_answers_of(group: dict[str, Any]) -> list[Kept]:
    """(numbers, words read, state after it) of each test."""
    after = [bytes.fromhex(test.get("stateAfter") or "") for test in group["tests"]]
    return [(*answer, state) for answer, state in zip(answers_of(group), after, strict=True)]


def words_in(tape: bytes) -> list[int]:
    """The whole words of a tape."""
    return [int.from_bytes(tape[i : i + 8], "little") for i in range(0, len(tape) - 7, 8)]


def in_python(program: Program, rows: list[tuple[PrivateValue, bytes, bytes]]) -> list[Kept]:
    """What the Python printing answers, around the state as `run.program.state` has it."""
    identity = rows[0][2][:8]
    kept = [0] * program.cells

    def end() -> list[int]:
        raise OutOfWordsError("words", "must be more")

    def refuse(_: object) -> int:
        raise DomainError("value", "is none")

    buffer = WordBuffer(end)
    report = python_function(program, buffer, lambda: buffer.owner[0], refuse, kept=kept)
    answers: list[Kept] = []
    for value, tape, state in rows:
        words = words_in(tape)
        buffer.words[:] = reversed(words)
        made = 0
        try:
            if program.cells:
                kept[:], made = read_state(program, state, identity)
            drawn = report(value)
        except (OutOfWordsError, DomainError, ReportError):
            answers.append((None, len(words) - len(buffer.words), b""))
            continue
        numbers = drawn if isinstance(drawn, tuple) else (drawn,)
        after = written_state(kept, made + 1, identity) if program.cells else b""
        answers.append((numbers, len(words) - len(buffer.words), after))
    return answers


def program_in(group: dict[str, Any]) -> Program:
    """The program of a group's descriptor, and of the strings or the choice beside it."""
    made: Any = Deployment.from_text(group["descriptor"]).mechanism
    if "choice" in group:
        made = RegionChoice(made, **group["choice"])
    found: Program = made.program(group["strings"]) if "strings" in group else made.program()
    return found


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
    notes = {*NOTES, *STATE_NOTES} if name in ("memory", "days") else {*NOTES}
    assert {flag for test in tests for flag in test["flags"]} == {*found["notes"]} == notes
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
        program = program_in(group)
        rows, right = kept_rows_of(group), kept_answers_of(group)
        identity = rows[0][2][:8] or bytes(8)
        if program.cells:
            assert identity == state_identity(deployment.mechanism, group.get("strings", ()))
        assert in_python(program, rows) == right
        text = c_header(program, ABOUT, (), identity)
        assert gcc.replayed_kept(text, program, rows, tmp_path / f"c{i}") == right
        if javascript.node() is not None:
            text = javascript_module(program, ABOUT, identity=identity)
            found = javascript.replayed_kept(text, rows, tmp_path / f"j{i}")
            assert [(None if isinstance(a, str) else a, *more) for a, *more in found] == right
        if rustc.rustc() is not None:
            text = rust_crate(program, ABOUT, (), identity)
            answers = rustc.replayed(text, program, rows, tmp_path / f"r{i}")
            assert [(a, n, b"" if a is None else kept) for a, n, kept in answers] == right
        if wasm.has_tools():
            text = wasm.module(program, identity)
            found = javascript.replayed_kept(text, rows, tmp_path / f"w{i}")
            assert [(None if isinstance(a, str) else a, *more) for a, *more in found] == right


@pytest.mark.parametrize("name", GROUPS)
def test_the_payload_is_that_of_the_wire_format(name: str) -> None:
    """Read by the rules of docs/wire-format.md, bit by bit, it gives the numbers."""
    for group in read(name)["testGroups"]:
        fields = json.loads(group["descriptor"])["payload"]
        for test in group["tests"]:
            if test["result"] == "valid" and name == "days":
                sent = [int(number) - 1 for number in test["numbers"] if number != "0"]
                assert messages_by_the_page(fields, bytes.fromhex(test["report"])) == sent
            elif test["result"] == "valid":
                whole = test | {"numbers": sent_numbers(group, test)}
                own = fields_of(whole, fields)
                assert by_the_page(own, bytes.fromhex(test["report"])) == in_bits(whole, own)


def sent_numbers(group: dict[str, Any], test: dict[str, Any]) -> list[str]:
    """The numbers of a report; a user of safe regions sends region and epsilon by their places."""
    found: list[str] = test["numbers"]
    if "choice" not in group:
        return found
    made: Any = Deployment.from_text(group["descriptor"]).mechanism
    choice = group["choice"]
    places = made.taxonomy.names.index(choice["region"]), made.epsilons.index(choice["epsilon"])
    return [found[0], *map(str, places), found[1]]


def fields_of(test: dict[str, Any], fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The fields of a report; where the first number chooses, those that it says."""
    if "one of" not in fields[-1]:
        return fields
    own: list[dict[str, Any]] = fields[-1]["one of"][int(test["numbers"][0])]
    return [*fields[:-1], *own]


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


def messages_by_the_page(fields: list[dict[str, Any]], payloads: bytes) -> list[int]:
    """The messages of payloads that stand one after the other: each is one number."""
    (field,) = fields
    size = -(-(int(field["below"]) - 1).bit_length() // 8)
    pieces = [payloads[i : i + size] for i in range(0, len(payloads), size)]
    return [number for piece in pieces for number in by_the_page(fields, piece)]


def in_bits(test: dict[str, Any], fields: list[dict[str, Any]]) -> list[int]:
    """The numbers of a test's payload; where the last field is bits, those of 64-bit numbers.

    A payload of a client that keeps a state begins with the number of the report.
    """
    left = [int(number) for number in test["numbers"]]
    if "state" in test:
        left.insert(0, 1 + int.from_bytes(bytes.fromhex(test["state"])[8:12], "little"))
    found: list[int] = []
    only_bits = all(field["below"] == "2" and field["times"] > 1 for field in fields)
    for field in fields:
        times, words = field["times"], -(-field["times"] // 64)
        last = field is fields[-1] and field["below"] == "2"
        zeros = last and times > 1 and not any(left[words:])
        if (only_bits and len(left) < sum(each["times"] for each in fields)) or zeros:
            found += [left[i // 64] >> (i % 64) & 1 for i in range(times)]
            left = left[words:]
        else:
            found, left = found + left[:times], left[times:]
    assert not any(left)  # a report that is shorter than the longest has zeros after it
    return found


def test_the_interpreter_stops_where_a_tape_does() -> None:
    """A tape that is a word short is short for the reference too."""
    group = read("grr")["testGroups"][0]
    program = Deployment.from_text(group["descriptor"]).mechanism.program()
    short = [test for test in group["tests"] if test["flags"] == ["ShortTape"]]
    assert short
    for test in short:
        with pytest.raises(OutOfWordsError):
            interpret(program, value_of(test), words_in(bytes.fromhex(test["tape"])))


def test_states_of_the_first_program_version_are_gone_on_from() -> None:
    """The identities that its clients wrote: those of the permanent answers, which are the same."""
    first = {"LGRR": "b8ffed3a59191494", "LSUE": "77c5d571b64c580d", "LOUE": "88c4a52a6d461a44"}
    made = [LGRR(2.0, 1.0, 9), LSUE(2.0, 1.0, 35), LOUE(2.0, 1.0, 3)]
    assert {type(each).__name__: state_identity(each).hex() for each in made} == first
