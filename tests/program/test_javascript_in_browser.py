"""Every listed client, in JavaScript and WebAssembly, replays its vectors in headless Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.app.report.vector_files import vector_file
from ldp_verified.app.report.vectors_kept import state_identity
from ldp_verified.run.program.javascript import javascript_module
from tests.program import wasm
from tests.program.listed import LISTED, strings_of
from tests.report.test_vector_files import kept_answers_of, kept_rows_of, program_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ldp_verified.run.program.form import PrivateValue

    Kept = tuple[tuple[int, ...] | None, int, bytes]

ABOUT = ["A test."]
EACH = 24
"""Vectors of a client, at the least; boundary words make them more."""

# A browser loads no module from a file: each module's text stands in the page, in a function.
PAGE = """
const cases = CASES;
const answers = {};
const hexed = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
for (const [name, rows] of Object.entries(cases)) {
  const client = clients[name]();
  answers[name] = rows.map(([value, tape, kept]) => {
    const state = Uint8Array.from(kept.match(/../g) ?? [], (byte) => parseInt(byte, 16));
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
        : client.reportFrom(given, state, () => { saved = hexed(state); }, fill);
      return [[report].flat().map(String), read, saved];
    } catch (error) {
      return [null, read, ''];
    }
  });
  // Bytes of the browser's own: reports are made, and are not always the same.
  const zero = typeof client.inputs === 'bigint' ? 0n : 0;
  const value = client.length === undefined ? zero : new Array(client.length).fill(zero);
  const state = () => client.newState === undefined ? [] : [client.newState(), () => {}];
  const own = new Set();
  for (let i = 0; i < 200; i++) own.add(String(client.report(value, ...state())));
  if (own.size < 2) answers[name] = [];
}
document.getElementById('found').textContent = JSON.stringify(answers);
"""


def browser() -> str | None:
    """The path of Chromium; None where it is missing, which fails with CI set."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found or "CI" not in os.environ, "chromium is not installed: no client ran in a browser"
    return found


def shown(value: PrivateValue, tape: bytes, state: bytes) -> list[str | list[str]]:
    """A row as the page reads it."""
    return [str(value) if isinstance(value, int) else [*map(str, value)], tape.hex(), state.hex()]


def answered(
    texts: Mapping[str, str],
    rows: Mapping[str, list[tuple[PrivateValue, bytes, bytes]]],
    folder: Path,
) -> dict[str, list[Kept]]:
    """(report, words read, state as it was saved) of each row, by the name of a module's text."""
    parts = []
    for name, text in texts.items():
        inner = text.replace("export ", "")
        length = "length" if "export const length" in text else "length: undefined"
        kept = "newState" if "export function newState" in text else "newState: undefined"
        parts.append(
            f"clients[{json.dumps(name)}] = () => {{\n{inner}\n"
            f"return {{ inputs, report, reportFrom, {length}, {kept} }};\n}};\n"
        )
    given = {n: [shown(*row) for row in each] for n, each in rows.items()}
    script = "const clients = {};\n" + "".join(parts) + PAGE.replace("CASES", json.dumps(given))
    page = folder / "page.html"
    page.write_text(f'<!doctype html><p id="found"></p><script type="module">{script}</script>')
    command = [
        *(str(browser()), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
        *(f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=60000"),
        page.as_uri(),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=400)
    printed = re.search(r'<p id="found">(.+?)</p>', done.stdout, re.DOTALL)
    assert printed is not None, done.stderr
    return {
        name: [(None if a is None else tuple(map(int, a)), n, bytes.fromhex(s)) for a, n, s in each]
        for name, each in json.loads(printed[1]).items()
    }


def groups() -> dict[str, dict[str, Any]]:
    """The vectors of each listed client that a descriptor makes: of some, their scheme's."""
    listed = {n: getattr(m, "scheme", m) for n, m in LISTED.items()}
    made = {n: (m, strings_of(m)) if strings_of(m) else m for n, m in listed.items()}
    return {name: vector_file([each], EACH)["testGroups"][0] for name, each in made.items()}


@pytest.mark.parametrize("language", ["javascript", "wasm"])
def test_a_browser_replays_the_vectors_of_every_client(language: str, tmp_path: Path) -> None:
    """A wrong client beside the right ones, a threshold one too high, does not."""
    if browser() is None or not wasm.has_tools():
        return
    texts, rows, right = {}, {}, {}
    for name, group in groups().items():
        program, identity = program_in(group), bytes(8)
        if program.cells:
            identity = state_identity(LISTED[name], strings_of(LISTED[name]))
        texts[name] = (
            javascript_module(program, ABOUT, identity=identity)
            if language == "javascript"
            else wasm.module(program, identity)
        )
        rows[name], right[name] = kept_rows_of(group), kept_answers_of(group)
    if language == "javascript":
        found = re.search(r"v_word_0 <= (\d+)", texts["grr"])
        assert found is not None
        higher = f"v_word_0 <= {int(found[1]) + 1}"
        texts["wrong"], rows["wrong"] = texts["grr"].replace(found[0], higher), rows["grr"]
    answers = answered(texts, rows, tmp_path)
    if language == "javascript":
        assert answers.pop("wrong") != right["grr"]
    assert answers == right
