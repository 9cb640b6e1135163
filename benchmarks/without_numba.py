"""Users a second on one core, with machine code and without: what the extra `fast` is worth.

`python -m benchmarks.without_numba` prints a table and writes it to `docs/install.md`. Times are
those of the processor, so that other work on the machine matters little.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import GRR, HRR, OLH, OUE, Laplace, SubsetSelection
from ldp_verified.run.kernels.compiled import machine_code

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parents[1] / "docs" / "install.md"
HEAD = (
    "| what | users a second, with numba | without | times as fast |\n"
    "| --- | ---: | ---: | ---: |\n"
)
USERS = 1 << 16
LEAST_SECONDS = 0.15
ROUNDS = 3

MECHANISMS = {
    "k-RR, k = 1,024": GRR(1.0, 1024),
    "OUE, k = 64": OUE(1.0, 64),
    "OUE, k = 1,024": OUE(1.0, 1024),
    "OLH, k = 1,024": OLH(1.0, 1024),
    "HRR, k = 1,024": HRR(1.0, 1024),
    "subset selection, k = 64": SubsetSelection(1.0, 64),
    "Laplace noise": Laplace(1.0),
}


def rate(run: Callable[[int], Any]) -> float:
    """The users a second of the fastest of some rounds, each long enough to be timed."""
    best = 0.0
    run(USERS)
    for _ in range(ROUNDS):
        start, calls, seconds = time.process_time(), 0, 0.0
        while seconds < LEAST_SECONDS:
            run(USERS)
            calls += 1
            seconds = time.process_time() - start
        best = max(best, calls * USERS / seconds)
    return best


def rates() -> dict[str, float]:
    """Users a second for each job, as numba is there or not."""
    found = {}
    for name, made in MECHANISMS.items():
        value = made.bounds[0] if hasattr(made, "bounds") else 0

        def draw(users: int, made: Any = made, value: Any = value) -> Any:
            return made.privatize(np.full(users, value))

        found[f"randomize: {name}"] = rate(draw)
    for name in ("k-RR, k = 1,024", "OUE, k = 1,024", "OLH, k = 1,024", "HRR, k = 1,024"):
        made = MECHANISMS[name]
        kept: dict[int, Any] = {}

        def count(users: int, made: Any = made, kept: dict[int, Any] = kept) -> Any:
            if users not in kept:
                kept.clear()
                kept[users] = made.privatize(np.zeros(users, np.int64))
            return made.aggregate(kept[users]).estimate()

        found[f"count and estimate: {name}"] = rate(count)
    return found


def main() -> None:
    """Measure both, print the table, and put it in its place on the page."""
    columns = []
    for off in ("0", "1"):
        os.environ["NUMBA_DISABLE_JIT"] = off
        machine_code.cache_clear()
        columns.append(rates())
    fast, slow = columns
    rows = [
        f"| {name} | {fast[name]:,.2g} | {slow[name]:,.2g} | {fast[name] / slow[name]:.1f} |\n"
        for name in fast
    ]
    table = HEAD + "".join(rows)
    print(table)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index("| what |")] + table, encoding="utf-8")


if __name__ == "__main__":
    main()
