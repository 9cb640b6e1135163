"""Print the part of a C client that keeps a state: bytes with a checksum, saved before a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ldp_verified.run.program.state import (
    FIRST_CELL,
    MOST_REPORTS,
    POLYNOMIAL,
    state_size,
    undone_size,
)

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Program

DRAWN: Final = ("/* Draws one report and changes what is kept; use the function after it. */",)


def accessors(program: Program, identity: bytes) -> list[str]:
    """The state's size and numbers, its checksum, and the state of a new user."""
    name, upper = program.name, program.name.upper()
    shown = ", ".join(str(byte) for byte in identity)
    return [
        "/* What is kept: 8 bytes of the deployment, then numbers of 4 bytes, the lowest first:",
        "   reports made, cells, CRC-32 of all before it. It is private: keep it on the device. */",
        f"#define {upper}_CELLS {program.cells}",
        f"#define {upper}_STATE {state_size(program)}",
        "",
        f"static const unsigned char {name}_identity[8] = {{{shown}}};",
        "",
        f"static inline uint64_t {name}_get(const unsigned char *state, uint64_t place)",
        "{",
        "    const unsigned char *at = state + 4 * (size_t)place;",
        "    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16",
        "        | (uint64_t)at[3] << 24;",
        "}",
        "",
        f"static inline void {name}_put(unsigned char *state, uint64_t place, uint64_t number)",
        "{",
        "    unsigned char *at = state + 4 * (size_t)place;",
        "    int i;",
        "    for (i = 0; i < 4; i++) {",
        "        at[i] = (unsigned char)((number >> (8 * i)) & 255);",
        "    }",
        "}",
        "",
        f"static inline uint64_t {name}_checksum(const unsigned char *state)",
        "{",
        "    uint32_t sum = UINT32_C(0xffffffff);",
        "    size_t i;",
        "    int bit;",
        f"    for (i = 0; i < {upper}_STATE - 4; i++) {{",
        "        sum ^= state[i];",
        "        for (bit = 0; bit < 8; bit++) {",
        f"            sum = (sum & 1) != 0 ? (sum >> 1) ^ UINT32_C({POLYNOMIAL}) : sum >> 1;",
        "        }",
        "    }",
        "    return sum ^ UINT32_C(0xffffffff);",
        "}",
        "",
        "/* The state of a new user. One who has a state must go on from it: whoever starts anew",
        "   draws again what is drawn once for each user, and its epsilon is spent again. */",
        f"static inline void {name}_start(unsigned char state[{upper}_STATE])",
        "{",
        "    size_t i;",
        f"    for (i = 0; i < {upper}_STATE; i++) {{",
        f"        state[i] = i < 8 ? {name}_identity[i] : 0;",
        "    }",
        f"    {name}_put(state, {FIRST_CELL} + {upper}_CELLS, {name}_checksum(state));",
        "}",
        "",
        "/* Whether a state is one of this client, is whole, and has reports left. */",
        f"static inline int {name}_is_state(const unsigned char state[{upper}_STATE])",
        "{",
        "    uint64_t i;",
        "    for (i = 0; i < 8; i++) {",
        f"        if (state[i] != {name}_identity[i]) {{",
        "            return 0;",
        "        }",
        "    }",
        f"    for (i = 0; i < {upper}_CELLS; i++) {{",
        f"        if ({name}_get(state, {FIRST_CELL} + i) >= UINT64_C({program.kept_below})) {{",
        "            return 0;",
        "        }",
        "    }",
        f"    return {name}_get(state, 2) != UINT64_C({MOST_REPORTS})",
        f"        && {name}_get(state, {FIRST_CELL} + {upper}_CELLS) == {name}_checksum(state);",
        "}",
        "",
    ]


def report_function(program: Program) -> list[str]:
    """The function that checks a state, draws, counts, and has the state saved."""
    name, upper = program.name, program.name.upper()
    last = f"{FIRST_CELL} + {upper}_CELLS"
    return [
        "/* Returns 0 and a report, after save has stored the state; save returns 0 if it has.",
        "   1: value is outside the domain. 2: this is no state of this client, or it is damaged.",
        "   3: save failed. -1: fill failed. Without a report, all its numbers are 0 and must",
        "   not be sent; the state then counts none, so call it again for the same report. */",
        f"static inline int {name}_report(",
        f"    uint64_t value, uint64_t report[{upper}_NUMBERS],",
        f"    unsigned char state[{upper}_STATE],",
        "    int (*fill)(void *, size_t), int (*save)(const void *, size_t))",
        "{",
        f"    unsigned char before[{undone_size(program)}];",
        "    size_t i;",
        "    int failed = 2;",
        f"    if ({name}_is_state(state)) {{",
        f"        uint64_t made = {name}_get(state, 2);",
        "        for (i = 0; i < sizeof before; i++) {",
        "            before[i] = state[i];",
        "        }",
        f"        failed = {name}_draw(value, report, state, fill);",
        "        if (failed == 0) {",
        "            made++;",
        f"            {name}_put(state, 2, made);",
        f"            {name}_put(state, {last}, {name}_checksum(state));",
        f"            if (save(state, {upper}_STATE) != 0) {{",
        "                failed = 3;",
        "            }",
        "        }",
        "        /* A report that fill or save made may have been sent: it is not undone. */",
        f"        if (failed != 0 && {name}_get(state, 2) == made) {{",
        "            for (i = 0; i < sizeof before; i++) {",
        "                state[i] = before[i];",
        "            }",
        f"            {name}_put(state, {last}, {name}_checksum(state));",
        "        }",
        "    }",
        "    if (failed != 0) {",
        f"        for (i = 0; i < {upper}_NUMBERS; i++) {{",
        "            report[i] = 0;",
        "        }",
        "    }",
        "    return failed;",
        "}",
        "",
    ]


class SelfTest(NamedTuple):
    """Parts of a self-test that a state takes; empty where there is none."""

    arguments: str
    declared: list[str]
    functions: list[str]
    cells: list[str]

    def start(self, column: int) -> list[str]:
        """Lines that make the state of a row, whose cells begin at a column."""
        return [line.replace("COLUMN", str(column)) for line in self.cells]


def self_test(program: Program) -> SelfTest:
    """The parts of a self-test of a program."""
    name, upper = program.name, program.name.upper()
    if not program.cells:
        return SelfTest(f"{name}_replay", [], [], [])
    return SelfTest(
        f"state, {name}_replay, {name}_saved",
        [f"    unsigned char state[{upper}_STATE];"],
        [
            f"static int {name}_saved(const void *state, size_t size)",
            "{",
            "    (void)state;",
            f"    return size != {upper}_STATE;",
            "}",
            "",
        ],
        [
            f"        {name}_start(state);",
            f"        for (i = 0; i < {upper}_CELLS; i++) {{",
            f"            uint64_t cell = {name}_vectors[row][COLUMN + i];",
            f"            {name}_put(state, (uint64_t)({FIRST_CELL} + i), cell);",
            "        }",
            f"        {name}_put(state, {FIRST_CELL} + {upper}_CELLS, {name}_checksum(state));",
        ],
    )
