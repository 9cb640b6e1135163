"""The pair table: for two inputs x != x', the classes of outputs on which everything is constant.

Every table form reduces to pair tables, one for each type of ordered pair of inputs, and every fact
is derived from their rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class PairRow:
    """One class of outputs y.

    Attributes:
        outputs: what the class consists of, in words.
        count: how many outputs it has (an expression).
        px, px2: P(y|x) and P(y|x') of each of them.
        supports_x, supports_x2: whether y supports x, and x'; None where the form declares no
            support.
    """

    outputs: str
    count: Any
    px: Any
    px2: Any
    supports_x: bool | None
    supports_x2: bool | None

    def map(self, function: Callable[[Any], Any]) -> PairRow:
        """The row with `function` applied to count and both probabilities."""
        return replace(
            self, count=function(self.count), px=function(self.px), px2=function(self.px2)
        )


@dataclass(frozen=True)
class PairTable:
    """The rows for one type of ordered pair (x, x').

    Attributes:
        pair: the type of pair, in words ("any two values", "x = yes, x' = no").
        rows: the classes of outputs.
        labels: x and x' themselves, where the type is a single pair of inputs.
    """

    pair: str
    rows: tuple[PairRow, ...]
    labels: tuple[Any, Any] | None = None

    def map(self, function: Callable[[Any], Any]) -> PairTable:
        """The table with `function` applied to every expression."""
        return replace(self, rows=tuple(row.map(function) for row in self.rows))
