"""Parameters outside their domain are refused by name."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import (
    RationalParameter,
    check_ends,
    check_epsilon,
    check_integer,
    check_share,
    number_or_text,
)

GAMMA = RationalParameter("gamma", "0 < gamma < 1/2", lambda own: 0 < own["gamma"] < Fraction(1, 2))

NO_EPSILON = [
    np.timedelta64(1), np.timedelta64(1, "s"),
    0, 0.0, -1.0, float("nan"), float("inf"), -float("inf"), True, False, np.True_, "1", None,
    1 + 0j, Fraction(1, 3), [1.0], np.array([1.0]), 10**400, 2**53 + 1,
]  # fmt: skip


@pytest.mark.parametrize("value", NO_EPSILON, ids=repr)
def test_what_is_no_epsilon(value: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        check_epsilon(value)


@pytest.mark.parametrize("value", [1, 1.0, np.float64(1), np.float32(1), np.int8(1)], ids=repr)
def test_an_epsilon_becomes_a_double(value: float) -> None:
    result = check_epsilon(value)
    assert type(result) is float
    assert result == 1.0


@pytest.mark.parametrize("value", [1, 11, 2.0, True, np.True_, "2", None, Fraction(2)], ids=repr)
def test_what_is_no_integer_in_range(value: object) -> None:
    with pytest.raises(ParameterError, match=r"k: must be an integer in 2\.\.10, got"):
        check_integer("k", value, 2, 10)


@pytest.mark.parametrize("value", [2, 10, np.int16(5)], ids=repr)
def test_an_integer_in_range(value: int) -> None:
    result = check_integer("k", value, 2, 10)
    assert type(result) is int
    assert result == value


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), True, "0", None], ids=repr)
def test_what_is_no_share(value: object) -> None:
    with pytest.raises(ParameterError, match="f: "):
        check_share("f", value)


@pytest.mark.parametrize("value", [0, 1, 0.1, Fraction(1, 3), np.float32(0.5)], ids=repr)
def test_a_share_keeps_its_exact_value(value: float) -> None:
    assert check_share("f", value) == value


@pytest.mark.parametrize(
    "value", [0, 0.5, -0.1, 0.6, float("nan"), float("inf"), True, "0.1", None], ids=repr
)
def test_what_is_outside_the_open_range(value: object) -> None:
    with pytest.raises(ParameterError, match="0 < gamma < 1/2"):
        GAMMA.check(value, {})


@pytest.mark.parametrize("value", [0.1, 5e-324, Fraction(1, 3), np.float32(0.25)], ids=repr)
def test_the_exact_value_inside_the_open_range(value: float) -> None:
    assert GAMMA.check(value, {}) == value


ORDERED = RationalParameter("one", "zero < one < 1", lambda own: own["zero"] < own["one"] < 1)
COUNT = RationalParameter("omega", "1 <= omega <= k - 1", lambda own: own["omega"] < own["k"], True)
ANY = RationalParameter("a", "", lambda _own: True)


def test_a_domain_may_depend_on_parameters_before() -> None:
    assert ORDERED.check(0.5, {"zero": Fraction(1, 3), "k": Fraction(4)}) == Fraction(1, 2)
    with pytest.raises(ParameterError, match=r"zero < one < 1, where zero = 1/3, got 0\.25"):
        ORDERED.check(0.25, {"zero": Fraction(1, 3), "k": Fraction(4)})
    with pytest.raises(ParameterError, match=r"where zero = 0\.1, got"):
        ORDERED.check(0, {"zero": Fraction(0.1)})


def test_an_integer_parameter_takes_no_fraction() -> None:
    assert COUNT.check(2, {"k": Fraction(4)}) == 2
    for wrong in (2.5, 4, True, "2"):
        with pytest.raises(ParameterError, match="omega: must be an integer with 1 <= omega"):
            COUNT.check(wrong, {"k": Fraction(4)})


def test_a_parameter_without_bounds_is_still_a_number() -> None:
    assert ANY.check(-3.5, {}) == Fraction(-7, 2)
    with pytest.raises(ParameterError, match="a: must be a number, got nan"):
        ANY.check(float("nan"), {})


@pytest.mark.parametrize("value", ["one", "", "1/0", "nan", "inf", None, True, b"1", [1]], ids=repr)
def test_what_is_neither_a_number_nor_the_text_of_one(value: object) -> None:
    assert number_or_text(value) is None


@pytest.mark.parametrize("value", ["1/10", "0.1", " 1e-1 ", Fraction(1, 10)], ids=repr)
def test_a_text_is_a_decimal_or_a_fraction(value: object) -> None:
    assert number_or_text(value) == Fraction(1, 10)
    assert number_or_text(0.1) == Fraction(0.1)


def test_ends_are_exact_and_their_difference_is_what_doubles_can_square() -> None:
    third = Fraction(1, 3)
    assert check_ends("low, high", "must be so", third, np.float32(0.5)) == (third, Fraction(1, 2))
    low: object
    high: object
    for low, high in ((1, 1), (2, 1), (0, float("nan")), (True, 2), ("0", 1)):
        with pytest.raises(ParameterError, match=r"^low, high: must be so, got"):
            check_ends("low, high", "must be so", low, high)
    for low, high in ((0, 10**141), (0.0, 5e-324), (0, 1 << 1001)):
        with pytest.raises(ParameterError, match=r"^low, high: must have a difference in 1e-140"):
            check_ends("low, high", "must be so", low, high)
