"""Rational functions: one canonical form, by polynomial algebra, never by `simplify`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import sympy

from ldp_verified.derive.reduced import factored
from ldp_verified.language import Domain, Mechanism
from ldp_verified.language.feasible import interior_point, spread


@lru_cache(maxsize=4096)  # variances of the same table are asked for again and again
def simple(value: Any) -> Any:
    """The rational function, cancelled and factored: identically zero exactly if it prints as 0."""
    found = factored(value)
    return sympy.factor(sympy.cancel(sympy.together(value))) if found is None else found


def value_at(expression: Any, point: Mapping[Any, Any]) -> Fraction | None:
    """The exact value of a rational expression, by a walk over its tree; None if it has none."""
    try:
        return _value_at(expression, point)
    except (ZeroDivisionError, KeyError, TypeError):
        return None


def _value_at(expression: Any, point: Mapping[Any, Any]) -> Fraction:
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if expression.is_Symbol:
        value = point[expression]
        return Fraction(int(value.p), int(value.q))
    if expression.is_Add:
        return sum((_value_at(term, point) for term in expression.args), Fraction(0))
    if expression.is_Mul:
        return prod((_value_at(term, point) for term in expression.args), start=Fraction(1))
    if expression.is_Pow and expression.exp.is_Integer:
        return Fraction(_value_at(expression.base, point) ** int(expression.exp))
    raise TypeError(expression)


def readable(value: Any, variables: Mapping[Any, Domain]) -> Any:
    """Return the same function with every factor positive inside the domain.

    So (1 + 2g)/(1 - 2g), not -(2g + 1)/(2g - 1).

    Args:
        value: a rational function.
        variables: symbol -> domain.
    """
    point = interior_point(dict(variables))
    sign, parts = sympy.Integer(1), []
    for factor in sympy.Mul.make_args(simple(value)):
        base, exponent = factor.as_base_exp()
        at = base.subs(point)
        if exponent.is_Integer and at.is_negative:
            sign *= (-1) ** exponent
            base = sympy.expand(-base)
        parts.append(base**exponent)
    return sign * sympy.Mul(*parts)


def in_epsilon(mechanism: Mechanism, value: Any) -> Any:
    """Return `value` with the generator symbol written out as e^(eps/root).

    Args:
        mechanism: whose epsilon and root are meant.
        value: an expression in its algebraic variables.
    """
    generator = mechanism.generator
    if generator.eps is None:
        return value
    return value.subs(generator.symbol, sympy.exp(generator.eps / generator.root))


def sample_points(variables: Mapping[Any, Domain]) -> list[dict[Any, Any]]:
    """A few exact points inside the domain: one moved in each variable alone, then near corners.

    Used to *choose* among candidates, never to decide a claim.
    """
    base = interior_point(dict(variables))
    points = [base]
    for symbol, domain in variables.items():
        bounded = domain.lower is not None and domain.upper is not None
        steps = (sympy.Rational(1, 3), sympy.Rational(9, 10)) if bounded else (1, 5, 40)
        for step in steps:
            point = dict(base)
            low = None if domain.lower is None else sympy.sympify(domain.lower).subs(point)
            if low is None:
                continue
            if bounded:
                high = sympy.sympify(domain.upper).subs(point)
                moved = low + (high - low) * step
                moved = sympy.floor(moved) if domain.integer else moved
            else:
                moved = low + step
            point[symbol] = moved
            if all(d.contains(point[s], point) for s, d in variables.items()):
                points.append(point)
    points += _near_corners(variables, base)
    # Where parameters are tied to each other, moving one at a time shows little.
    return points + (spread(variables) if any(d.also for d in variables.values()) else [])


def _near_corners(variables: Mapping[Any, Domain], base: dict[Any, Any]) -> list[dict[Any, Any]]:
    """Points near the corners of what is bounded and not an integer, all else as in `base`.

    Where two of these matter together, moving one at a time may show one side only. At most three
    are moved.
    """
    moving = [
        s
        for s, d in variables.items()
        if d.lower is not None and d.upper is not None and not d.integer
    ][:3]
    points = []
    for shares in product((sympy.Rational(1, 100), sympy.Rational(99, 100)), repeat=len(moving)):
        point = dict(base)
        for symbol, share in zip(moving, shares, strict=True):
            low, high = (
                sympy.sympify(end).subs(point)
                for end in (variables[symbol].lower, variables[symbol].upper)
            )
            point[symbol] = low + (high - low) * share
        if all(d.contains(point[s], point) for s, d in variables.items()):
            points.append(point)
    return points
