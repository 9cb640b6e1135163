"""Generated clients as programs: a value per line in, a report per line out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.app.cli.clients import client_texts, program_of
from tests.on_devices.tools import ran

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ("c", "javascript", "rust", "wasm")

C = """
#include <stdio.h>
static FILE *source;
static int fill(void *to, size_t size)
{
    return fread(to, 1, size, source) == size ? 0 : -1;
}
static void show(const uint64_t *report)
{
    for (int i = 0; i < NUMBERS; i++) {
        printf("%s\\"%llu\\"", i ? "," : "[", (unsigned long long)report[i]);
    }
    printf("]");
}
"""
C_WIDE = """
static int read_wide(unsigned __int128 *value)
{
    int digit = getchar();
    *value = 0;
    if (digit == EOF) {
        return 0;
    }
    for (; digit >= '0' && digit <= '9'; digit = getchar()) {
        *value = *value * 10 + (unsigned)(digit - '0');
    }
    return digit == '\\n';
}
"""
C_LINES = """
int main(void)
{
    uint64_t report[NUMBERS];
    TYPE value;
    source = fopen("/dev/urandom", "rb");
    if (source == NULL) {
        return 1;
    }
    while (READ) {
        if (NAME_report(VALUE, report, fill) != 0) {
            return 2;
        }
        show(report);
        printf("\\n");
        fflush(stdout);
    }
    return 0;
}
"""
C_USERS = """
static unsigned char kept[STATE];
static int save(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        kept[i] = ((const unsigned char *)bytes)[i];
    }
    return 0;
}
int main(void)
{
    uint64_t report[NUMBERS];
    unsigned char state[STATE];
    unsigned long long value;
    char after;
    int begun = 0;
    source = fopen("/dev/urandom", "rb");
    if (source == NULL) {
        return 1;
    }
    while (scanf("%llu%c", &value, &after) == 2) {
        if (!begun || FORGETS) {
            NAME_start(kept);
        }
        for (size_t i = 0; i < STATE; i++) {
            state[i] = kept[i];
        }
        if (NAME_report(value, report, state, fill, save) != 0) {
            return 2;
        }
        printf(begun ? "," : "[");
        show(report);
        begun = after != '\\n';
        if (!begun) {
            printf("]\\n");
            fflush(stdout);
        }
    }
    return 0;
}
"""
RUST = """
use client::*;
use std::io::{BufRead, Read, Write};
fn shown(report: &[u64]) -> String {
    let shown: Vec<String> = report.iter().map(|n| format!("\\"{}\\"", n)).collect();
    format!("[{}]", shown.join(","))
}
fn main() {
    let file = std::fs::File::open("/dev/urandom").unwrap();
    let mut source = std::io::BufReader::new(file);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        writeln!(out, "{}", ANSWER).unwrap();
        out.flush().unwrap();
    }
}
"""
RUST_LINE = """{
            let value = line.parse().unwrap();
            shown(&report(value, |bytes| source.read_exact(bytes).is_ok()).unwrap())
        }"""
RUST_USER = """{
            let mut state = new_state();
            let mut reports = Vec::new();
            for value in line.split(' ') {
                let value = value.parse().unwrap();
                let fill = |bytes: &mut [u8; 8]| source.read_exact(bytes).is_ok();
                reports.push(shown(&report(value, &mut state, fill, |_| true).unwrap()));
            }
            format!("[{}]", reports.join(","))
        }"""
NODE = """
import { createInterface } from 'node:readline';
import { webcrypto } from 'node:crypto';
globalThis.crypto ??= webcrypto;
const client = await import('./client.mjs');
const of = typeof client.inputs === 'bigint' ? BigInt : Number;
const texts = (report) => [report].flat().map(String);
for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  if ('newState' in client) {
    const state = client.newState();
    answer = line.split(' ').map((v) => texts(client.report(of(v), state, () => {})));
  } else {
    answer = texts(client.report(of(line)));
  }
  console.log(JSON.stringify(answer));
}
"""


def command_of(
    made: Any,
    language: str,
    folder: Path,
    strings: tuple[str, ...] = (),
    *,
    forgets: bool = False,
) -> list[str]:
    """The command that runs the client of a mechanism, as `generate --language` writes it.

    Args:
        made: a mechanism, or a protocol that keeps answers: a line is a new user then.
        language: one of `LANGUAGES`.
        folder: where it is compiled.
        strings: of a client of RAPPOR.
        forgets: whether each report is made from a new state; in C alone.
    """
    folder.mkdir(exist_ok=True)
    texts, program = client_texts(made, language, strings), program_of(made, strings)
    name, keeps = program.name, program.cells > 0
    if language == "c":
        text = C + (C_USERS if keeps else C_WIDE + C_LINES)
        read = ("unsigned long long", 'scanf("%llu", &value) == 1', "value")
        if program.wide:
            halves = "(uint64_t)(value >> 64), (uint64_t)value"
            read = ("unsigned __int128", "read_wide(&value)", halves)
        for word, put in zip(("TYPE", "READ", "VALUE"), read, strict=True):
            text = text.replace(word, put)
        text = text.replace("NUMBERS", f"{name.upper()}_NUMBERS").replace("NAME", name)
        text = text.replace("STATE", f"{name.upper()}_STATE").replace("FORGETS", str(int(forgets)))
        (folder / "t.c").write_text(str(texts[f"{name}.h"]) + text)
        ran(folder, "gcc", "-std=c99", "-O3", "-o", "client", "t.c")
        return [str(folder / "client")]
    if language == "rust":
        (folder / "client.rs").write_text(str(texts["src/lib.rs"]))
        (folder / "driver.rs").write_text(RUST.replace("ANSWER", RUST_USER if keeps else RUST_LINE))
        ran(folder, "rustc", "--edition=2021", "-O", "--crate-type", "rlib", "client.rs")
        extern = ("--extern", "client=libclient.rlib")
        ran(folder, "rustc", "--edition=2021", "-O", *extern, "driver.rs")
        return [str(folder / "driver")]
    (folder / "client.mjs").write_text(str(texts[f"{name}.mjs"]))
    (folder / "driver.mjs").write_text(NODE)
    return ["node", str(folder / "driver.mjs")]
