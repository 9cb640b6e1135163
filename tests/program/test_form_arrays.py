"""Programs whose values are arrays of numbers, and how every language takes them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from ldp_verified.app.cli.clients import client_texts
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import DuchiVector, KeyValueBits
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.checking import MOST_NUMBERS, check
from ldp_verified.run.program.form import (
    Constant,
    Draw,
    Loop,
    Private,
    PrivateNumber,
    Program,
    Store,
    Variable,
)
from ldp_verified.run.program.groups import InnerProgram, all_of
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.javascript import javascript_module, typescript_types
from ldp_verified.run.program.python import python_function
from ldp_verified.run.program.rust import rust_crate
from ldp_verified.run.program.schemes import k_rr
from ldp_verified.run.program.vectors import vectors_of
from ldp_verified.run.program.words import WordBuffer
from tests.broken.array_programs import wrong_arrays
from tests.program import gcc, node, rustc, wasm
from tests.program.test_c import every_reference, self_test
from tests.program.test_javascript import rows_of
from tests.program.test_python import differs

if TYPE_CHECKING:
    from pathlib import Path

WORD, TURN = Variable("word", 8), Variable("turn", 3)
ABOUT = ["A test."]
SUMS: Any = (
    Draw(WORD),
    Loop(TURN, 3, (Store(TURN, (WORD + PrivateNumber(TURN)) % 8),)),
    Store(Constant(3), PrivateNumber((WORD + PrivateNumber(Constant(1))) % 3)),
)
"""Each number with a word added to it, then one whose place the word and a number say."""

SMALL = check(Program("sums", 3, 3, 4, 8, SUMS, length=3))
WORDS = Variable("word", 1 << 64)
LARGE = check(
    Program(
        *("large", (1 << 64) - 5, 64, 3, 1 << 64),
        (Draw(WORDS), Loop(TURN, 3, (Store(TURN, WORDS ^ PrivateNumber(TURN)),))),
        length=3,
    )
)
"""Numbers of 64 bits."""


def test_numbers_of_a_value_are_its_digits() -> None:
    assert SMALL.values == 27
    assert [SMALL.value_of(number) for number in (0, 1, 5, 26)] == [
        *((0, 0, 0), (0, 0, 1), (0, 1, 2), (2, 2, 2))
    ]
    plain = k_rr("grr", 3, 1, 4)
    assert [plain.value_of(number) for number in range(plain.values)] == [0, 1, 2]


def test_the_interpreter_reads_each_number() -> None:
    assert interpret(SMALL, (2, 0, 1), [5]) == ((7, 5, 6, 1), 1)
    assert interpret(SMALL, (2, 0, 1), [7]) == ((1, 7, 0, 0), 1)


def stored(value: Any) -> Any:
    """Statements that report a value."""
    return (Store(Constant(0), value),)


FIRST = stored(PrivateNumber(Constant(0)))
WRONG: list[tuple[str, Program]] = [
    ("index: must be in 0..2, got 3", replace(SMALL, body=stored(PrivateNumber(Constant(3))))),
    (
        "index: must be in 0..2, got 7",
        replace(SMALL, body=(Draw(WORD), *stored(PrivateNumber(WORD)))),
    ),
    ("value: must be read number by number", replace(SMALL, body=stored(Private()))),
    ("value: must be an array", replace(SMALL, length=0, body=FIRST)),
    ("number of the report: must be in 0..7, got 8", replace(SMALL, inputs=9, body=FIRST)),
    ("cells: must be 0 where values are arrays", replace(SMALL, cells=1, kept_below=4)),
    ("inputs: must be at most 2^64", replace(SMALL, inputs=1 << 65)),
    ("length: must be in 0..65536, got 65537", replace(SMALL, length=MOST_NUMBERS + 1)),
    ("length: must be in 0..65536, got -1", replace(SMALL, length=-1)),
]


@pytest.mark.parametrize(("message", "wrong"), WRONG)
def test_a_program_that_reads_beyond_its_value_is_refused(message: str, wrong: Program) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        check(wrong)


def test_a_program_of_arrays_is_no_part_of_another_one() -> None:
    with pytest.raises(ParameterError, match="must read one integer, to be a part"):
        all_of("both", 3, [InnerProgram(SMALL, Private())])


@pytest.mark.parametrize("value", [(1, 2), (0, 1, 2, 0), (0, 1, 3), (0, -1, 0), (), 1])
def test_the_interpreter_refuses_what_is_no_value(value: Any) -> None:
    with pytest.raises(DomainError) as caught:
        interpret(SMALL, value, iter(()))
    assert str(caught.value) == "value: must be an array of 3 integers in 0..2"
    with pytest.raises(DomainError, match=r"must be an integer in 0\.\.2"):
        interpret(k_rr("grr", 3, 1, 4), (1,), iter(()))


@pytest.mark.parametrize(
    "value", [(1, 2), (0, 1, 2, 0), (0, 1, 3), (0, -1, 0), (), 1, "012", None, (0, 1, True), [0, 1]]
)
def test_python_asks_what_it_reads_before_a_word_is_drawn(value: Any) -> None:
    def end() -> NoReturn:
        raise AssertionError("a word was asked for")

    def refused(_: object) -> NoReturn:
        raise DomainError("value", "must be three numbers")

    buffer = WordBuffer(end)
    report = python_function(SMALL, buffer, lambda: buffer.owner[0], refused)
    with pytest.raises(DomainError) as caught:
        report(value)
    assert str(caught.value) == "value: must be three numbers"


def test_python_draws_every_word_as_the_interpreter_does() -> None:
    assert not differs(SMALL, SMALL)
    for what, wrong in wrong_arrays(SMALL):
        assert differs(SMALL, check(wrong)), what


def test_c_draws_every_word_as_the_interpreter_does(tmp_path: Path) -> None:
    right = every_reference(SMALL, 2)
    assert gcc.every_answer(c_header(SMALL, ABOUT), SMALL, 2, tmp_path / "right") == right
    for i, (what, wrong) in enumerate(wrong_arrays(SMALL)):
        text = c_header(check(wrong), ABOUT)
        assert gcc.every_answer(text, SMALL, 2, tmp_path / str(i)) != right, what


def test_javascript_draws_every_word_as_the_interpreter_does(tmp_path: Path) -> None:
    """In limbs of one bit and of two."""
    if node.node() is None:
        return
    right = every_reference(SMALL, 2)
    for limb in (1, 2):
        text = javascript_module(SMALL, ABOUT, limb)
        assert node.every_answer(text, SMALL, 2, tmp_path / str(limb)) == right
    for i, (what, wrong) in enumerate(wrong_arrays(SMALL)):
        text = javascript_module(check(wrong), ABOUT, 1)
        assert node.every_answer(text, SMALL, 2, tmp_path / f"wrong{i}") != right, what


def test_rust_and_webassembly_draw_every_word_as_the_interpreter_does(tmp_path: Path) -> None:
    right = every_reference(SMALL, 2)
    programs = [("right", SMALL), *wrong_arrays(SMALL)]
    for i, (what, each) in enumerate(programs):
        if rustc.rustc() is not None:
            folder = tmp_path / f"r{i}"
            found = rustc.every_answer(rust_crate(check(each), ABOUT), SMALL, 2, folder)
            assert (found == right) == (what == "right"), what
        if wasm.has_tools():
            found = node.every_answer(wasm.module(each), SMALL, 2, tmp_path / f"w{i}")
            assert (found == right) == (what == "right"), what


def test_numbers_of_64_bits_come_out_in_every_language(tmp_path: Path) -> None:
    """The last number that there is, and those beyond it in each place."""
    vectors = vectors_of(LARGE)
    assert any(isinstance(v.value, tuple) and v.value[0] == LARGE.inputs - 1 for v in vectors)
    assert self_test(LARGE, vectors, tmp_path / "test") == 0
    rows, answers = rows_of(LARGE)
    tape = bytes(range(8))
    beyond = [(LARGE.inputs, 0, 0), (0, LARGE.inputs, 0), (0, 0, LARGE.inputs + 4)]
    rows += [(value, tape) for value in beyond]
    refused = [(None, 0)] * len(beyond)
    assert gcc.replayed(c_header(LARGE, ABOUT), LARGE, rows, tmp_path / "c") == answers + refused
    if node.node() is not None:
        failed = [("RangeError", 0)] * len(beyond)
        text = javascript_module(LARGE, ABOUT)
        assert node.replayed(text, rows, tmp_path / "javascript") == answers + failed
        if wasm.has_tools():
            text = wasm.module(LARGE)
            assert node.replayed(text, rows, tmp_path / "wasm") == answers + failed
    if rustc.rustc() is not None:
        text = rust_crate(LARGE, ABOUT)
        kept = [(value, tape, b"") for value, tape in rows]
        found = rustc.replayed(text, LARGE, kept, tmp_path / "rust")
        assert [each[:2] for each in found] == answers + refused


FOREIGN = """
import { argv } from 'node:process';
const client = await import(argv[2]);
let asked = 0;
const fill = () => { asked++; return 8; };
const big = BigInt('10000000000000000');
let turns = 0;
const twice = { length: 3, get 0() { return turns++ ? big : 0n; }, 1: 0n, 2: 0n };
const values = [
  [1n, 2n], [0n, 1n, 2n, 0n], [0n, 1n, 2n ** 64n - 5n], [0n, -1n, 0n], [], 1n, 'abc', null,
  undefined, [0n, , 1n], [0n, 1, 2n], ['0', 0n, 0n], new BigUint64Array(3), twice,
];
const seen = values.map((value) => {
  try { client.reportFrom(value, fill); return 'reported'; }
  catch (error) { return `${error.name}: ${error.message}`; }
});
console.log(JSON.stringify([[...new Set(seen)], values.length, asked]));
"""


@pytest.mark.parametrize("language", ["javascript", "wasm"])
def test_javascript_refuses_what_is_no_value(language: str, tmp_path: Path) -> None:
    """Holes, other kinds of numbers, what only looks like an array: no word is asked for."""
    if node.node() is None or (language == "wasm" and not wasm.has_tools()):
        return
    text = javascript_module(LARGE, ABOUT) if language == "javascript" else wasm.module(LARGE)
    (tmp_path / "client.mjs").write_text(text)
    found = json.loads(node.ran(tmp_path, FOREIGN, tmp_path / "client.mjs"))
    rule = f"value: must be an array of 3 integers in 0..{LARGE.inputs - 1}"
    assert found == [[f"RangeError: {rule}"], 14, 0]


def test_types_say_that_a_value_is_an_array() -> None:
    assert "report(value: readonly bigint[]): bigint[];" in typescript_types(LARGE, ABOUT)
    small = replace(SMALL, width=64, body=FIRST)
    assert "report(value: readonly number[]): number[];" in typescript_types(small, ABOUT)


def test_a_vector_whose_value_is_another_one_is_named(tmp_path: Path) -> None:
    first, second, *rest = vectors_of(LARGE)
    assert isinstance(second.value, tuple)
    moved = second._replace(value=(*second.value[:2], second.value[2] ^ 1))
    assert self_test(LARGE, [first, moved, *rest], tmp_path) == 2


def test_the_head_of_a_client_says_what_its_array_is() -> None:
    for made, told in (
        (DuchiVector(1.0, 4, (0, 10)), "A value is an array of 4 positions: of x in 0.0..10.0"),
        (KeyValueBits(1.0, 9, 2), "A value is an array of 9 integers, one for each key: 0 where"),
    ):
        for language in ("c", "javascript", "rust"):
            texts = client_texts(made, language)
            text = str(texts["src/lib.rs"] if language == "rust" else next(iter(texts.values())))
            head = " ".join(text.split("*/")[0].replace(" * ", " ").split())
            assert told in head, (made, language)
            assert "which is 0..2^52." in head
