"""Formal statements as text: what a check is about, rendered from what it decides.

Every text here is made from the objects that a check computes with, so a changed number, sign or
domain changes the text. Nothing that an author writes beside a check gets in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language import Matrix, Mechanism, Parameter

if TYPE_CHECKING:
    from ldp_verified.language.claims import Claim

LONGEST_TABLE = 300
"""Characters of a table that are shown; a longer one is shown by its first cells and its hash."""


def formula(expression: Any) -> str:
    """An expression or relation in one line, powers written with ^."""
    node = expression
    if isinstance(node, sympy.core.relational.Relational):
        sign = {"==": "=", "!=": "!="}.get(node.rel_op, node.rel_op)
        return f"{formula(node.lhs)} {sign} {formula(node.rhs)}"
    return str(node).replace("**", "^")


def domain(parameters: Iterable[Parameter]) -> str:
    """Return the parameters' ranges as text (`for all eps > 0, integer k >= 2`), or nothing."""
    texts = [p.domain.describe(p.name).replace("**", "^") for p in parameters]
    return f"for all {', '.join(texts)}" if texts else ""


def given(values: Mapping[Any, Sequence[Any]]) -> str:
    """Exact values of symbols: `eps = 1, 2; delta = 1/10`."""
    return "; ".join(f"{symbol} = {', '.join(map(str, each))}" for symbol, each in values.items())


def declaration(mechanism: Mechanism) -> str:
    """A mechanism with its parameters' domains and its table."""
    where = domain(mechanism.parameters)
    where += "".join(f", {formula(each)}" for each in mechanism.assuming)
    return f"{mechanism.name} {where}: {_table(mechanism)}".replace(" :", ":")


def _table(mechanism: Mechanism) -> str:
    form = mechanism.table
    kind = type(form).__name__
    if isinstance(form, Matrix):
        rows = [", ".join(formula(cell) for cell in row) for row in form.rows]
        text = f"Matrix [{'; '.join(rows)}]"
    else:
        cells = [f"{name} = {formula(value)}" for name, value in form.cells().items()]
        listed = [
            f"{where.removeprefix('table.')} = {formula(value)}"
            for where, value in form.expressions()
            if where.removeprefix("table.") not in form.cells()
        ]
        built = getattr(form, "structure", None) or getattr(form, "encoder", None)
        over = f" over {formula(built)}" if built is not None else ""
        text = f"{kind} [{', '.join([*listed, *cells])}]{over}"
    if len(text) <= LONGEST_TABLE:
        return text
    digest = hashlib.sha256(f"{text} {form!r}".encode()).hexdigest()[:12]
    return f"{text[:LONGEST_TABLE]}... (SHA-256 of the table {digest})"


def of_mechanism(mechanism: Mechanism, claims: Sequence[Claim]) -> str:
    """Claims about a mechanism."""
    said = "; ".join(claim.describe().replace("**", "^") for claim in claims)
    return f"{declaration(mechanism)}: {said}"
