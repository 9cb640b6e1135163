"""Ratios to the peers as the page has them, and which of them halved in a new run.

A ratio is of one round, in which both were timed, so that a slow machine bends it little. One that
is less than half of the stored one is a loss: `make bench` then leaves the stored page as it is,
keeps the new one in build/benchmarks and fails; `python -m benchmarks --accept` stores that one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from benchmarks.environments import ROOT
from benchmarks.limits import ratios

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.run import Results

PICTURE: Final = "growth.svg"
"""Lies beside a page, which shows it."""

KEPT: Final = ROOT / "build" / "benchmarks"
"""Where the page is kept whose ratios halved, under the name of the stored one."""

_ROW = re.compile(r"^\| (.+?) \| (client|server|transform) \| ([\d,.]+) \(")


def stored_ratios(page: str) -> dict[tuple[str, str], float]:
    """(mechanism, stage) -> the median of a page.

    Args:
        page: its text, or that of the table of ratios.

    Raises:
        ValueError: the page has no such table.
    """
    _, found, rest = page.partition("| mechanism | stage | ratio |")
    if not found:
        raise ValueError("page: has no table of ratios")
    rows = rest.split("\n\n")[0].splitlines()
    matches = filter(None, map(_ROW.match, rows))
    return {(m[1], m[2]): float(m[3].replace(",", "")) for m in matches}


def halved(page: str, results: Results) -> list[str]:
    """A line for each ratio of the page that is less than half as large now, or missing.

    Args:
        page: the stored one. results: the new run.
    """
    now = stored_ratios(ratios(results))
    lines = []
    for (mechanism, stage), before in stored_ratios(page).items():
        found = now.get((mechanism, stage))
        if found is None or 2 * found < before:
            lines.append(f"{mechanism}, {stage}: {before:g} times the peer before, now {found}")
    return lines


def accept(output: Path) -> bool:
    """Put the page that is kept, and its picture, in the place of a stored one.

    Args:
        output: the stored page.

    Returns:
        Whether there was one.
    """
    kept = KEPT / output.name
    if not kept.is_file():
        return False
    (KEPT / PICTURE).replace(output.with_name(PICTURE))
    kept.replace(output)
    return True
