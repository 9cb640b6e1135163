"""Printed JavaScript, run by node: on every word at a small width, or on given tapes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.run.program.javascript import POOL
from tests.program.gcc import answers_in, seen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ldp_verified.run.program import Program
    from ldp_verified.run.program.form import PrivateValue

# Walks through all tapes of so many words, for all values; writes for each how many words were read
# (0 where they did not suffice) and the report's numbers.
EVERY_TAPE = """
import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
const [width, length] = argv.slice(3, 5).map(Number);
const client = await import(argv[2]);
// Of a client that keeps a state, two reports in a row from a new one.
const both = client.newState === undefined ? 1 : 2;
const numbers = client.numbers * both;
const base = Number(client.inputs);
const values = base ** (both * (client.length ?? 1));
const out = new Uint32Array((1 + numbers) * values * 2 ** (width * length));
function given(value) {
  const one = typeof client.inputs === 'bigint' ? BigInt : Number;
  if (client.length === undefined) return one(value);
  return Array.from({ length: client.length }, (_, i) =>
    one(Math.floor(value / base ** (client.length - 1 - i)) % base));
}
function run(value) {
  if (both === 1) return client.reportFrom(given(value), fill);
  const state = client.newState();
  const k = Number(client.inputs);
  const first = client.reportFrom(given(Math.floor(value / k)), state, () => {}, fill);
  firstWords = 256 | read; // says that two were made, also where they read no word
  return [first, client.reportFrom(given(value % k), state, () => {}, fill)].flat();
}
let end = 0;
let tape;
let read;
let firstWords = 0;
class Ended extends Error {}
function fill(bytes) {
  if (read === length) throw new Ended();
  new DataView(bytes.buffer).setUint32(4, tape[read] << (32 - width), true);
  read += 1;
  return 8;
}
for (let number = 0; number < 2 ** (width * length); number++) {
  tape = Array.from({ length }, (_, i) =>
    Math.floor(number / 2 ** (width * (length - 1 - i))) % 2 ** width);
  for (let value = 0; value < values; value++) {
    read = 0;
    let report = new Array(numbers).fill(0);
    try {
      report = run(value);
      out[end] = firstWords << 8 | read;
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    out.set((Array.isArray(report) ? report : [report]).map(Number), end + 1);
    end += 1 + numbers;
  }
}
writeFileSync(argv[5], out);
"""


def node() -> str | None:
    """The path of node; None where it is missing, which fails with CI set."""
    found = shutil.which("node")
    if found is None:
        assert "CI" not in os.environ, "node is not installed: no JavaScript was run"
    return found


def ran(folder: Path, script: str, *arguments: object) -> str:
    """What a script prints. It must end well."""
    path = folder / "script.mjs"
    path.write_text(script)
    program = node()
    assert program is not None
    command = [program, str(path), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def every_answer(text: str, program: Program, length: int, folder: Path) -> list[Any]:
    """The same as `every_row`, as `answers_in` has it."""
    return answers_in(every_row(text, program, length, folder))


def every_row(text: str, program: Program, length: int, folder: Path) -> NDArray[np.uint64]:
    """Words read, then the report, for all tapes and values, as `gcc.every_row` has them.

    Args:
        text: the module.
        program: what it should do.
        length: words of a tape.
        folder: where files may be written.
    """
    folder.mkdir(exist_ok=True)
    (folder / "client.mjs").write_text(text)
    written = folder / "answers"
    ran(folder, EVERY_TAPE, folder / "client.mjs", program.width, length, written)
    inputs, numbers = seen(program)
    rows = np.fromfile(written, "<u4").reshape(-1, 1 + numbers).astype(np.uint64)
    assert len(rows) == inputs << (program.width * length)
    return rows


REPLAY = """
import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
const client = await import(argv[2]);
const rows = JSON.parse(readFileSync(argv[3]));
const answers = rows.map(([value, tape, kept]) => {
  const state = Uint8Array.from(kept.match(/../g) ?? [], (byte) => parseInt(byte, 16));
  const hex = () => Array.from(state, (byte) => byte.toString(16).padStart(2, '0')).join('');
  let read = 0;
  const fill = (bytes) => {
    const left = Math.min(8, tape.length / 2 - 8 * read);
    for (let i = 0; i < left; i++) bytes[i] = parseInt(tape.substr(16 * read + 2 * i, 2), 16);
    read += left === 8 ? 1 : 0;
    return left;
  };
  try {
    const one = typeof client.inputs === 'bigint' ? BigInt : Number;
    const given = Array.isArray(value) ? value.map(one) : one(value);
    let saved = '';
    const report = client.newState === undefined
      ? client.reportFrom(given, fill)
      : client.reportFrom(given, state, () => { saved = hex(); }, fill);
    return [(Array.isArray(report) ? report : [report]).map(String), read, saved];
  } catch (error) {
    return [error.name, read, ''];
  }
});
writeFileSync(argv[4], JSON.stringify(answers));
"""


def replayed(text: str, rows: Sequence[tuple[PrivateValue, bytes]], folder: Path) -> list[Any]:
    """(report, words read) of each (value, bytes of a tape); the name of an error for the report.

    A tape that ends gives fewer bytes than were asked for, and says so.
    """
    with_state = [(value, tape, b"") for value, tape in rows]
    return [answer[:2] for answer in replayed_kept(text, with_state, folder)]


def replayed_kept(
    text: str, rows: Sequence[tuple[PrivateValue, bytes, bytes]], folder: Path
) -> list[Any]:
    """(report or an error's name, words read, state as it was saved) of (value, tape, state)."""
    folder.mkdir(exist_ok=True)
    (folder / "client.mjs").write_text(text)
    shown = [
        ([*map(str, v)] if isinstance(v, tuple) else str(v), tape.hex(), state.hex())
        for v, tape, state in rows
    ]
    (folder / "rows.json").write_text(json.dumps(shown))
    ran(folder, REPLAY, folder / "client.mjs", folder / "rows.json", folder / "answers.json")
    answers = json.loads((folder / "answers.json").read_text())
    return [
        (a if isinstance(a, str) else tuple(map(int, a)), read, bytes.fromhex(saved))
        for a, read, saved in answers
    ]


SECURE = """
import { argv } from 'node:process';
const tape = [];
let asked = [];
Object.defineProperty(globalThis, 'crypto', { configurable: true, writable: true, value: {
  getRandomValues(bytes) {
    asked.push(bytes.length);
    for (let i = 0; i < bytes.length; i++) { bytes[i] = (i * 37 + asked.length) & 255; }
    tape.push(...bytes);
    return bytes;
  } } });
Math.random = () => { throw new Error('Math.random was called'); };
const client = await import(argv[2]);
let at = 0;
const fill = (bytes) => { bytes.set(tape.slice(at, at + 8)); at += 8; return 8; };
let same = true;
const plain = (report) => String(report);
for (let i = 0; i < 3000; i++) {
  const value = i % Number(client.inputs);
  same = plain(client.report(value)) === plain(client.reportFrom(value, fill)) && same;
}
const used = at;
const errors = [];
const attempt = (call) => { try { call(); } catch (error) { errors.push(error.message); } };
const many = () => { for (let i = 0; i < 3000; i++) client.report(0); };
globalThis.crypto = { getRandomValues(bytes) { return bytes; } };
attempt(many);
attempt(() => client.report(0));
globalThis.crypto = { getRandomValues() { throw new Error('no entropy'); } };
attempt(() => client.report(0));
globalThis.crypto = undefined;
attempt(() => client.report(0));
attempt(() => client.report('0'));
attempt(() => client.report(0.5));
attempt(() => client.report(NaN));
console.log(JSON.stringify({ same, used, asked, errors }));
"""


def secure_source_is_read(text: str, k: int, folder: Path) -> bool:
    """Return whether `report` reads what getRandomValues gives, once and in order, and only that.

    It must end with an error where the source is missing, fails or gives nothing, and where the
    value is none of 0..k-1.
    """
    folder.mkdir(exist_ok=True)
    (folder / "client.mjs").write_text(text)
    try:
        found = json.loads(ran(folder, SECURE, folder / "client.mjs"))
    except AssertionError:
        return False
    errors = [
        *["crypto.getRandomValues gave no bytes: nothing was reported"] * 2,
        *("no entropy", "crypto.getRandomValues is missing: nothing was reported"),
        *[f"value: must be an integer in 0..{k - 1}"] * 3,
    ]
    asked = [POOL] * -(-found["used"] // POOL)
    return bool(found["same"] and found["asked"] == asked and found["errors"] == errors)
