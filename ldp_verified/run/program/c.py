"""A program printed as a C99 header that depends on nothing but <stddef.h> and <stdint.h>."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.program import c_keyed, c_state
from ldp_verified.run.program.c_vectors import number, self_test, value_of
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


def c_header(
    program: Program,
    about: Sequence[str],
    vectors: Sequence[Vector] = (),
    identity: bytes = NO_IDENTITY,
) -> str:
    """The text of a header with `NAME_report`, and `NAME_self_test` if there are vectors.

    The same header may be included twice; after one of another client of that name it is an error.

    Args:
        program: what draws a report.
        about: lines for the comment at the top.
        vectors: reports that given words must make.
        identity: 8 bytes that a kept state begins with, of its deployment.
    """
    printer = _Printer(program)
    body = printer.function()
    name = program.name
    code = [
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        *(() if every_value(program) else (_inputs(program),)),
        f"#define {name.upper()}_NUMBERS {program.numbers}",
        *((f"#define {name.upper()}_LENGTH {program.length}",) if program.length else ()),
        "",
        *printer.tables(),
        *(c_state.accessors(program, identity) if program.cells else ()),
        *(c_keyed.functions(program.name, program.key) if program.key else ()),
        *body,
        *(c_state.report_function(program) if program.cells else ()),
        *(self_test(program, vectors) if vectors else ()),
    ]
    guard = f"LDP_VERIFIED_{name.upper()}"
    # Which client it is: another one of that name would be left out in silence by the guard.
    own = f"{guard}_{hashlib.sha256(chr(10).join(code).encode()).hexdigest()[:16].upper()}"
    parts = [
        "/*",
        *(f" * {line}".rstrip() for line in about),
        " */",
        f"#ifndef {guard}_H",
        f"#define {guard}_H",
        f"#define {own}",
        "",
        *code,
        "#endif",
        f"#ifndef {own}",
        f'#error "two different clients of {name} in one file: give each a .c file of its own"',
        "#endif",
    ]
    return "\n".join(parts) + "\n"


_DRAWN = (
    "/* Returns 0 and a report; 1 if value is outside the domain; -1 if fill failed.",
    "   Without a report, all its numbers are 0 and must not be sent. */",
)


class _Printer(PrintedFunction):
    """One function, line by line, and the tables that it reads."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._read: set[str] = set()

    def _declared(self, name: str, table: tuple[int, ...]) -> str:
        entries = ", ".join(map(number, table))
        return f"static const uint64_t {name}[{len(table)}] = {{{entries}}};"

    def function(self) -> list[str]:
        """The word reader and the function that draws a report."""
        program, name = self._program, self._program.name
        self._block(program.body, 1)
        shift = f" >> {64 - program.width}" if program.width < 64 else ""
        order = "    *word = (*word << 8) | bytes[i];"
        return [
            "/* The next word: 8 bytes, the first one lowest. fill returns 0 if it filled them. */",
            f"static inline int {name}_word(uint64_t *word, int (*fill)(void *, size_t))",
            "{",
            "    unsigned char bytes[8];",
            "    int i;",
            "    if (fill(bytes, sizeof bytes) != 0) {",
            "        return -1;",
            "    }",
            "    *word = 0;",
            "    for (i = 7; i >= 0; i--) {",
            f"    {order}",
            "    }",
            *([f"    *word = *word{shift};"] if shift else []),
            "    return 0;",
            "}",
            "",
            *(
                ("/* value and report are two arrays that do not overlap. */",)
                if program.length
                else ()
            ),
            *(c_state.DRAWN if program.cells else _DRAWN),
            f"static inline int {name}_{'draw' if program.cells else 'report'}(",
            f"    {value_of(program)}, uint64_t report[{name.upper()}_NUMBERS],",
            *(["    unsigned char *state,"] if program.cells else []),
            "    int (*fill)(void *, size_t))",
            "{",
            *(f"    uint64_t v_{variable} = 0;" for variable in self._variables),
            "    size_t clear;",
            # Compilers warn of a variable that is only written to.
            *(f"    (void)v_{each};" for each in self._variables if each not in self._read),
            f"    for (clear = 0; clear < {program.numbers}; clear++) {{",
            "        report[clear] = 0;",
            "    }",
            *self._refusal(),
            *self._lines,
            "    return 0;",
            "failed:",
            f"    for (clear = 0; clear < {program.numbers}; clear++) {{",
            "        report[clear] = 0;",
            "    }",
            "    return -1;",
            "}",
            "",
        ]

    def _refusal(self) -> list[str]:
        """Return the lines that refuse a value outside the domain."""
        program = self._program
        if every_value(program):
            return []
        if program.length:
            return [
                f"    for (clear = 0; clear < {program.length}; clear++) {{",
                f"        if (value[clear] >= {program.name.upper()}_INPUTS) {{",
                "            return 1;",
                "        }",
                "    }",
            ]
        upper = f"upper >= {number(program.inputs >> program.half)}"
        test = upper if program.wide else f"value >= {program.name.upper()}_INPUTS"
        return [f"    if ({test}) {{", "        return 1;", "    }"]

    def _block(self, block: Block, depth: int) -> None:
        for statement in block:
            match statement:
                case Draw(target):
                    place = f"&{self._integer(target)}"
                    self._put(depth, f"if ({self._program.name}_word({place}, fill) != 0) {{")
                    self._put(depth + 1, "goto failed;")
                    self._put(depth, "}")
                case Recall(target, index):
                    word = f"{self._program.name}_recall(state, {self._integer(index)})"
                    self._put(depth, f"{self._variable(target)} = {word};")
                case Assign(target, value):
                    self._put(depth, f"{self._variable(target)} = {self._integer(value)};")
                case Store(index, value):
                    self._put(depth, f"report[{self._integer(index)}] = {self._integer(value)};")
                case Keep(index, value):
                    cell = f"{FIRST_CELL} + {self._integer(index)}"
                    put = f"{self._program.name}_put(state, {cell}, {self._integer(value)});"
                    self._put(depth, put)
                case When(condition, yes, no):
                    self._when(f"if ({self._comparison(condition)}) {{", yes, no, depth)
                case Retry(body, until):
                    self._put(depth, "do {")
                    self._block(body, depth + 1)
                    self._put(depth, f"}} while (!({self._comparison(until)}));")
                case Loop(index, count, body, condition):
                    turn = self._integer(index)
                    test = f"{turn} < {number(count)}"
                    if condition is not None:
                        test += f" && {self._comparison(condition)}"
                    self._put(depth, f"for ({turn} = 0; {test}; {turn}++) {{")
                    self._block(body, depth + 1)
                    self._put(depth, "}")

    def _integer(self, expression: Expression) -> str:
        match expression:
            case Constant(value):
                return number(value)
            case Variable(name):
                self._read.add(name)
                return self._variable(expression)
            case Private(upper):
                return "upper" if upper else "value"
            case PrivateNumber(index):
                return f"value[{self._integer(index)}]"
            case ProgramEntry(table, index):
                fresh = f"{self._program.name}_table_{len(self._tables)}"
                return f"{self._tables.setdefault(table, fresh)}[{self._integer(index)}]"
            case Slot(index):
                return f"report[{self._integer(index)}]"
            case Kept(index):
                cell = f"{FIRST_CELL} + {self._integer(index)}"
                return f"{self._program.name}_get(state, {cell})"
            case Choice(condition, yes, no):
                chosen = f"{self._integer(yes)} : {self._integer(no)}"
                return f"({self._comparison(condition)} ? {chosen})"
            case Operation(operator, left, right):
                return f"({self._integer(left)} {operator.value} {self._integer(right)})"
        raise ParameterError("expression", "must be one of the form's", type(expression))


def _inputs(program: Program) -> str:
    """Say how many values there are; of wide ones, how many upper halves."""
    upper = program.name.upper()
    if program.wide:
        return f"#define {upper}_UPPER {number(program.inputs >> program.half)}"
    return f"#define {upper}_INPUTS {number(program.inputs)}"
