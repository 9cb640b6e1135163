"""TypeScript's own compiler reads the types of every client, and node runs what it compiled.

A program uses each module with the types that its program asks for. `@ts-expect-error` is an error
where the line below is none, so each wrong use must be refused, too.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from ldp_verified.app.cli.clients import client_texts, program_of
from tests.on_devices.tools import ran
from tests.program.listed import LISTED, strings_of

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program

OPTIONS = (
    *("--strict", "--target", "es2020", "--lib", "es2020"),
    *("--module", "nodenext", "--moduleResolution", "nodenext"),
)
LARGEST = 2**32
DECLARED = "declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };"

USE = """
import * as client_CASE from './CASE.mjs';
{
  const value: VALUE = GIVEN;
  const inputs: ONE = client_CASE.inputs;
  const numbers: number = client_CASE.numbers;
  STATE
  const one: REPORT = client_CASE.report(valueKEPT);
  const ones = (bytes: Uint8Array): number => crypto.getRandomValues(bytes).length;
  const two: REPORT = client_CASE.reportFrom(valueKEPT, ones);
  for (const report of [one, two]) {
    const all: (number | bigint)[] = Array.isArray(report) ? report : [report];
    if (all.length !== numbers || !all.every((each) => typeof each === 'NUMBER')) {
      throw new Error('CASE: a report is not what its type says');
    }
  }
  if (typeof inputs !== 'ONE') {
    throw new Error('CASE: the number of values is not what its type says');
  }
  // @ts-expect-error: a text is no value
  const text = () => client_CASE.report('0'KEPT);
  // @ts-expect-error: the other kind of number is no value
  const other = () => client_CASE.report(OTHERKEPT);
  // @ts-expect-error: a report is no text
  const told = (): string => client_CASE.report(valueKEPT);
  // @ts-expect-error: bytes need a source
  const without = () => client_CASE.reportFrom(valueKEPT);
  // @ts-expect-error: a source says how many bytes it gave
  const mute = () => client_CASE.reportFrom(valueKEPT, (bytes: Uint8Array) => undefined);
  WRONG
}
"""
STATE = """const state: Uint8Array = client_CASE.newState();
  const save = (bytes: Uint8Array): void => undefined;
  const size: number = client_CASE.stateBytes;
  const before: number = client_CASE.reportsMade(state);"""
WRONG = """// @ts-expect-error: a client that keeps answers needs its state
  const forgets = () => client_CASE.report(value);
  // @ts-expect-error: what is saved are bytes
  const saves = () => client_CASE.report(value, state, (bytes: string) => undefined);
  const arrow = () => client_CASE.report(value, state, (bytes) => { before + bytes.length; });
  // @ts-expect-error: a promise does not say that the state is stored
  const later = () => client_CASE.report(value, state, async (bytes: Uint8Array) => {});
  // @ts-expect-error: false says that it is not
  const not = () => client_CASE.report(value, state, () => false);"""


def use_of(case: str, program: Program) -> str:
    """A part of a TypeScript program that uses one client."""
    wide = program.inputs > LARGEST
    one, zero, other = ("bigint", "0n", "0") if wide else ("number", "0", "0n")
    length = program.length
    number = "bigint" if program.below > LARGEST else "number"
    parts = {
        "STATE": STATE if program.cells else "",
        "WRONG": WRONG if program.cells else "",
        "VALUE": f"{one}[]" if length else one,
        "GIVEN": f"new Array<{one}>({length}).fill({zero})" if length else zero,
        "OTHER": f"[{other}]" if length else other,
        "ONE": one,
        "REPORT": number if program.numbers == 1 else f"{number}[]",
        "NUMBER": number,
        "KEPT": ", state, save" if program.cells else "",
        "CASE": case,
    }
    text = USE
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every client, its types, and a program that uses them all."""
    made = tmp_path_factory.mktemp("types")
    uses = [DECLARED]
    for case, mechanism in LISTED.items():
        strings = strings_of(mechanism)
        program = program_of(mechanism, strings)
        texts = client_texts(mechanism, "javascript", strings)
        for ending in ("mjs", "d.mts"):
            text = texts[f"{program.name}.{ending}"]
            assert isinstance(text, str)
            (made / f"{case}.{ending}").write_text(text)
        uses.append(use_of(case, program))
    (made / "use.mts").write_text("".join(uses))
    return made


def compiled(folder: Path, name: str) -> str:
    """What the compiler says; empty where it has nothing to say."""
    command = ["tsc", *OPTIONS, name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert bool(done.returncode) == bool(done.stdout), done.stderr
    return done.stdout


def test_the_types_are_right_and_refuse_wrong_uses(folder: Path) -> None:
    assert compiled(folder, "use.mts") == ""
    crypto = "import { webcrypto } from 'node:crypto'; globalThis.crypto ??= webcrypto;"
    (folder / "run.mjs").write_text(f"{crypto} await import('./use.mjs');")
    ran(folder, "node", "run.mjs")


def test_wrong_types_are_seen(folder: Path) -> None:
    """Types that allow too much, too little, or another report; one of each is planted."""
    right = (folder / "grr.d.mts").read_text()
    used = DECLARED + use_of("planted", program_of(LISTED["grr"]))
    for old, new in (
        ("", ""),
        ("value: number", "value: any"),
        ("value: number", "value: bigint"),
        ("): number;", "): any;"),
        ("): number;", "): number[];"),
        ("inputs: number", "inputs: string"),
        (", fill: (bytes: Uint8Array) => number)", ")"),
    ):
        assert old in right, old
        (folder / "planted.d.mts").write_text(right.replace(old, new))
        (folder / "planted.mjs").write_text((folder / "grr.mjs").read_text())
        (folder / "wrong.mts").write_text(used)
        assert ("wrong.mts(" in compiled(folder, "wrong.mts")) == bool(new), (old, new)
