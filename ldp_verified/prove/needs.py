"""A mechanism's requirements as rational functions, and the search for where one fails.

What is divided by is split into its factors, each of which must have no zero. A zero that sympy's
exact arithmetic finds inside the domain is a witness; that none was found says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import Domain, Line, Mechanism, f, n
from ldp_verified.language.assumptions import mentioned
from ldp_verified.language.expressions import Generator, find_generator
from ldp_verified.language.feasible import interior_point
from ldp_verified.language.forms import Form
from ldp_verified.language.images import enclosed
from ldp_verified.language.requirements import (
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    Requirement,
    of_power,
)
from ldp_verified.prove.enumeration.expand import (
    NoStructureError,
    NotExpandableError,
    UndefinedCellError,
    complete,
)
from ldp_verified.prove.enumeration.points import candidates, describe, structure_symbols
from ldp_verified.prove.enumeration.witnesses import ENUMERATION, PointFinding
from ldp_verified.prove.statements.ranges import variable
from ldp_verified.prove.statements.statement import text
from ldp_verified.prove.verdicts import Witness

MOST_POINTS = 60
"""Points at which a need is evaluated."""

MOST_TRIED = 2000
"""Points that are tried for those, where not every size has a structure."""

MOST_LINES = 12
"""Points through which each line parallel to an axis is searched for a zero."""

MOST_DEGREE = 24
"""The degree up to which roots are isolated."""

SPECIAL = {
    n: Domain(lower=sympy.Integer(1), integer=True),
    f: Domain(lower=sympy.Integer(0), upper=sympy.Integer(1)),
}


class UnstatedError(Exception):
    """The need is not one of a rational function; says why."""


@dataclass
class Needs:
    """The requirements of a mechanism, over variables of their own.

    Attributes:
        variables: symbol -> domain, in the order in which bounds refer to each other.
        stated: (value, relation) -> whether the mechanism itself needs it.
        reasons: why others could not be stated.
    """

    variables: dict[Any, Domain] = field(default_factory=dict)
    stated: dict[tuple[Any, str], bool] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)

    def statement(self) -> dict[str, Any] | None:
        """Return the JSON object that the verifier reads; see `defined`."""
        if not self.stated and not self.reasons:
            return None
        return {
            "variables": [variable(s, d).to_json() for s, d in self.variables.items()],
            "needs": [
                *({"value": text(value), "relation": rel} for value, rel in self.stated),
                *({"reason": reason} for reason in self.reasons),
            ],
        }


def needs_of(mechanism: Mechanism) -> Needs:
    """The requirements of a mechanism as rational functions, each once."""
    every = [need for each in mechanism.requirements for need in _within(each)]
    generator = _generator(mechanism, every)
    found = Needs()
    symbols: set[Any] = set()
    for need in every:
        try:
            parts = [*_parts(generator, need)]
        except (UnstatedError, SpecError, sympy.PolynomialError) as error:
            reason = f"{need.value} {need.relation} 0 is not decided: {error}"
            if reason not in found.reasons:
                found.reasons.append(reason)
            continue
        for part in parts:
            key = part.value, part.relation
            found.stated[key] = found.stated.get(key, False) or part.certain
            symbols |= part.value.free_symbols
    # The order in which sympy meets them is not always the same.
    found.stated = dict(sorted(found.stated.items(), key=lambda item: str(item[0])))
    found.reasons.sort()
    found.variables = _variables(mechanism, generator, symbols)
    names = [symbol.name for symbol in found.variables]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        return Needs(reasons=[f"two different symbols are named {min(twice)}"])
    return found


def _within(need: Requirement) -> Iterator[Requirement]:
    """A requirement, and what its own value needs."""
    yield need
    for part in sympy.preorder_traversal(need.value):
        inner = of_power(*part.args) if isinstance(part, sympy.Pow) else None
        if inner is not None:
            yield Requirement(*inner, need.certain)


def _generator(mechanism: Mechanism, every: list[Requirement]) -> Generator:
    """The exponential of all needs: the mechanism's, or a finer one."""
    values = [("requirement", need.value) for need in every]
    inside = {
        symbol
        for _, value in values
        for exponential in value.atoms(sympy.exp)
        for symbol in exponential.args[0].free_symbols
    }
    own = mechanism.generator
    eps = own.eps
    if eps is None:
        eps = next((p for p in mechanism.parameters if p in inside), None)
    mine = []
    for where, value in values:
        try:
            find_generator(eps, [(where, value)], set())
        except SpecError:
            continue
        mine.append((where, value))
    if own.eps is not None:
        mine.append(("generator", sympy.exp(own.eps / own.root)))
    taken = {symbol.name for _, value in values for symbol in value.free_symbols}
    made = find_generator(eps, mine, taken | {p.name for p in mechanism.parameters})
    return own if own.eps is not None and made.root == own.root else made


