"""The command: measure everything, then write benchmarks/RESULTS.md."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.growth import plot
from benchmarks.limits import ratios
from benchmarks.report import commit, page
from benchmarks.run import Results, exchange, memory, scaling, short_jobs, startup, throughput
from benchmarks.spread import machine
from benchmarks.steps import steps
from benchmarks.stored import KEPT, PICTURE, accept, halved


def main() -> None:
    """Parse the arguments, measure, write the page and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each thing")
    default = Path(__file__).with_name("RESULTS.md")
    parser.add_argument("--output", type=Path, default=default, help="the page to write")
    kept = "store the page that a run kept as its ratios had halved; measure nothing"
    parser.add_argument("--accept", action="store_true", help=kept)
    chosen = parser.parse_args()
    if chosen.rounds < 1:
        parser.error(f"--rounds: must be at least 1, got {chosen.rounds}")
    if chosen.accept:
        if not accept(chosen.output):
            parser.error(f"--accept: no run kept {KEPT / chosen.output.name}")
        print(f"wrote {chosen.output}")
        return
    results, measured, began = Results(), commit(), time.monotonic()
    with steps() as step:
        startup(results, chosen.rounds, step)
        short_jobs(results, chosen.rounds, step)
        memory(results, step)
        throughput(results, chosen.rounds, step)
        scaling(results, chosen.rounds, step)
        exchange(results, chosen.rounds, step)
    before = chosen.output.read_text(encoding="utf-8") if chosen.output.is_file() else None
    lost = [] if before is None else halved(before, results)
    KEPT.mkdir(parents=True, exist_ok=True)
    minutes = (time.monotonic() - began) / 60
    written = page(results, datetime.now(UTC).date(), measured, machine(), minutes)
    plot(results.growth, KEPT / PICTURE)
    (KEPT / chosen.output.name).write_text(written, encoding="utf-8")
    print(ratios(results))
    if lost:
        named = "\n".join(lost)
        where = KEPT / chosen.output.name
        parser.exit(1, f"ratios that halved (--accept stores the new page, {where}):\n{named}\n")
    accept(chosen.output)
    print(f"wrote {chosen.output}")


if __name__ == "__main__":
    main()
