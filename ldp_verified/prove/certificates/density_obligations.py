"""List what makes the claims of a statement about numbers on the line true; without sympy.

The counterpart of `obligations` for `Density`, and for `Noise` with `noise_obligations`. The
statement is a JSON object:
    variables  [Variable, ...], the parameters
    value      Variable, the input x; "other": the name of a second input x'
    pieces     [{"low", "high", "level"}, ...]; atoms  [{"location", "mass"}, ...]
    claims     [{"kind": ...}, ...]

Moments are those of a piecewise constant density: level (high^2 - low^2)/2, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ldp_verified.kinds import LINES, Kind, TableForm
from ldp_verified.prove.certificates.domains import SHARE, USERS, DomainVariable
from ldp_verified.prove.certificates.noise_obligations import (
    NoiseLine,
    noise_curve,
    noise_laws,
    noise_ldp,
)
from ldp_verified.prove.certificates.parsed_statement import (
    CERTIFICATE,
    LAWS,
    Claim,
    Domain,
    Obligation,
    rule_for,
)
from ldp_verified.prove.certificates.polynomials import ExpressionError, Fraction, Ring


@dataclass(frozen=True)
class StatedPiece:
    """A parsed piece."""

    low: Fraction
    high: Fraction
    level: Fraction


@dataclass(frozen=True)
class StatedAtom:
    """A parsed atom."""

    location: Fraction
    mass: Fraction


class StatedDensity:
    """A parsed density, with what is computed from it."""

    def __init__(self, ring: Ring, statement: Mapping[str, Any]) -> None:
        self.ring = ring
        self.pieces = [
            StatedPiece(ring.parse(p["low"]), ring.parse(p["high"]), ring.parse(p["level"]))
            for p in statement["pieces"]
        ]
        self.atoms = [
            StatedAtom(ring.parse(a["location"]), ring.parse(a["mass"])) for a in statement["atoms"]
        ]

    def minus(self, a: Fraction, b: Fraction) -> Fraction:
        """a - b."""
        return self.ring.add(a, b, -1)

    def moment(self, exponent: int) -> Fraction:
        """E[y^exponent | x] for exponent 0, 1, 2."""
        ring = self.ring
        total = ring.constant(0)
        for piece in self.pieces:
            width = self.minus(self._power(piece.high, exponent), self._power(piece.low, exponent))
            share = ring.divide(width, ring.constant(exponent + 1))
            total = ring.add(total, ring.multiply(piece.level, share))
        for atom in self.atoms:
            term = atom.mass
            for _ in range(exponent):
                term = ring.multiply(term, atom.location)
            total = ring.add(total, term)
        return total

    def _power(self, boundary: Fraction, exponent: int) -> Fraction:
        """boundary^(exponent + 1)."""
        result = boundary
        for _ in range(exponent):
            result = self.ring.multiply(result, boundary)
        return result

    def variance(self) -> Fraction:
        """Var[y | x]."""
        mean = self.moment(1)
        return self.minus(self.moment(2), self.ring.multiply(mean, mean))


class Inputs:
    """The input x, a second one x', and values put in for them."""

    def __init__(self, ring: Ring, value: DomainVariable, other: str) -> None:
        self.ring, self.value, self.other = ring, value, other

    def swapped(self, a: Fraction) -> Fraction:
        """`a` with x' in place of x."""
        return self.at(a, self.ring.variable(self.other))

    def at(self, a: Fraction, value: Fraction) -> Fraction:
        """`a` with an expression in place of x."""
        return self.ring.substitute(a, {self.value.name: value})

    def inside(self, value: Fraction) -> Iterator[tuple[str, str, Fraction]]:
        """(name, relation, value) of what puts an expression into the input's domain."""
        assert self.value.lower is not None
        assert self.value.upper is not None
        above = self.ring.add(value, self.ring.parse(self.value.lower), -1)
        below = self.ring.add(self.ring.parse(self.value.upper), value, -1)
        yield "above", ">" if self.value.lower_open else ">=", above
        yield "below", ">" if self.value.upper_open else ">=", below


