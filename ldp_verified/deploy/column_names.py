"""Which column of a table is meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def not_one_column(name: object, names: Sequence[object]) -> str:
    """What is wrong with a name of a column, for a message; empty where one column has it.

    Names like it are told, and no others: in a table that was read without a header they are the
    cells of somebody's row.

    Args:
        name: that was asked for. names: of all columns.
    """
    found = list(names).count(name)
    if found == 1:
        return ""
    if found:
        return f"has more than one column {name!r}"
    texts = [each for each in names if isinstance(each, str)]
    close = get_close_matches(name, texts) if isinstance(name, str) else []
    like = f"; names like it: {', '.join(map(repr, close))}" if close else ""
    return f"has no column {name!r} among its {len(names)}{like}"
