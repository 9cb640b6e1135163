"""Generated clients as programs: a value per line in, a report per line out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.cli.clients import client_texts, program_of
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
int main(void)
{
    uint64_t report[NUMBERS];
    unsigned long long value;
    source = fopen("/dev/urandom", "rb");
    if (source == NULL) {
        return 1;
    }
    while (scanf("%llu", &value) == 1) {
        if (NAME_report(value, report, fill) != 0) {
            return 2;
        }
        for (int i = 0; i < NUMBERS; i++) {
            printf("%s\\"%llu\\"", i ? "," : "[", (unsigned long long)report[i]);
        }
        printf("]\\n");
        fflush(stdout);
    }
    return 0;
}
"""
RUST = """
use client::*;
use std::io::{BufRead, Read, Write};
fn main() {
    let file = std::fs::File::open("/dev/urandom").unwrap();
    let mut source = std::io::BufReader::new(file);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let value = line.unwrap().parse().unwrap();
        let report = report(value, |bytes| source.read_exact(bytes).is_ok()).unwrap();
        let shown: Vec<String> = report.iter().map(|n| format!("\\"{}\\"", n)).collect();
        writeln!(out, "[{}]", shown.join(",")).unwrap();
        out.flush().unwrap();
    }
}
"""
NODE = """
import { createInterface } from 'node:readline';
import { webcrypto } from 'node:crypto';
globalThis.crypto ??= webcrypto;
const { report, inputs } = await import('./client.mjs');
for await (const line of createInterface({ input: process.stdin })) {
  const made = [report(typeof inputs === 'bigint' ? BigInt(line) : Number(line))].flat();
  console.log(JSON.stringify(made.map(String)));
}
"""


def command_of(made: Any, language: str, folder: Path) -> list[str]:
    """The command that runs the client of a mechanism, as `generate --language` writes it.

    Args:
        made: a mechanism.
        language: one of `LANGUAGES`.
        folder: where it is compiled.
    """
    folder.mkdir(exist_ok=True)
    texts, name = client_texts(made, language), program_of(made).name
    if language == "c":
        text = C.replace("NUMBERS", f"{name.upper()}_NUMBERS").replace("NAME", name)
        (folder / "t.c").write_text(str(texts[f"{name}.h"]) + text)
        ran(folder, "gcc", "-std=c99", "-O3", "-o", "client", "t.c")
        return [str(folder / "client")]
    if language == "rust":
        (folder / "client.rs").write_text(str(texts["src/lib.rs"]))
        (folder / "driver.rs").write_text(RUST)
        ran(folder, "rustc", "--edition=2021", "-O", "--crate-type", "rlib", "client.rs")
        extern = ("--extern", "client=libclient.rlib")
        ran(folder, "rustc", "--edition=2021", "-O", *extern, "driver.rs")
        return [str(folder / "driver")]
    (folder / "client.mjs").write_text(str(texts[f"{name}.mjs"]))
    (folder / "driver.mjs").write_text(NODE)
    return ["node", str(folder / "driver.mjs")]
