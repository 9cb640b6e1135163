"""A conformance run: each comparison with its null, level, sample size, reach and verdict."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from ldp_verified.app.report.output import Json, Part, number, table
from ldp_verified.check.conformance.results import (
    REACH,
    Comparison,
    ConformanceOutcome,
    ConformanceReport,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SAID = {
    ConformanceOutcome.PASSED: Text("not rejected", style="green"),
    ConformanceOutcome.REJECTED: Text("rejected", style="bold red"),
    ConformanceOutcome.INCONCLUSIVE: Text("inconclusive", style="yellow"),
}


@dataclass(frozen=True)
class Replay:
    """The options given on the command line; None for each one left to its default.

    Attributes:
        names: the mechanisms; empty for all.
        n: reports per mechanism.
        level: of the whole run.
        more: further words: a client, and the arguments of its mechanism.
    """

    names: tuple[str, ...] = ()
    n: int | None = None
    level: float | None = None
    more: tuple[str, ...] = ()

    def command(self, seed: int) -> str:
        """The command that repeats the run."""
        words = ["ldp-verified", "conform", *self.names, *self.more, "--seed", str(seed)]
        words += [] if self.n is None else ["--n", str(self.n)]
        words += [] if self.level is None else ["--level", repr(self.level)]
        return shlex.join(words)


def terminal(result: ConformanceReport, replay: Replay) -> Iterator[Part]:
    """The table, what its nulls are, what was rejected or inconclusive, what it all means."""
    nulls = list(dict.fromkeys(map(_null, result.comparisons)))
    yield _comparisons(result.comparisons, nulls)
    yield _legend(result.comparisons, nulls)
    for outcome, head in (
        (ConformanceOutcome.REJECTED, "Rejected: the running code does not follow the table"),
        (ConformanceOutcome.INCONCLUSIVE, "Inconclusive: too small a sample"),
    ):
        found = [c for c in result.comparisons if c.outcome is outcome]
        if found:
            yield Group(Text(head, style=SAID[outcome].style), *map(_item, found))
    yield Text("\n".join(_meaning(result, replay)))


def _comparisons(comparisons: Sequence[Comparison], nulls: list[tuple[str, str, float]]) -> Part:
    numbers = ("m", "n", "level", "detects", "p-value")
    rows = table("test", "null", *numbers, "verdict", right=numbers, folded=("test",))
    subject = None
    for position, c in enumerate(comparisons):
        if c.subject != subject:
            subject = c.subject
            rows.add_row(Text(subject, style="bold"))
        following = comparisons[position + 1 : position + 2]
        rows.add_row(
            Padding(Text(c.name), (0, 0, 0, 2)),
            _letter(nulls.index(_null(c))),
            f"{c.tests:,}",
            f"{c.n:,}",
            f"{c.level:.1e}",
            f"{c.detectable:.2g}",
            f"{c.p_value:.2g}",
            SAID[c.outcome],
            end_section=any(other.subject != subject for other in following),
        )
    return rows


def _letter(position: int) -> str:
    """A, B, ..., Z, A1, ...: H0 and H1 mean something else."""
    turn, letter = divmod(position, 26)
    return chr(ord("A") + letter) + (str(turn) if turn else "")


def _null(c: Comparison) -> tuple[str, str, float]:
    """(null, unit of the deviation, limit): the null with m for the number of tests joined."""
    null = c.null if c.tests == 1 else re.sub(rf"(?<!\^)\b{c.tests}\b", "m", c.null)
    return null, c.unit, c.limit


def _legend(comparisons: Sequence[Comparison], nulls: list[tuple[str, str, float]]) -> Part:
    lines = [
        f"{_letter(position)}: {null}. Detects: {unit}; above {limit:g} it is inconclusive."
        for position, (null, unit, limit) in enumerate(nulls)
    ]
    miss = max((c.miss for c in comparisons), default=0.0)
    lines.append(
        "m: tests joined by Bonferroni. detects: a deviation of that size or more is missed with "
        f"probability <= {miss:g} in each test."
    )
    return Text("\n".join(lines))


def _item(c: Comparison) -> Part:
    """One comparison in full, indented; in a line where it is only too small."""
    head = f"{c.subject}, {c.name}"
    if c.outcome is ConformanceOutcome.INCONCLUSIVE:
        more = "more reports are of no use"
        if c.needed is not None:
            more = f"needs about {c.needed:,} reports: --n {c.needed}"
        return Padding(Text(f"{head}: {c.detectable:.2g} > {c.limit:g}; {more}"), (0, 0, 0, 2))
    lines = [
        f"null: {c.null}",
        f"observed {c.observed:.6g}, expected {c.expected:.6g}: {c.worst}",
        f"p-value {c.p_value:.3g}, rejected at {c.level:.3g} or less",
    ]
    body = Padding(Text("\n".join(lines)), (0, 0, 0, 2), expand=False)
    return Padding(Group(Text(head), body), (0, 0, 0, 2), expand=False)


def _meaning(result: ConformanceReport, replay: Replay) -> Iterator[str]:
    counts = Counter(c.outcome for c in result.comparisons)
    parts = ", ".join(f"{counts[o]} {SAID[o].plain}" for o in ConformanceOutcome if counts[o])
    tests = sum(c.tests for c in result.comparisons)
    yield (
        f"{len(result.comparisons)} comparisons of {tests:,} tests: {parts or 'none'} "
        f"({result.seconds:.1f} s)"
    )
    yield (
        f"Family-wise level: over right code this run rejects anything with probability "
        f"<= {result.level:g}. {REACH}"
    )
    yield from result.asked
    yield from (f"Not looked at: {remark}" for remark in result.remarks)
    yield (
        f"Seed {result.seed}; to replay: {replay.command(result.seed)} "
        "(what is drawn from the secure source is drawn afresh)"
    )


def document(result: ConformanceReport, replay: Replay) -> dict[str, Json]:
    """All comparisons in the order in which they were planned, and how to replay them."""
    return {
        "outcome": str(result.outcome),
        "status": str(result.status),
        "level": result.level,
        "seed": str(result.seed),
        "replay": replay.command(result.seed),
        "seconds": round(result.seconds, 3),
        "asked": list(result.asked),
        "remarks": list(result.remarks),
        "reach": REACH,
        "comparisons": [_comparison(c) for c in result.comparisons],
    }


def _comparison(c: Comparison) -> Json:
    return {
        "subject": c.subject,
        "name": c.name,
        "null": c.null,
        "tests": c.tests,
        "level": c.level,
        "n": c.n,
        "p_value": c.p_value,
        "detectable": number(c.detectable),
        "unit": c.unit,
        "limit": c.limit,
        "miss": c.miss,
        "observed": number(c.observed),
        "expected": number(c.expected),
        "worst": c.worst,
        "needed": c.needed,
        "outcome": str(c.outcome),
    }
