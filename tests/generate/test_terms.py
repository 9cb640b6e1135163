"""Terms are exact text: run on numbers, it gives what sympy makes of the expression."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.generate.terms import HELPERS, term
from ldp_verified.protocols import exact_terms

a, b = sympy.symbols("a b", integer=True, nonnegative=True)
SPACE: dict[str, Any] = {name: getattr(exact_terms, name) for name in HELPERS}

TERMS = (
    sympy.floor(a / 2 ** (b + 1)),
    sympy.ceiling(a / 3) - b,
    sympy.Mod(a + 7 * b, 5),
    sympy.Min(a, b, 4) + sympy.Max(a, 2),
    sympy.Piecewise((a, a < b), (b**2, sympy.Or(sympy.Eq(a, b), a > 3)), (-1, True)),
    sympy.Piecewise(
        (1, sympy.And(a >= 1, sympy.Not(sympy.Eq(b, 2)))), (sympy.Rational(1, 3), True)
    ),
    sympy.Mod(sympy.floor(1234567 / sympy.Integer(3) ** a), 3),
)


@pytest.mark.parametrize("value", TERMS, ids=str)
def test_the_text_is_the_expression(value: Any) -> None:
    text = term(value, {a: "a", b: "b"}, "x")
    for p in range(5):
        for q in range(5):
            got = eval(text, SPACE | {"a": p, "b": q, "Fraction": Fraction})
            wanted = value.subs({a: p, b: q})
            assert sympy.Rational(Fraction(got).numerator, Fraction(got).denominator) == wanted


@pytest.mark.parametrize("value", [sympy.gamma(a + 1), sympy.sin(a), sympy.sqrt(a), sympy.pi, b])
def test_what_is_not_exact_is_refused(value: Any) -> None:
    with pytest.raises(SpecError, match="cannot be run exactly"):
        term(value, {a: "a"}, "x")


def test_pieces_end_with_one_that_holds_always() -> None:
    with pytest.raises(SpecError, match="must end with a piece that holds always"):
        term(sympy.Piecewise((a, a > 1)), {a: "a"}, "x")