def _parts(generator: Generator, need: Requirement) -> Iterator[Requirement]:
    """Split a requirement into ones of rational functions with rational coefficients."""
    if need.relation not in (NONZERO, POSITIVE, NONNEGATIVE):
        raise UnstatedError(f"{need.relation} does not have a value everywhere")
    value = need.value
    if value.has(sympy.exp):
        value = generator.algebraic("requirement", value)
    if not value.is_rational_function(*value.free_symbols) or any(
        (part.is_Pow and not part.exp.is_Integer)
        or (part.is_number and part.is_Atom and not part.is_Rational)
        for part in sympy.preorder_traversal(value)
    ):
        raise UnstatedError("it is no rational function with rational coefficients")
    value = sympy.cancel(sympy.together(value))
    if need.relation != NONZERO:
        yield Requirement(value, need.relation, need.certain)
        return
    top = sympy.fraction(value)[0]
    if top == 0:
        yield Requirement(sympy.S.Zero, NONZERO, need.certain)
    elif top.free_symbols:
        for factor, _ in sympy.factor_list(top)[1]:
            yield Requirement(factor, NONZERO, need.certain)


def _variables(mechanism: Mechanism, generator: Generator, symbols: set[Any]) -> dict[Any, Domain]:
    """The domains of the symbols, and of those that their bounds mention."""
    known: dict[Any, Domain] = {}
    if generator.eps is not None:
        known[generator.symbol] = _of_generator(mechanism, generator)
    known |= mechanism.domains
    if isinstance(mechanism.table, Line):
        known[mechanism.table.value] = mechanism.table.value.domain
    known |= SPECIAL
    found: dict[Any, Domain] = {}

    def add(symbol: Any) -> None:
        if symbol in found:
            return
        declared = known.get(symbol) or getattr(symbol, "domain", None) or _of_symbol(symbol)
        domain = enclosed(symbol, declared)
        for other in sorted(mentioned(domain) - {symbol}, key=str):
            add(other)
        found[symbol] = domain

    for symbol in [*(s for s in known if s in symbols), *sorted(symbols - known.keys(), key=str)]:
        add(symbol)
    return found


def _of_symbol(symbol: Any) -> Domain:
    """Return where a symbol ranges that nobody declared."""
    return Domain(lower=sympy.S.Zero, lower_open=True) if symbol.is_positive else Domain()


def _of_generator(mechanism: Mechanism, generator: Generator) -> Domain:
    own = mechanism.variables.get(generator.symbol)
    if own is not None:
        return own
    lower = mechanism.domains[generator.eps].lower
    if lower is not None and lower.is_Rational and lower >= 0:
        is_open = lower > 0 or mechanism.domains[generator.eps].lower_open
        return Domain(lower=sympy.S.One, lower_open=bool(is_open))
    return Domain(lower=sympy.S.Zero, lower_open=True)


@ENUMERATION.rule((Kind.DEFINED,), tuple(TableForm))
def undefined(mechanism: Mechanism, needs: Needs) -> PointFinding | None:
    """A place in the domain where something that the mechanism needs fails; None if none is found.

    What only may belong to the mechanism is not looked at: it is decided by a proof, or open.
    """
    form, variables = mechanism.algebraic_table, dict(needs.variables)
    sizes, _ = structure_symbols(form)
    for symbol, domain in _closed(sizes, mechanism.variables).items():
        variables.setdefault(symbol, domain)
    for (value, relation), certain in needs.stated.items():
        place = _failing(value, relation, variables, form) if certain else None
        if place is None:
            continue
        point, found, explanation = place
        if {mechanism.generator.eps, mechanism.generator.symbol} <= {*point} - {None}:
            continue  # e^eps and eps cannot be chosen apart
        witness = Witness(
            {symbol.name: shown for symbol, shown in point.items()},
            {"value": str(value), "found": found},
            explanation,
        )
        return PointFinding(None, Kind.DEFINED, False, "", witness)
    return None


def agreement(needs: Needs) -> PointFinding | None:
    """Return a finding that every need holds at exact points; None if one does not.

    It is said beside a proof, and is nothing without one: zeros are missed by points.
    """
    points = [*islice(_points(needs.variables), MOST_POINTS)]
    for value, relation in needs.stated:
        for point in points:
            if not _holds(value.xreplace(point), relation):
                return None
    at = [{s: Fraction(int(v.p), int(v.q)) for s, v in point.items()} for point in points]
    return PointFinding(None, Kind.DEFINED, True, describe(at), None)


Place = tuple[dict[Any, str], str, str]


