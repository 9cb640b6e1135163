"""Constants and sizes in the number type of a formula."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from ldp_verified.run.realize.tables.numbers import convert, rational


def test_a_float_stays_a_float() -> None:
    third = rational(1, 3, 2.0)
    assert isinstance(third, float)
    assert third == 1 / 3


def test_a_fraction_stays_exact() -> None:
    assert rational(1, 3, Fraction(2)) == Fraction(1, 3)
    assert 1 / convert(3, Fraction(2)) == Fraction(1, 3)


def test_a_ball_contains_the_constant() -> None:
    third = rational(1, 3, arb(2))
    assert isinstance(third, arb)
    assert (third * 3).contains(1)
    assert not third.is_exact()
