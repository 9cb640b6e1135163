"""Print the part of a Rust client that keeps a state, and the tests that replay vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.state import (
    FIRST_CELL,
    MOST_REPORTS,
    POLYNOMIAL,
    state_size,
    undone_size,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import Program
    from ldp_verified.run.program.vectors import Vector


def functions(program: Program, identity: bytes) -> list[str]:
    """The state's numbers and checksum, the state of a new user, and the report."""
    last, undone = FIRST_CELL + program.cells, undone_size(program)
    return [
        "/// Bytes of what is kept: 8 of the deployment, then numbers of 4 bytes, lowest first:",
        "/// reports made, cells, CRC-32 of all before it. It is private: keep it on the device.",
        f"pub const STATE: usize = {state_size(program)};",
        f"static IDENTITY: [u8; 8] = [{', '.join(str(byte) for byte in identity)}];",
        "",
        "fn get(state: &[u8; STATE], place: usize) -> u64 {",
        "    let mut number = 0u64;",
        "    for i in 0..4 {",
        "        number |= u64::from(state[4 * place + i]) << (8 * i);",
        "    }",
        "    number",
        "}",
        "",
        "fn put(state: &mut [u8; STATE], place: usize, number: u64) {",
        "    for i in 0..4 {",
        "        state[4 * place + i] = (number >> (8 * i) & 255) as u8;",
        "    }",
        "}",
        "",
        "fn checksum(state: &[u8; STATE]) -> u64 {",
        "    let mut sum = 0xffff_ffffu32;",
        "    for byte in &state[..STATE - 4] {",
        "        sum ^= u32::from(*byte);",
        "        for _ in 0..8 {",
        f"            sum = if sum & 1 != 0 {{ sum >> 1 ^ {POLYNOMIAL} }} else {{ sum >> 1 }};",
        "        }",
        "    }",
        "    u64::from(!sum)",
        "}",
        "",
        "fn seal(state: &mut [u8; STATE]) {",
        "    let sum = checksum(state);",
        f"    put(state, {last}, sum);",
        "}",
        "",
        "/// The state of a new user. One who has a state must go on from it: whoever starts anew",
        "/// draws again what is drawn once for each user, and its epsilon is spent again.",
        "pub fn new_state() -> [u8; STATE] {",
        "    let mut state = [0u8; STATE];",
        "    state[..8].copy_from_slice(&IDENTITY);",
        "    seal(&mut state);",
        "    state",
        "}",
        "",
        "/// How many reports were made with a state.",
        "pub fn reports_made(state: &[u8; STATE]) -> u64 {",
        "    get(state, 2)",
        "}",
        "",
        "/// Whether a state is one of this client, is whole, and has reports left.",
        "pub fn is_state(state: &[u8; STATE]) -> bool {",
        "    state[..8] == IDENTITY",
        f"        && ({FIRST_CELL}..{last}).all(|i| get(state, i) < {program.kept_below})",
        f"        && get(state, 2) != {MOST_REPORTS}",
        f"        && get(state, {last}) == checksum(state)",
        "}",
        "",
        "/// One report of a value, after `save` has stored the state and said so. `fill` fills 8",
        "/// bytes from a generator that is fit for cryptography, and returns whether it did.",
        "/// Where there is no report the state counts none: call it again for the same report.",
        "pub fn report(",
        "    value: u64,",
        "    state: &mut [u8; STATE],",
        "    mut fill: impl FnMut(&mut [u8; 8]) -> bool,",
        "    mut save: impl FnMut(&[u8; STATE]) -> bool,",
        ") -> Result<[u64; NUMBERS], Refused> {",
        "    if !is_state(state) {",
        "        return Err(Refused::State);",
        "    }",
        f"    let mut before = [0u8; {undone}];",
        f"    before.copy_from_slice(&state[..{undone}]);",
        "    let mut numbers = [0u64; NUMBERS];",
        "    let mut done = draw(value, &mut numbers, state, &mut fill);",
        "    if done.is_ok() {",
        "        let made = get(state, 2);",
        "        put(state, 2, made + 1);",
        "        seal(state);",
        "        if !save(state) {",
        "            done = Err(Refused::Save);",
        "        }",
        "    }",
        "    if done.is_err() {",
        f"        state[..{undone}].copy_from_slice(&before);",
        "        seal(state);",
        "    }",
        "    done.map(|_| numbers)",
        "}",
        "",
    ]


def tests(program: Program, vectors: Sequence[Vector]) -> list[str]:
    """A module that replays vectors in `cargo test`."""
    rows = []
    for vector in vectors:
        words = ", ".join(map(str, vector.words))
        report = ", ".join(map(str, vector.report))
        cells = ", ".join(map(str, vector.cells or (0,) * program.cells))
        kept = f", &[{cells}]" if program.cells else ""
        value = vector.value
        shown = f"&{[*value]}" if isinstance(value, tuple) else str(value)
        rows.append(f"        ({shown}, &[{words}], [{report}]{kept}),")
    shift = f" << {64 - program.width}" if program.width < 64 else ""
    kind = "u128" if program.inputs > 1 << 64 else "u64"
    if program.length:
        kind = "&[u64; LENGTH]"
    with_state = [
        "            let mut state = new_state();",
        "            for (i, cell) in row.3.iter().enumerate() {",
        f"                put(&mut state, {FIRST_CELL} + i, *cell);",
        "            }",
        "            seal(&mut state);",
        "            assert_eq!(report(row.0, &mut state, fill, |_| true), Ok(row.2));",
        "            state[9] ^= 1;",
        "            let damaged = report(row.0, &mut state, |_| true, |_| true);",
        "            assert_eq!(damaged, Err(Refused::State));",
    ]
    without = ["            assert_eq!(report(row.0, fill), Ok(row.2));"]
    return [
        "#[cfg(test)]",
        "mod tests {",
        "    use super::*;",
        "",
        "    /// Each row: value, words, report, and what is kept before it where something is.",
        f"    static VECTORS: &[({kind}, &[u64], [u64; NUMBERS]"
        + (", &[u64]" if program.cells else "")
        + ")] = &[",
        *rows,
        "    ];",
        "",
        "    #[test]",
        "    fn vectors_come_out() {",
        "        for row in VECTORS {",
        "            let mut left = row.1.iter();",
        "            let fill = |bytes: &mut [u8; 8]| match left.next() {",
        "                Some(word) => {",
        f"                    *bytes = (*word{shift}).to_le_bytes();",
        "                    true",
        "                }",
        "                None => false,",
        "            };",
        *(with_state if program.cells else without),
        "        }",
        "    }",
        "}",
        "",
    ]
