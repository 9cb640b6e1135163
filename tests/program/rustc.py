"""Printed Rust, compiled by rustc: run on every word at a small width, or on given tapes."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.program.gcc import answers_in, seen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ldp_verified.run.program import Program
    from ldp_verified.run.program.form import PrivateValue

# Writes for all tapes and values how many words were read (0 where they did not suffice) and the
# report's numbers. Of a client that keeps a state these are two reports in a row from a new one.
EVERY_TAPE = """
use client::*;
use std::io::Write;
fn main() {
    let mut out = std::io::BufWriter::new(std::fs::File::create("answers").unwrap());
    for number in 0u64..1 << (WIDTH * LENGTH) {
        for both in 0..SEEN {
            let mut first_words = 0u64;
            let reads = core::cell::Cell::new(0u64);
            let mut fill = |bytes: &mut [u8; 8]| {
                if reads.get() == LENGTH {
                    return false;
                }
                let word = number >> (WIDTH * (LENGTH - 1 - reads.get())) << (64 - WIDTH);
                *bytes = word.to_le_bytes();
                reads.set(reads.get() + 1);
                true
            };
            let drawn: Result<Vec<u64>, Refused> = RUN;
            let numbers = drawn.as_ref().map_or(vec![0; COLUMNS], |found| found.clone());
            let count = if drawn.is_ok() { first_words << 8 | reads.get() } else { 0 };
            for each in [count].iter().chain(numbers.iter()) {
                out.write_all(&each.to_le_bytes()).unwrap();
            }
        }
    }
}
"""
ONCE = "report(both, &mut fill).map(|found| found.to_vec())"
ONCE_OF_ARRAY = """{
    let (mut held, mut rest) = ([0u64; HELD], both);
    for place in (0..HELD).rev() {
        held[place] = rest % BASE;
        rest /= BASE;
    }
    report(&held, &mut fill).map(|found| found.to_vec())
}"""
TWICE = """{
    let mut state = new_state();
    report(both / INPUTS, &mut state, &mut fill, |_| true).and_then(|first| {
        first_words = 256 | reads.get(); // two are made, also where they read no word
        let second = report(both % INPUTS, &mut state, &mut fill, |_| true)?;
        Ok(first.iter().chain(second.iter()).copied().collect())
    })
}"""


def rustc() -> str | None:
    """The path of rustc; None where it is missing, which fails with CI set."""
    found = shutil.which("rustc")
    if found is None:
        assert "CI" not in os.environ, "rustc is not installed: no Rust was compiled"
    return found


def built(folder: Path, text: str, driver: str) -> Path:
    """A program of a crate and a driver; the crate is compiled without a warning.

    Arithmetic is checked: a number that leaves 64 bits ends the program.
    """
    folder.mkdir(exist_ok=True)
    (folder / "client.rs").write_text(text)
    (folder / "driver.rs").write_text(driver)
    program = rustc()
    assert program is not None
    options = ["--edition=2021", "-C", "overflow-checks=on", "-C", "opt-level=1"]
    for command in (
        [program, *options, "-D", "warnings", "--crate-type", "rlib", "client.rs"],
        [program, *options, "--extern", "client=libclient.rlib", "driver.rs"],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return folder / "driver"


def every_answer(text: str, program: Program, length: int, folder: Path) -> list[Any]:
    """The same as `every_row`, as `answers_in` has it."""
    return answers_in(every_row(text, program, length, folder))


def every_row(text: str, program: Program, length: int, folder: Path) -> NDArray[np.uint64]:
    """Words read, then the report, for all tapes and values, as `gcc.every_row` has them.

    Args:
        text: the crate.
        program: what it should do.
        length: words of a tape.
        folder: where files may be written.
    """
    inputs, numbers = seen(program)
    once = ONCE_OF_ARRAY if program.length else ONCE
    driver = EVERY_TAPE.replace("RUN", TWICE if program.cells else once)
    held = {"HELD": program.length, "BASE": program.inputs}
    for name, size in {"WIDTH": program.width, "LENGTH": length, "SEEN": inputs, **held}.items():
        driver = driver.replace(name, str(size))
    subprocess.run(
        [built(folder, text, driver.replace("COLUMNS", str(numbers)))], cwd=folder, check=True
    )
    rows = np.fromfile(folder / "answers", "<u8").reshape(-1, 1 + numbers)
    assert len(rows) == inputs << (program.width * length)
    return rows


# Reads lines "value tape [state]" in hex, and writes "status words numbers... [state]".
REPLAY = """
use client::*;
use std::io::BufRead;
fn bytes_of(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}
fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let parts: Vec<&str> = line.split(',').collect();
        VALUE
        let tape = bytes_of(parts[1]);
        let mut read = 0usize;
        let mut fill = |bytes: &mut [u8; 8]| {
            if tape.len() < 8 * read + 8 {
                return false;
            }
            bytes.copy_from_slice(&tape[8 * read..8 * read + 8]);
            read += 1;
            true
        };
        RUN
    }
}
"""
OF_ARRAY = """
        let numbers: Vec<u64> = parts[0].split(' ').map(|each| each.parse().unwrap()).collect();
        let value: &[u64; LENGTH] = numbers.as_slice().try_into().unwrap();
"""
REPLAY_ONCE = """
        let drawn = report(value, &mut fill);
        let kept = "";
        println!("{:?};{};{}", drawn, read, kept);
"""
REPLAY_TWICE = """
        let given = bytes_of(parts[2]);
        let mut state = [0u8; STATE];
        if given.len() != STATE {
            println!("Err(State);0;");
            continue;
        }
        state.copy_from_slice(&given);
        let mut saved = vec![0u8; STATE];
        let drawn = report(value, &mut state, &mut fill, |now| {
            saved.copy_from_slice(now);
            true
        });
        let kept: String = saved.iter().map(|byte| format!("{:02x}", byte)).collect();
        println!("{:?};{};{}", drawn, read, kept);
"""


def replayed(
    text: str, program: Program, rows: Sequence[tuple[PrivateValue, bytes, bytes]], folder: Path
) -> list[tuple[tuple[int, ...] | None, int, bytes]]:
    """(report, words read, state as it was saved) of each (value, tape, state); None if refused."""
    driver = REPLAY.replace("RUN", REPLAY_TWICE if program.cells else REPLAY_ONCE)
    kind = "u128" if program.inputs > 1 << 64 else "u64"
    one = f"let value: {kind} = parts[0].parse().unwrap();"
    driver = driver.replace("VALUE", OF_ARRAY if program.length else one)
    path = built(folder, text, driver)
    lines = "".join(
        f"{' '.join(map(str, v)) if isinstance(v, tuple) else v},{tape.hex()},{state.hex()}\n"
        for v, tape, state in rows
    )
    done = subprocess.run([path], input=lines, capture_output=True, text=True, check=True)
    answers: list[tuple[tuple[int, ...] | None, int, bytes]] = []
    for line in done.stdout.splitlines():
        drawn, read, kept = line.split(";")
        numbers = None
        if drawn.startswith("Ok(["):
            numbers = tuple(map(int, drawn[4:-2].split(",")))
        answers.append((numbers, int(read), bytes.fromhex(kept)))
    return answers
