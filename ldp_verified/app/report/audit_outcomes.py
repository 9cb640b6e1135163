"""Exceptions and missing answers of an audited target, with their shares by input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.check.audit.results.results import UNTESTED
from ldp_verified.check.audit.targets.failing import FAILING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.app.report.output import Json
    from ldp_verified.check.audit.results.results import AuditResult

SHOWN = 3
"""Exceptions that are shown by input, and inputs of each."""


def failing(result: AuditResult) -> str:
    """Return what kept an audit from seeing anything; empty where nothing did.

    It was interrupted first, or most outputs are exceptions or missing answers.
    """
    if result.interrupted and not result.samples[1]:
        return UNTESTED
    if not result.outcomes:
        return ""
    total = max(sum(result.outcomes[0].totals), 1)
    lost = sum(sum(outcome.counts) for outcome in result.outcomes)
    if lost <= FAILING * total:
        return ""
    share = "all" if lost == total else f"{lost:,} of {total:,}"
    first = result.outcomes[0].words
    return f"{share} outputs are exceptions or missing answers (first of all: {first})"


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
    """Exceptions and missing answers, with their counts and totals by input, as JSON values."""
    for outcome in result.outcomes:
        yield {
            "words": outcome.words,
            "counts": [*outcome.counts],
            "totals": [*outcome.totals],
        }
