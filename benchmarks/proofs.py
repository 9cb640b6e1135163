"""Time of the proofs: `python -m benchmarks.proofs` measures and writes benchmarks/PROOFS.md."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.environments import OURS, ROOT
from benchmarks.markdown import table
from benchmarks.report import commit, how
from benchmarks.run import call
from benchmarks.spread import machine
from benchmarks.steps import steps
from ldp_verified.language import load_catalogue
from ldp_verified.prove import STAGES
from ldp_verified.prove.coq.compile import kernel_check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

WORKER = "benchmarks.workers.proof"
READING = "reading"
ALGEBRA = (READING, *STAGES[:4])
"""Certificate and solver, with all that they need."""
MATRICES = (
    *(f"symbolic:{size}" for size in (16, 32, 64)),
    *("circulant:16", "circulant:64", "wide:64"),
    *(f"numeric:{size}" for size in (256, 512, 1024)),
    *(f"random:{size}" for size in (128, 256, 1024)),
)
SPECS = ("unary_tables", "metric_table", "four_tables")
"""Files of `benchmarks/specs`, as a researcher would write them."""
RUNS = 3
WHOLE_AIM = 30.0
"""Seconds for the catalogue without Coq on two processors."""
WAYS = {"without Coq": (3.0, ("--no-coq", "--accept", "one-group")), "with Coq": (10.0, ())}
"""Way -> the seconds aimed at, and the options of `ldp-verified verify`."""
_OWN = f"""\
`ldp-verified verify FILE` of files in `benchmarks/specs`, from start to end by the clock: the
median of {RUNS} runs, with all processors. Coq's library has been compiled before.
"""
Record = dict[str, Any]


def measure(names: list[str], step: Callable[[str], None]) -> dict[str, Record]:
    """Each in a fresh process, one after the other."""
    found = {}
    for name in names:
        step(f"proof of {name}")
        found[name] = call(OURS.python(), WORKER, name)
    return found


def of_files(step: Callable[[str], None]) -> list[tuple[str, ...]]:
    """For each file and each way, the median of the seconds that `ldp-verified verify` takes."""
    rows = []
    for name in SPECS:
        row = [name]
        for way, (aim, options) in WAYS.items():
            step(f"verify of {name}, {way}")
            took = median(_verified(name, options) for _ in range(RUNS))
            row += [f"{took:.1f}", f"{aim:.0f}" + (", above" if took > aim else "")]
        rows.append(tuple(row))
    return rows


def of_catalogue(step: Callable[[str], None]) -> float:
    """The median of the seconds that `ldp-verified verify` takes for the catalogue without Coq."""
    step("verify of the catalogue, without Coq")
    options = ("--no-coq", "--summary", "--accept", "one-group", "--accept", "assumed:gaussian")
    return median(_timed(*options) for _ in range(RUNS))


def _verified(name: str, options: Sequence[str]) -> float:
    return _timed(*options, str(ROOT / "benchmarks" / "specs" / f"{name}.py"))


def _timed(*arguments: str) -> float:
    """Seconds by the clock, from starting the command to its end."""
    command = [str(OURS.python()), "-m", "ldp_verified", "verify", *arguments]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return took


def page(
    catalogue: Mapping[str, Record],
    matrices: Mapping[str, Record],
    files: list[tuple[str, ...]],
    coq: Mapping[str, float],
    theorems: int,
    whole: float,
) -> str:
    """The page, with the totals that people ask for first."""
    algebra = sum(record["seconds"][s] for record in catalogue.values() for s in ALGEBRA)
    verdicts = sum(record["verdicts"] for record in catalogue.values())
    kernel = sum(coq.values())
    total = (
        f"- `ldp-verified verify --no-coq` of the whole catalogue, by the clock and with all "
        f"processors: {whole:.1f} s for {verdicts} verdicts; {WHOLE_AIM:.0f} s are aimed at"
        f"{', above' if whole > WHOLE_AIM else ''}.\n"
        "- Of that, certificate and solver alone, reading and deriving included, one process "
        f"after the other: {algebra:.1f} s."
    )
    parts = [
        "# Time of the proofs\n",
        f"Written by `make bench-proofs` on {datetime.now(UTC).date()} at commit {commit()}.",
        f"{machine()}\n",
        total,
        f"- All Coq: {kernel:.1f} s of compilation for {theorems} theorems, file after file.\n",
        how(WORKER) + "\n",
        "Seconds, once each; a time includes waiting for whatever else the machine does.\n",
        "## A file of one's own\n",
        _OWN,
        table(("file", "without Coq", "aim", "with Coq", "aim"), files),
        "## The catalogue\n",
        _stages(catalogue),
        "## Explicit matrices that claim nothing\n",
        _stages(matrices),
        "`open`: what stayed undecided, with the reason in `ldp-verified verify`.\n",
        "## Coq, by file\n",
        table(("file", "seconds"), [(name, f"{spent:.1f}") for name, spent in coq.items()]),
    ]
    return "\n".join(parts)


def _stages(records: Mapping[str, Record]) -> str:
    shown = [stage for stage in (READING, *STAGES) if stage != STAGES[-1]]
    rows = []
    for name, record in records.items():
        seconds = record["seconds"]
        total = sum(seconds.values())
        rows.append(
            (
                name,
                *(f"{seconds[stage]:.2f}" for stage in shown),
                f"{total:.2f}",
                str(record["verdicts"]),
                f"{total / record['verdicts']:.2f}",
                ", ".join(record["open"]) or "none",
            )
        )
    head = ("", *shown, "all", "verdicts", "per verdict", "open")
    return table(head, rows)


def main() -> None:
    """Parse the arguments, measure, write the page and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proofs", description=__doc__)
    default = Path(__file__).with_name("PROOFS.md")
    parser.add_argument("--output", type=Path, default=default, help="the page to write")
    chosen = parser.parse_args()
    names = sorted(path.stem for path in (ROOT / "spec").glob("*.py"))
    with steps() as step:
        catalogue = measure(names, step)
        matrices = measure(list(MATRICES), step)
        files = of_files(step)
        whole = of_catalogue(step)
        step("Coq")
        with tempfile.TemporaryDirectory() as folder:
            report = kernel_check(ROOT / "proofs", Path(folder) / "build", load_catalogue())
    if not report.holds:
        raise SystemExit("\n".join(map(str, report.failures)))
    text = page(catalogue, matrices, files, report.seconds, len(report.theorems), whole)
    chosen.output.write_text(text, encoding="utf-8")
    print(f"wrote {chosen.output}")


if __name__ == "__main__":
    main()
