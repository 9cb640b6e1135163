"""Write which outputs a table has, as text: what tells tables apart whose pairs are alike.

Pair tables say how often two inputs meet which probabilities. With three inputs that is not the
whole table: an output that three inputs share and three outputs that two of them share can have the
same pair tables. So that two tables are the same is read from their outputs: column by column where
these can be listed, and by their structure where they cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import sympy

from ldp_verified.language import Bits, Blocks, Design, Form, Matrix, Singletons
from ldp_verified.language.structures import hashing

MOST_LISTED = 32
"""Values of a design whose blocks are listed."""


def outputs(form: Form, text: Callable[[Any], str]) -> dict[str, Any] | None:
    """Return what the verifier reads of a table's outputs; None where nothing says what they are.

    Either {"columns": [[P(y|x) for every x], ...]}, or {"structure": name, "sizes": [...]}.

    Args:
        form: in algebraic form. text: how an expression is written.
    """
    if isinstance(form, Matrix):
        columns = zip(*form.rows, strict=True)
        return {"columns": [[text(cell) for cell in column] for column in columns]}
    if isinstance(form, Design):
        blocks = _blocks(form.structure)
        if blocks is None:
            return _structure("design", hashing(form.structure), text)
        size, held = blocks
        inside, outside = text(form.inside), text(form.outside)
        return {
            "columns": [[inside if x in block else outside for x in range(size)] for block in held]
        }
    if isinstance(form, Bits):
        return _structure("bits", form.encoder, text)
    # Any other form that has coordinates for its values: how many cells each has tells two apart.
    structure = getattr(form, "structure", None)
    return _structure(f"{type(form).__name__} of {len(form.cells())} cells", structure, text)


def _blocks(structure: Any) -> tuple[int, list[frozenset[int]]] | None:
    """The number of values and the blocks of a small structure without symbols."""
    if isinstance(structure, Blocks) and structure.values <= MOST_LISTED:
        return structure.values, list(structure.blocks)
    if isinstance(structure, Singletons) and structure.values.is_Integer:
        size = int(structure.values)
        return (size, [frozenset([x]) for x in range(size)]) if 0 < size <= MOST_LISTED else None
    return None


def _structure(kind: str, structure: Any, text: Callable[[Any], str]) -> dict[str, Any] | None:
    if structure is None or isinstance(structure, Blocks):
        return None
    sizes = (getattr(structure, each.name) for each in fields(structure))
    return {
        "structure": f"{kind} over {type(structure).__name__}",
        "sizes": [text(sympy.sympify(size)) for size in sizes],
    }
