"""Bytes of the client of every mechanism that has a program: compiled C, and JavaScript in gzip."""

from __future__ import annotations

import gzip
import re
import subprocess
from typing import TYPE_CHECKING, Any, Final

from ldp_verified import (
    BLH,
    CMS,
    GRR,
    HCMS,
    HRR,
    OLH,
    OUE,
    PGR,
    SUE,
    BinaryRR,
    Duchi,
    Geometric,
    Grades,
    HadamardResponse,
    HashCohorts,
    Hybrid,
    Piecewise,
    SquareWave,
    Staircase,
    SubsetSelection,
    TwoCoins,
    Warner,
)
from ldp_verified.app.cli.clients import client_texts, program_of
from ldp_verified.protocols import LGRR, LOLOHA, LOUE, LSUE, DBitFlip, PrefixExtending, Rappor

if TYPE_CHECKING:
    from pathlib import Path

STRINGS: Final = ("red", "green", "blue")
MADE: Final[tuple[Any, ...]] = (
    *(Warner(0.25), BinaryRR(1.0), GRR(1.0, 16), GRR(1.0, 3_000_000), SUE(1.0, 1024)),
    *(OUE(1.0, 1024), SubsetSelection(1.0, 40), OLH(1.0, 1024), BLH(1.0, 1024)),
    *(HashCohorts(1.0, 100), HadamardResponse(1.0, 1024), HRR(1.0, 1024), PGR(1.0, 1024)),
    *(CMS(2.0, 64, 16, 32, 1), HCMS(2.0, 64, 16, 32, 1), Duchi(1.0), Piecewise(1.0)),
    *(Hybrid(1.0), Staircase(1.0), TwoCoins(0.5, 0.25), Grades(1.0)),
    *(SquareWave(1.0), Geometric(1.0), LGRR(2.0, 1.0, 9), LOLOHA(2.0, 1.0, 100)),
    *(LSUE(2.0, 1.0, 9), LOUE(2.0, 1.0, 9), DBitFlip(2.0, 50, 8, 3)),
    *(Rappor(0.5, 0.25, 0.75, 128, 2, 8), PrefixExtending(2.0)),
)
COMPILERS: Final = (
    ("gcc", "gcc", "size"),
    ("clang", "clang", "size"),
    ("Cortex-M3", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb", "arm-none-eabi-size"),
)
"""What a column is called, the compiler, and what tells the sizes of its objects."""

USE: Final = """
const volatile void *client_used[] = { (const void *)(uintptr_t)NAME_report };
"""


def rows(folder: Path) -> list[str]:
    """The lines of a table: instructions and tables of the C, and the JavaScript, in bytes.

    Args:
        folder: where files may be written.
    """
    heads = [f"C, {name} -Os" for name, *_ in COMPILERS]
    lines = [
        f"| client | {' | '.join(heads)} | at most | JavaScript, gzip -9 | at most |",
        f"| --- |{' ---: |' * (len(heads) + 3)}",
    ]
    for made in MADE:
        strings = STRINGS if isinstance(made, Rappor) else ()
        code = [compiled(made, strings, folder, each[1], each[2]) for each in COMPILERS]
        shown = " | ".join(f"{text:,} + {tables:,}" for text, tables in code)
        name = program_of(made, strings).name
        packed = gzip.compress(
            str(client_texts(made, "javascript", strings)[f"{name}.mjs"]).encode()
        )
        most = "4,096" if name in ("grr", "warner", "binary_rr") else "8,192"
        lines.append(f"| `{made!r}` | {shown} | {most} | {len(packed):,} | 5,000 |")
    return lines


def compiled(
    made: Any, strings: tuple[str, ...], folder: Path, compiler: str, size: str
) -> tuple[int, int]:
    """Bytes of instructions and of tables in the object of a C client."""
    name = program_of(made, strings).name
    header = str(client_texts(made, "c", strings)[f"{name}.h"])
    (folder / "u.c").write_text(header + USE.replace("NAME", name))
    options = ["-std=c99", "-ffreestanding", "-Os", "-c", "-o", "u.o", "u.c"]
    subprocess.run([*compiler.split(), *options], cwd=folder, check=True, capture_output=True)
    done = subprocess.run(
        [size, "-A", "u.o"], cwd=folder, check=True, capture_output=True, text=True
    )
    text, tables = (
        sum(int(n) for n in re.findall(rf"^\.{part}\S*\s+(\d+)", done.stdout, re.MULTILINE))
        for part in ("text", "rodata")
    )
    return text, tables
