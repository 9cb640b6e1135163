"""The command: measure everything, then write benchmarks/RESULTS.md."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmarks.growth import plot
from benchmarks.limits import ratios
from benchmarks.report import commit, page
from benchmarks.run import Results, exchange, memory, scaling, startup, throughput
from benchmarks.spread import machine
from benchmarks.stored import halved


def main() -> None:
    """Parse the arguments, measure, write the page and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each thing")
    default = Path(__file__).with_name("RESULTS.md")
    parser.add_argument("--output", type=Path, default=default, help="the page to write")
    parser.add_argument("--accept", action="store_true", help="store ratios that halved, too")
    chosen = parser.parse_args()
    if chosen.rounds < 1:
        parser.error(f"--rounds: must be at least 1, got {chosen.rounds}")
    results, measured = Results(), commit()
    console = Console(stderr=True)
    with console.status("starting") as status:
        startup(results, chosen.rounds, status.update)
        memory(results, status.update)
        throughput(results, chosen.rounds, status.update)
        scaling(results, chosen.rounds, status.update)
        exchange(results, chosen.rounds, status.update)
    lost = []
    if chosen.output.is_file() and not chosen.accept:
        lost = halved(chosen.output.read_text(encoding="utf-8"), results)
    if lost:
        print(ratios(results))
        parser.exit(1, "ratios that halved (--accept stores them):\n" + "\n".join(lost) + "\n")
    plot(results.growth, chosen.output.with_name("growth.svg"))
    written = page(results, datetime.now(UTC).date(), measured, machine())
    chosen.output.write_text(written, encoding="utf-8")
    print(ratios(results))
    print(f"wrote {chosen.output}")


if __name__ == "__main__":
    main()
