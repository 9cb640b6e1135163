"""Exact arithmetic of generated protocols."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.exact_terms import at_least, at_most, ceiling, floor, mod, power, whole


def test_powers_are_exact() -> None:
    assert power(3, 40) == 3**40
    assert power(2, -3) == Fraction(1, 8)
    assert power(Fraction(2, 3), 2) == Fraction(4, 9)
    with pytest.raises(ParameterError, match="exponent: must be a whole number"):
        power(2, Fraction(1, 2))
    with pytest.raises(ParameterError, match="exponent: must leave a power of at most 65536 bits"):
        power(2, 1 << 40)


def test_rounding_is_outwards() -> None:
    third = Fraction(1, 3)
    assert Fraction(at_most(third)) < third < Fraction(at_least(third))
    assert at_least(third) == math.nextafter(at_most(third), 1)
    assert at_most(Fraction(1, 2)) == at_least(Fraction(1, 2)) == 0.5


def test_whole_numbers() -> None:
    assert (floor(Fraction(-1, 2)), ceiling(Fraction(1, 2)), mod(-1, 3)) == (-1, 1, 2)
    assert whole("x", Fraction(4, 2)) == 2
    with pytest.raises(ParameterError, match="x: must be a whole number"):
        whole("x", Fraction(1, 2))
