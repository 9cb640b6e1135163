"""How a density on the line shows itself in a notebook: its pieces and atoms."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language.density import Density

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism


def _rows(mechanism: Mechanism) -> list[list[Any]]:
    """[low, high, density] of pieces, [location, None, mass] of atoms."""
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    pieces = [[piece.low, piece.high, piece.level] for piece in form.pieces]
    atoms = [[atom.location, None, atom.mass] for atom in form.atoms]
    return [[_factored(value) for value in row] for row in [*pieces, *atoms]]


def _factored(value: Any) -> Any:
    return None if value is None else sympy.factor(sympy.cancel(value))


def html(mechanism: Mechanism, legend: str) -> str:
    """An HTML table with one row per piece and atom."""
    parts = [f"<p><b>{escape(mechanism.title)}</b> ({escape(legend)})</p>"]
    parts.append("<table><tr><th>outputs y</th><th>density or mass</th></tr>")
    for low, high, level in _rows(mechanism):
        where = f"y = {low}" if high is None else f"{low} <= y <= {high}"
        what = f"mass {level}" if high is None else str(level)
        parts.append(f"<tr><td>{escape(where)}</td><td>{escape(what)}</td></tr>")
    return "".join(parts) + "</table>"


def latex(mechanism: Mechanism) -> str:
    """A LaTeX array with one row per piece and atom."""
    lines = [r"\text{outputs} & \text{density or mass} \\ \hline"]
    for low, high, level in _rows(mechanism):
        middle = rf"y = {sympy.latex(low)}"
        if high is not None:
            middle = rf"{sympy.latex(low)} \le y \le {sympy.latex(high)}"
        lines.append(rf"{middle} & {sympy.latex(level)} \\")
    body = "\n".join(lines)
    return rf"$\displaystyle \text{{{mechanism.title}}}\\ \begin{{array}}{{lc}}{body}\end{{array}}$"
