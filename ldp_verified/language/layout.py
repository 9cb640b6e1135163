"""Locate the distinct cells of an explicit table.

A table of d inputs and m outputs has d*(d-1) ordered pairs and as many pair tables, but often few
distinct cells. What is said of cells is said once for each, wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class CellLayout:
    """Distinct entries of a table, and which of them stands where.

    Attributes:
        cells: the distinct entries in reading order.
        index: int32, shape (d, m): entry [x, y] is `cells[index[x, y]]`.
    """

    cells: tuple[Any, ...]
    index: NDArray[np.int32]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> CellLayout:
        """The layout of rows of equal length; entries are compared as Python compares them."""
        places: dict[Any, int] = {}
        index = np.array(
            [[places.setdefault(cell, len(places)) for cell in row] for row in rows], np.int32
        )
        return cls(tuple(places), index)

    def map(self, function: Callable[[Any], Any]) -> CellLayout:
        """`function` applied once to every distinct entry; entries that become equal are merged.

        Returns this layout itself where every entry stays the same object.
        """
        images = [function(cell) for cell in self.cells]
        if all(new is old for new, old in zip(images, self.cells, strict=True)):
            return self
        return CellLayout(tuple(images), self.index).merged()

    def merged(self) -> CellLayout:
        """This layout with equal entries made one."""
        places: dict[Any, int] = {}
        moved = [places.setdefault(cell, len(places)) for cell in self.cells]
        return CellLayout(tuple(places), np.array(moved, np.int32)[self.index])

    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """The table itself."""
        cells = self.cells
        return tuple(tuple(cells[i] for i in row) for row in self.index.tolist())

    @cached_property
    def first_places(self) -> tuple[tuple[int, int], ...]:
        """The first (x, y) in reading order where each distinct entry stands."""
        _, flat = np.unique(self.index, return_index=True)
        width = self.index.shape[1]
        return tuple((int(at) // width, int(at) % width) for at in flat)

    @cached_property
    def symbolic(self) -> tuple[tuple[tuple[int, int], Any], ...]:
        """(first place, entry) for every distinct entry that is no number."""
        if all(cell.is_Rational for cell in self.cells):
            return ()
        pairs = zip(self.first_places, self.cells, strict=True)
        return tuple((place, cell) for place, cell in pairs if not cell.is_Rational)

    @cached_property
    def constants(self) -> tuple[Fraction, ...] | None:
        """The entries as exact numbers; None if one of them has a symbol."""
        if self.symbolic:
            return None
        return tuple(Fraction(int(cell.p), int(cell.q)) for cell in self.cells)

    def column_classes(self) -> list[tuple[int, NDArray[np.int32]]]:
        """(first y, distinct entries) of each column whose set of entries no earlier one has."""
        found: dict[bytes, tuple[int, NDArray[np.int32]]] = {}
        for y, column in enumerate(self.index.T):
            distinct = np.unique(column)
            found.setdefault(distinct.tobytes(), (y, distinct))
        return list(found.values())

    def row_sums(self) -> list[tuple[int, Any]]:
        """(first x, sum) of each row whose entries no earlier row has as often."""
        found: dict[bytes, int] = {}
        for x, row in enumerate(self.index):
            found.setdefault(np.sort(row).tobytes(), x)
        sums = []
        for x in found.values():
            if self.constants is not None:
                exact = fraction_sum([self.constants[i] for i in self.index[x].tolist()])
                sums.append((x, sympy.Rational(exact.numerator, exact.denominator)))
                continue
            distinct, counts = np.unique(self.index[x], return_counts=True)
            pairs = zip(distinct.tolist(), counts.tolist(), strict=True)
            sums.append((x, sympy.Add(*(count * self.cells[i] for i, count in pairs))))
        return sums


def fraction_sum(values: Sequence[Fraction]) -> Fraction:
    """The exact sum, over one common denominator: much faster than adding one by one."""
    denominator = lcm(*{v.denominator for v in values})
    total = sum(v.numerator * (denominator // v.denominator) for v in values)
    return Fraction(total, denominator)
