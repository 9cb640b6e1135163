"""`python -m benchmarks.devices`: clients for devices, how fast they are, and what their time says.

It compiles the generated C and Rust, runs the JavaScript and the WebAssembly in node, and writes
`DEVICES.md`. Needs gcc, rustc, clang, lld, node and gcc-arm-none-eabi.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.device_sizes import rows
from benchmarks.spread import machine
from ldp_verified import GRR, HRR, OLH, OUE
from ldp_verified.app.cli.clients import client_texts, program_of

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).with_name("DEVICES.md")

TIMED: Final[tuple[tuple[Any, str, str], ...]] = (
    (GRR(1.0, 16), "10", "2000"),
    (OUE(1.0, 1024), "1000", "30000"),
    (OLH(1.0, 1024), "", ""),
    (HRR(1.0, 1024), "", ""),
)
"""A mechanism, and its targets in C and in JavaScript, in nanoseconds."""

SOURCE: Final = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static unsigned char pool[1 << 16];
static size_t at;
static int fill(void *to, size_t size)
{
    unsigned char *bytes = (unsigned char *)to;
    for (size_t i = 0; i < size; i++) bytes[i] = pool[at + i];
    at = (at + size) & (sizeof pool - 1);
    return 0;
}
static void read_pool(void)
{
    FILE *file = fopen("/dev/urandom", "rb");
    if (file == NULL || fread(pool, 1, sizeof pool, file) != sizeof pool) exit(2);
    fclose(file);
}
/* Called through a pointer that may change, so that no part of a report is left out. */
static int (*volatile drawn)(uint64_t, uint64_t *, int (*)(void *, size_t)) = NAME_report;
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
"""
SPEED: Final = """
int main(void)
{
    uint64_t report[NUMBERS], sum = 0;
    double least = 1e18;
    read_pool();
    for (int round = 0; round < 15; round++) {
        double begin = now();
        for (uint64_t i = 0; i < COUNT; i++) {
            if (drawn(i % INPUTS, report, fill) != 0) return 1;
            sum += report[0];
        }
        double each = (now() - begin) / COUNT;
        if (each < least) least = each;
    }
    fprintf(stderr, "%llu", (unsigned long long)sum);
    printf("%.2f", least);
    return 0;
}
"""
# Whether time depends on the value (dudect: Reparaz, Balasch, Verbauwhede, 2017): a fixed value or
# a random one, in an order that chance decides; Welch's t of the times below a high percentile.
LEAK: Final = """
#include <math.h>
static double times[2][COUNT];
static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
int main(void)
{
    uint64_t report[NUMBERS], values[BATCH], sum = 0;
    int n[2] = {0, 0};
    read_pool();
    while (n[0] < COUNT && n[1] < COUNT) {
        int kind = rand() & 1;
        for (int i = 0; i < BATCH; i++) values[i] = kind ? (uint64_t)rand() % INPUTS : 0;
        double begin = now();
        for (int i = 0; i < BATCH; i++) {
            if (drawn(values[i], report, fill) != 0) return 1;
            sum += report[0];
            EXTRA
        }
        times[kind][n[kind]++] = now() - begin;
    }
    double mean[2], spread[2];
    for (int kind = 0; kind < 2; kind++) {
        qsort(times[kind], (size_t)n[kind], sizeof(double), rising);
    }
    for (int kind = 0; kind < 2; kind++) {
        int kept = n[kind] * 9 / 10;
        double total = 0, squares = 0;
        for (int i = 0; i < kept; i++) total += times[kind][i];
        mean[kind] = total / kept;
        for (int i = 0; i < kept; i++) squares += pow(times[kind][i] - mean[kind], 2);
        spread[kind] = squares / kept / (kept - 1);
    }
    fprintf(stderr, "%llu", (unsigned long long)sum);
    printf("%.1f %.2f", (mean[1] - mean[0]) / sqrt(spread[0] + spread[1]),
        (mean[1] - mean[0]) / BATCH);
    return 0;
}
"""
LOOP: Final = "for (volatile uint64_t turn = 0; turn < values[i] / 4; turn++) { }"
NODE: Final = """
import { webcrypto } from 'node:crypto';
globalThis.crypto ??= webcrypto;
const { report, inputs } = await import('./client.mjs');
let sum = 0;
let least = Infinity;
for (let round = 0; round < 15; round++) {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < COUNT; i++) sum += String(report(i % Number(inputs))).length & 1;
  least = Math.min(least, Number(process.hrtime.bigint() - begin) / COUNT);
}
console.log(JSON.stringify([least, sum]));
"""
RUST: Final = """
use client::*;
use std::time::Instant;
fn main() {
    let mut pool = vec![0u8; 1 << 16];
    let mut file = std::fs::File::open("/dev/urandom").unwrap();
    std::io::Read::read_exact(&mut file, &mut pool).unwrap();
    let (mut at, mut sum, mut least) = (0usize, 0u64, f64::MAX);
    for _ in 0..15 {
        let begin = Instant::now();
        for i in 0..COUNTu64 {
            let made = report(std::hint::black_box(i % INPUTS), |bytes| {
                bytes.copy_from_slice(&pool[at..at + 8]);
                at = (at + 8) & 65535;
                true
            });
            sum = sum.wrapping_add(std::hint::black_box(made.unwrap())[0]);
        }
        least = least.min(begin.elapsed().as_nanos() as f64 / COUNT as f64);
    }
    eprintln!("{}", sum);
    println!("{:.2}", least);
}
"""


