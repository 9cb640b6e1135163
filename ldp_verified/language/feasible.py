"""A point inside the parameter domains, so that nothing is proved of an empty set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.balls import between
from ldp_verified.language.parameters import Domain

MOST_TRIED = 20_000
"""Partial points looked at before the search is given up."""

SHARES = tuple(sympy.Rational(*share) for share in ((1, 2), (1, 4), (3, 4), (1, 1000), (999, 1000)))
HALF = SHARES[0]
STEPS = tuple(sympy.Rational(*step) for step in ((2, 1), (1, 1), (1, 2), (6, 1), (1, 1000)))


def interior_point(variables: Mapping[Any, Domain]) -> dict[Any, Any]:
    """One exact point of the domain, in its interior where that is easy, sympy numbers.

    Args:
        variables: symbol -> domain; a bound may mention symbols that stand before it.

    Raises:
        SpecError: none was found. The search is thorough for intervals that bound each other, but
            it is a search: a very narrow domain may be missed.
    """
    symbols = list(variables)
    tried = 0

    def extend(point: dict[Any, Any]) -> dict[Any, Any] | None:
        nonlocal tried
        if len(point) == len(symbols):
            return point
        symbol = symbols[len(point)]
        for value in _members(variables[symbol], point):
            tried += 1
            if tried > MOST_TRIED:
                return None
            found = extend({**point, symbol: value})
            if found is not None:
                return found
        return None

    found = extend({})
    if found is None:
        domains = ", ".join(domain.describe(str(symbol)) for symbol, domain in variables.items())
        raise SpecError(
            "parameters",
            "must have values that satisfy every bound and assumption; "
            f"none were found among {tried} tried",
            domains,
        )
    return found


DIGITS = 30
"""Decimal digits of the rational number that stands for an irrational end of a domain."""

MOST_EACH = 7
"""Values of one symbol in `spread`."""


def spread(variables: Mapping[Any, Domain], most: int = 60) -> list[dict[Any, Any]]:
    """Exact points of the domain, of every symbol several values, sympy numbers."""
    points: list[dict[Any, Any]] = [{}]
    for symbol, domain in variables.items():
        longer = []
        for point in points:
            values = list(_members(domain, point))
            step = max(1, len(values) // MOST_EACH)
            longer += [{**point, symbol: value} for value in values[::step]]
        points = longer[:: max(1, len(longer) // most)]
    return points


def _members(domain: Domain, point: Mapping[Any, Any]) -> Iterator[Any]:
    """A few members of a domain whose bounds are evaluated at `point`, the inner ones first."""
    lower, upper = (
        None if bound is None else sympy.sympify(bound).subs(dict(point))
        for bound in (domain.lower, domain.upper)
    )
    look = _integers if domain.integer else _reals
    within = [*domain.narrower(point), (lower, upper)]
    for value in dict.fromkeys(value for ends in within for value in look(*ends)):
        if domain.contains(value, dict(point)):
            yield value


def _integers(lower: Any, upper: Any) -> Iterator[Any]:
    if lower is not None:
        first = sympy.ceiling(lower)
        yield from (first + step for step in (1, 0, 2, 3, 6))
        if upper is not None:
            yield from (sympy.floor(upper), sympy.floor((lower + upper) / 2))
    elif upper is not None:
        yield from (sympy.floor(upper) - step for step in (0, 1, 2, 6))
    else:
        yield from map(sympy.Integer, (1, 0, -1, 2, 6))


def _reals(lower: Any, upper: Any) -> Iterator[Any]:
    # Whether a number near an irrational end belongs to the domain is looked at afterwards.
    lower, upper = (None if end is None else _rational(end) for end in (lower, upper))
    if lower is not None and upper is not None:
        yield from (_between(lower, upper, share) for share in SHARES)
        yield from (lower, upper)
    elif lower is not None:
        yield from (*(_between(lower, lower + 2 * step, HALF) for step in STEPS), lower)
    elif upper is not None:
        yield from (*(_between(upper, upper - 2 * step, HALF) for step in STEPS[1:]), upper)
    else:
        yield from (sympy.Integer(0), *STEPS, *(-step for step in STEPS))


def _rational(end: Any) -> Any:
    return end if end.is_Rational else sympy.Rational(str(sympy.N(end, DIGITS)))


def _between(low: Any, high: Any, share: Any) -> Any:
    ends = (Fraction(int(end.p), int(end.q)) for end in (low, high, share))
    value = between(*ends)
    return sympy.Rational(value.numerator, value.denominator)
