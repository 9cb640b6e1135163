"""Print the part of a JavaScript client that keeps a state: bytes with a checksum, saved first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.run.program.state import (
    FIRST_CELL,
    MOST_REPORTS,
    POLYNOMIAL,
    state_size,
    undone_size,
)

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Program

TYPES: Final = (
    "/** How many bytes a state has. */",
    "export declare const stateBytes: number;",
    "/** The state of a new user. It is private, and must be kept: see the module. */",
    "export declare function newState(): Uint8Array;",
    "/** How many reports were made with a state. */",
    "export declare function reportsMade(state: Uint8Array): number;",
)


# A promise does not say yet that the state is stored, and a report must not leave before it is.
STORE: Final = (
    "function store(state, save) {",
    "  const said = save(state);",
    "  if (said === false || typeof said?.then === 'function') {",
    "    throw new Error('save: must have stored the state when it returns, and return nothing');",
    "  }",
    "}",
    "",
)

CHECK_SAVE: Final = (
    "  if (typeof save !== 'function') throw new TypeError('save: must be a function');",
)

# A report within another would be undone with it, when it may have been sent already.
ALONE: Final = (
    "  if (busy) throw new Error('report: must not be called by fill or save');",
    "  busy = true;",
)


def functions(program: Program, identity: bytes) -> list[str]:
    """The state's numbers and checksum, the state of a new user, and the reports."""
    last = FIRST_CELL + program.cells
    return [
        "// What is kept: 8 bytes of the deployment, then numbers of 4 bytes, the lowest first:",
        "// reports made, cells, CRC-32 of all before it.",
        "/** How many bytes a state has. */",
        f"export const stateBytes = {state_size(program)};",
        f"const identity = [{', '.join(str(byte) for byte in identity)}];",
        "",
        "function get(state, place) {",
        "  const at = 4 * place;",
        "  const low = state[at] | state[at + 1] << 8;",
        "  return (low | state[at + 2] << 16 | state[at + 3] << 24) >>> 0;",
        "}",
        "",
        "function put(state, place, number) {",
        "  for (let i = 0; i < 4; i++) state[4 * place + i] = number >>> (8 * i) & 255;",
        "}",
        "",
        "function checksum(state) {",
        "  let sum = -1;",
        "  for (let i = 0; i < stateBytes - 4; i++) {",
        "    sum ^= state[i];",
        "    for (let bit = 0; bit < 8; bit++) {",
        f"      sum = sum & 1 ? sum >>> 1 ^ {POLYNOMIAL} : sum >>> 1;",
        "    }",
        "  }",
        "  return ~sum >>> 0;",
        "}",
        "",
        "/** The state of a new user. One who has a state must go on from it: whoever starts anew",
        " *  draws again what is drawn once for each user, and its epsilon is spent again. */",
        "export function newState() {",
        "  const state = new Uint8Array(stateBytes);",
        "  state.set(identity);",
        f"  put(state, {last}, checksum(state));",
        "  return state;",
        "}",
        "",
        "/** How many reports were made with a state. */",
        "export function reportsMade(state) {",
        "  return get(state, 2);",
        "}",
        "",
        "function checkState(state) {",
        "  if (!(state instanceof Uint8Array) || state.length !== stateBytes) {",
        "    throw new TypeError(`state: must be a Uint8Array of ${stateBytes} bytes`);",
        "  }",
        f"  let whole = get(state, 2) !== {MOST_REPORTS};",
        f"  whole = whole && get(state, {last}) === checksum(state);",
        "  for (let i = 0; i < 8; i++) whole = whole && state[i] === identity[i];",
        f"  for (let i = {FIRST_CELL}; i < {last}; i++) {{",
        f"    whole = whole && get(state, i) < {program.kept_below};",
        "  }",
        "  if (!whole) throw new Error('state: is damaged, used up or of another deployment');",
        "}",
        "",
        *STORE,
        "let busy = false;",
        "",
        "function saved(value, state, save, next) {",
        "  checkState(state);",
        *CHECK_SAVE,
        *ALONE,
        "  // The slice of a Buffer of node is no copy.",
        f"  const before = Uint8Array.from(state.subarray(0, {undone_size(program)}));",
        "  try {",
        "    const made = drawn(value, state, next);",
        "    put(state, 2, get(state, 2) + 1);",
        f"    put(state, {last}, checksum(state));",
        "    store(state, save);",
        "    return made;",
        "  } catch (error) {",
        "    state.set(before);",
        f"    put(state, {last}, checksum(state));",
        "    throw error;",
        "  } finally {",
        "    busy = false;",
        "  }",
        "}",
        "",
        "/** One report of a value, from crypto.getRandomValues. It changes the state, and gives",
        " *  the report after save(state) has stored it; save throws an error if it cannot. Then",
        " *  there is no report, and the state counts none: call it again for the same report. */",
        "export function report(value, state, save) {",
        "  return saved(value, state, save, pooled);",
        "}",
        "",
        "/** The same with bytes of yours: fill(bytes) fills the Uint8Array, and returns 8. */",
        "export function reportFrom(value, state, save, fill) {",
        "  return saved(value, state, save, fromFill(fill));",
        "}",
        "",
    ]
