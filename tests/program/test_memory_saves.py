"""A report whose state could not be stored is made anew, and nothing is counted that was not sent.

Each client is called again after a failure, with words that are new: what it then sends and saves
is what a client gives whose save never failed, from the words of the calls that succeeded.
"""

from __future__ import annotations

import ctypes
import json
import struct
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.protocols import LGRR, LOLOHA, LSUE, ChangeTree, DBitFlip, VotedMean
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.rust import rust_crate
from ldp_verified.run.program.state import FIRST_CELL, state_size, undone_size, written_state
from tests.program import gcc, node, rustc, wasm
from tests.program.kept import KEPT, KEPT_SIZES

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from ldp_verified.run.program import Program

WORDS = 40
"""Words of a call; more than any client here reads in one."""
VOTED = VotedMean(4.0, 6, 5, updates=3, votes=2)
QUESTION = VOTED.program().inputs - 1
CHANGING: dict[str, tuple[Any, list[int]]] = {
    "change_tree": (ChangeTree(1.0, 6, 2), [0, 1, 1, 0, 0, 0, 1]),
    "change_tree_one_day": (ChangeTree(1.0, 1, 1), [1, 1]),
    "voted_mean": (VOTED, [3, QUESTION, QUESTION, 40, 2, QUESTION]),
}
"""Deployments over days, and the values of one user's reports."""
PERMANENT: dict[str, tuple[Any, list[int]]] = {
    "lgrr": (LGRR(2.0, 1.0, 5), [1, 1, 4, 1]),
    "loloha": (LOLOHA(2.0, 1.0, 20), [7, 7, 19]),
    "dbitflip": (DBitFlip(2.0, 9, 9, 2), [0, 8, 0]),
    "lsue": (LSUE(2.0, 1.0, 4), [3, 0, 3]),
}
"""Deployments whose answers are drawn once."""
FAILURES = ("throws", "undefined", "false", "promise")

Call = tuple[int, list[int], bool]
"""A value, the words that are there, and whether the state can be stored."""
Answer = tuple[list[int] | None, str]
"""The report, None where there is none, and the state after the call, in hex."""


def calls_of(values: list[int], rng: np.random.Generator) -> list[Call]:
    """Each report after zero to two failures: of the save, or of a source with a word at most."""
    found: list[Call] = []
    for value in values:
        for failing in [*rng.integers(0, 2, rng.integers(0, 3)).tolist(), None]:
            words = rng.integers(0, 1 << 64, WORDS, dtype="uint64").tolist()
            found.append((value, words[: int(failing)] if failing == 1 else words, failing is None))
    # The report that is most worth having: one fails at least.
    return [(values[0], found[0][1][:WORDS], False), *found]


def expected(program: Program, calls: list[Call]) -> list[Answer]:
    """What the interpreter gives for the calls that succeed; the others leave what changes."""
    cells, made, found = [0] * program.cells, 0, list[Answer]()
    for value, words, stored in calls:
        before, report = [*cells], None
        try:
            drawn = list(interpret(program, value, words, cells).report)
            if stored:
                report, made = drawn, made + 1
        except OutOfWordsError:
            pass
        if report is None and program.changing:
            cells = before
        found.append((report, written_state(cells, made).hex()))
    return found


def of_javascript(text: str, calls: list[Call], failure: str, folder: Path) -> list[Answer]:
    """What a module gives, where a save fails in one of the ways that it can."""
    (folder / "client.mjs").write_text(text)
    shown = [(value, [str(word) for word in words], stored) for value, words, stored in calls]
    (folder / "calls.json").write_text(json.dumps(shown))
    script = """
import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
const client = await import(argv[2]);
const fails = { throws: () => { throw new Error('disk full'); }, false: () => false,
  undefined: () => { throw undefined; }, promise: () => Promise.resolve() }[argv[4]];
// A Buffer is a Uint8Array whose slice is no copy.
const state = argv[4] === 'false' ? Buffer.from(client.newState()) : client.newState();
const hex = () => Array.from(state, (byte) => byte.toString(16).padStart(2, '0')).join('');
console.log(JSON.stringify(JSON.parse(readFileSync(argv[3])).map(([value, words, stored]) => {
  let saved = '';
  const fill = (bytes) => {
    if (words.length === 0) return 0;
    new DataView(bytes.buffer).setBigUint64(0, BigInt(words.shift()), true);
    return 8;
  };
  const save = () => { saved = hex(); return stored ? undefined : fails(); };
  let report = null;
  try {
    report = [client.reportFrom(value, state, save, fill)].flat().map(Number);
    if (saved !== hex()) throw new RangeError('another state was saved');
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
  return [report, hex()];
})));
"""
    where = (folder / "client.mjs", folder / "calls.json", failure)
    return [(report, state) for report, state in json.loads(node.ran(folder, script, *where))]


