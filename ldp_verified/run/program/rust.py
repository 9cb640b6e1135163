"""A program printed as a Rust crate: no_std, without unsafe code, without dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.program import rust_keyed, rust_state
from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Constant,
    Draw,
    Expression,
    Keep,
    Kept,
    Loop,
    Operation,
    Private,
    PrivateNumber,
    ProgramEntry,
    Recall,
    Retry,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.printed import PrintedFunction, every_value
from ldp_verified.run.program.state import FIRST_CELL, NO_IDENTITY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import Block, Program
    from ldp_verified.run.program.vectors import Vector

MANIFEST: Final = """\
[package]
name = "{name}-client"
version = "{version}"
edition = "2021"
description = "A client of {name}, written by ldp-verified generate"
license = "Apache-2.0"

[lib]
name = "{module}_client"
"""


def rust_crate(
    program: Program,
    about: Sequence[str],
    vectors: Sequence[Vector] = (),
    identity: bytes = NO_IDENTITY,
) -> str:
    """The text of `src/lib.rs`.

    Args:
        program: what draws a report.
        about: lines for the comment at the top.
        vectors: reports that given words must make, for `cargo test`.
        identity: 8 bytes that a kept state begins with, of its deployment.
    """
    printer = _Printer(program)
    body = printer.function()
    return "\n".join(
        [
            "/*",
            *(f" * {line}".rstrip() for line in about),
            " */",
            "#![no_std]",
            "#![forbid(unsafe_code)]",
            "#![allow(unused_assignments, unused_mut, unused_parens, unused_variables)]",
            "#![allow(clippy::all)]",
            "",
            *_inputs(program),
            "/// How many numbers a report is.",
            f"pub const NUMBERS: usize = {program.numbers};",
            *_length(program),
            "",
            *_REFUSED,
            *printer.tables(),
            *_word(program.width),
            *(rust_state.functions(program, identity) if program.cells else _report(program)),
            *(rust_keyed.functions(program.key) if program.key else ()),
            *body,
            *(rust_state.tests(program, vectors) if vectors else ()),
        ]
    )


_REFUSED: Final = (
    "/// Why there is no report. Nothing may be sent then.",
    "#[derive(Clone, Copy, Debug, PartialEq, Eq)]",
    "pub enum Refused {",
    "    /// The value is outside the domain.",
    "    Value,",
    "    /// The state is damaged, used up or of another deployment.",
    "    State,",
    "    /// The random source gave no bytes.",
    "    Fill,",
    "    /// The state could not be stored.",
    "    Save,",
    "}",
    "",
)


def _refusal(program: Program) -> list[str]:
    """Return the lines that refuse a value outside the domain."""
    if every_value(program):
        return []
    test = "value >= INPUTS"
    if program.length:
        test = "value.iter().any(|each| *each >= INPUTS)"
    return [f"    if {test} {{", "        return Err(Refused::Value);", "    }"]


def _length(program: Program) -> list[str]:
    """Say how many numbers a value has, if it is an array."""
    if not program.length:
        return []
    return [
        "/// How many numbers a value is.",
        f"pub const LENGTH: usize = {program.length};",
    ]


def number_type(program: Program) -> str:
    """The type of a private value, or of its numbers."""
    return "u128" if program.inputs > 1 << 64 else "u64"


def value_type(program: Program) -> str:
    """The type of what is given for a private value."""
    return "&[u64; LENGTH]" if program.length else number_type(program)


def _inputs(program: Program) -> list[str]:
    """Say how many values there are, unless every integer is one."""
    if every_value(program):
        return []
    what = "Numbers of a value" if program.length else "Values"
    return [
        f"/// {what} are 0..INPUTS-1.",
        f"pub const INPUTS: {number_type(program)} = {program.inputs};",
    ]


def _report(program: Program) -> list[str]:
    """The function that is called."""
    return [line.replace("value: u64", f"value: {value_type(program)}") for line in _REPORT]


_REPORT: Final = (
    "/// One report of a value. `fill` fills 8 bytes from a generator that is fit for",
    "/// cryptography, and returns whether it did.",
    "pub fn report(",
    "    value: u64,",
    "    mut fill: impl FnMut(&mut [u8; 8]) -> bool,",
    ") -> Result<[u64; NUMBERS], Refused> {",
    "    let mut numbers = [0u64; NUMBERS];",
    "    draw(value, &mut numbers, &mut fill)?;",
    "    Ok(numbers)",
    "}",
    "",
)


def _word(width: int) -> list[str]:
    """The function that reads a word."""
    shift = f" >> {64 - width}" if width < 64 else ""
    return [
        "/// The next word: 8 bytes, the first one lowest.",
        "fn word(fill: &mut impl FnMut(&mut [u8; 8]) -> bool) -> Result<u64, Refused> {",
        "    let mut bytes = [0u8; 8];",
        "    if !fill(&mut bytes) {",
        "        return Err(Refused::Fill);",
        "    }",
        f"    Ok(u64::from_le_bytes(bytes){shift})",
        "}",
        "",
    ]


class _Printer(PrintedFunction):
    """One function, line by line, and the tables that it reads."""

    _fresh = 0

    def _declared(self, name: str, table: tuple[int, ...]) -> str:
        entries = ", ".join(map(str, table))
        return f"static {name}: [u64; {len(table)}] = [{entries}];"

    def function(self) -> list[str]:
        """The function that draws a report."""
        self._block(self._program.body, 1)
        return [
            "fn draw(",
            f"    value: {value_type(self._program)},",
            "    report: &mut [u64; NUMBERS],",
            *(["    state: &mut [u8; STATE],"] if self._program.cells else []),
            "    fill: &mut impl FnMut(&mut [u8; 8]) -> bool,",
            ") -> Result<(), Refused> {",
            *(f"    let mut v_{variable}: u64 = 0;" for variable in self._variables),
            *_refusal(self._program),
            *self._lines,
            "    Ok(())",
            "}",
            "",
        ]

    def _lower(self) -> str:
        """The lower half of a wide value; a conversion to 64 bits leaves out all above them."""
        half = self._program.half
        return "value" if half == 64 else f"(value & {(1 << half) - 1})"

    def _block(self, block: Block, depth: int) -> None:
        for statement in block:
            match statement:
                case Draw(target):
                    self._put(depth, f"{self._variable(target)} = word(fill)?;")
                case Recall(target, index):
                    word = f"recall(state, {self._integer(index)})"
                    self._put(depth, f"{self._variable(target)} = {word};")
                case Assign(target, value):
                    self._put(depth, f"{self._variable(target)} = {self._integer(value)};")
                case Store(index, value):
                    place = f"report[{self._index(index)}]"
                    self._put(depth, f"{place} = {self._integer(value)};")
                case Keep(index, value):
                    cell = f"{FIRST_CELL} + {self._index(index)}"
                    self._put(depth, f"put(state, {cell}, {self._integer(value)});")
                case When(condition, yes, no):
                    self._when(f"if {self._comparison(condition)} {{", yes, no, depth)
                case Retry(body, until):
                    self._put(depth, "loop {")
                    self._block(body, depth + 1)
                    self._put(depth + 1, f"if {self._comparison(until)} {{")
                    self._put(depth + 2, "break;")
                    self._put(depth + 1, "}")
                    self._put(depth, "}")
                case Loop(index, count, body, condition):
                    self._fresh += 1
                    self._put(depth, f"for n{self._fresh} in 0..{count}u64 {{")
                    if condition is not None:
                        self._put(depth + 1, f"if !({self._comparison(condition)}) {{")
                        self._put(depth + 2, "break;")
                        self._put(depth + 1, "}")
                    self._put(depth + 1, f"{self._variable(index)} = n{self._fresh};")
                    self._block(body, depth + 1)
                    self._put(depth, "}")

    def _index(self, index: Expression) -> str:
        return f"{self._integer(index)} as usize"

    def _integer(self, expression: Expression) -> str:
        match expression:
            case Constant(value):
                return f"{value}u64"
            case Variable():
                return self._variable(expression)
            case Private(upper):
                if not self._program.wide:
                    return "value"
                half = self._program.half
                return f"((value >> {half}) as u64)" if upper else f"({self._lower()} as u64)"
            case PrivateNumber(index):
                return f"value[{self._index(index)}]"
            case ProgramEntry(table, index):
                name = self._tables.setdefault(table, f"TABLE_{len(self._tables)}")
                return f"{name}[{self._index(index)}]"
            case Slot(index):
                return f"report[{self._index(index)}]"
            case Kept(index):
                return f"get(state, {FIRST_CELL} + {self._index(index)})"
            case Choice(condition, yes, no):
                chosen = f"{{ {self._integer(yes)} }} else {{ {self._integer(no)} }}"
                return f"(if {self._comparison(condition)} {chosen})"
            case Operation(operator, left, right):
                return f"({self._integer(left)} {operator.value} {self._integer(right)})"
        raise ParameterError("expression", "must be one of the form's", type(expression))
