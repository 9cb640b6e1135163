"""Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers.

    Raises:
        ValueError: a row has not as many cells as the head.
    """
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for row in rows:
        if len(row) != len(head):
            raise ValueError(f"row: must have {len(head)} cells, got {list(row)}")
        lines.append(row)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
