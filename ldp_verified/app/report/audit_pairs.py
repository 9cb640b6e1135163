"""The pairs of inputs of an audit: a map of them as inline SVG, and a table of the worst."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.app.report.output import Json
    from ldp_verified.check.audit.bounds.pairs import Pair
    from ldp_verified.check.audit.results.results import AuditResult

MOST_MAPPED = 40
"""Inputs beyond this number make squares too small to be told apart."""

MOST_ROWS = 30
SIDE = 560
LABELS = 90


def shown_point(pair: Pair) -> str:
    """The ln ratio as seen."""
    if pair.tally.plus == 0:
        return "nothing seen"
    return f"{pair.point:.3f}" if isfinite(pair.point) else "looks disjoint"


def rows(result: AuditResult) -> list[tuple[str, ...]]:
    """The first of the table: inputs, counts, ln ratio as seen, bound."""
    return [
        (
            f"{escape(repr(result.inputs[p.x]))} and {escape(repr(result.inputs[p.x2]))}",
            f"{p.tally.plus:,}",
            f"{p.tally.minus:,}",
            f"{p.tally.n:,}",
            shown_point(p),
            f"{p.bound:.4g}",
        )
        for p in result.pairs[:MOST_ROWS]
    ]


def said(result: AuditResult) -> str:
    """Return a description of the table in words."""
    first = (
        f"The {MOST_ROWS} of {len(result.pairs):,} pairs with the largest bound."
        if len(result.pairs) > MOST_ROWS
        else "All pairs, the largest bound first."
    )
    return (
        f"{first} Each pair has an event of its own; "
        "the bounds of all pairs hold together, at a tenth of the level of the verdict. A ratio as "
        "seen is an estimate, and the largest of many is too large."
    )


def picture(result: AuditResult) -> str:
    """One square for each pair, coloured by the ln ratio as seen against the claim."""
    k = len(result.inputs)
    if not result.pairs or not 3 <= k <= MOST_MAPPED:
        return ""
    cell = SIDE / k
    top = max(1.5 * result.epsilon, 0.5)
    shapes = []
    for pair in result.pairs:
        broken = pair.bound > result.epsilon
        level = min(max(pair.point, 0.0) / top, 1.0) if pair.tally.plus else 0.0
        fill = "#b3261e" if broken else f"rgba(11, 87, 164, {0.06 + 0.94 * level:.2f})"
        names = f"{result.inputs[pair.x]!r} and {result.inputs[pair.x2]!r}"
        title = f"{names}: {shown_point(pair)}, eps >= {pair.bound:.3g}"
        for column, row in ((pair.x, pair.x2), (pair.x2, pair.x)):
            shapes.append(
                f'<rect x="{LABELS + column * cell:.1f}" y="{LABELS + row * cell:.1f}" '
                f'width="{cell - 1:.1f}" height="{cell - 1:.1f}" fill="{fill}">'
                f"<title>{escape(title)}</title></rect>"
            )
    for i, label in enumerate(result.inputs):
        words = str(label) if len(str(label)) <= 10 else str(label)[:9] + "..."
        middle = LABELS + (i + 0.5) * cell
        shapes.append(
            f'<text x="{LABELS - 6}" y="{middle + 4:.1f}" text-anchor="end">{escape(words)}</text>'
            f'<text x="{middle:.1f}" y="{LABELS - 8}" {turn(words, middle)}>{escape(words)}</text>'
        )
    width = LABELS + SIDE + 10
    drawn = (
        f'<svg class="map" viewBox="0 0 {width} {width}" role="img" '
        f'aria-label="ln ratio of every pair of inputs">{"".join(shapes)}</svg>'
    )
    return (
        f"{drawn}<p>The darker, the larger the ln ratio as seen (white 0, full blue {top:.3g}); "
        "red: the pair's bound is above the claim. Point at a square for its numbers.</p>"
    )


def turn(words: str, middle: float) -> str:
    """Attributes of a label above a column: long ones are turned."""
    if len(words) <= 3:
        return 'text-anchor="middle"'
    return f'text-anchor="start" transform="rotate(-60 {middle:.1f} {LABELS - 8})"'


def document(result: AuditResult) -> list[dict[str, Json]]:
    """Every pair, for machines."""
    return [
        {
            "inputs": [p.x, p.x2],
            "plus": p.tally.plus,
            "minus": p.tally.minus,
            "n": p.tally.n,
            "bound": p.bound,
        }
        for p in result.pairs
    ]