def _failing(
    value: Any, relation: str, variables: Mapping[Any, Domain], form: Form
) -> Place | None:
    """A place where a need fails; where it is about a structure, one that has a structure."""
    sizes, determined = structure_symbols(form)
    of_structure = bool(value.free_symbols & (sizes | determined))
    free = (value.free_symbols | sizes) - determined if of_structure else value.free_symbols
    used = _closed(free, variables)
    tried: Iterator[dict[Any, Any] | None] = islice(_points(used), MOST_TRIED)
    if of_structure:
        used |= {s: variables[s] for s in value.free_symbols & determined}
        tried = (_completed(form, point, used) for point in tried if point is not None)
    points = [*islice((point for point in tried if point is not None), MOST_POINTS)]
    for point in points:
        found = value.xreplace(point)
        if found.is_Rational and not _holds(found, relation):
            shown = {symbol: str(number) for symbol, number in point.items()}
            return shown, str(found), f"{value} must be {relation} 0, and is {found} here"
    top = sympy.fraction(sympy.together(value))[0]
    if relation == NONNEGATIVE:
        return None
    for point in points[:MOST_LINES]:
        for symbol in sorted(value.free_symbols, key=str):
            place = _on_line(top, symbol, point, used, form if of_structure else None)
            if place is not None:
                shown, root = place
                return shown, "0", f"{value} must be {relation} 0, and is 0 at {symbol} = {root}"
    return None


def _holds(value: Any, relation: str) -> bool:
    if relation == NONZERO:
        return bool(value != 0)
    return bool(value > 0 if relation == POSITIVE else value >= 0)


def _closed(symbols: set[Any], variables: Mapping[Any, Domain]) -> dict[Any, Domain]:
    """The symbols with their domains, and those that their bounds mention, in order."""
    kept = set(symbols)
    for symbol in reversed(list(variables)):
        if symbol in kept:
            kept |= mentioned(variables[symbol])
    return {symbol: domain for symbol, domain in variables.items() if symbol in kept}


def _points(variables: Mapping[Any, Domain]) -> Iterator[dict[Any, Any]]:
    """Exact points of the domain; an interior one first."""
    try:
        yield interior_point(variables)
    except SpecError:
        return
    order = list(variables)

    def extend(point: dict[Any, Fraction]) -> Iterator[dict[Any, Fraction]]:
        if len(point) == len(order):
            yield point
            return
        symbol = order[len(point)]
        for value in candidates(variables[symbol], point):
            yield from extend({**point, symbol: value})

    for point in extend({}):
        yield {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}


def _completed(
    form: Form, point: Mapping[Any, Any], variables: Mapping[Any, Domain]
) -> dict[Any, Any] | None:
    """The point with what its sizes determine; None without a structure, or outside the domain."""
    try:
        exact = complete(form, point)
    except NoStructureError:
        return None
    except (NotExpandableError, UndefinedCellError):  # What is not known bars nothing.
        return dict(point)
    full = {s: sympy.Rational(v.numerator, v.denominator) for s, v in exact.items()}
    return full if all(d.contains(full[s], full) for s, d in variables.items()) else None


def _on_line(
    top: Any,
    symbol: Any,
    point: Mapping[Any, Any],
    variables: Mapping[Any, Domain],
    form: Form | None,
) -> tuple[dict[Any, str], str] | None:
    """A zero of `top` where only `symbol` differs from the point, inside the domain.

    Args:
        form: the table whose structure must exist there; None if the zero is about no structure.

    Returns:
        The place, and the root in words: a number, or the polynomial and an interval that holds no
        other root.
    """
    others = {s: v for s, v in point.items() if s != symbol}
    line = sympy.Poly(top.subs(others), symbol)
    if not 0 < line.degree() <= MOST_DEGREE:
        return None
    for root in sympy.Poly(line.sqf_part(), symbol).real_roots(multiple=True):
        place = {**others, symbol: root}
        try:
            inside = all(d.contains(place[s], place) for s, d in variables.items())
        except (SpecError, TypeError):
            continue
        # The sizes of an irrational place are those of the point, which has a structure.
        if form is not None and root.is_Rational:
            inside = inside and _completed(form, place, variables) is not None
        if inside:
            shown = str(root) if root.is_Rational else _isolated(root)
            return {s: shown if s == symbol else str(v) for s, v in place.items()}, shown
    return None


def _isolated(root: Any) -> str:
    """An irrational root: its polynomial, and an interval in which that has no other."""
    least = sympy.minimal_polynomial(root, sympy.Symbol("x"), polys=True)
    for (low, high), _ in least.intervals(eps=sympy.Rational(1, 10**6)):
        if low <= root <= high:
            return f"the root of {least.as_expr()} between {low} and {high}"
    return str(root)
