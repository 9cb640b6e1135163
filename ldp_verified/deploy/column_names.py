"""Which column of a table is meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SEPARATORS: Final = {";": "';'", "\t": "tabs", "|": "'|'"}
"""What stands between the cells of a line where it is no comma -> its name."""


def not_one_column(name: object, names: Sequence[object], *, lines: bool = False) -> str:
    """What is wrong with a name of a column, for a message; empty where one column has it.

    In a table that was read without a header, names are the cells of somebody's row. So of all
    names those are told alone that say no more than the one that was asked for: they differ from it
    in case, outer spaces, or what stands between its words.

    Args:
        name: that was asked for. names: of all columns. lines: whether names are the first line of
            a text, which may be no header.
    """
    found = list(names).count(name)
    if found == 1:
        return ""
    if found:
        return f"has more than one column {name!r}"
    texts = [each for each in names if isinstance(each, str)]
    close = [each for each in texts if isinstance(name, str) and _letters(each) == _letters(name)]
    told = [f"has no column {name!r} among its {len(names)}"]
    if close:
        told.append(f"names like it: {', '.join(map(repr, close))}")
    if lines and len(texts) == 1:
        told += [f"its cells seem to be separated by {SEPARATORS[each]}" for each in _used(*texts)]
    if lines:
        told.append("does the file have a header line?")
    return "; ".join(told)


def _letters(name: str) -> str:
    """A name without case, outer spaces, and what stands between its words."""
    return re.sub(r"(?<=[^\W_])[\s_.-]+(?=[^\W_])", "", name.strip()).casefold()


def _used(line: str) -> list[str]:
    """The separator that a line which was read as one cell holds, if it holds one."""
    return [each for each in SEPARATORS if each in line][:1]