FILLS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
"""Functions that C calls: `fill`, and `save`."""


def c_client(program: Program, folder: Path) -> ctypes.CDLL:
    """`client` and `start` of a header."""
    name = program.name
    exports = f"""
int client(uint64_t, uint64_t *, unsigned char *, int (*)(void *, size_t),
    int (*)(const void *, size_t));
int client(uint64_t value, uint64_t *report, unsigned char *state, int (*fill)(void *, size_t),
    int (*save)(const void *, size_t))
{{
    return {name}_report(value, report, state, fill, save);
}}
void start(unsigned char *);
void start(unsigned char *state) {{ {name}_start(state); }}
"""
    return gcc.built(folder, c_header(program, ["A test."]) + exports)


def of_c(program: Program, calls: list[Call], folder: Path) -> list[Answer]:
    """What a header gives, called as a device calls it."""
    library = c_client(program, folder)
    state = ctypes.create_string_buffer(state_size(program))
    report = (ctypes.c_uint64 * program.numbers)()
    library.start(state)
    found = list[Answer]()
    for value, words, stored in calls:
        left = iter(words)
        saved = list[bytes]()

        def fill(to: int, size: int, left: Any = left) -> int:
            word = next(left, None)
            if word is None or size != 8:
                return -1
            ctypes.memmove(to, struct.pack("<Q", word), 8)
            return 0

        def save(at: int, size: int, saved: Any = saved, stored: bool = stored) -> int:
            saved.append(ctypes.string_at(at, size))
            return 0 if stored else 5

        status = library.client(ctypes.c_uint64(value), report, state, FILLS(fill), FILLS(save))
        assert status == 0 or not any(report)
        assert status != 0 or saved == [state.raw]
        found.append((list(report) if status == 0 else None, state.raw.hex()))
    return found


def of_rust(program: Program, calls: list[Call], folder: Path) -> list[Answer]:
    """What a crate gives."""
    rows = "".join(f"({v}, &{words}, {str(stored).lower()})," for v, words, stored in calls)
    driver = f"""
use client::*;
fn main() {{
    let calls: &[(u64, &[u64], bool)] = &[{rows}];
    let mut state = new_state();
    for (value, words, stored) in calls {{
        let mut left = words.iter();
        let mut saved = None;
        let done = report(*value, &mut state, |bytes| match left.next() {{
            Some(word) => {{ *bytes = word.to_le_bytes(); true }}
            None => false,
        }}, |state| {{ saved = Some(*state); *stored }});
        if done.is_ok() {{ assert_eq!(saved, Some(state)); }}
        let hex: String = state.iter().map(|byte| format!("{{:02x}}", byte)).collect();
        println!("{{}};{{}}", done.map_or("null".into(), |found| format!("{{:?}}", found)), hex);
    }}
}}
"""
    path = rustc.built(folder, rust_crate(program, ["A test."]), driver)
    done = subprocess.run([path], capture_output=True, text=True, check=True)
    lines = (line.split(";") for line in done.stdout.splitlines())
    return [(json.loads(report), state) for report, state in lines]


