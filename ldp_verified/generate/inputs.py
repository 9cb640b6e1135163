"""The values of a table's own domain, as a generated class declares them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language import Matrix

if TYPE_CHECKING:
    from ldp_verified.language import Form

WIDTH = 96
"""A line of a class's body."""


def own_labels(form: Form) -> tuple[str | int, ...] | None:
    """Return the labels of a table's inputs; None where they are 0..k-1.

    None also where an input is no integer and no printable string, a tuple say: users then give its
    index.
    """
    given = form.inputs if isinstance(form, Matrix) else ()
    listed = tuple(label for label in map(_label, given) if label is not None)
    named = len(listed) == len(given) and listed != tuple(range(len(given)))
    return listed if named else None


def _label(value: Any) -> str | int | None:
    if isinstance(value, str):
        return value if value.isprintable() else None
    if isinstance(value, bool):
        return None
    return int(value) if getattr(sympy.sympify(value), "is_Integer", False) else None


def labels_lines(labels: tuple[str | int, ...] | None) -> list[str]:
    """Return the lines that declare the labels; none where there are none."""
    if labels is None:
        return []
    head = "own_labels: ClassVar[tuple[str | int, ...] | None] = ("
    shown = [json.dumps(label, ensure_ascii=False) for label in labels]
    line = f"{head}{', '.join(shown)})"
    if len(line) <= WIDTH:
        return [line]
    return [head, *(f"    {each}," for each in shown), ")"]


def labels_meaning(labels: tuple[str | int, ...]) -> str:
    """Return what `categories` is in such a class, for its docstring."""
    ends = labels if len(labels) <= 4 else (*labels[:2], "...", labels[-1])
    named = ", ".join(map(str, ends))
    return f"the labels of the values, in order; None for the table's own, {named}"
