"""The second opinion on counterexamples with e^x: exact fractions and the series of e^x.

For a rational x with |x| <= m the terms of the series beyond N >= 2 m sum to at most twice the next
one, so two fractions enclose e^x. Rational operations on intervals of fractions do the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from ldp_verified.errors import SpecError

Interval = tuple[Fraction, Fraction]
TERMS = 60
BITS = 256


def _outward(low: Fraction, high: Fraction) -> Interval:
    """An interval rounded outwards to multiples of 2^-BITS, so that numbers stay short."""
    unit = 1 << BITS
    return Fraction((low * unit).__floor__(), unit), Fraction((high * unit).__ceil__(), unit)


def exponential(x: Fraction) -> Interval:
    """e^x between two fractions."""
    terms = TERMS + 2 * abs(x).__ceil__()
    total, term = Fraction(0), Fraction(1)
    for i in range(terms):
        total += term
        term = term * x / (i + 1)
    low, high = sorted((total, total + 2 * term))
    return _outward(min(low, total - abs(term)), max(high, total + 2 * abs(term)))


def enclosed(expression: Any, point: Mapping[Any, Fraction]) -> Interval:
    """An interval around the value of an expression in +, *, whole powers and exp.

    Raises:
        SpecError: it holds anything else, or divides by an interval around 0.
    """
    node = sympy.sympify(expression)
    if node.is_Rational:
        return Fraction(int(node.p), int(node.q)), Fraction(int(node.p), int(node.q))
    if node.is_Symbol:
        return point[node], point[node]
    if node.func is sympy.exp:
        low, high = enclosed(node.args[0], point)
        return exponential(low)[0], exponential(high)[1]
    if node.is_Add:
        parts = [enclosed(part, point) for part in node.args]
        return sum((p[0] for p in parts), Fraction(0)), sum((p[1] for p in parts), Fraction(0))
    if node.is_Mul:
        result = (Fraction(1), Fraction(1))
        for part in node.args:
            result = _times(result, enclosed(part, point))
        return result
    if node.is_Pow and node.exp.is_Integer:
        base = enclosed(node.base, point)
        if node.exp < 0:
            if base[0] <= 0 <= base[1]:
                raise SpecError("expression", "divides by an interval around 0", str(node))
            base = (1 / base[1], 1 / base[0])
        result = (Fraction(1), Fraction(1))
        for _ in range(abs(int(node.exp))):
            result = _times(result, base)
        return result
    raise SpecError("expression", "must be made of +, *, whole powers and exp", str(node.func))


def _times(a: Interval, b: Interval) -> Interval:
    products = [x * y for x in a for y in b]
    return _outward(min(products), max(products))


def holds(relation: Any, point: Mapping[Any, Fraction]) -> bool | None:
    """Return whether an inequality holds at a point; None where the intervals meet.

    Raises:
        SpecError: as in `enclosed`.
    """
    large, small = enclosed(relation.gts, point), enclosed(relation.lts, point)
    if large == small and large[0] == large[1]:
        return not isinstance(relation, sympy.Lt | sympy.Gt)
    if large[0] > small[1]:
        return True
    return False if large[1] < small[0] else None
