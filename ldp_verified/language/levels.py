"""Unary encoding with more than two levels: each of k coordinates is reported at one of L levels.

The report law is a product. The coordinate of the user's value has one distribution over the
levels, every other coordinate has another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from ldp_verified.errors import SpecError
from ldp_verified.language.expressions import expression
from ldp_verified.language.pair_table import PairRow, PairTable
from ldp_verified.language.structures import OneHot

MOST_LEVELS = 8
"""Levels of one coordinate: a pair table has a row for every two of them."""

PAIR = "any two values"
THIRD = "any two values, beside a third coordinate"


@dataclass(frozen=True, init=False)
class Levels:
    """A unary encoding with L levels: a report is one level for each of k coordinates.

    Attributes:
        held: P(level | the coordinate of the value), L expressions.
        unheld: P(level | any other coordinate), L expressions.
        structure: the coordinates, one for each value.
        supporting: the levels (0..L-1) that count as a vote: a report supports the values whose
            coordinates stand at one of them. None where no estimator is asked for.
    """

    partial: ClassVar[bool] = True
    """The rows are of two coordinates; the others have the same law under both inputs."""

    held: tuple[Any, ...]
    unheld: tuple[Any, ...]
    structure: OneHot
    supporting: frozenset[int] | None

    def __init__(
        self,
        held: Sequence[Any],
        unheld: Sequence[Any],
        structure: OneHot,
        *,
        supporting: Sequence[int] | frozenset[int] | None = None,
    ) -> None:
        """Check the shape and sympify the cells.

        Raises:
            SpecError: two rows of different lengths, fewer than two levels or more than
                `MOST_LEVELS`, another encoder than `OneHot`, a level that is none.
        """
        rows = {"held": tuple(held), "unheld": tuple(unheld)}
        if not 2 <= len(rows["held"]) <= MOST_LEVELS:
            raise SpecError("held", f"must list 2..{MOST_LEVELS} levels", len(rows["held"]))
        if len(rows["unheld"]) != len(rows["held"]):
            rule = f"must list {len(rows['held'])} levels, as held does"
            raise SpecError("unheld", rule, len(rows["unheld"]))
        if not isinstance(structure, OneHot):
            raise SpecError("structure", "must be a OneHot", structure)
        for name, row in rows.items():
            cells = tuple(expression(f"{name}[{a}]", cell) for a, cell in enumerate(row))
            object.__setattr__(self, name, cells)
        votes = None if supporting is None else frozenset(supporting)
        known = range(len(rows["held"]))
        if votes is not None and not all(type(a) is int and a in known for a in votes):
            raise SpecError("supporting", f"must hold levels of 0..{known[-1]}", supporting)
        object.__setattr__(self, "structure", structure)
        object.__setattr__(self, "supporting", votes)

    @property
    def values(self) -> Any:
        """The number of input values."""
        return self.structure.values

    def cells(self) -> dict[str, Any]:
        """The cells by name: held0, held1, ..., unheld0, ..."""
        rows = (("held", self.held), ("unheld", self.unheld))
        return {f"{name}{a}": cell for name, row in rows for a, cell in enumerate(row)}

    def with_cells(self, cells: Mapping[str, Any]) -> Levels:
        """This table's coordinates and levels with other cells, by the names of `cells()`."""
        held, unheld = (
            [cells[f"{name}{a}"] for a in range(len(self.held))] for name in ("held", "unheld")
        )
        return Levels(held, unheld, self.structure, supporting=self.supporting)

    def map(self, function: Callable[[Any], Any]) -> Levels:
        """The form with `function` applied to every expression."""
        held, unheld = ([function(cell) for cell in row] for row in (self.held, self.unheld))
        return Levels(held, unheld, self.structure.map(function), supporting=self.supporting)

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) for every cell."""
        for name, cell in self.cells().items():
            yield f"table.{name}", cell

    def votes(self, level: int) -> bool | None:
        """Return whether a level is a vote; None where no levels are declared to be."""
        return None if self.supporting is None else level in self.supporting

    def pair_tables(self) -> tuple[PairTable, PairTable]:
        """The law of the coordinates of x and x', alone and beside a third coordinate.

        The third one is at some level with the sum of `unheld` as its probability. Together the
        tables sum to 1 only if both rows of cells do: the first alone would accept 2 and 1/2.
        """
        third = sum(self.unheld)
        tables = []
        for name, share in ((PAIR, 1), (THIRD, third)):
            rows = tuple(
                PairRow(
                    f"x at level {a}, x' at level {b}",
                    expression("count", 1),
                    self.held[a] * self.unheld[b] * share,
                    self.unheld[a] * self.held[b] * share,
                    self.votes(a),
                    self.votes(b),
                )
                for a, b in product(range(len(self.held)), repeat=2)
            )
            tables.append(PairTable(name, rows))
        return tables[0], tables[1]
