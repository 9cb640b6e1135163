"""Balls around written expressions, against exact values and sympy's digits."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from sympy import E, Le, Max, Min, Rational, Symbol, erfc, exp, log, pi, sin, sqrt

from ldp_verified.check.claims import evaluate
from ldp_verified.errors import SpecError
from ldp_verified.run.realize.tables.balls import ball

x = Symbol("x")
AT = {x: Fraction(3, 2)}


@pytest.mark.parametrize(
    "expression",
    [
        x**2 - 1 / x,
        exp(x) / (exp(x) + 1),
        log(x) * sqrt(x) / sqrt(2),
        x ** Rational(2, 3),
        erfc(x / 2) + pi * E,
        Max(x, 1) - Min(x, 1),
    ],
)
def test_a_ball_holds_the_value(expression: sympy.Expr) -> None:
    found = evaluate.value(expression, AT)
    exact = Fraction(str(sympy.N(expression.subs(x, Rational(3, 2)), 30)))
    assert abs(float(found - ball(exact))) < 1e-12


def test_relations_are_decided_or_refused() -> None:
    assert evaluate.holds(exp(x) > 1 + x, AT)
    assert not evaluate.holds(exp(x) <= 1 + x, AT)
    assert evaluate.holds(Le(x, Rational(3, 2)), AT)
    with pytest.raises(SpecError, match="must be <="):
        evaluate.holds(sympy.Eq(x, 1), AT)
    with pytest.raises(ArithmeticError):
        evaluate.holds(log(exp(1) * x) <= 1 + log(x), AT)


def test_what_has_no_value_is_named() -> None:
    with pytest.raises(SpecError, match="every symbol"):
        evaluate.value(x + Symbol("y"), AT)
    with pytest.raises(SpecError, match="no value here"):
        evaluate.value(sin(x), AT)


def test_decimals() -> None:
    assert evaluate.decimal(1 / x, AT, 4) == "0.6667"
