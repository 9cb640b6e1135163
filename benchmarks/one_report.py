"""`python -m benchmarks.one_report`: one report by a client and by `privatize`, and at the server.

It writes `ONE_REPORT.md`. The figures are the least of several rounds, in which what is compared
takes turns.
"""

from __future__ import annotations

import platform
import time
import timeit
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.markdown import table
from ldp_verified import BLH, GRR, OLH, OUE, SUE, Duchi, Piecewise, SubsetSelection
from ldp_verified.protocols import LGRR, LOLOHA, LOSUE, LSUE, DBitFlip, MemoClient, Registry

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).with_name("ONE_REPORT.md")
ROUNDS = 35
SECONDS = 0.01
"""Of one round, about."""
MANY = 10_000
"""Reports that are counted one by one."""

CLIENTS: tuple[tuple[Any, Any, str], ...] = (
    (GRR(1.0, 16), 8, "1.5"),
    (GRR(1.0, 1 << 22), 1 << 21, "1.5"),
    (OLH(1.0, 1024), 512, "3"),
    (OLH(1.0, 1024, g=3), 512, "3"),
    (BLH(1.0, 1024), 512, "3"),
    (Piecewise(1.0), 0.3, "3"),
    (Duchi(1.0), 0.3, ""),
    (SUE(1.0, 64), 32, ""),
    (OUE(1.0, 1024), 512, "5"),
    (OUE(1.0, 1 << 16), 1 << 15, ""),
)
"""Each with a value and its target in microseconds, where there is one."""

KEPT: tuple[Any, ...] = (
    *(LGRR(2.0, 1.0, 16), LSUE(2.0, 1.0, 16), LOSUE(2.0, 1.0, 1024), LOLOHA(2.0, 1.0, 1024)),
    DBitFlip(2.0, 1024, 32, 4),
)

COUNTED: tuple[Any, ...] = (
    *(GRR(1.0, 16), GRR(1.0, 1 << 22), OLH(1.0, 1024), OUE(1.0, 1024)),
    SubsetSelection(1.0, 1024),
)

KEPT_TARGET = "10"
"""Microseconds of a later report, and of its acceptance."""
COUNTED_TARGET = "2"
"""Microseconds of an update."""


def microseconds(*drawing: Callable[[], object]) -> list[float]:
    """The least time of each call over all rounds."""
    counts = [_calls(each) for each in drawing]
    least = [float("inf")] * len(drawing)
    for _ in range(ROUNDS):
        for i, (each, count) in enumerate(zip(drawing, counts, strict=True)):
            spent = timeit.timeit(each, number=count, timer=time.process_time)
            least[i] = min(least[i], spent / count * 1e6)
    return least


def _calls(each: Callable[[], object]) -> int:
    """Calls of a round: so many that it takes its time when all is warm.

    A client that draws ahead must do so within each round: the least of rounds that only use up
    what was drawn before would leave the drawing out.
    """
    timeit.timeit(each, number=9)  # the first call compiles or loads code
    count = 1
    while timeit.timeit(each, number=count, timer=time.process_time) < SECONDS:
        count *= 2
    return count


def name_of(made: Any) -> str:
    """The class with the arguments that matter here."""
    names = ("epsilon", "epsilon_permanent", "epsilon_report", "k", "g", "b", "d")
    shown = [f"{name}={getattr(made, name)}" for name in names if hasattr(made, name)]
    return f"`{type(made).__name__}({', '.join(shown)})`"


def meets(target: str, *shown: str) -> str:
    """Whether figures, as the page shows them, are at most their target; empty without one."""
    if not target:
        return ""
    return "yes" if all(float(each) <= float(target) for each in shown) else "no"


def clients() -> list[tuple[str, ...]]:
    """Rows of clients that report once."""
    rows: list[tuple[str, ...]] = []
    for made, value, target in CLIENTS:
        report = made.client().report
        client, usual = microseconds(partial(report, value), partial(made.privatize, value))
        own, others = f"{client:.2f}", (f"{usual:.1f}", f"{usual / client:.1f}")
        rows.append((name_of(made), own, target, meets(target, own), *others))
    return rows


def kept() -> list[tuple[str, ...]]:
    """Rows of clients that keep answers, and of the server's note of their reports."""
    rows: list[tuple[str, ...]] = []
    for made in KEPT:
        client = MemoClient(made, new_user=True)
        later, user, registry = partial(client.report, 8), iter(range(1 << 62)), Registry()
        first = client.report(8)

        def anew(made: Any = made) -> object:
            return MemoClient(made, new_user=True).report(8)

        def accept(registry: Any = registry, report: Any = first, user: Any = user) -> None:
            registry.accept(str(next(user)), report)

        report, first_one, accepted = (f"{each:.1f}" for each in microseconds(later, anew, accept))
        met = meets(KEPT_TARGET, report, accepted)
        rows.append((name_of(made), report, first_one, accepted, KEPT_TARGET, met))
    return rows


def server() -> list[tuple[str, ...]]:
    """Rows of `update` with one report, and the reports counted to the last one."""
    rows: list[tuple[str, ...]] = []
    for made in COUNTED:
        state, report = made.empty(), made.privatize(1)

        def many(made: Any = made, report: Any = report) -> object:
            new = made.empty()
            for _ in range(MANY):
                new.update(report)
            return new.counts

        one, all_ = microseconds(partial(state.update, report), many)
        own, counted = f"{one:.2f}", f"{all_ / MANY:.2f}"
        rows.append((name_of(made), own, COUNTED_TARGET, meets(COUNTED_TARGET, own), counted))
    return rows


def main() -> None:
    """Time each and write the page."""
    lines = [
        "# One report in Python",
        "",
        "Microseconds of processor time for one report, secure words included:",
        "`client().report(v)`, and `privatize(v)`, which wraps the report with its identity.",
        f"The least of {ROUNDS} rounds, in which both take turns.",
        f"Python {platform.python_version()} on {platform.machine()}, with numba; written by",
        "`python -m benchmarks.one_report`. Where there is no target, none was set; a row meets",
        "its target if the figure that is shown is at most that.",
        "",
        table(["mechanism", "client", "target", "meets", "privatize", "ratio"], clients()),
        "## Clients that keep answers, and who takes note of their reports",
        "",
        "`MemoClient.report` on a value that it has reported on before, a new client with its",
        "first report, and `Registry.accept` of a user's first report. The target is of `report`",
        "and of `accept`, each.",
        "",
        table(
            ["deployment", "report", "new client and report", "accept", "target", "meets"], kept()
        ),
        "## One report at the server",
        "",
        "`State.update` with one report: it is looked at and copied, and counted with the next",
        f"ones. The last column is the same for {MANY:,} reports, one by one, with a new state and",
        f"all of them counted at the end, divided by {MANY:,}; the target is of `update`.",
        "",
        table(["mechanism", "update", "target", "meets", "update and count"], server()),
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
