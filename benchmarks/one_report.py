"""`python -m benchmarks.one_report`: one report by a client, and by `privatize`, in one run.

It writes `ONE_REPORT.md`. The figures are the least of several rounds, in which the two take turns.
"""

from __future__ import annotations

import platform
import timeit
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp_verified import BLH, GRR, OLH, OUE, SUE

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).with_name("ONE_REPORT.md")
ROUNDS = 7
SECONDS = 0.05
"""Of one round, about."""

MECHANISMS: tuple[tuple[Any, str], ...] = (
    (GRR(1.0, 16), "1.5"),
    (GRR(1.0, 1 << 22), "1.5"),
    (OLH(1.0, 1024), "3"),
    (OLH(1.0, 1024, g=3), "3"),
    (BLH(1.0, 1024), "3"),
    (SUE(1.0, 64), ""),
    (OUE(1.0, 1024), ""),
)
"""Each with its target in microseconds, where there is one."""


def microseconds(*drawing: Callable[[], object]) -> list[float]:
    """The least time of each call over all rounds."""
    counts = [max(1, int(SECONDS / timeit.timeit(each, number=9) * 9)) for each in drawing]
    least = [float("inf")] * len(drawing)
    for _ in range(ROUNDS):
        for i, (each, count) in enumerate(zip(drawing, counts, strict=True)):
            least[i] = min(least[i], timeit.timeit(each, number=count) / count * 1e6)
    return least


def main() -> None:
    """Time each mechanism and write the page."""
    lines = [
        "# One report in Python",
        "",
        "Microseconds for one report, secure words included: `client().report(v)`, and",
        "`privatize(v)`, which wraps the report with its identity. The least of the",
        f"times of {ROUNDS} rounds, in which both take turns.",
        f"Python {platform.python_version()} on {platform.machine()}; written by",
        "`python -m benchmarks.one_report`.",
        "",
        "| mechanism | client | target | privatize | ratio |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for made, target in MECHANISMS:
        report, value = made.client().report, made.k // 2
        client, usual = microseconds(partial(report, value), partial(made.privatize, value))
        name = f"{type(made).__name__}(epsilon={made.epsilon}, k={made.k}"
        name += f", g={made.g})" if hasattr(made, "g") else ")"
        lines.append(f"| `{name}` | {client:.2f} | {target} | {usual:.1f} | {usual / client:.1f} |")
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
