"""The part of a C client that replays vectors, and what it has of a value's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program import c_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import PrivateValue, Program
    from ldp_verified.run.program.vectors import Vector


def number(value: int) -> str:
    """An integer as C writes it."""
    return f"UINT64_C({value})"


def value_of(program: Program) -> str:
    """The parameters of a private value: of a wide one the upper half, then the lower."""
    if program.length:
        return f"const uint64_t value[{program.name.upper()}_LENGTH]"
    return "uint64_t upper, uint64_t value" if program.wide else "uint64_t value"


def self_test(program: Program, vectors: Sequence[Vector]) -> list[str]:
    """A function that replays the vectors, for builds that define NAME_SELF_TEST.

    Args:
        program: what is printed.
        vectors: one or more.
    """
    name, upper = program.name, program.name.upper()
    most = max(len(vector.words) for vector in vectors)
    kept = c_state.self_test(program)
    rows = []
    for vector in vectors:
        words = [*vector.words, *[0] * (most - len(vector.words))]
        cells = vector.cells or (0,) * program.cells
        low, *more = _parts(program, vector.value)
        numbers = (low, len(vector.words), *words, *vector.report, *cells, *more)
        rows.append("    {" + ", ".join(map(number, numbers)) + "},")
    further = max(program.wide, program.length)
    columns = 2 + most + program.numbers + program.cells + further
    last = ", the value's upper half" if program.wide else ""
    value = f"{name}_vectors[row][0]"
    if program.wide:
        value = f"{name}_vectors[row][{columns - 1}], {value}"
    if program.length:
        last = ", the value's numbers"
        value = f"{name}_vectors[row] + {columns - program.length}"
    first = "0" if program.length else "value"
    return [
        f"#ifdef {upper}_SELF_TEST",
        f"/* Each row: {first}, how many words are read, the words, the report{last}. */",
        f"static const uint64_t {name}_vectors[{len(vectors)}][{columns}] = {{",
        *rows,
        "};",
        "",
        f"static const uint64_t *{name}_tape;",
        f"static uint64_t {name}_left;",
        "",
        *kept.functions,
        f"static int {name}_replay(void *to, size_t size)",
        "{",
        "    unsigned char *bytes = (unsigned char *)to;",
        "    size_t i;",
        "    uint64_t word;",
        f"    if (size != 8 || {name}_left == 0) {{",
        "        return -1;",
        "    }",
        f"    word = *{name}_tape << {64 - program.width};",
        "    for (i = 0; i < 8; i++) {",
        "        bytes[i] = (unsigned char)((word >> (8 * i)) & 255);",
        "    }",
        f"    {name}_tape++;",
        f"    {name}_left--;",
        "    return 0;",
        "}",
        "",
        "/* Returns 0 if every vector comes out, else the number of the first wrong one. */",
        f"static int {name}_self_test(void)",
        "{",
        f"    uint64_t report[{upper}_NUMBERS];",
        *kept.declared,
        "    int row;",
        "    int i;",
        f"    for (row = 0; row < {len(vectors)}; row++) {{",
        f"        {name}_tape = {name}_vectors[row] + 2;",
        f"        {name}_left = {name}_vectors[row][1];",
        *kept.start(2 + most + program.numbers),
        f"        if ({name}_report({value}, report, {kept.arguments}) != 0",
        f"            || {name}_left != 0) {{",
        "            return row + 1;",
        "        }",
        f"        for (i = 0; i < {upper}_NUMBERS; i++) {{",
        f"            if (report[i] != {name}_vectors[row][2 + {most} + i]) {{",
        "                return row + 1;",
        "            }",
        "        }",
        "    }",
        "    return 0;",
        "}",
        "#endif",
        "",
    ]


def _parts(program: Program, value: PrivateValue) -> tuple[int, ...]:
    """What a row has of a value: at its beginning, and after it the upper half, or the numbers."""
    if isinstance(value, tuple):
        return 0, *value
    if program.wide:
        return value & ((1 << program.half) - 1), value >> program.half
    return (value,)
