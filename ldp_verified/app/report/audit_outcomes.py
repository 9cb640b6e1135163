"""Exceptions and missing answers of an audited target, and what its server says wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.check.audit.events.witnesses import FAILING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.app.report.output import Json
    from ldp_verified.check.audit.results.results import AuditResult
    from ldp_verified.check.audit.rules.rules import Finding

ASKED: Final = ("LDP010", "LDP015", "LDP019")
"""The rules about a server. Each runs only where an option asks for it, so it fails the audit."""

SHOWN = 3
"""Exceptions that are shown by input, and inputs of each."""


def failing(result: AuditResult) -> str:
    """Return what most outputs are, where they are exceptions or missing answers; else nothing."""
    if not result.outcomes:
        return ""
    total = max(sum(result.outcomes[0].totals), 1)
    lost = sum(sum(outcome.counts) for outcome in result.outcomes)
    if lost <= FAILING * total:
        return ""
    share = "all" if lost == total else f"{lost:,} of {total:,}"
    first = result.outcomes[0].words
    return f"{share} outputs are exceptions or missing answers (first of all: {first})"


def fails(finding: Finding) -> bool:
    """Return whether an audit with this finding fails: not a warning about what nobody asked."""
    return finding.violates or finding.rule in ASKED


def server(result: AuditResult) -> str:
    """Return which rules about a server are broken, in words; empty if none is."""
    broken = sorted({f.rule for f in result.findings if f.rule in ASKED})
    if not broken:
        return ""
    return (
        f"the server is wrong: {' and '.join(broken)}, asked for, {_VERB[len(broken) > 1]} broken"
    )


_VERB: Final = ("is", "are")


def words(result: AuditResult) -> Iterator[str]:
    """Exceptions and missing answers, with their shares by input: the most frequent and least."""
    for outcome in result.outcomes[:SHOWN]:
        rows = [*zip(result.inputs, outcome.counts, outcome.totals, strict=True)]
        rows.sort(key=lambda row: -row[1] / max(row[2], 1))
        few = rows if len(rows) <= 2 * SHOWN else [*rows[:SHOWN], *rows[-SHOWN:]]
        counted = ", ".join(f"{n:,} of {total:,} for {label!r}" for label, n, total in few)
        yield f"{outcome.words}: {counted}" + ("" if few is rows else " (most and least often)")
    if len(result.outcomes) > SHOWN:
        yield f"{len(result.outcomes) - SHOWN} more exceptions and missing answers are in --json"


def document(result: AuditResult) -> Iterator[dict[str, Json]]:
    """The same for machines, all of them."""
    for outcome in result.outcomes:
        yield {
            "words": outcome.words,
            "counts": [*outcome.counts],
            "totals": [*outcome.totals],
        }
