"""Exact values of expressions at exact points: a walk over the tree, nothing simplified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


class NoStructureError(NotExpandableError):
    """There is no structure, and so no table, at the given parameter values.

    A size is no positive whole number, the structure exists for other sizes only (a field, for a
    prime), or what the sizes determine has another value. Nothing is claimed there.
    """

    code = "LDPE-EXPAND"


class UndefinedCellError(SpecError):
    """A cell of the table divides by zero at the given parameter values."""

    code = "LDPE-CELL"


Others = Callable[[Any, Point], Fraction]
"""The value of an expression that is no sum, product or power of such."""


def evaluate(expression: Any, point: Point, others: Others | None = None) -> Fraction:
    """The exact value of a rational expression.

    Args:
        expression: of rational numbers, symbols, sums, products and whole powers.
        point: values of symbols.
        others: finds what anything else in it is.

    Raises:
        NotExpandableError: a symbol without a value, or a number that is not rational.
        ZeroDivisionError: a denominator vanishes.
    """
    return Fraction(*_quotient(expression, point, others))


def _quotient(expression: Any, point: Point, others: Others | None) -> tuple[int, int]:
    """The value as a numerator and a denominator, with whatever they have in common.

    To cancel once at the end takes a third of the time that cancelling at every step takes.
    """
    if expression.is_Rational:
        return int(expression.p), int(expression.q)
    if expression.is_Symbol:
        if expression not in point:
            raise NotExpandableError(str(expression), "has no value at this point")
        return point[expression].as_integer_ratio()
    if expression.is_Add:
        above, below = 0, 1
        for term in expression.args:
            p, q = _quotient(term, point, others)
            above, below = (above + p, q) if q == below else (above * q + p * below, below * q)
        return above, below
    if expression.is_Mul:
        above, below = 1, 1
        for factor in expression.args:
            p, q = _quotient(factor, point, others)
            above, below = above * p, below * q
        return above, below
    if expression.is_Pow:
        exponent = evaluate(expression.exp, point, others)
        if exponent.denominator == 1:
            above, below = _quotient(expression.base, point, others)
            power = int(exponent)
            if power >= 0:
                return above**power, below**power
            if above == 0:
                raise ZeroDivisionError
            return below**-power, above**-power
    elif others is not None:
        return others(expression, point).as_integer_ratio()
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
        NoStructureError: it is no positive whole number at this point.
        NotExpandableError: a symbol in it has no value.
    """
    value = cell(name, sympy.sympify(expression), point)
    if value.denominator != 1 or value < 1:
        raise NoStructureError(name, "must be a positive whole number at every point", str(value))
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
