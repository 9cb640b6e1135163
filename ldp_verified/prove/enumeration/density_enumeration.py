"""Claims about a density recomputed from its concrete pieces, exactly, at rational inputs.

Nothing derived is read: the density is put down at a pair of inputs as intervals of rational
numbers, cut at the boundaries of both, and compared interval by interval. What no pair of a few
inputs shows is refuted only where the largest ratio of all pairs is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
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
from ldp_verified.prove.enumeration.concrete_density import (
    ConcreteDensity,
    Spot,
    concrete,
    spots,
)
from ldp_verified.prove.enumeration.exact_values import (
    NotExpandableError,
    Point,
    UndefinedCellError,
    evaluate,
)
from ldp_verified.prove.enumeration.largest_ratio import AffineDensity, LargestRatio
from ldp_verified.prove.enumeration.points import candidates, describe, members, points
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
class _Place:
    form: Density
    affine: AffineDensity
    point: Point
    densities: tuple[ConcreteDensity, ...]

    @cached_property
    def seen(self) -> _Spot | None:
        """The pair and spot of the largest ratio among the inputs looked at."""
        return _worst(self.pairs())

    @cached_property
    def largest(self) -> LargestRatio | None:
        """The largest ratio of all pairs of inputs, where it is found."""
        try:
            return self.affine.largest_ratio(self.point)
        except ZeroDivisionError:
            return None

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


class _Undecided:
    """What was looked at neither refutes a claim nor agrees with it."""


UNDECIDED = _Undecided()

_Check = Callable[[_Place], Witness | _Undecided | None]
_Spot = tuple[ConcreteDensity, ConcreteDensity, Spot]


def enumerate_density(
    mechanism: Mechanism,
    largest: int,
    at: Iterable[Point] | None = None,
    more: Iterable[Fraction] = (),
) -> tuple[PointFinding, ...]:
    """Every obligation of a mechanism over a `Density`, at exact points and pairs of inputs.

    `more` are inputs beside those that are looked at anyway; what is none is left out.
    """
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    inputs = sorted({*candidates(form.value.domain, {}), *members(form.value.domain, more)})
    affine = AffineDensity(form)
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
        places.append(_Place(form, affine, point, drawn))
    shown = ", ".join(str(x) for x in inputs)
    sizes = f"{describe([dict(p) for p in all_points])}; {form.value.name} = {shown}"
    findings: list[PointFinding] = []

    def add(claim: int | None, kind: Kind, check: _Check, first: Witness | None = None) -> None:
        found, undecided = first, False
        for place in places:
            try:
                said = None if found else check(place)
            except NotExpandableError:
                said = UNDECIDED
            found = said if isinstance(said, Witness) else found
            undecided |= said is UNDECIDED
        if found or (places and not undecided):
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


def _worst(pairs: Iterable[tuple[ConcreteDensity, ConcreteDensity]]) -> _Spot | None:
    """The pair and spot of the largest ratio; an output of only one input is larger than any."""
    every = ((a, b, spot) for a, b in pairs for spot in spots(a, b) if spot.own > 0)
    return max(every, key=lambda e: (e[2].other == 0, e[2].own / (e[2].other or 1)), default=None)


def _above(place: _Place, bound: Fraction) -> _Spot | _Undecided | None:
    """A pair and spot whose ratio is larger than a bound, among the inputs or anywhere.

    Undecided where there is one that was not found.
    """
    seen = place.seen
    if seen is None or seen[2].own > bound * seen[2].other:
        return seen
    largest = place.largest
    if largest is None or largest.own <= bound * largest.other:
        return None
    for pair in largest.beside():
        first, second = (concrete(place.form, place.point, x) for x in pair)
        found = _worst([(first, second)])
        if found is not None and found[2].own > bound * found[2].other:
            return found
    return UNDECIDED


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


def _ratio(place: _Place, bound: Fraction) -> Witness | _Undecided | None:
    above = _above(place, bound)
    if above is None or isinstance(above, _Undecided):
        return above
    first, second, spot = above
    found = "no finite eps" if not spot.other else f"found {both(spot.own / spot.other)}"
    if spot.other:
        found += f", eps = {epsilon_of(spot.own / spot.other)}"
    said = f"claimed e^eps = {both(bound)}, {found}"
    return _pair_witness(place, first, second, spot, said, bound=bound)


def _tight(place: _Place, bound: Fraction) -> Witness | _Undecided | None:
    """Decide if a bound is tight: a larger ratio refutes it, smaller ones if no pair has more."""
    above = _above(place, bound)
    if isinstance(above, _Undecided):
        return above
    if above is not None:
        said = f"e^eps = {both(bound)} is not the largest ratio"
        return _pair_witness(place, *above, said, bound=bound)
    seen = place.seen
    if seen is None or seen[2].own == bound * seen[2].other:
        return None
    largest = place.largest
    if largest is None:
        return UNDECIDED
    if largest.own >= bound * largest.other:
        return None
    ratio = largest.own / largest.other
    said = f"e^eps = {both(bound)} is reached nowhere: the largest ratio is {both(ratio)}"
    return _pair_witness(place, *seen, said, bound=bound, largest=ratio)


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
