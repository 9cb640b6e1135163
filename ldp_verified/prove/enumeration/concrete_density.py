"""A density put down at exact points: intervals of rational numbers, and points that carry mass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ldp_verified.language.density import Density
from ldp_verified.prove.enumeration.exact_values import Point, cell


@dataclass(frozen=True)
class ConcreteDensity:
    """A density at one point and one input.

    Attributes:
        x: the input. pieces: (low, high, level). atoms: (location, mass).
    """

    x: Fraction
    pieces: tuple[tuple[Fraction, Fraction, Fraction], ...]
    atoms: tuple[tuple[Fraction, Fraction], ...]

    @property
    def mass(self) -> Fraction:
        """The total mass."""
        total = sum(((high - low) * level for low, high, level in self.pieces), Fraction(0))
        return total + sum((mass for _, mass in self.atoms), Fraction(0))

    @property
    def mean(self) -> Fraction:
        """The expected output: midpoints weighted by mass."""
        total = sum(
            ((high - low) * level * (low + high) / 2 for low, high, level in self.pieces),
            Fraction(0),
        )
        return total + sum((mass * at for at, mass in self.atoms), Fraction(0))

    @property
    def variance(self) -> Fraction:
        """The variance: within each piece, and of the midpoints around the mean."""
        mean, total = self.mean, Fraction(0)
        for low, high, level in self.pieces:
            within = (high - low) ** 2 / 12 + ((low + high) / 2 - mean) ** 2
            total += (high - low) * level * within
        return total + sum((mass * (at - mean) ** 2 for at, mass in self.atoms), Fraction(0))

    def level_between(self, low: Fraction, high: Fraction) -> Fraction:
        """The density on an interval that no boundary cuts."""
        return sum((level for a, b, level in self.pieces if a <= low and high <= b), Fraction(0))

    def mass_at(self, location: Fraction) -> Fraction:
        """The mass of one point."""
        return sum((mass for at, mass in self.atoms if at == location), Fraction(0))


@dataclass(frozen=True)
class Spot:
    """A set of outputs on which two densities are constant.

    Attributes:
        where: in words. own, other: density (or mass) under x and x'.
    """

    where: str
    own: Fraction
    other: Fraction


def concrete(form: Density, point: Point, x: Fraction) -> ConcreteDensity:
    """The density at one point and one input.

    Raises:
        UndefinedCellError: something divides by zero there.
    """
    at = {**point, form.value: x}
    pieces = tuple(
        tuple(
            cell(f"pieces[{i}].{name}", getattr(piece, name), at)
            for name in ("low", "high", "level")
        )
        for i, piece in enumerate(form.pieces)
    )
    atoms = tuple(
        tuple(cell(f"atoms[{i}].{name}", getattr(a, name), at) for name in ("location", "mass"))
        for i, a in enumerate(form.atoms)
    )
    return ConcreteDensity(
        x, tuple((p[0], p[1], p[2]) for p in pieces), tuple((a[0], a[1]) for a in atoms)
    )


def spots(first: ConcreteDensity, second: ConcreteDensity) -> Iterator[Spot]:
    """The line, cut at every boundary of both densities, and the points that carry mass."""
    cuts = sorted({end for d in (first, second) for p in d.pieces for end in p[:2]})
    for low, high in pairwise(cuts):
        own, other = first.level_between(low, high), second.level_between(low, high)
        if own or other:
            yield Spot(f"y between {low} and {high}", own, other)
    for at in sorted({at for d in (first, second) for at, _ in d.atoms}):
        own, other = first.mass_at(at), second.mass_at(at)
        if own or other:
            yield Spot(f"y = {at}", own, other)
