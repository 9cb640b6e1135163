"""Refuse declarations that say something else than they seem to, or nothing.

Such are a claim about inputs that there are none of, an optimum that names itself, and a share
above 1. Others are an epsilon that grows with the number of users, and a structure whose size is
not the one that it has. Each would be decided, and the answer would be read as more than it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.claims import (
    BetterThan,
    Claim,
    Holds,
    Optimal,
    PersonalisedLDP,
    Variance,
)
from ldp_verified.language.density import Density
from ldp_verified.language.forms import Bits, Form, Line, Matrix, sizes
from ldp_verified.language.noise import Noise
from ldp_verified.language.numeric_claims import Mean, ReportVariance
from ldp_verified.language.parameters import Domain, Parameter
from ldp_verified.language.points import Points, left, near, right
from ldp_verified.language.requirements import expressions_in
from ldp_verified.language.structures import OneHot
from ldp_verified.language.symbols import f, n

ABOUT_USERS = (Variance, Holds, BetterThan)
"""Claims that may mention the number of users n and the share f."""

SMALL = 4
"""The number of values of each parameter at which sizes are tried, from each of its bounds on."""

MOST_POINTS = 512
"""The most points at which sizes are tried."""


def refuse(
    table: Form,
    claims: Sequence[Claim],
    assuming: Sequence[Any],
    domains: Mapping[Parameter, Domain],
    eps: Any,
) -> None:
    """Refuse what says something else than it seems to.

    Args:
        table, claims, assuming: of the declaration. domains: of its parameters.
        eps: the parameter that stands in exponents; None where there is none.

    Raises:
        SpecError: it names the claim or the size, the rule and the value.
    """
    _check_stand_ins(table, claims, assuming, domains)
    for position, claim in enumerate(claims):
        at = f"claims[{position}]"
        if isinstance(claim, PersonalisedLDP):
            _check_region(at, claim, table)
        elif isinstance(claim, Optimal):
            _check_optimum(at, claim, table, domains, eps)
        elif isinstance(claim, Variance) and claim.at_f is not None:
            _check_share(f"{at} Variance.at_f", claim.at_f)
        if not isinstance(claim, ABOUT_USERS):
            for where, value in claim.expressions():
                for symbol in (n, f):
                    if value.has(symbol):
                        rule = f"must not mention {symbol}: it is no matter of how many report what"
                        raise SpecError(f"{at} {where}", rule, value)
    _check_whole(table, domains)
    _check_size(table, domains)
    if isinstance(table, Density):
        _check_atoms(table)


def _stand_ins(table: Form) -> tuple[Any, ...]:
    """Return the symbols of a table that stand for its input, or for powers that depend on it."""
    if isinstance(table, Points):
        return near, left, right
    tails = table.tails if isinstance(table, Noise) else ()
    return (table.value, *tails) if isinstance(table, Line) else ()


def _check_stand_ins(
    table: Form, claims: Sequence[Claim], assuming: Sequence[Any], domains: Mapping[Any, Domain]
) -> None:
    """Refuse the input, and what depends on it, where only a number could stand.

    A bound on it would make a proof one about some inputs alone. Only the cells of a form whose
    cells are functions of the input, and moments of a report, may hold it.
    """
    said = [(f"assuming[{i}]", relation) for i, relation in enumerate(assuming)]
    for parameter, domain in domains.items():
        ends = (domain.lower, domain.upper)
        said += [(parameter.name, sympy.sympify(end)) for end in ends if end is not None]
    if isinstance(table, Noise):
        cells = [table.cells(), table.encoder]
        said += [("table", value) for value in expressions_in(cells, Form)]
    for i, claim in enumerate(claims):
        # Another mechanism has an input of its own.
        values = [*expressions_in(claim, Form | type(getattr(claim, "other", None)))]
        if isinstance(claim, Mean | ReportVariance):
            values = [power for value in values for power in value.atoms(sympy.exp, sympy.log)]
        said += [(f"claims[{i}]", value) for value in values]
    for where, value in said:
        for symbol in _stand_ins(table):
            if symbol in value.free_symbols:
                rule = f"must be in the parameters: {symbol} depends on the input"
                raise SpecError(where, rule, value)


def _check_share(where: str, share: Any) -> None:
    if not (share.is_Rational and 0 <= share <= 1):
        raise SpecError(where, "must be a rational number in [0, 1]", share)


def _check_region(at: str, claim: PersonalisedLDP, table: Form) -> None:
    if isinstance(table, Matrix) and not claim.region <= set(table.inputs):
        others = sorted(map(str, claim.region - set(table.inputs)))
        raise SpecError(f"{at} PersonalisedLDP.region", "must hold inputs of the table", others)


def _check_optimum(
    at: str, claim: Optimal, table: Form, domains: Mapping[Parameter, Domain], eps: Any
) -> None:
    _check_share(f"{at} Optimal.at_f", claim.at_f)
    keys = [*claim.values]
    if all(isinstance(key, str) for key in keys):
        if eps is None:
            rule = "must be in a table with exp(eps): cells are chosen among those of one epsilon"
            raise SpecError(f"{at} Optimal.values", rule, keys)
        if (
            isinstance(table, Bits)
            and isinstance(table.encoder, OneHot)
            and set(keys) == {"one", "zero"}
        ):
            return
        rule = "must name the cells one and zero, both, of one-hot bits; else one parameter"
        raise SpecError(f"{at} Optimal.values", rule, keys)
    if len(keys) != 1 or keys[0] not in domains:
        raise SpecError(f"{at} Optimal.values", "must name one declared parameter", keys)
    (key,) = keys
    if key == eps:
        rule = f"must not name {key}, which stands in exponents: the bound itself is not chosen"
        raise SpecError(f"{at} Optimal.values", rule, key)
    if key in claim.values[key].free_symbols:
        rule = f"must be in the other parameters: {key} = {claim.values[key]} says nothing"
        raise SpecError(f"{at} Optimal[{key}]", rule, claim.values[key])
    tied = [p for p, domain in domains.items() if p != key and key in _bounds(domain)]
    if tied:
        rule = f"must not stand in the bounds of another parameter, as in those of {tied[0]}"
        raise SpecError(f"{at} Optimal.values", rule, key)


def _bounds(domain: Domain) -> set[Any]:
    ends = [end for end in (domain.lower, domain.upper) if end is not None]
    return {symbol for end in ends for symbol in sympy.sympify(end).free_symbols}


def _check_whole(table: Form, domains: Mapping[Parameter, Domain]) -> None:
    """Refuse a size that is no whole number, or too small, at small values of its parameters.

    The same at large ones where there is a largest. At such sizes there is no table, and what is
    proved would be about nothing.
    """
    part = table.encoder if isinstance(table, Bits) else getattr(table, "structure", None)
    leasts = getattr(part, "leasts", {})
    for where, size in sizes(table):
        least = 2 if where == "table.values" else leasts.get(where.rpartition(".")[2], 0)
        if any(p in domains and not domains[p].integer for p in size.free_symbols):
            raise SpecError(where, "must be made of integer(...) parameters", size)
        for point in small_points(size, domains):
            value = size.subs(point)
            if not (value.is_Integer and value >= least):
                at = "".join(f", also at {p} = {v}" for p, v in point.items())
                raise SpecError(where, f"must be a whole number of at least {least}{at}", size)


def small_points(size: Any, domains: Mapping[Parameter, Domain]) -> list[dict[Any, Any]]:
    """Some points of the domain, in the integer parameters on which a size depends.

    Args:
        size: an expression. domains: of the parameters.

    Returns:
        Points near the bounds; none where the size depends on other parameters too.
    """
    wanted: set[Any] = set()
    more = set(size.free_symbols)
    while more:
        wanted |= more
        more = {s for p in more if p in domains for s in _mentioned(domains[p])} - wanted
    if not all(p in domains and domains[p].integer for p in wanted):
        return []
    points: list[dict[Any, Any]] = [{}]
    for p in (each for each in domains if each in wanted):
        points = [
            {**point, p: value}
            for point in points
            for value in _ends(domains[p], point)
            if domains[p].contains(value, point)
        ][:MOST_POINTS]
    return points


def _ends(domain: Domain, point: Mapping[Any, Any]) -> list[int]:
    """Some integers at both ends of a domain, whose bounds have values at a point."""
    low = None if domain.lower is None else sympy.ceiling(sympy.sympify(domain.lower).subs(point))
    high = None if domain.upper is None else sympy.floor(sympy.sympify(domain.upper).subs(point))
    first = -1 if low is None else int(low)
    last = [] if high is None else range(max(first + SMALL, int(high) - SMALL + 1), int(high) + 1)
    return [*range(first, first + SMALL), *last]


def _mentioned(domain: Domain) -> set[Any]:
    return _bounds(domain) | {s for each in domain.also for s in each.margin.free_symbols}


def _check_size(table: Form, domains: Mapping[Parameter, Domain]) -> None:
    """Check that what the sizes of a structure determine is a parameter, over all whole numbers.

    Proofs hold for every value that it may have. With a number or a bound in its place they would
    be about sizes for which there is no such structure.
    """
    part: Any = table.encoder if isinstance(table, Bits) else getattr(table, "structure", None)
    if part is None or isinstance(table, Noise) or part.determined is None:
        return
    number, given = part.determined, part.sizes
    where = f"{type(part).__name__}.{part.counted}"
    if number.is_number and all(size.is_number for size in given.values()):
        return  # whether it is the right one is a matter of counting
    domain = domains.get(number)
    if domain is None:
        rule = f"must be a parameter of its own, as {', '.join(given)} determine it"
        raise SpecError(where, rule, number)
    used = {symbol for size in given.values() for symbol in size.free_symbols}
    low = domain.lower
    beyond = low is not None and sympy.sympify(low).is_number and low > part.least
    if number in used or not domain.integer or domain.upper is not None or domain.also or beyond:
        rule = (
            f'must be a parameter of its own, integer("{number}", at_least={part.least}), '
            f"without further bounds: {', '.join(given)} determine it"
        )
        raise SpecError(where, rule, domain.describe(str(number)))


def _check_atoms(table: Density) -> None:
    seen: set[Any] = set()
    for i, location in _locations(table):
        where = f"table.atoms[{i}].location"
        if table.value in location.free_symbols:
            raise SpecError(where, "must be the same for every input", location)
        if location in seen:
            raise SpecError(
                where, "must not be that of another atom: add up their masses", location
            )
        seen.add(location)


def _locations(table: Density) -> Iterator[tuple[int, Any]]:
    for i, atom in enumerate(table.atoms):
        yield i, sympy.cancel(sympy.together(atom.location))
