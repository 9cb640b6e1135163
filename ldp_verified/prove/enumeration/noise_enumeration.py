"""Claims about additive noise, looked at where it can be written out: at exact points.

Independent of derived forms and of the lemma behind the certificates. Ratios are those of every
pair of a few inputs, output by output, in a window around the inputs, and of `Steps` those of all
inputs; exact but for an `Exponential`, where exponents are compared. Moments without ends are
sums of so many terms that what is left out is bounded: a claim is refuted if it lies outside
the interval found. With ends the whole table is written out, and everything is exact. `Normal`
noise is integrated in balls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from typing import Any

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language.claims import Claim, Holds, Variance
from ldp_verified.language.mechanism import Mechanism
from ldp_verified.language.noise import Exponential, Noise, Normal, Steps
from ldp_verified.language.numeric_claims import Mean, NumericClaim, SmallerWorst
from ldp_verified.language.privacy import LDP, GaussianLDP, Privacy
from ldp_verified.prove.enumeration.concrete_noise import ConcreteNoise
from ldp_verified.prove.enumeration.encoded_noise import count_error, exponential_loss, joint
from ldp_verified.prove.enumeration.exact_values import (
    NotExpandableError,
    Point,
    UndefinedCellError,
    evaluate,
)
from ldp_verified.prove.enumeration.expanded import check_size
from ldp_verified.prove.enumeration.normal_enumeration import (
    curve_error,
    loss_above,
)
from ldp_verified.prove.enumeration.points import describe, points
from ldp_verified.prove.enumeration.table_checks import first_witness, relation_check
from ldp_verified.prove.enumeration.witnesses import ENUMERATION, PointFinding, both, checks_of
from ldp_verified.prove.verdicts import Witness

_Check = Callable[[ConcreteNoise], Witness | None]


def enumerate_noise(
    mechanism: Mechanism,
    largest: int,
    at: Iterable[Point] | None = None,
    more: Iterable[Fraction] = (),
) -> tuple[PointFinding, ...]:
    """Every obligation of a mechanism over `Noise`, at exact points and pairs of inputs.

    `more` are inputs beside those that are looked at anyway; what is none is left out.
    """
    form = mechanism.algebraic_table
    assert isinstance(form, Noise)
    seen: dict[Any, Point] = {}
    for point in points(mechanism, largest) if at is None else at:
        kept = {symbol: value for symbol, value in point.items() if symbol not in form.tails}
        seen.setdefault(tuple(kept.items()), kept)
    places, undefined = [], None
    for point in seen.values():
        made = ConcreteNoise(form, point, (*more,))
        try:
            _ = made.given, made.inputs
        except UndefinedCellError as error:
            explanation = f"{error.argument} divides by zero at these parameters"
            undefined = undefined or _witness(made, {"cell": error.argument}, explanation)
            continue
        places.append(made)
    sizes = describe([dict(point) for point in seen.values()])
    findings: list[PointFinding] = []

    def add(claim: int | None, kind: Kind, check: _Check, first: Witness | None = None) -> None:
        # What is too large to be written out leaves this obligation without a finding.
        with suppress(NotExpandableError):
            found = first or first_witness(check, sound)
            if places or found:
                findings.append(PointFinding(claim, kind, found is None, sizes, found))

    sound = places
    add(None, Kind.NONNEGATIVE, _nonnegative, undefined)
    # What is no law at all has no sums: only where it is one, the rest is looked at.
    sound = [place for place in places if _nonnegative(place) is None]
    if sound:
        add(None, Kind.SUMS_TO_ONE, _sums_to_one)
        add(None, Kind.EQUAL_SUPPORT, _equal_support)
        for position, claim in enumerate(mechanism.claims):
            for kind, check in checks_of(mechanism, claim, TableForm.NOISE):
                add(position, kind, check)
    return tuple(findings)


def _witness(place: ConcreteNoise, values: dict[str, Any], explanation: str) -> Witness:
    return Witness(
        {symbol.name: str(value) for symbol, value in place.point.items()},
        {name: str(value) for name, value in values.items()},
        explanation,
    )


@ENUMERATION.rule((Kind.NONNEGATIVE,), (TableForm.NOISE,))
def _nonnegative(place: ConcreteNoise) -> Witness | None:
    for name, value in place.given.items():
        wrong = value <= 0 and name in {"mass", "decay", "level", "scale", "period"}
        wrong |= name == "decay" and value >= 1
        wrong |= name.startswith("level") and value < 0
        if wrong:
            return _witness(place, {name: value}, f"{name} is {both(value)}")
    if isinstance(place.form.law, Steps):
        for low, high, _ in place.pieces():
            if low < 0 or high < low or high > place.given["period"]:
                return _witness(place, {"low": low, "high": high}, "a piece leaves the period")
    if place.form.ends is not None:
        low, high = place.given["end_low"], place.given["end_high"]
        if low.denominator != 1 or high.denominator != 1 or not low < high:
            return _witness(place, {"low": low, "high": high}, "the ends are no two integers")
    return None


@ENUMERATION.rule((Kind.SUMS_TO_ONE,), (TableForm.NOISE,))
def _sums_to_one(place: ConcreteNoise) -> Witness | None:
    if place.may_be_law:
        return None
    low, high = place.moments[0]
    side, mass = ("at least", low) if low > 1 else ("at most", high)
    if low == high:
        return _witness(place, {"mass": mass}, f"the total mass is {both(mass)}, not 1")
    # Six digits of the mass itself are those of 1 where it is near.
    shown = f"{side} 1 {'+' if mass > 1 else '-'} {abs(float(mass - 1)):.6g}"
    return _witness(place, {"mass": shown}, f"the total mass is {shown}, not 1")


@ENUMERATION.rule((Kind.EQUAL_SUPPORT,), (TableForm.NOISE,))
def _equal_support(place: ConcreteNoise) -> Witness | None:
    if isinstance(place.form.law, Exponential | Normal):
        return None
    if place.form.ends is not None:
        (low, high), (first, last) = place.bounds, (place.given["end_low"], place.given["end_high"])
        if not first <= low <= high <= last:
            return _witness(place, {"low": first, "high": last}, "an input lies beyond an end")
    ratio, values = place.worst
    if ratio is None:
        pair = ", ".join(f"{name} = {values[name]}" for name in ("x", "x'"))
        said = f"only one of two inputs gives it: {values['y']}, {pair}"
        return _witness(place, values, said)
    return None


def _privacy_rule(mechanism: Mechanism, claim: Claim, *, tight: bool) -> _Check | None:
    if not isinstance(claim, LDP):
        return None
    form = mechanism.algebraic_table
    assert isinstance(form, Noise)
    parts = {
        name: mechanism.algebraic("claim", value)
        for name, value in form.privacy_parts(claim.epsilon).items()
    }
    return lambda place: _privacy(parts, place, tight=tight)


@ENUMERATION.rule((Kind.RATIO,), (TableForm.NOISE,))
def _ratio_rule(mechanism: Mechanism, claim: Privacy) -> _Check | None:
    return _privacy_rule(mechanism, claim, tight=False)


@ENUMERATION.rule((Kind.CURVE,), (TableForm.NOISE,))
def _curve_rule(mechanism: Mechanism, claim: GaussianLDP) -> _Check:
    mu = mechanism.algebraic("claim", claim.mu)
    return lambda place: _curve(mu, place, tight=False)


@ENUMERATION.rule((Kind.TIGHT,), (TableForm.NOISE,))
def _tight_rule(mechanism: Mechanism, claim: LDP | GaussianLDP) -> _Check | None:
    if not isinstance(claim, GaussianLDP):
        return _privacy_rule(mechanism, claim, tight=True)
    mu = mechanism.algebraic("claim", claim.mu)
    return lambda place: _curve(mu, place, tight=True)


@ENUMERATION.rule((Kind.MEAN, Kind.REPORT_VARIANCE, Kind.WORST_VARIANCE), (TableForm.NOISE,))
def _moment_rule(mechanism: Mechanism, claim: NumericClaim) -> _Check | None:
    if isinstance(claim, SmallerWorst):
        return None
    stated = mechanism.algebraic("claim", claim.value)
    mean = isinstance(claim, Mean)
    return lambda place: _moment(stated, place, mean=mean)


@ENUMERATION.rule((Kind.VARIANCE,), (TableForm.NOISE,))
def _variance_rule(mechanism: Mechanism, claim: Variance) -> _Check:
    return lambda place: _count(count_error(mechanism, claim, place), place)


@ENUMERATION.rule((Kind.HOLDS,), (TableForm.NOISE,))
def _holds_rule(mechanism: Mechanism, claim: Holds) -> _Check:
    relation = relation_check(mechanism, claim)
    return lambda place: relation(place.point)


def _privacy(parts: dict[str, Any], place: ConcreteNoise, *, tight: bool) -> Witness | None:
    if len({*place.inputs}) < 2:
        return None  # there is no pair of inputs
    found = {name: evaluate(value, place.point) for name, value in parts.items()}
    if isinstance(place.form.law, Exponential):
        loss = exponential_loss(place)
        wrong = loss != found["exponent"] if tight else loss > found["exponent"]
        said = f"the largest loss is {both(loss)}, claimed {both(found['exponent'])}"
        return _witness(place, {"loss": loss}, said) if wrong else None
    if isinstance(place.form.law, Normal):
        values, said = loss_above(found["exponent"], place.given["scale"], place.bounds)
        return _witness(place, values, said)
    if found["times"].denominator != 1:
        return _witness(place, found, "the number of periods is no integer")
    ratio, values = joint(place)
    check_size(1, 1, abs(int(found["times"])))
    bound = Fraction(found["ratio"] ** int(found["times"]))
    if ratio is None or (ratio != bound if tight else ratio > bound):
        shown = "infinite" if ratio is None else both(ratio)
        said = f"the largest ratio is {shown} at {values.get('y')}, claimed {both(bound)}"
        return _witness(place, {**values, "bound": bound}, said)
    return None


def _curve(mu: Any, place: ConcreteNoise, *, tight: bool) -> Witness | None:
    stated = evaluate(mu, place.point)
    scale = place.given["scale"]
    pairs = [(x, x2) for x in place.inputs for x2 in place.inputs if x < x2]
    return _count(curve_error(stated, scale, pairs, tight=tight), place)


def _count(error: tuple[str, dict[str, Any]], place: ConcreteNoise) -> Witness | None:
    return _witness(place, error[1], error[0]) if error[0] else None


def _moment(stated: Any, place: ConcreteNoise, *, mean: bool) -> Witness | None:
    form = place.form
    if form.ends is None and not place.may_be_law:
        return None  # another obligation says so
    for x in place.inputs:
        at = {**place.point, form.value: x}
        if form.ends is None:
            interval = place.mean(x) if mean else place.variance(x)
        else:
            first, last = place.given["end_low"], place.given["end_high"]
            decay = place.given["decay"]
            at[form.ends.low_tail] = Fraction(decay ** int(x - first))
            at[form.ends.high_tail] = Fraction(decay ** int(last - x))
            law = place.table(x)
            centre = sum((p * y for y, p in law), Fraction(0))
            spread = sum((p * (y - centre) ** 2 for y, p in law), Fraction(0))
            interval = (centre, centre) if mean else (spread, spread)
        claimed = evaluate(stated, at)
        if not interval[0] <= claimed <= interval[1]:
            name, found = "mean" if mean else "variance", float(interval[0])
            said = f"at x = {x} the {name} is {found:.6g}, not {both(claimed)}"
            return _witness(place, {"x": x, name: found, "claimed": claimed}, said)
    return None
