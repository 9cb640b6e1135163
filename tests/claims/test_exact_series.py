"""The series of e^x encloses it, and agrees with balls about inequalities."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Symbol, exp, log

from ldp_verified.check.claims import evaluate, exact_series
from ldp_verified.errors import SpecError
from ldp_verified.run.realize.tables.balls import ball, decide

x = Symbol("x")
numbers = st.fractions(-20, 20, max_denominator=50)


@given(numbers)
def test_the_exponential_is_enclosed(value: Fraction) -> None:
    low, high = exact_series.exponential(value)
    exact = decide(lambda: ball(value).exp())
    assert not exact < ball(low)
    assert not exact > ball(high)
    assert low <= Fraction(exact.str(30, radius=False)) + Fraction(1, 10**12)
    assert high - low < Fraction(1, 10**9)


@given(st.fractions(Fraction(1, 10), 10, max_denominator=20))
def test_both_evaluations_agree(value: Fraction) -> None:
    for relation in (exp(x) >= 1 + x, exp(x) / (exp(x) + 1) <= x, exp(-x) * x > x**2):
        point = {x: value}
        assert exact_series.holds(relation, point) in (None, evaluate.holds(relation, point))


def test_other_functions_are_refused() -> None:
    with pytest.raises(SpecError):
        exact_series.holds(log(x) < 1, {x: Fraction(2)})
    with pytest.raises(SpecError):
        evaluate.value(x, {})
