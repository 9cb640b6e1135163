"""Exact values of expressions with remainders, cases and whole parts, at exact points.

What `exact_values.evaluate` takes are tables, which are rational functions. Expressions of
protocols say what a user holds: digits of numbers, the larger one of two, one of several cases.
sympy's own substitution looks for common divisors of symbols at every step, and takes a thousand
times as long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from ldp_verified.prove.enumeration.exact_values import NotExpandableError, Point, evaluate

_UNKNOWN = "has something that is not known here"


def number_at(expression: Any, point: Point) -> Fraction | None:
    """The exact value of an expression; None where it has something that is not known here.

    Args:
        expression: of integers, rational numbers, symbols, sums, products, whole powers,
            remainders, whole parts, `Min`, `Max`, `Abs`, cases whose conditions compare such, and
            functions of the vocabulary, which give a number for numbers.
        point: values of symbols.
    """
    try:
        return evaluate(expression, point, _other)
    except (NotExpandableError, ZeroDivisionError):
        return None


def _other(expression: Any, point: Point) -> Fraction:
    if isinstance(expression, sympy.Piecewise):
        for value, condition in expression.args:
            if _holds(condition, point):
                return evaluate(value, point, _other)
        raise NotExpandableError("expression", _UNKNOWN)
    function = _FUNCTIONS.get(expression.func)
    if function is None and not isinstance(expression, sympy.Function):
        raise NotExpandableError("expression", _UNKNOWN)
    numbers = [evaluate(each, point, _other) for each in expression.args]
    if function is not None:
        return Fraction(function(numbers))
    found = expression.func(*(sympy.Rational(each.numerator, each.denominator) for each in numbers))
    if not found.is_Rational:
        raise NotExpandableError("expression", _UNKNOWN)
    return Fraction(int(found.p), int(found.q))


def _holds(condition: Any, point: Point) -> bool:
    if isinstance(condition, BooleanTrue | BooleanFalse):
        return bool(condition)
    if isinstance(condition, sympy.ITE):
        first, yes, no = condition.args
        return _holds(yes if _holds(first, point) else no, point)
    if isinstance(condition, sympy.Not):
        return not _holds(condition.args[0], point)
    if isinstance(condition, sympy.And | sympy.Or):
        of_all: Callable[[Iterable[bool]], bool] = all if isinstance(condition, sympy.And) else any
        return of_all(_holds(each, point) for each in condition.args)
    if not isinstance(condition, Relational) or condition.rel_op not in _RELATIONS:
        raise NotExpandableError("expression", _UNKNOWN)
    left, right = (evaluate(each, point, _other) for each in condition.args)
    return _RELATIONS[condition.rel_op](left, right)


_FUNCTIONS: dict[Any, Callable[[list[Fraction]], Fraction | int]] = {
    sympy.Mod: lambda pair: pair[0] % pair[1],
    sympy.floor: lambda given: math.floor(given[0]),
    sympy.ceiling: lambda given: math.ceil(given[0]),
    sympy.Min: min,
    sympy.Max: max,
    sympy.Abs: lambda given: abs(given[0]),
}

_RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
