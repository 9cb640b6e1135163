"""The pair table: for two inputs x != x', the classes of outputs on which everything is constant.

Every table form reduces to pair tables, one for each type of ordered pair of inputs, and every fact
is derived from their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload


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


class LazyPairTables(Sequence[PairTable]):
    """The pair tables of all ordered pairs of d inputs, each made when it is looked at."""

    def __init__(self, inputs: int, make: Callable[[int, int], PairTable]) -> None:
        """`make` takes the indices of x and x'."""
        self._inputs = inputs
        self._make = make

    def __len__(self) -> int:
        """The number of ordered pairs, d*(d-1)."""
        return self._inputs * (self._inputs - 1)

    @overload
    def __getitem__(self, position: int) -> PairTable: ...

    @overload
    def __getitem__(self, position: slice) -> tuple[PairTable, ...]: ...

    def __getitem__(self, position: int | slice) -> PairTable | tuple[PairTable, ...]:
        """Return the pair table at a position, or those of a slice; x varies slowest."""
        if isinstance(position, slice):
            return tuple(self[at] for at in range(*position.indices(len(self))))
        if not -len(self) <= position < len(self):
            raise IndexError(position)
        return self._make(*pair_at(self._inputs, position % len(self)))


def pair_at(inputs: int, position: int) -> tuple[int, int]:
    """The indices (x, x') of the ordered pair at this position."""
    x, rest = divmod(position, inputs - 1)
    return x, rest + (rest >= x)


def position_of(inputs: int, x: int, x2: int) -> int:
    """The inverse of `pair_at`."""
    return x * (inputs - 1) + x2 - (x2 > x)
