"""Bounds stand beside the parameters that the table is made of."""

from __future__ import annotations

import pytest
from sympy import Rational, exp, log

from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, real
from ldp_verified.language.exponents import ExponentialNumber, beside, stated
from tests.broken.exponents import g, half, table

eps = real("eps", above=0)
u = exp(eps)
OF_EPS = Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]])


def test_an_epsilon_of_the_tables_own_parameters() -> None:
    assert beside(table(g), LDP(3 * g)) == ExponentialNumber(1, 3 * g)
    assert beside(table(g), LDP(log(2) + g**2)) == ExponentialNumber(2, g**2)
    assert beside(table(g), LDP(1)) == ExponentialNumber(1, 1)
    third = Rational(1, 3)
    assert [value for _, value in stated(table(g), LDP(g + third))] == [1, g + third]


def test_what_is_a_rational_function_needs_none() -> None:
    assert beside(table(g), LDP(log((half + g) / (half - g)))) is None
    assert beside(table(g), LDP(0)) is None
    assert beside(OF_EPS, LDP(2 * eps)) is None
    assert beside(table(g), LDP(eps)) is None  # A free epsilon, which the table does not hold.
    assert beside(table(g), LDP(g, delta=g)) is None
    assert beside(table(g), Unbiased()) is None


def test_the_epsilon_of_a_table_stays_in_its_generator() -> None:
    assert beside(OF_EPS, LDP(eps**2)) is None
    with pytest.raises(SpecError, match="may enter only as exp"):
        Mechanism("m", parameters=[eps], table=OF_EPS, claims=[LDP(eps**2)])


@pytest.mark.parametrize("epsilon", [g * half**half, log(1 + exp(g))])
def test_what_is_neither_is_refused(epsilon: object) -> None:
    with pytest.raises(SpecError):
        Mechanism("m", parameters=[g], table=table(g), claims=[LDP(epsilon)])
