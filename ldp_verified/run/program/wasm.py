"""A program as WebAssembly: C around the printed header, and a JavaScript module that runs it.

clang makes the binary from the C. The module has the binary in it and the interface of the
JavaScript printing, so whatever runs the one runs the other.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from ldp_verified.run.program.c_vectors import value_of
from ldp_verified.run.program.javascript import SOURCE, inputs_and_numbers, value_check
from ldp_verified.run.program.javascript_state import ALONE, CHECK_SAVE, STORE
from ldp_verified.run.program.state import state_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import Program


def wasm_source(program: Program) -> str:
    """C that is compiled after the printed header: exports, and the two functions it imports."""
    name, upper = program.name, program.name.upper()
    taken, given = value_of(program), "upper, value" if program.wide else "value"
    held: list[str] = []
    if program.length:
        taken, given = "void", "client_value"
        held = [
            f"static uint64_t client_value[{upper}_LENGTH];",
            '__attribute__((export_name("value"))) uint64_t *client_value_at(void);',
            "uint64_t *client_value_at(void)",
            "{",
            "    return client_value;",
            "}",
        ]
    lines = [
        *held,
        '__attribute__((import_module("client"), import_name("fill")))',
        "int client_fill(void *, size_t);",
        f"static uint64_t client_numbers[{upper}_NUMBERS];",
        '__attribute__((export_name("numbers"))) uint64_t *client_numbers_at(void);',
        "uint64_t *client_numbers_at(void)",
        "{",
        "    return client_numbers;",
        "}",
        f'__attribute__((export_name("report"))) int client_report({taken});',
    ]
    if not program.cells:
        return "\n".join(
            [
                *lines,
                f"int client_report({taken})",
                "{",
                f"    return {name}_report({given}, client_numbers, client_fill);",
                "}",
                "",
            ]
        )
    return "\n".join(
        [
            '__attribute__((import_module("client"), import_name("save")))',
            "int client_save(const void *, size_t);",
            f"static unsigned char client_state[{upper}_STATE];",
            '__attribute__((export_name("state"))) unsigned char *client_state_at(void);',
            "unsigned char *client_state_at(void)",
            "{",
            "    return client_state;",
            "}",
            '__attribute__((export_name("start"))) void client_start(void);',
            "void client_start(void)",
            "{",
            f"    {name}_start(client_state);",
            "}",
            *lines,
            "int client_report(uint64_t value)",
            "{",
            f"    return {name}_report(value, client_numbers, client_state, client_fill,",
            "        client_save);",
            "}",
            "",
        ]
    )


def wasm_module(program: Program, about: Sequence[str], binary: bytes) -> str:
    """The text of an ES module with `report` and `reportFrom` as `javascript_module` has them.

    Args:
        program: what draws a report.
        about: lines for the comment at the top.
        binary: what clang made of the header and `wasm_source`.
    """
    state = ", state, save" if program.cells else ""
    return "\n".join(
        [
            "/*",
            *(f" * {line}".rstrip() for line in about),
            " */",
            "",
            *inputs_and_numbers(program),
            f"const text = '{base64.b64encode(binary).decode('ascii')}';",
            *SOURCE,
            "let next;",
            "let failure;",
            "let keep;",
            "let busy = false;",
            "",
            "// What goes wrong in JavaScript is kept while the binary ends in order.",
            "function attempt(call) {",
            "  try {",
            "    call();",
            "    return 0;",
            "  } catch (error) {",
            "    failure = { error }; // what is thrown may be undefined",
            "    return -1;",
            "  }",
            "}",
            "",
            "const imports = {",
            "  fill: (at) => attempt(() => {",
            "    next();",
            "    const bytes = new DataView(client.memory.buffer, at, 8);",
            "    bytes.setUint32(0, low, true);",
            "    bytes.setUint32(4, high, true);",
            "  }),",
            "  save: () => attempt(() => keep()),",
            "};",
            "const binary = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));",
            "const program = new WebAssembly.Module(binary);",
            "const client = new WebAssembly.Instance(program, { client: imports }).exports;",
            "",
            *(_STATE if program.cells else ()),
            "/** One report of a value, from crypto.getRandomValues. */",
            f"export function report(value{state}) {{",
            f"  return drawn(value{state}, pooled);",
            "}",
            "",
            "/** The same with bytes of yours: fill(bytes) fills the Uint8Array, and returns 8. */",
            f"export function reportFrom(value{state}, fill) {{",
            f"  return drawn(value{state}, fromFill(fill));",
            "}",
            "",
            f"function drawn(value{state}, source) {{",
            *_drawn(program),
            "}",
            "",
        ]
    ).replace("STATE_BYTES", str(state_size(program)))


_STATE = (
    "/** How many bytes a state has. */",
    "export const stateBytes = STATE_BYTES;",
    "",
    "function kept() {",
    "  return new Uint8Array(client.memory.buffer, client.state(), stateBytes);",
    "}",
    "",
    "/** The state of a new user. One who has a state must go on from it. */",
    "export function newState() {",
    "  const other = kept().slice(); // of a report whose save asks for a new state",
    "  client.start();",
    "  const made = kept().slice();",
    "  kept().set(other);",
    "  return made;",
    "}",
    "",
    "/** How many reports were made with a state. */",
    "export function reportsMade(state) {",
    "  return new DataView(state.buffer, state.byteOffset).getUint32(8, true);",
    "}",
    "",
    *STORE,
)


_WRITTEN = (
    "  const held = new BigUint64Array(client.memory.buffer, client.value(), length);",
    "  held.set(given.map(BigInt));",
)


def _drawn(program: Program) -> list[str]:
    """Statements of a report: the value checked, the binary run, its numbers read."""
    with_state = [
        "  if (!(state instanceof Uint8Array) || state.length !== stateBytes) {",
        "    throw new TypeError(`state: must be a Uint8Array of ${stateBytes} bytes`);",
        "  }",
        *CHECK_SAVE,
    ]
    handed = [
        "  kept().set(state);",
        "  keep = () => { state.set(kept()); store(state, save); };",
    ]
    small = program.below <= 1 << 32
    number = "Number(part)" if small else "BigInt.asUintN(64, part)"
    given = "" if program.length else "BigInt(value)"
    if program.wide:
        mask = (1 << program.half) - 1
        given = f"BigInt(value) >> {program.half}n, BigInt(value) & {mask}n"
    whole = "found[0]" if program.numbers == 1 else "found"
    return [
        *([] if not program.cells else with_state),
        *([line for line in value_check(program) if "x_" not in line]),
        *ALONE,
        *(handed if program.cells else []),
        *(_WRITTEN if program.length else ()),
        "  next = source;",
        "  failure = undefined;",
        "  let status;",
        "  try {",
        f"    status = client.report({given});",
        "  } finally {",
        "    busy = false;",
        "  }",
        *(["  held.fill(0n);"] if program.length else []),
        *(["  state.set(kept());"] if program.cells else []),
        "  if (failure !== undefined) throw failure.error;",
        "  if (status !== 0) {",
        "    throw new Error('state: is damaged, used up or of another deployment');",
        "  }",
        "  const parts = new BigUint64Array(client.memory.buffer, client.numbers(), numbers);",
        f"  const found = Array.from(parts, (part) => {number});",
        "  parts.fill(0n);",
        f"  return {whole};",
    ]