def density_obligations(statement: Mapping[str, Any]) -> list[Obligation]:
    """Everything that has to be shown for the statement's laws and claims.

    Raises:
        ExpressionError, KeyError, TypeError, ValueError: the statement is malformed.
    """
    value = DomainVariable.from_json(statement["value"])
    if value.lower is None or value.upper is None:
        raise ExpressionError("the input must have two bounds")
    second = DomainVariable.from_json(statement["value"] | {"name": statement["other"]})
    wide = (*(DomainVariable.from_json(v) for v in statement["variables"]), value, second)
    if any(claim["kind"] == Kind.VARIANCE for claim in statement["claims"]):
        wide = (*wide, USERS, SHARE)
    if len({v.name for v in wide}) != len(wide):
        raise ExpressionError("variables must have different names")
    ring = Ring([v.name for v in wide])
    inputs = Inputs(ring, value, second.name)
    line: StatedDensity | NoiseLine
    form: TableForm
    if "noise" in statement:
        line, form = NoiseLine(ring, statement, value, wide), TableForm.NOISE
        found = [*noise_laws(line, wide)]
    else:
        line, form = StatedDensity(ring, statement), TableForm.DENSITY
        found = [*_laws(line, inputs, wide)]
    for position, claim in enumerate(statement["claims"]):
        try:
            found += rule_for(claim, form)(line, inputs, wide, position, claim)
        except ExpressionError as error:
            kind = CERTIFICATE.kinds_of(claim["kind"])[0]
            name = f"{kind}/{position}/impossible"
            zero = ring.constant(0)
            found.append(
                Obligation(position, kind, name, "impossible", zero, wide, reason=str(error))
            )
    return found


@CERTIFICATE.rule(LAWS, (TableForm.DENSITY,))
def _laws(line: StatedDensity, inputs: Inputs, wide: Domain) -> Iterator[Obligation]:
    def law(kind: Kind, name: str, relation: str, value: Fraction) -> Obligation:
        return Obligation(None, kind, f"{kind}/{name}", relation, value, wide)

    for i, piece in enumerate(line.pieces):
        yield law(Kind.NONNEGATIVE, f"level{i}", ">=", piece.level)
        yield law(Kind.NONNEGATIVE, f"width{i}", ">=", line.minus(piece.high, piece.low))
    for i, atom in enumerate(line.atoms):
        yield law(Kind.NONNEGATIVE, f"mass{i}", ">=", atom.mass)
    total = line.minus(line.moment(0), line.ring.constant(1))
    yield law(Kind.SUMS_TO_ONE, "total", "==", total)
    for name, value in [*_joins(line), *_ends(line, inputs)]:
        yield law(Kind.EQUAL_SUPPORT, name, "==", value)
    for i, piece in enumerate(line.pieces):
        yield law(Kind.EQUAL_SUPPORT, f"level{i}", ">", piece.level)
    for name, value in _places(line, inputs):
        yield law(Kind.EQUAL_SUPPORT, name, "==", value)
    for i, atom in enumerate(line.atoms):
        yield law(Kind.EQUAL_SUPPORT, f"mass{i}", ">", atom.mass)
    for name, step in _order(line):
        yield law(Kind.EQUAL_SUPPORT, name, ">", step)


def _joins(line: StatedDensity) -> Iterator[tuple[str, Fraction]]:
    """Yield what is 0 where every piece begins at the end of the one before it."""
    for i, (left, right) in enumerate(pairwise(line.pieces)):
        yield f"join{i}", line.minus(right.low, left.high)


def _ends(line: StatedDensity, inputs: Inputs) -> Iterator[tuple[str, Fraction]]:
    """Yield differences that are 0 where the pieces of all inputs cover the same numbers."""
    if not line.pieces:
        return
    for name, end in (("first", line.pieces[0].low), ("last", line.pieces[-1].high)):
        yield name, line.minus(end, inputs.swapped(end))


def _places(line: StatedDensity, inputs: Inputs) -> Iterator[tuple[str, Fraction]]:
    """Yield what is 0 where no atom moves with the input."""
    for i, atom in enumerate(line.atoms):
        yield f"location{i}", line.minus(atom.location, inputs.swapped(atom.location))


