"""Straight lines through the domain of a mechanism: one variable runs, the others are fixed.

On a line every rational function is a quotient of two polynomials in one variable, whose roots cut
the line into pieces on which nothing changes its sign. One point of each piece, and the roots, are
all that must be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import sympy
from flint import fmpq, fmpq_poly

from ldp_verified.prove.enumeration.exact_values import NotExpandableError, Point, evaluate
from ldp_verified.prove.enumeration.points import candidates, structure_symbols
from ldp_verified.prove.enumeration.real_roots import Coefficients, Root, between, real_roots, whole

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.language.parameters import Domain

Quotient = tuple[fmpq_poly, fmpq_poly]
"""Numerator and denominator as written, nothing cancelled."""

MOST_LINES = 24
"""Lines in the direction of one variable."""

STEPS = (0, 1, 2, 3, 5, 12, 60)
"""Integers that the others are fixed at, above a lower bound."""


def along(expression: Any, symbol: Any, point: Point) -> Quotient:
    """A rational expression as a function of one symbol, the others fixed.

    Raises:
        NotExpandableError: a symbol without a value, or no rational function.
        ZeroDivisionError: it divides by zero on the whole line.
    """
    one = fmpq_poly([1])
    if expression == symbol:
        return fmpq_poly([0, 1]), one
    if symbol not in expression.free_symbols:
        value = evaluate(expression, point)
        return fmpq_poly([fmpq(value.numerator, value.denominator)]), one
    if expression.is_Add:
        top, bottom = fmpq_poly([0]), one
        for term in expression.args:
            a, b = along(term, symbol, point)
            top, bottom = (top + a, bottom) if b == bottom else (top * b + a * bottom, bottom * b)
        return top, bottom
    if expression.is_Mul:
        top, bottom = one, one
        for factor in expression.args:
            a, b = along(factor, symbol, point)
            top, bottom = top * a, bottom * b
        return top, bottom
    if expression.is_Pow and expression.exp.is_Integer:
        a, b = along(expression.base, symbol, point)
        power = int(expression.exp)
        if power < 0:
            if a == fmpq_poly([0]):
                raise ZeroDivisionError
            return b**-power, a**-power
        return a**power, b**power
    raise NotExpandableError("expression", "must be rational at rational parameters", expression)


def conditions(variables: Mapping[Any, Domain]) -> Iterator[tuple[Any, bool]]:
    """(expression, strict): the domain is where each is >= 0, > 0 where strict.

    Besides, integers are whole, and conditions that are not rational have to hold.
    """
    for symbol, domain in variables.items():
        if domain.lower is not None:
            yield symbol - domain.lower, domain.lower_open
        if domain.upper is not None:
            yield domain.upper - symbol, domain.upper_open
        yield from ((c.margin, c.strict) for c in domain.also if c.rational)


def inside(variables: Mapping[Any, Domain], point: Point) -> bool:
    """Return whether the point, which gives every variable a value, lies in the domain."""
    if any(d.integer and point[s].denominator != 1 for s, d in variables.items()):
        return False
    for expression, strict in conditions(variables):
        try:
            value = evaluate(expression, point)
        except ZeroDivisionError:
            return False
        if value < 0 or (strict and value == 0):
            return False
    at = {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}
    return all(c.holds(at) for d in variables.values() for c in d.also if not c.rational)


@dataclass(frozen=True)
class ParameterLine:
    """All points that agree with one in all but one variable.

    Attributes:
        variables: the domain. symbol: what runs. point: values of the others (and one of its own).
    """

    variables: Mapping[Any, Domain]
    symbol: Any
    point: Point

    def quotient(self, expression: Any) -> Quotient:
        """An expression on the line; see `along`."""
        return along(expression, self.symbol, self.point)

    def at(self, value: Fraction) -> dict[Any, Fraction]:
        """A point of the line."""
        return {**self.point, self.symbol: value}

    def _bounds(self) -> list[Coefficients]:
        found = []
        for expression, _ in conditions(self.variables):
            if self.symbol in expression.free_symbols:
                top, bottom = self.quotient(expression)
                found += [whole(top), whole(bottom)]
        return found

    def places(self, polynomials: list[Coefficients]) -> tuple[list[Fraction], list[Root]]:
        """Return where to look: rationals in the domain, and irrational roots in it.

        The rationals include the rational roots of the polynomials and one number from each piece
        between two neighbouring roots (for an integer the first and the last of the piece).
        """
        try:
            roots = real_roots([*polynomials, *self._bounds()])
        except (NotExpandableError, ZeroDivisionError, ArithmeticError):
            return [], []
        if self.variables[self.symbol].integer:
            tried = [
                Fraction(n)
                for root in roots
                for n in range(floor(root.low) - 1, ceil(root.high) + 2)
            ]
        else:
            ends = [None, *roots, None]
            tried = [root.low for root in roots if root.rational]
            tried += [
                between(None if a is None else a.high, None if b is None else b.low)
                for a, b in pairwise(ends)
            ]
        kept = [v for v in dict.fromkeys(tried) if inside(self.variables, self.at(v))]
        rational = all(c.rational for d in self.variables.values() for c in d.also)
        if self.variables[self.symbol].integer or not rational:
            return kept, []
        # No bound has a root between the ends, so that both ends decide.
        within = [
            root
            for root in roots
            if not root.rational
            and inside(self.variables, self.at(root.low))
            and inside(self.variables, self.at(root.high))
        ]
        return kept, within


def lines(mechanism: Mechanism, symbol: Any, degree: int = 0) -> Iterator[ParameterLine]:
    """Lines in the direction of one variable, readable ones first.

    Args:
        mechanism: the mechanism. symbol: the variable that runs.
        degree: integers are also tried this far above their bound: a polynomial of that degree
            which is 0 at all of them is 0.
    """
    determined = structure_symbols(mechanism.algebraic_table)[1]
    variables = {s: d for s, d in mechanism.variables.items() if s not in determined}
    if symbol not in variables:
        return
    seen: set[tuple[Fraction, ...]] = set()
    for turn in range(MOST_LINES):
        point: dict[Any, Fraction] = {}
        for place, (other, domain) in enumerate(variables.items()):
            options = _options(domain, point, degree)
            if not options:
                break
            point[other] = options[(turn // (place + 1) + turn * place) % len(options)]
        else:
            rest = tuple(v for s, v in point.items() if s != symbol)
            if rest not in seen:
                seen.add(rest)
                yield ParameterLine(variables, symbol, point)


def _options(domain: Domain, point: dict[Any, Fraction], degree: int) -> list[Fraction]:
    try:
        tried = [*candidates(domain, point)]
    except ZeroDivisionError:
        return []
    if domain.integer and tried:
        tried = [tried[0] + step for step in (*STEPS, degree + 1)]
    kept = []
    for value in dict.fromkeys(tried):
        bounds = ((domain.lower, domain.lower_open, 1), (domain.upper, domain.upper_open, -1))
        gaps = [
            (sign * (value - evaluate(bound, point)), is_open)
            for bound, is_open, sign in bounds
            if bound is not None
        ]
        if all(gap > 0 or (gap == 0 and not is_open) for gap, is_open in gaps):
            kept.append(value)
    return kept
