"""Points at which an obligation without a proof fails, wherever in the domain they are.

A difference of two rational functions that is not identically 0 has a point where it is not 0, and
an inequality that fails, fails somewhere. The points come from the obligations (so from what was
derived); that the claim fails there is decided by the table written out, which shares nothing with
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.kinds import Kind
from ldp_verified.language.forms import Bits, Design
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.certificates.polynomials import Poly
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.exact_values import (
    NotExpandableError,
    UndefinedCellError,
    evaluate,
)
from ldp_verified.prove.enumeration.expand import complete
from ldp_verified.prove.enumeration.irrational import irrational_failure
from ldp_verified.prove.enumeration.lines import ParameterLine, lines
from ldp_verified.prove.enumeration.no_estimator import no_estimator
from ldp_verified.prove.enumeration.optimum_search import rival_at
from ldp_verified.prove.enumeration.points import exists, structure_symbols
from ldp_verified.prove.enumeration.real_roots import Coefficients, Root
from ldp_verified.prove.enumeration.witnesses import both
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism

MOST_OBLIGATIONS = 12
"""Obligations of one claim and kind whose failure is looked for."""

MOST_TRIED = 8
"""Points at which the table is written out, for each of them."""

SHARES = (Fraction(1, 3), Fraction(0), Fraction(1))

INPUT = Fraction(1, 3)
"""The input of a table on the line at which obligations are evaluated."""


@dataclass(frozen=True)
class Counterexample:
    """The point at which a claim fails.

    Attributes:
        witness: the place; by the table written out, or by an irrational root.
        undecided: why it is open, where there is no witness: it fails where the table cannot be
            written out to see it, or what is claimed is another function than what is derived.
    """

    witness: Witness | None = None
    undecided: str = ""


def _differ(missing: Sequence[Obligation]) -> bool:
    """Return whether two sides that must be equal differ, or no row reaches a tight bound."""
    return any(
        (o.relation == "==" and o.value.numerator)
        or (o.relation == "impossible" and o.kind == Kind.TIGHT)
        for o in missing
    )


def counterexample(
    mechanism: Mechanism,
    key: tuple[int | None, str],
    missing: Sequence[Obligation],
    related: Sequence[Obligation],
) -> Counterexample:
    """Look for a place where the obligations of one claim and kind fail.

    Args:
        mechanism: with all claims, derived ones included.
        key: (position of the claim, kind of obligation).
        missing: its obligations that nothing shows.
        related: those of the same claim that say how far each row is from the bound.
    """
    unconfirmed = ""
    for o in missing[:MOST_OBLIGATIONS]:
        if o.domain != "main":
            continue
        together = [o]
        if o.relation == "impossible":
            together = [r for r in related if r.value.numerator] if o.kind == Kind.TIGHT else []
        for line, place in _places(mechanism, together, all_differ=o.relation == "impossible"):
            if isinstance(place, Root):
                there = exists(mechanism.algebraic_table, dict(line.point))
                witness = irrational_failure(mechanism, key, line, place) if there else None
                if witness is not None:
                    return Counterexample(witness)
                continue
            point = line.at(place)
            found = _confirmed(mechanism, key, point)
            if isinstance(found, Witness):
                return Counterexample(found)
            negative = _negative_cell(mechanism, point) if key == (None, Kind.NONNEGATIVE) else None
            if negative is not None:
                return Counterexample(negative)
            if found is None and not unconfirmed and exists(mechanism.algebraic_table, point):
                shown = ", ".join(f"{s.name} = {v}" for s, v in point.items())
                if key[1] == Kind.OPTIMAL:  # other cells than the derived ones may be as good
                    unconfirmed = f"is not what is derived, and nothing can be compared at {shown}"
                    continue
                unconfirmed = f"fails by its pair table at {shown}, where it cannot be written out"
    witness = no_estimator(mechanism) if key[1] in (Kind.UNBIASED, Kind.VARIANCE) else None
    if not unconfirmed and _differ(missing):
        unconfirmed = "what is claimed is not what is derived, and no place was found that shows it"
    return Counterexample(witness, "" if witness else unconfirmed)


def _places(
    mechanism: Mechanism, together: Sequence[Obligation], *, all_differ: bool
) -> Iterator[tuple[ParameterLine, Fraction | Root]]:
    """Points where the one obligation fails, or none of several values is 0.

    And the irrational numbers where something in it is 0.
    """
    if not together:
        return
    determined = structure_symbols(mechanism.algebraic_table)[1]
    names = {v.name for o in together for v in o.variables if _occurs(o, v.name)}
    degree = max(sum(e) for o in together for e in o.value.numerator or {(0,): 0})
    tried = 0
    # Sizes first: their witnesses are the ones that can be read.
    for symbol in sorted(mechanism.variables, key=lambda s: not mechanism.variables[s].integer):
        if symbol in determined or symbol.name not in names:
            continue
        for line in lines(mechanism, symbol, min(degree, 64)):
            others = {s.name: v for s, v in line.point.items() if s != symbol}
            polynomials = [
                _restricted(poly, o, symbol.name, _filled(o, others, share))
                for o in together
                for poly in (o.value.numerator, *map(dict, o.value.denominator))
                for share in (SHARES if _occurs(o, "f") else SHARES[:1])
            ]
            values, roots = line.places([p for p in polynomials if p])
            yield from ((line, root) for root in roots)
            for value in values:
                at = {s.name: v for s, v in line.at(value).items()}
                checks = [
                    _fails(o, _filled(o, at, s), all_differ) for o in together for s in SHARES
                ]
                if all(checks) if all_differ else any(checks):
                    yield line, value
                    tried += 1
                    if tried >= MOST_TRIED:
                        return


def _filled(o: Obligation, known: Mapping[str, Fraction], share: Fraction) -> dict[str, Fraction]:
    """The values of a point, with one user, a share, and some number for an input x."""
    inputs = dict.fromkeys((v.name for v in o.variables), INPUT)
    return {**inputs, "n": Fraction(1), "f": share, **known}


def _occurs(o: Obligation, name: str) -> bool:
    places = [i for i, v in enumerate(o.variables) if v.name == name]
    polys = [o.value.numerator, *map(dict, o.value.denominator)]
    return any(exponents[i] for i in places for poly in polys for exponents in poly)


def _restricted(
    poly: Poly, o: Obligation, name: str, others: Mapping[str, Fraction]
) -> Coefficients:
    """The polynomial in one variable, the others having values, over the integers."""
    names = [v.name for v in o.variables]
    found: dict[int, Fraction] = {}
    for exponents, c in poly.items():
        term, power = Fraction(int(c)), 0
        for other, exponent in zip(names, exponents, strict=True):
            if other == name:
                power = exponent
            elif exponent:
                term *= others[other] ** exponent
        found[power] = found.get(power, Fraction(0)) + term
    unit = lcm(*(v.denominator for v in found.values())) if found else 1
    return tuple(int(found.get(i, Fraction(0)) * unit) for i in range(max(found, default=-1) + 1))


def _fails(o: Obligation, at: Mapping[str, Fraction], differ: bool) -> bool:
    """Return whether the obligation is false at a point, or (`differ`) its value is not 0."""
    bottom = Fraction(o.value.scale)
    for key, exponent in o.value.denominator.items():
        bottom *= _value(dict(key), o, at) ** exponent
    if bottom == 0:
        return not differ
    value = _value(o.value.numerator, o, at) / bottom
    if differ or o.relation == "==":
        return value != 0
    return value < 0 or (o.relation == ">" and value == 0)


def _value(poly: Poly, o: Obligation, at: Mapping[str, Fraction]) -> Fraction:
    total = Fraction(0)
    for exponents, c in poly.items():
        term = Fraction(int(c))
        for v, exponent in zip(o.variables, exponents, strict=True):
            if exponent:
                term *= at[v.name] ** exponent
        total += term
    return total


def _confirmed(
    mechanism: Mechanism, key: tuple[int | None, str], point: dict[Any, Fraction]
) -> Witness | bool | None:
    """A witness from the table written out; False where it sees none, None where there is none."""
    if key[0] is not None and key[1] == Kind.OPTIMAL:
        claim: Any = mechanism.claims[key[0]]
        search = rival_at(mechanism, claim, point)
        return None if search is None else search.witness or False
    for finding in enumerate_obligations(mechanism, at=[point], inputs=[INPUT]):
        if (finding.claim, finding.obligation) == key:
            return finding.witness or False
    return None


def _negative_cell(mechanism: Mechanism, point: dict[Any, Fraction]) -> Witness | None:
    """A cell that is no probability at a point, whatever the outputs are; no row is looked at."""
    form = mechanism.algebraic_table
    used: list[tuple[str, Any]] = []
    if isinstance(form, Design):
        used = [("inside", form.containing), ("outside", form.blocks - form.containing)]
    elif isinstance(form, Bits):
        used = [("one", sympy.S.One), ("zero", sympy.S.One)]
    for name, outputs in used:
        try:
            # A cell may be divided by what the sizes determine, such as the number of subsets.
            full = complete(form, point)
            value, number = evaluate(getattr(form, name), full), evaluate(outputs, full)
        except (NotExpandableError, UndefinedCellError, ZeroDivisionError):
            continue
        if number > 0 and not 0 <= value <= 1:
            return Witness(
                {symbol.name: str(v) for symbol, v in full.items()},
                {name: str(value)},
                f"the cell {name} is {both(value)}, which is no probability",
            )
    return None
