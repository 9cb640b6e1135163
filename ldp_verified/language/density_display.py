"""How a table on the line shows itself in a notebook: pieces and atoms, or a law of noise."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language.density import Density
from ldp_verified.language.noise import Noise, Normal, Steps

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism


def _rows(mechanism: Mechanism) -> list[list[Any]]:
    """[low, high, density] of pieces, [location, None, mass] of atoms."""
    form = mechanism.algebraic_table
    if isinstance(form, Noise):
        return _noise_rows(form)
    assert isinstance(form, Density)
    pieces = [[piece.low, piece.high, piece.level] for piece in form.pieces]
    atoms = [[atom.location, None, atom.mass] for atom in form.atoms]
    return [[_factored(value) for value in row] for row in [*pieces, *atoms]]


def _noise_rows(form: Noise) -> list[list[Any]]:
    """The rows of a law of noise, y = x + z: what repeats itself is shown for the j-th period."""
    z, j = sympy.Symbol("z"), sympy.Symbol("j")
    given = {name: _factored(value) for name, value in form.cells().items()}
    if isinstance(form.law, Steps):
        rows = []
        for i in range(len(form.law.pieces)):
            ends = [given[f"{side}{i}"] + j * given["period"] for side in ("low", "high")]
            rows.append([*ends, given[f"level{i}"] * given["decay"] ** j])
        return rows
    if isinstance(form.law, Normal):
        bell = sympy.exp(-(z**2) / (2 * given["scale"] ** 2)) / sympy.sqrt(2 * sympy.pi)
        return [[0, sympy.oo, given["level"] * bell]]
    if "scale" in given:
        return [[0, sympy.oo, given["level"] * sympy.exp(-z / given["scale"])]]
    return [[z, None, given["mass"] * given["decay"] ** z]]


def _factored(value: Any) -> Any:
    return None if value is None else sympy.factor(sympy.cancel(value))


def output(mechanism: Mechanism) -> str:
    """Return the name of the rows: the output, or its distance from the input."""
    return "|y - x|" if isinstance(mechanism.table, Noise) else "y"


def html(mechanism: Mechanism, legend: str) -> str:
    """An HTML table with one row per piece and atom."""
    parts = [f"<p><b>{escape(mechanism.title)}</b> ({escape(legend)})</p>"]
    parts.append("<table><tr><th>outputs y</th><th>density or mass</th></tr>")
    for low, high, level in _rows(mechanism):
        name = output(mechanism)
        where = f"{name} = {low}" if high is None else f"{low} <= {name} <= {high}"
        what = f"mass {level}" if high is None else str(level)
        parts.append(f"<tr><td>{escape(where)}</td><td>{escape(what)}</td></tr>")
    return "".join(parts) + "</table>"


def latex(mechanism: Mechanism) -> str:
    """A LaTeX array with one row per piece and atom."""
    lines = [r"\text{outputs} & \text{density or mass} \\ \hline"]
    for low, high, level in _rows(mechanism):
        name = output(mechanism)
        middle = rf"{name} = {sympy.latex(low)}"
        if high is not None:
            middle = rf"{sympy.latex(low)} \le {name} \le {sympy.latex(high)}"
        lines.append(rf"{middle} & {sympy.latex(level)} \\")
    body = "\n".join(lines)
    return rf"$\displaystyle \text{{{mechanism.title}}}\\ \begin{{array}}{{lc}}{body}\end{{array}}$"


def formulas_html(mechanism: Mechanism, legend: str) -> str:
    """An HTML table with one row per formula, for a table that is given by formulas."""
    parts = [f"<p><b>{escape(mechanism.title)}</b> ({escape(legend)})</p>"]
    parts.append("<table><tr><th>formula</th><th>value</th></tr>")
    for name, value in mechanism.algebraic_table.cells().items():
        parts.append(f"<tr><td>{escape(name)}</td><td>{escape(str(_factored(value)))}</td></tr>")
    return "".join(parts) + "</table>"


def formulas_latex(mechanism: Mechanism) -> str:
    """A LaTeX array with one row per formula."""
    cells = mechanism.algebraic_table.cells().items()
    lines = [
        rf"\text{{{name.replace('_', ' ')}}} & {sympy.latex(_factored(value))} \\"
        for name, value in cells
    ]
    body = "\n".join(lines)
    return rf"$\displaystyle \text{{{mechanism.title}}}\\ \begin{{array}}{{lc}}{body}\end{{array}}$"