def _order(line: StatedDensity) -> Iterator[tuple[str, Fraction]]:
    """Yield what is above 0 where atoms are at different places, from left to right."""
    for i, (near, far) in enumerate(pairwise(line.atoms)):
        yield f"order{i}", line.minus(far.location, near.location)


@CERTIFICATE.rule((Kind.RATIO, Kind.TIGHT), LINES, words=("ldp",))
def _ldp(
    line: StatedDensity | NoiseLine, inputs: Inputs, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    """Every level within the bound of every level, which is enough; every mass of the same mass.

    That is so only where the pieces of all inputs cover the same numbers, and atoms do not move.
    """
    if isinstance(line, NoiseLine):
        yield from noise_ldp(line, wide, position, claim)
        return
    ring = line.ring
    bound = ring.parse(claim["bound"])

    def slack(own: Fraction, other: Fraction) -> Fraction:
        return line.minus(ring.multiply(bound, inputs.swapped(other)), own)

    for i, piece in enumerate(line.pieces):
        for j, other in enumerate(line.pieces):
            value = slack(piece.level, other.level)
            yield Obligation(position, Kind.RATIO, f"ratio/{position}/{i}/{j}", ">=", value, wide)
    for i, atom in enumerate(line.atoms):
        value = slack(atom.mass, atom.mass)
        yield Obligation(position, Kind.RATIO, f"ratio/{position}/atom{i}", ">=", value, wide)
    for name, value in [*_joins(line), *_ends(line, inputs), *_places(line, inputs)]:
        yield Obligation(position, Kind.RATIO, f"ratio/{position}/{name}", "==", value, wide)
    if claim["tight"]:
        yield from _tight(line, inputs, wide, position, claim["reached"], bound)


@CERTIFICATE.rule((Kind.CURVE, Kind.TIGHT), (TableForm.NOISE,), words=("gaussian_ldp",))
def _gaussian(
    line: StatedDensity | NoiseLine, _inputs: Inputs, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    if not isinstance(line, NoiseLine):
        raise ExpressionError("only noise has such a curve")
    yield from noise_curve(line, wide, position, claim)


def _tight(
    line: StatedDensity, inputs: Inputs, wide: Domain, position: int, reached: Any, bound: Fraction
) -> Iterator[Obligation]:
    """Obligations that two inputs of the domain put mass at a place in the ratio of the bound."""
    ring = line.ring

    def show(name: str, relation: str, value: Fraction) -> Obligation:
        full = f"tight/{position}/{name}"
        return Obligation(position, Kind.TIGHT, full, relation, value, wide)

    if reached is None:
        why = "no place is named where the bound is reached"
        zero = ring.constant(0)
        yield Obligation(
            position, Kind.TIGHT, f"tight/{position}", "impossible", zero, wide, reason=why
        )
        return
    x, x2 = ring.parse(reached["x"]), ring.parse(reached["x2"])
    for name, at in (("x", x), ("x2", x2)):
        for side, relation, value in inputs.inside(at):
            yield show(f"{name}/{side}", relation, value)
    if reached["kind"] == "atom":
        # Two atoms at one place are one output, with the sum of their masses.
        for name, step in _order(line):
            yield show(name, ">", step)
        mass = line.atoms[reached["own"]].mass
        own, other = inputs.at(mass, x), inputs.at(mass, x2)
    else:
        first, second = line.pieces[reached["own"]], line.pieces[reached["other"]]
        own, other = inputs.at(first.level, x), inputs.at(second.level, x2)
        lows = [inputs.at(first.low, x), inputs.at(second.low, x2)]
        highs = [inputs.at(first.high, x), inputs.at(second.high, x2)]
        for a, low in enumerate(lows):
            for b, high in enumerate(highs):
                yield show(f"meet{a}{b}", ">", line.minus(high, low))
    yield show("positive", ">", own)
    yield show("equal", "==", line.minus(ring.multiply(bound, other), own))


@CERTIFICATE.rule((Kind.MEAN,), LINES)
def _mean(
    line: StatedDensity | NoiseLine, _inputs: Inputs, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    value = line.minus(line.moment(1), line.ring.parse(claim["value"]))
    yield Obligation(position, Kind.MEAN, f"mean/{position}", "==", value, wide)


@CERTIFICATE.rule((Kind.REPORT_VARIANCE,), LINES)
def _variance(
    line: StatedDensity | NoiseLine, _inputs: Inputs, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    value = line.minus(line.variance(), line.ring.parse(claim["value"]))
    yield Obligation(
        position, Kind.REPORT_VARIANCE, f"report_variance/{position}", "==", value, wide
    )


@CERTIFICATE.rule((Kind.VARIANCE,), (TableForm.NOISE,))
def _count(
    line: StatedDensity | NoiseLine, inputs: Inputs, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    """The variance of an estimated count: the sum of a number's reports, in units of the reach."""
    if not isinstance(line, NoiseLine) or not line.encoded or line.ends is not None:
        raise ExpressionError("counts are estimated from encoded noise without ends")
    ring, (low, high) = line.ring, line.bounds
    share = ring.parse("f" if claim["at_f"] is None else claim["at_f"])
    own, other = (inputs.at(line.variance(), end) for end in (high, low))
    reach = line.minus(high, low)
    claimed = ring.multiply(ring.parse(claim["value"]), ring.multiply(reach, reach))
    value = line.minus(line.of_count(own, other, share), claimed)
    yield Obligation(position, Kind.VARIANCE, f"variance/{position}", "==", value, wide)


def _largest(
    line: StatedDensity | NoiseLine,
    inputs: Inputs,
    wide: Domain,
    position: int,
    name: str,
    at: Fraction,
) -> tuple[Fraction, list[Obligation]]:
    """The variance at an input of the domain, and the obligations that it is nowhere larger."""
    if isinstance(line, NoiseLine) and line.ends is not None:
        raise ExpressionError("the tails of noise with ends depend on the input")
    prefix = f"worst_variance/{position}{name}"
    there = inputs.at(line.variance(), at)
    found = [
        Obligation(position, Kind.WORST_VARIANCE, f"{prefix}/{side}", relation, value, wide)
        for side, relation, value in inputs.inside(at)
    ]
    below = line.minus(there, line.variance())
    found.append(Obligation(position, Kind.WORST_VARIANCE, f"{prefix}/bound", ">=", below, wide))
    return there, found


@CERTIFICATE.rule((Kind.WORST_VARIANCE,), LINES)
def _worst(
    line: StatedDensity | NoiseLine, inputs: Inputs, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    at = line.ring.parse(claim["at"])
    there, found = _largest(line, inputs, wide, position, "", at)
    yield from found
    value = line.minus(there, line.ring.parse(claim["value"]))
    name = f"worst_variance/{position}/equal"
    yield Obligation(position, Kind.WORST_VARIANCE, name, "==", value, wide)


@CERTIFICATE.rule((Kind.WORST_VARIANCE,), (TableForm.DENSITY,), words=("smaller_worst",))
def _smaller(
    line: StatedDensity | NoiseLine, inputs: Inputs, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    """The difference of the worst variances is a positive multiple of the condition."""
    ring = line.ring
    theirs = StatedDensity(ring, claim["other"])
    values = []
    for name, each in (("at", line), ("other_at", theirs)):
        there, found = _largest(each, inputs, wide, position, f"/{name}", ring.parse(claim[name]))
        values.append(there)
        yield from found
    factor, condition = ring.parse(claim["factor"]), ring.parse(claim["condition"])
    gap = line.minus(line.minus(values[1], values[0]), ring.multiply(factor, condition))
    for name, relation, value in (("gap", "==", gap), ("factor", ">", factor)):
        full = f"worst_variance/{position}/{name}"
        yield Obligation(position, Kind.WORST_VARIANCE, full, relation, value, wide)


@CERTIFICATE.rule((Kind.HOLDS,), LINES)
def _holds(
    line: StatedDensity | NoiseLine, _inputs: Inputs, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    value = line.minus(line.ring.parse(claim["left"]), line.ring.parse(claim["right"]))
    yield Obligation(position, Kind.HOLDS, f"holds/{position}", claim["relation"], value, wide)
