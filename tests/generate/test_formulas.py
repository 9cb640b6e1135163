"""Formulas as text: the text is what was meant, in every number type."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import LdpError
from ldp_verified.generate.formulas import Function, equal, function, prove
from ldp_verified.language import Domain

t, k = sympy.symbols("t k", positive=True)
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
DOMAINS = {t: Domain(ZERO, ONE, True, True), k: Domain(sympy.Integer(2), integer=True)}


def written(*values: Any, main: tuple[Any, ...] = (t,)) -> list[str]:
    """The body of a function of t and k."""
    return list(function("made", [t, k], values, main, DOMAINS).body)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / (1 + (k - 1) * t), "1 / (1 + (k - 1) * t)"),
        (t / (k * t + 1 - t), "t / (1 + (k - 1) * t)"),
        (1 - t, "1 - t"),
        (-1 / (t - 1), "1 / (1 - t)"),
        ((1 + 2 * t) / 2, "(1 + 2 * t) / 2"),
        ((1 - t) ** 2 / t**2, "(1 - t) ** 2 / t**2"),
        (t * (1 - t) / k, "t * (1 - t) / k"),
        (t / (k * (1 - t)), "t / (k * (1 - t))"),
        (3 * t, "3 * t"),
        (1 / k, "1 / k"),
        (k - 1 + sympy.Integer(0), "k - 1"),
        (sympy.Rational(1, 2), "rational(1, 2, t)"),
        (sympy.Integer(1), "rational(1, 1, t)"),
        (-t, "-1 * t"),
    ],
)
def test_how_formulas_are_written(value: Any, text: str) -> None:
    assert written(value) == [f"return {text}"]


def test_a_common_denominator_is_written_once() -> None:
    total = 1 + (k - 1) * t
    assert written(1 / total, t / total) == [
        "total = 1 + (k - 1) * t",
        "return 1 / total, t / total",
    ]
    assert written(1 - t, k * t) == ["return 1 - t, t * k"]


COEFFICIENTS = st.integers(-3, 3)
POLYNOMIALS = st.lists(st.lists(COEFFICIENTS, min_size=1, max_size=2), min_size=1, max_size=3).map(
    lambda rows: sum(c * t**i * k**j for i, row in enumerate(rows) for j, c in enumerate(row))
)


@settings(max_examples=20)
@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
def test_the_text_evaluates_to_the_expression(one: Any, other: Any, bottom: Any) -> None:
    if sympy.expand(bottom) == 0:
        return
    values = (one / bottom, other / bottom)
    made = function("made", [t, k], values, [t], DOMAINS)
    point = {t: sympy.Rational(2, 7), k: sympy.Integer(11)}
    exact = [value.subs(point) for value in values]
    if all(value.is_finite for value in exact):
        results = made.on_symbols({"t": Fraction(2, 7), "k": Fraction(11)})
        assert [Fraction(str(result)) for result in results] == [Fraction(str(e)) for e in exact]


@pytest.mark.parametrize(
    "line", ["return t / (1 + k * t)", "return 1 / (1 + (k - 1) * t)", "return t"]
)
def test_a_wrong_text_is_not_accepted(line: str) -> None:
    wrong = Function("made", ("t", "k"), (line,), 1)
    with pytest.raises(LdpError, match="was printed as"):
        prove(wrong, {"t": t, "k": k}, [t / (1 + (k - 1) * t)])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ((t**2 - 1) / (t - 1), t + 1, True),
        (t + 1, t + 1 + sympy.Rational(1, 10**30), False),
        (t, k, False),
        (sympy.Rational(1, 3), sympy.Rational(2, 6), True),
        (sympy.Rational(1, 3), sympy.Rational(1, 3) + sympy.Rational(1, 10**40), False),
        (1 / (1 - t) - 1 / (1 - t), ZERO, True),
    ],
)
def test_equality_is_decided_by_polynomials(one: Any, other: Any, same: bool) -> None:
    assert equal(one, other) is same


def test_unused_arguments_are_known() -> None:
    assert Function("made", ("t", "k"), ("total = 1 + t", "return 1 / total"), 1).unused == ("k",)
    assert Function("made", ("t", "k"), ("return rational(1, 2, t)",), 1).unused == ("k",)