def main() -> None:
    """Measure, write the page and print it."""
    lines = [
        "# Clients on devices: time of one report",
        "",
        "Nanoseconds for one report, the least of 15 rounds. In C (gcc -O3) and Rust (-O)",
        "random bytes lie ready in memory, so the time of a source comes on top. JavaScript and",
        "WebAssembly run in node, with `crypto.getRandomValues`. Written by `python -m",
        "benchmarks.devices`.",
        "",
        machine(),
        "",
        "| mechanism | C | target | Rust | JavaScript | target | WebAssembly |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for made, in_c, in_javascript in TIMED:
        found = [_in(each, made) for each in (_c, _rust, _javascript, _wasm)]
        c, rust, javascript, wasm = (f"{each:,.1f}" for each in found)
        lines.append(
            f"| `{made!r}` | {c} | {in_c} | {rust} | {javascript} | {in_javascript} | {wasm} |"
        )
    with tempfile.TemporaryDirectory() as folder:
        sizes = rows(Path(folder))
    lines += [
        "",
        "## How large are clients?",
        "",
        "Bytes of the object of the C, freestanding: instructions + tables of constants. Of the",
        "JavaScript the module, its comments included.",
        "",
        *sizes,
        "",
        "## Does the time depend on the value?",
        "",
        "A test in the manner of dudect, of the C: batches of 64 reports of value 0, or of",
        "random values, in an order that chance decides. t is Welch's, of the times of all",
        "batches but the slowest tenth of each kind; beside it stands the difference of one",
        "report. |t| above 4.5 is a dependence that this test sees, and so are differences of",
        "hundredths of a nanosecond. Below it nothing is proved: other processors, compilers",
        "and attackers may see more. The last row is a planted client, which goes through a",
        "loop as often as a quarter of the value.",
        "",
        "| client | t | nanoseconds |",
        "| --- | ---: | ---: |",
    ]
    for made, _, _ in TIMED:
        t, each = _in(_leak, made)
        lines.append(f"| `{made!r}` | {t} | {each} |")
    t, each = _in(lambda made, folder: _leak(made, folder, LOOP), TIMED[0][0])
    lines.append(f"| planted: `{TIMED[0][0]!r}` | {t} | {each} |")
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


def _in(measure: Callable[[Any, Path], Any], made: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return measure(made, Path(folder))


def _count(made: Any) -> int:
    return 20_000 if isinstance(made, OUE) else 1_000_000


def _ran(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def _compiled(made: Any, folder: Path, text: str) -> str:
    name = program_of(made).name
    for word, put in (("NUMBERS", f"{name.upper()}_NUMBERS"), ("INPUTS", f"{name.upper()}_INPUTS")):
        text = text.replace(word, put)
    header = str(client_texts(made, "c")[f"{name}.h"])
    (folder / "t.c").write_text("#define _POSIX_C_SOURCE 199309L\n" + header + text)
    _ran(folder, "gcc", "-std=c99", "-O3", f"-DNAME_report={name}_report", "-o", "t", "t.c", "-lm")
    return _ran(folder, "./t")


def _c(made: Any, folder: Path) -> float:
    return float(_compiled(made, folder, SOURCE + SPEED.replace("COUNT", str(_count(made)))))


def _leak(made: Any, folder: Path, extra: str = "") -> tuple[str, str]:
    count = 2_000 if isinstance(made, OUE) else 50_000
    text = LEAK.replace("COUNT", str(count)).replace("BATCH", "64").replace("EXTRA", extra)
    t, each = _compiled(made, folder, SOURCE + text).split()
    return t, each


def _rust(made: Any, folder: Path) -> float:
    (folder / "client.rs").write_text(str(client_texts(made, "rust")["src/lib.rs"]))
    (folder / "driver.rs").write_text(RUST.replace("COUNT", str(_count(made))))
    options = ("--edition=2021", "-O", "-C", "codegen-units=1")
    _ran(folder, "rustc", *options, "--crate-type", "rlib", "client.rs")
    _ran(folder, "rustc", *options, "--extern", "client=libclient.rlib", "driver.rs")
    return float(_ran(folder, "./driver"))


def _javascript(made: Any, folder: Path, language: str = "javascript") -> float:
    name = program_of(made).name
    (folder / "client.mjs").write_text(str(client_texts(made, language)[f"{name}.mjs"]))
    count = 5_000 if isinstance(made, OUE) else 200_000
    (folder / "driver.mjs").write_text(NODE.replace("COUNT", str(count)))
    return float(json.loads(_ran(folder, "node", "driver.mjs"))[0])


def _wasm(made: Any, folder: Path) -> float:
    return _javascript(made, folder, "wasm")


if __name__ == "__main__":
    main()
