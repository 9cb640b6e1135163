"""Exact values at points are those that sympy's own substitution finds."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import sympy

from ldp_verified.prove.enumeration.exact_points import number_at

if TYPE_CHECKING:
    import numpy as np

x, y = sympy.symbols("x y", integer=True)

EXPRESSIONS: list[Any] = [
    *(x, x + 2 * y - sympy.Rational(1, 3), x**2 * y, x / 7, 2**x, (x + y) ** -2),
    *(sympy.Mod(x, 3), sympy.Mod(x - 9, 4), sympy.Mod(sympy.floor(x / 2**y), 2)),
    *(sympy.floor(x / 3), sympy.floor((x - 8) / 3), sympy.ceiling(x / 5)),
    *(sympy.factorial(x + 1), sympy.binomial(x, y), sympy.KroneckerDelta(x, y)),
    *(sympy.Min(x, y, 3), sympy.Max(x, 2 * y), sympy.Abs(x - y)),
    sympy.Piecewise((x, x < y), (y + 1, sympy.Eq(sympy.Mod(x, 2), 0)), (7, True)),
    sympy.Piecewise(
        (1, sympy.And(x > 1, sympy.Ne(y, 2))), (0, sympy.Or(x <= 0, y >= 3)), (2, True)
    ),
    sympy.Piecewise((x, sympy.Not(sympy.Or(x < 2, y < 2))), (-x, True)),
    sympy.Piecewise((1 / (x - 3), sympy.Ne(x, 3)), (0, True)),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_it_is_what_substitution_gives(expression: Any) -> None:
    for first in range(1, 6):
        for second in range(1, 5):
            point = {x: Fraction(first), y: Fraction(second)}
            found = expression.subs({x: first, y: second}, simultaneous=True)
            assert number_at(expression, point) == Fraction(int(found.p), int(found.q))


def test_larger_expressions_are_what_substitution_gives(rng: np.random.Generator) -> None:
    """Sums, products, remainders, whole parts and cases, put together at random."""

    def made(depth: int) -> Any:
        if depth == 0:
            return [x, y, sympy.Integer(int(rng.integers(1, 6)))][int(rng.integers(3))]
        one, two = made(depth - 1), made(depth - 1)
        return [
            lambda: one + two,
            lambda: one * two,
            lambda: sympy.Mod(one, int(rng.integers(2, 7))),
            lambda: sympy.floor(one / int(rng.integers(2, 7))),
            lambda: sympy.Piecewise((one, one < two), (two + 1, True)),
            lambda: sympy.Max(one, two),
        ][int(rng.integers(6))]()

    for _ in range(60):
        expression = made(3)
        first, second = (int(each) for each in rng.integers(0, 9, 2))
        found = sympy.sympify(expression).subs({x: first, y: second}, simultaneous=True)
        assert number_at(expression, {x: Fraction(first), y: Fraction(second)}) == int(found)


@pytest.mark.parametrize(
    "expression", [x + y, sympy.sqrt(x), sympy.exp(x), sympy.pi * x, 1 / (x - 2), sympy.Symbol("z")]
)
def test_what_is_not_exact_or_not_known_has_no_value(expression: Any) -> None:
    assert number_at(expression, {x: Fraction(2)}) is None
