"""Find where the tight epsilon is reached, at concrete parameters, in the expanded table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.language.points import span
from ldp_verified.prove.enumeration.expand import (
    NotExpandableError,
    UndefinedCellError,
    complete,
    expand_form,
)
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.enumeration.table_facts import worst
from ldp_verified.prove.enumeration.witnesses import PointPlace

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism

SMALLEST = 3
_UNDER_X2 = "P(y|x')"


def reached(mechanism: Mechanism) -> str | None:
    """An x, x' and y with the largest ratio, at the first small point that can be written out.

    Returns:
        "k = 2, u = 3: x = 0, x' = 1, y = 0, 3/4 against 1/4"; None where no point can be expanded.
    """
    for point in points(mechanism, SMALLEST):
        try:
            full = complete(mechanism.algebraic_table, point)
            place = PointPlace(mechanism, full, expand_form(mechanism.algebraic_table, full))
            found = place.pair(worst(place.table))
        except (NotExpandableError, UndefinedCellError, ValueError):
            continue
        where = ", ".join(f"{symbol} = {value}" for symbol, value in full.items() if symbol != span)
        pair = ", ".join(f"{name} = {found[name]}" for name in ("x", "x'", "y"))
        return f"{where}{': ' if where else ''}{pair}, {found['P(y|x)']} against {found[_UNDER_X2]}"
    return None
