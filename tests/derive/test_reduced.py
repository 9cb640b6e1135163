"""Rational functions in lowest terms are those that sympy finds, written alike."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.derive.rational import simple, value_at
from ldp_verified.derive.reduced import factored

a, u, k = sympy.symbols("a u k")
NUMBERS = st.fractions(-4, 4, max_denominator=3).map(sympy.Rational)
LEAVES = st.sampled_from([a, u, k]) | NUMBERS


def _power(drawn: tuple[Any, int]) -> Any:
    base, power = drawn
    return base if base == 0 else base**power


def _grown(smaller: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pair = st.tuples(smaller, smaller)
    powers = st.tuples(smaller, st.sampled_from([-2, -1, 2, 3])).map(_power)
    return pair.map(lambda p: p[0] + p[1]) | pair.map(lambda p: p[0] * p[1]) | powers


@given(st.recursive(LEAVES, _grown, max_leaves=9))
def test_it_is_what_sympy_factors(value: Any) -> None:
    found = factored(value)
    if found is None:
        point = {symbol: sympy.Rational(7 + i, 97) for i, symbol in enumerate((a, u, k))}
        assert not value.free_symbols or value_at(value, point) is None
        return
    wanted = sympy.factor(sympy.cancel(sympy.together(value)))
    assert found == wanted
    assert str(found) == str(wanted)


@pytest.mark.parametrize(
    "value",
    [
        sympy.exp(a),
        sympy.sqrt(a) + 1,
        sympy.Max(a, u),
        a**u,
        sympy.pi * a,
        sympy.Integer(3),
        3,
        None,
    ],
)
def test_what_is_no_rational_function_of_symbols_is_left_to_sympy(value: Any) -> None:
    assert factored(value) is None


def test_a_denominator_that_is_zero_everywhere_is_left_to_sympy() -> None:
    assert factored(sympy.Pow((a + 1) ** 2 - a**2 - 2 * a - 1, -1)) is None


def test_degrees_that_sympy_needs_minutes_for() -> None:
    product = sympy.prod([k - i for i in range(2, 9)]) ** 2
    late = product / (product + 1)
    value = ((u + k - 1) / (u - 1 + late * k)) ** 2 * (1 - late) / (k * u + late)
    again = factored(1 / factored(1 / value))
    point = {k: 11, u: sympy.Rational(7, 3)}
    assert again == factored(value)
    assert again.subs(point) == value.subs(point)


@pytest.mark.parametrize("size", [2**62, 2**63 - 1, 2**63, 2**64, 10**40])
@pytest.mark.parametrize("below", [1, a + u])
def test_numbers_of_any_size_are_factored(size: int, below: Any) -> None:
    """flint cannot order factors whose numbers exceed a word."""
    value = (a + size) * (a - size) * (size * u + 1) / below
    wanted = sympy.factor(sympy.cancel(value))
    for each in (value, sympy.expand((a + size) * (a - size) * (size * u + 1)) / below):
        assert simple(each) == wanted
    assert simple(1 / sympy.expand(value * below)) == sympy.factor(1 / (value * below))
