"""The table form of numeric mechanisms: a distribution on the line, given the input x.

A density that is constant between boundaries, and point masses. Boundaries, levels and masses are
rational functions of x, the parameters and e^eps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.language.expressions import expression
from ldp_verified.language.pair_table import PairTable
from ldp_verified.language.parameters import Parameter


@dataclass(frozen=True)
class Piece:
    """The density is `level` between `low` and `high`.

    Attributes:
        low, high, level: expressions, which may mention the input.
    """

    low: Any
    high: Any
    level: Any

    def __post_init__(self) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: something that is no exact expression.
        """
        for name in ("low", "high", "level"):
            object.__setattr__(self, name, expression(f"Piece.{name}", getattr(self, name)))


@dataclass(frozen=True)
class Atom:
    """The output is exactly `location` with probability `mass`.

    Attributes:
        location: an expression; the same for every input. mass: an expression, which may mention
            the input.
    """

    location: Any
    mass: Any

    def __post_init__(self) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: something that is no exact expression.
        """
        for name in ("location", "mass"):
            object.__setattr__(self, name, expression(f"Atom.{name}", getattr(self, name)))


@dataclass(frozen=True)
class Density:
    """The distribution of the output y on the line, given the input `value`.

    Attributes:
        value: x, made by `real`, with its domain: `real("x", at_least=-1, at_most=1)`.
        pieces: from left to right, each beginning where the one before it ends.
        atoms: from left to right.
    """

    value: Parameter
    pieces: tuple[Piece, ...]
    atoms: tuple[Atom, ...]

    structure = None  # nothing combinatorial stands behind it

    def __init__(
        self, value: Any, pieces: Sequence[Piece] = (), atoms: Sequence[Atom] = ()
    ) -> None:
        """Check the kinds of the arguments.

        Raises:
            SpecError: `value` is no real parameter with both bounds, neither pieces nor atoms, or
                something that is none.
        """
        if not isinstance(value, Parameter) or value.domain.integer:
            raise SpecError("value", 'must be real("x", at_least=..., at_most=...)', value)
        domain = value.domain
        bounds = (domain.lower, domain.upper)
        if any(bound is None or not bound.is_Rational for bound in bounds):
            raise SpecError(
                "value", "must have two bounds, rational numbers", domain.describe(value.name)
            )
        if not pieces and not atoms:
            raise SpecError("pieces", "must not be empty where there are no atoms either", pieces)
        for argument, kind, listed in (("pieces", Piece, pieces), ("atoms", Atom, atoms)):
            for position, entry in enumerate(listed):
                if not isinstance(entry, kind):
                    raise SpecError(f"{argument}[{position}]", f"must be a {kind.__name__}", entry)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "pieces", tuple(pieces))
        object.__setattr__(self, "atoms", tuple(atoms))

    @property
    def values(self) -> None:
        """Return None: input values fill an interval, and have no number."""
        return

    def cells(self) -> dict[str, Any]:
        """Every expression by name: low0, high0, level0, ..., location0, mass0, ..."""
        found: dict[str, Any] = {}
        for i, piece in enumerate(self.pieces):
            found |= {f"low{i}": piece.low, f"high{i}": piece.high, f"level{i}": piece.level}
        for i, atom in enumerate(self.atoms):
            found |= {f"location{i}": atom.location, f"mass{i}": atom.mass}
        return found

    def with_cells(self, cells: Mapping[str, Any]) -> Density:
        """This table with other boundaries, levels, locations and masses."""
        return Density(
            self.value,
            [
                Piece(cells[f"low{i}"], cells[f"high{i}"], cells[f"level{i}"])
                for i in range(len(self.pieces))
            ],
            [Atom(cells[f"location{i}"], cells[f"mass{i}"]) for i in range(len(self.atoms))],
        )

    def map(self, function: Callable[[Any], Any]) -> Density:
        """The form with `function` applied to every expression, the input left as it is.

        Raises:
            SpecError: `function` replaces the input by something that is no parameter.
        """
        return Density(
            function(self.value),
            [Piece(function(p.low), function(p.high), function(p.level)) for p in self.pieces],
            [Atom(function(a.location), function(a.mass)) for a in self.atoms],
        )

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) for every boundary, level, location and mass."""
        for i, piece in enumerate(self.pieces):
            for name in ("low", "high", "level"):
                yield f"table.pieces[{i}].{name}", getattr(piece, name)
        for i, atom in enumerate(self.atoms):
            for name in ("location", "mass"):
                yield f"table.atoms[{i}].{name}", getattr(atom, name)

    def pair_tables(self) -> tuple[PairTable, ...]:
        """Refuse, as a density has no pair tables.

        Raises:
            SpecError: always; a density is derived and proved by functions of its own.
        """
        raise SpecError("table", "is a Density, which has no pair tables: `verify` knows it")
