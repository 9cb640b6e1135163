"""Exact values of expressions at exact points: a walk over the tree, nothing simplified."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from ldp_verified.errors import SpecError

Point = Mapping[Any, Fraction]
"""A value for every symbol."""


class NotExpandableError(SpecError):
    """The table cannot be written out.

    It has no concrete structure, an undetermined symbol, an irrational number or too many outputs.
    """

    code = "LDPE-EXPAND"


class UndefinedCellError(SpecError):
    """A cell of the table divides by zero at the given parameter values."""

    code = "LDPE-CELL"


def evaluate(expression: Any, point: Point) -> Fraction:
    """The exact value of a rational expression.

    Raises:
        NotExpandableError: a symbol without a value, or a number that is not rational.
        ZeroDivisionError: a denominator vanishes.
    """
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if expression.is_Symbol:
        if expression not in point:
            raise NotExpandableError(str(expression), "has no value at this point")
        return point[expression]
    if expression.is_Add:
        return sum((evaluate(term, point) for term in expression.args), Fraction(0))
    if expression.is_Mul:
        value = Fraction(1)
        for factor in expression.args:
            value *= evaluate(factor, point)
        return value
    if expression.is_Pow:
        exponent = evaluate(expression.exp, point)
        if exponent.denominator == 1:
            return Fraction(evaluate(expression.base, point) ** int(exponent))
    raise NotExpandableError("expression", "must be rational at rational parameters", expression)


def cell(name: str, expression: Any, point: Point) -> Fraction:
    """`evaluate`, for the cell of a table with this name.

    Raises:
        UndefinedCellError: it divides by zero.
    """
    try:
        return evaluate(expression, point)
    except ZeroDivisionError:
        raise UndefinedCellError(name, "divides by zero at these parameters", expression) from None


def whole(name: str, expression: Any, point: Point) -> int:
    """The value of an expression that counts something.

    Raises:
        NotExpandableError: it is no positive whole number at this point.
    """
    value = cell(name, sympy.sympify(expression), point)
    if value.denominator != 1 or value < 1:
        raise NotExpandableError(name, "must be a positive whole number at every point", str(value))
    return int(value)


def exact(value: Any) -> Fraction:
    """A rational number, from Python or sympy.

    Raises:
        NotExpandableError: something else, such as a float.
    """
    if isinstance(value, int | Fraction):
        return Fraction(value)
    number = sympy.sympify(value)
    if not number.is_Rational:
        raise NotExpandableError("point", "must hold exact rational numbers", value)
    return Fraction(int(number.p), int(number.q))