@pytest.mark.parametrize("name", [*CHANGING, *PERMANENT])
def test_a_report_is_made_again_after_a_failure(
    name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    """In every language, whatever fails: the report that is sent is the one that was saved last."""
    made, values = (CHANGING | PERMANENT)[name]
    program = made.program()
    calls = calls_of(values, rng)
    right = expected(program, calls)
    assert right[0][0] is None
    assert of_c(program, calls, tmp_path / "c") == right
    if node.node() is not None:
        for failure in FAILURES:
            text = javascript_module(program, ["A test."])
            assert of_javascript(text, calls, failure, tmp_path) == right, failure
            if wasm.has_tools():
                text = wasm.module(program)
                assert of_javascript(text, calls, failure, tmp_path) == right, failure
    if rustc.rustc() is not None:
        assert of_rust(program, calls, tmp_path / "rust") == right


@pytest.mark.parametrize("name", [*KEPT, *KEPT_SIZES])
def test_what_is_written_once_is_told_from_what_changes(
    name: str, rng: np.random.Generator
) -> None:
    """A program that says that what it keeps stays has no cell that changes when it holds one."""
    program = (KEPT | KEPT_SIZES)[name].program
    assert program.changing is (name.split("_")[0] in ("change", "voted"))
    assert undone_size(program) <= 4 * (FIRST_CELL + 6)
    changed = False
    for _ in range(50):
        cells = [0] * program.cells
        for _ in range(6):
            before = [*cells]
            words = rng.integers(0, 1 << program.width, 200).tolist()
            value = int(rng.integers(program.inputs))
            try:
                interpret(program, value, words, cells)
            except OutOfWordsError:
                break
            held = zip(before, cells, strict=True)
            changed = changed or any(old not in (0, new) for old, new in held)
    assert changed is program.changing


NESTED = """
import { argv } from 'node:process';
import { webcrypto } from 'node:crypto';
globalThis.crypto ??= webcrypto;
const client = await import(argv[2]);
const [mine, other] = [client.newState(), client.newState()];
const found = [];
const attempt = (call) => {
  try { call(); } catch (error) { found.push(error === undefined ? null : error.message); }
};
const nothing = () => {};
attempt(() => client.report(1, mine, () => client.report(1, mine, nothing)));
attempt(() => client.report(1, mine, () => client.report(1, other, nothing)));
attempt(() => client.reportFrom(1, mine, nothing, () => client.report(1, mine, nothing)));
attempt(() => client.report(1, mine, () => { throw undefined; }));
found.push(client.reportsMade(mine), client.reportsMade(other));
client.report(1, mine, nothing);
client.report(1, mine, () => { client.newState(); });
found.push(client.reportsMade(mine));
console.log(JSON.stringify(found));
"""


@pytest.mark.parametrize("language", ["javascript", "wasm"])
def test_a_report_within_another_is_refused(language: str, tmp_path: Path) -> None:
    """It could be sent, and be undone with the outer one; a new state within is another one."""
    if node.node() is None or (language == "wasm" and not wasm.has_tools()):
        return
    program = ChangeTree(1.0, 6, 2).program()
    text = wasm.module(program) if language == "wasm" else javascript_module(program, ["A test."])
    (tmp_path / "client.mjs").write_text(text)
    said = json.loads(node.ran(tmp_path, NESTED, tmp_path / "client.mjs"))
    assert said == [*["report: must not be called by fill or save"] * 3, None, 0, 0, 2]


def test_a_report_within_another_is_not_undone_in_c(tmp_path: Path) -> None:
    """The inner one was given, so the state counts it though the outer one's save fails."""
    program = ChangeTree(1.0, 6, 2).program()
    library = c_client(program, tmp_path)
    state = ctypes.create_string_buffer(state_size(program))
    outer, inner = (ctypes.c_uint64 * 2)(), (ctypes.c_uint64 * 2)()
    library.start(state)
    fill, stored = FILLS(lambda _at, _size: 0), FILLS(lambda _at, _size: 0)

    def save(_at: int, _size: int) -> int:
        assert library.client(ctypes.c_uint64(1), inner, state, fill, stored) == 0
        return 1

    assert library.client(ctypes.c_uint64(1), outer, state, fill, FILLS(save)) == 3
    assert not any(outer)
    assert struct.unpack_from("<I", state.raw, 8) == (2,)
    assert library.client(ctypes.c_uint64(1), outer, state, fill, stored) == 0
