"""Claims about a density recomputed from its concrete pieces, exactly, at rational inputs.

Nothing derived is read: the density is put down at a pair of inputs as intervals of rational
numbers, cut at the boundaries of both, and compared interval by interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language.claims import Holds
from ldp_verified.language.density import Density
from ldp_verified.language.mechanism import Mechanism
from ldp_verified.language.numeric_claims import (
    Mean,
    NumericClaim,
    ReportVariance,
    SmallerWorst,
    WorstVariance,
)
from ldp_verified.language.privacy import LDP, Privacy
from ldp_verified.prove.enumeration.exact_values import Point, UndefinedCellError, cell, evaluate
from ldp_verified.prove.enumeration.points import candidates, describe, points
from ldp_verified.prove.enumeration.table_checks import relation_check
from ldp_verified.prove.enumeration.witnesses import (
    ENUMERATION,
    PointFinding,
    both,
    checks_of,
    decimal,
    epsilon_of,
)
from ldp_verified.prove.verdicts import Witness


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


@dataclass(frozen=True)
class _Place:
    point: Point
    densities: tuple[ConcreteDensity, ...]

    def witness(self, values: dict[str, Any], explanation: str) -> Witness:
        return Witness(
            {symbol.name: str(value) for symbol, value in self.point.items()},
            {name: str(value) for name, value in values.items()},
            explanation,
        )

    def pairs(self) -> Iterator[tuple[ConcreteDensity, ConcreteDensity]]:
        for first in self.densities:
            for second in self.densities:
                if first is not second:
                    yield first, second


_Check = Callable[[_Place], Witness | None]


def enumerate_density(
    mechanism: Mechanism, largest: int, at: Iterable[Point] | None = None
) -> tuple[PointFinding, ...]:
    """Every obligation of a mechanism over a `Density`, at exact points and pairs of inputs."""
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    inputs = sorted(candidates(form.value.domain, {}))
    places, all_points, undefined = [], [], None
    for point in points(mechanism, largest) if at is None else at:
        all_points.append(point)
        try:
            drawn = tuple(concrete(form, point, x) for x in inputs)
        except UndefinedCellError as error:
            undefined = undefined or Witness(
                {symbol.name: str(value) for symbol, value in point.items()},
                {"cell": error.argument},
                f"{error.argument} divides by zero at these parameters",
            )
            continue
        places.append(_Place(point, drawn))
    shown = ", ".join(str(x) for x in inputs)
    sizes = f"{describe([dict(p) for p in all_points])}; {form.value.name} = {shown}"
    findings: list[PointFinding] = []

    def add(claim: int | None, kind: Kind, check: _Check, first: Witness | None = None) -> None:
        found = first or next((w for w in map(check, places) if w is not None), None)
        if places or found:
            findings.append(PointFinding(claim, kind, found is None, sizes, found))

    add(None, Kind.NONNEGATIVE, _nonnegative, undefined)
    add(None, Kind.SUMS_TO_ONE, _sums_to_one)
    add(None, Kind.EQUAL_SUPPORT, _equal_support)
    for position, claim in enumerate(mechanism.claims):
        for kind, check in checks_of(mechanism, claim, TableForm.DENSITY):
            add(position, kind, check)
    return tuple(findings)


@ENUMERATION.rule((Kind.NONNEGATIVE,), (TableForm.DENSITY,))
def _nonnegative(place: _Place) -> Witness | None:
    for d in place.densities:
        for low, high, level in d.pieces:
            if level < 0 or high < low:
                return place.witness(
                    {"x": d.x, "low": low, "high": high, "level": level},
                    f"at x = {d.x} a piece from {low} to {high} has density {both(level)}",
                )
        for location, mass in d.atoms:
            if mass < 0:
                return place.witness(
                    {"x": d.x, "y": location, "P(y|x)": mass},
                    f"at x = {d.x} the mass of {location} is {both(mass)}",
                )
    return None


@ENUMERATION.rule((Kind.SUMS_TO_ONE,), (TableForm.DENSITY,))
def _sums_to_one(place: _Place) -> Witness | None:
    for d in place.densities:
        if d.mass != 1:
            return place.witness(
                {"x": d.x, "mass": d.mass}, f"at x = {d.x} the total mass is {both(d.mass)}, not 1"
            )
    return None


@ENUMERATION.rule((Kind.EQUAL_SUPPORT,), (TableForm.DENSITY,))
def _equal_support(place: _Place) -> Witness | None:
    for first, second in place.pairs():
        for spot in spots(first, second):
            if (spot.own > 0) != (spot.other > 0):
                return _pair_witness(place, first, second, spot, "only one of two inputs gives it")
    return None


def _pair_witness(
    place: _Place,
    first: ConcreteDensity,
    second: ConcreteDensity,
    spot: Spot,
    what: str,
    **more: Any,
) -> Witness:
    values = {
        "x": first.x,
        "x'": second.x,
        "y": spot.where,
        "P(y|x)": spot.own,
        "P(y|x')": spot.other,
        **more,
    }
    return place.witness(
        values,
        f"{what}: {spot.where}, x = {first.x}, x' = {second.x}, "
        f"P(y|x) = {both(spot.own)}, P(y|x') = {both(spot.other)}",
    )


def _worst(place: _Place) -> tuple[ConcreteDensity, ConcreteDensity, Spot]:
    """The pair and spot of the largest ratio; an output of only one input is larger than any."""
    every = ((a, b, spot) for a, b in place.pairs() for spot in spots(a, b) if spot.own > 0)
    return max(every, key=lambda e: (e[2].other == 0, e[2].own / (e[2].other or 1)))


@ENUMERATION.rule((Kind.RATIO,), (TableForm.DENSITY,))
def _ratio_rule(mechanism: Mechanism, claim: Privacy) -> _Check | None:
    if not isinstance(claim, LDP):
        return None
    bound = mechanism.algebraic("claim", claim.ratio)
    return lambda place: _ratio(place, evaluate(bound, place.point))


@ENUMERATION.rule((Kind.TIGHT,), (TableForm.DENSITY,))
def _tight_rule(mechanism: Mechanism, claim: Privacy) -> _Check | None:
    if not isinstance(claim, LDP):
        return None
    bound = mechanism.algebraic("claim", claim.ratio)
    return lambda place: _tight(place, evaluate(bound, place.point))


@ENUMERATION.rule((Kind.HOLDS,), (TableForm.DENSITY,))
def _holds_rule(mechanism: Mechanism, claim: Holds) -> _Check:
    relation = relation_check(mechanism, claim)
    return lambda place: relation(place.point)


def _ratio(place: _Place, bound: Fraction) -> Witness | None:
    first, second, spot = _worst(place)
    if spot.own <= bound * spot.other:
        return None
    found = "no finite eps" if not spot.other else f"found {both(spot.own / spot.other)}"
    if spot.other:
        found += f", eps = {epsilon_of(spot.own / spot.other)}"
    said = f"claimed e^eps = {both(bound)}, {found}"
    return _pair_witness(place, first, second, spot, said, bound=bound)


def _tight(place: _Place, bound: Fraction) -> Witness | None:
    first, second, spot = _worst(place)
    if spot.own == bound * spot.other:
        return None
    said = f"e^eps = {both(bound)} is not the largest ratio among the inputs looked at"
    return _pair_witness(place, first, second, spot, said, bound=bound)


@ENUMERATION.rule((Kind.MEAN, Kind.REPORT_VARIANCE, Kind.WORST_VARIANCE), (TableForm.DENSITY,))
def _moment_rule(mechanism: Mechanism, claim: NumericClaim) -> _Check:
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    x = form.value
    read: dict[Any, Any] = {}

    def value_at(expression: Any, place: _Place, at: Fraction) -> Fraction:
        if expression not in read:
            read[expression] = mechanism.algebraic("claim", expression)
        return evaluate(read[expression], {**place.point, x: at})

    def compared(name: str, of: Callable[[ConcreteDensity], Fraction], stated: Any) -> _Check:
        def check(place: _Place) -> Witness | None:
            for d in place.densities:
                claimed = value_at(stated, place, d.x)
                if of(d) != claimed:
                    return place.witness(
                        {"x": d.x, name: of(d), "claimed": claimed},
                        f"at x = {d.x} the {name} is {both(of(d))}, not {both(claimed)}",
                    )
            return None

        return check

    def largest(table: Density, place: _Place, at: Any, stated: Any) -> Witness | Fraction:
        there = value_at(at, place, Fraction(0))
        if not table.value.domain.contains(sympy.Rational(there.numerator, there.denominator)):
            return place.witness({"x": there}, f"x = {there} is no input")
        top = concrete(table, place.point, there).variance
        claimed = top if stated is None else value_at(stated, place, Fraction(0))
        if claimed != top:
            return place.witness(
                {"x": at, "variance": top, "claimed": claimed},
                f"at x = {at} the variance is {both(top)}, not {both(claimed)}",
            )
        for d in place.densities:
            found = concrete(table, place.point, d.x).variance
            if found > top:
                return place.witness(
                    {"x": d.x, "variance": found, "claimed": top},
                    f"at x = {d.x} the variance is {both(found)}, above {both(top)}",
                )
        return top

    def worst(place: _Place) -> Witness | None:
        assert isinstance(claim, WorstVariance)
        found = largest(form, place, claim.at, claim.value)
        return found if isinstance(found, Witness) else None

    def smaller(place: _Place) -> Witness | None:
        assert isinstance(claim, SmallerWorst)
        assert claim.table is not None
        theirs = claim.table.map(lambda value: mechanism.algebraic("other table", value))
        own = largest(form, place, claim.at, None)
        other = largest(theirs, place, claim.other_at, None)
        if isinstance(own, Witness) or isinstance(other, Witness):
            return (
                own if isinstance(own, Witness) else other if isinstance(other, Witness) else None
            )
        condition = value_at(claim.condition.gts - claim.condition.lts, place, Fraction(0))
        if (own < other) != (condition > 0):
            return place.witness(
                {"worst variance": own, "of the other": other},
                f"worst variances {decimal(own)} and {decimal(other)}, but the condition says "
                f"{'smaller' if condition > 0 else 'not smaller'}",
            )
        return None

    if isinstance(claim, Mean):
        return compared("mean", lambda d: d.mean, claim.value)
    if isinstance(claim, ReportVariance):
        return compared("variance", lambda d: d.variance, claim.value)
    return worst if isinstance(claim, WorstVariance) else smaller
