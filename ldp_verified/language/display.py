"""How a mechanism shows itself in a notebook: its pair tables, with the worst-case ratio marked.

The mark is for the eye: it is found by evaluating the ratios at one interior point of the parameter
domain. The tight epsilon is derived and proved elsewhere.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language import density_display
from ldp_verified.language.feasible import interior_point
from ldp_verified.language.forms import Line, Matrix
from ldp_verified.language.points import Points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.language.pair_table import PairTable

MAX_PAIRS = 4


def _worst(tables: Sequence[PairTable], variables: dict[Any, Any]) -> set[tuple[int, int]]:
    """(table, row) of the rows whose ratio P(y|x)/P(y|x') is largest at the interior point."""
    point = interior_point(variables)
    ratios: dict[tuple[int, int], Any] = {}
    for t, table in enumerate(tables):
        for r, row in enumerate(table.rows):
            top, bottom = row.px.subs(point), row.px2.subs(point)
            if top != 0 and row.count.subs(point) != 0:
                ratios[t, r] = sympy.oo if bottom == 0 else top / bottom
    if not ratios:
        return set()
    largest = max(ratios.values())
    return {place for place, ratio in ratios.items() if ratio == largest}


def _simple(value: Any) -> Any:
    return sympy.factor(sympy.cancel(sympy.together(value)))


def _cells(mechanism: Mechanism) -> tuple[list[tuple[str, list[list[Any]]]], int]:
    """The name and the rows [mark, outputs, count, px, px', ratio] of each shown pair.

    The second result is how many pairs there are.
    """
    form = mechanism.algebraic_table
    tables = form.pair_tables()
    # Of a large table the mark is the worst ratio among the pairs that are shown.
    looked_at = tables if not isinstance(form, Matrix) or form.shown_in_full else tables[:MAX_PAIRS]
    worst = _worst(looked_at, mechanism.variables)
    shown = []
    for t, table in enumerate(tables[:MAX_PAIRS]):
        rows = []
        for r, row in enumerate(table.rows):
            ratio = sympy.oo if row.px2 == 0 else _simple(row.px / row.px2)
            rows.append(
                [(t, r) in worst, row.outputs, *map(_simple, (row.count, row.px, row.px2)), ratio]
            )
        shown.append((table.pair, rows))
    return shown, len(tables)


def _legend(mechanism: Mechanism) -> str:
    generator = mechanism.generator
    lines = [p.domain.describe(p.name) for p in mechanism.parameters]
    if generator.eps is not None:
        exponent = f"{generator.eps}" + ("" if generator.root == 1 else f"/{generator.root}")
        lines.append(f"{generator.symbol} = e^({exponent})")
    return ", ".join(lines)


def html(mechanism: Mechanism) -> str:
    """An HTML table per type of pair.

    The rows with the worst-case ratio are bold and carry a star.
    """
    if isinstance(mechanism.table, Line):
        return density_display.html(mechanism, _legend(mechanism))
    if isinstance(mechanism.table, Points):
        return density_display.formulas_html(mechanism, _legend(mechanism))
    shown, total = _cells(mechanism)
    parts = [f"<p><b>{escape(mechanism.title)}</b> ({escape(_legend(mechanism))})</p>"]
    heads = ("outputs y", "count", "P(y|x)", "P(y|x')", "ratio")
    for pair, rows in shown:
        parts.append(f"<table><caption>{escape(pair)}</caption><tr>")
        parts.append("".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr>")
        for mark, outputs, *values in rows:
            style = ' style="font-weight:bold"' if mark else ""
            texts = [outputs, *(str(v) for v in values)]
            texts[-1] += " * worst case" if mark else ""
            parts.append(f"<tr{style}>" + "".join(f"<td>{escape(t)}</td>" for t in texts) + "</tr>")
        parts.append("</table>")
    if total > len(shown):
        parts.append(f"<p>{total - len(shown)} more pairs not shown.</p>")
    return "".join(parts)


def latex(mechanism: Mechanism) -> str:
    """A LaTeX array per type of pair; the worst-case ratio is boxed."""
    if isinstance(mechanism.table, Line):
        return density_display.latex(mechanism)
    if isinstance(mechanism.table, Points):
        return density_display.formulas_latex(mechanism)
    shown, total = _cells(mechanism)
    parts = []
    for pair, rows in shown:
        lines = [
            r"\text{outputs} & \text{count} & P(y\mid x) & P(y\mid x') & \text{ratio} \\ \hline"
        ]
        for mark, outputs, *values in rows:
            texts = [sympy.latex(v) for v in values]
            if mark:
                texts[-1] = rf"\boxed{{{texts[-1]}}}"
            lines.append(rf"\text{{{outputs}}} & " + " & ".join(texts) + r" \\")
        body = "\n".join(lines)
        parts.append(
            rf"\text{{{mechanism.title}: {pair}}}\\ \begin{{array}}{{lcccc}}{body}\end{{array}}"
        )
    if total > len(shown):
        parts.append(rf"\text{{{total - len(shown)} more pairs}}")
    return "$\\displaystyle " + r"\\ ".join(parts) + "$"
