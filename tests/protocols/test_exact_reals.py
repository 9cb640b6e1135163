"""Logarithms and exponentials between two fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.exact_reals import Real, exp, log
from ldp_verified.protocols.exact_terms import at_least, at_most, ceiling, floor, mod, power, whole

HALF = Fraction(1, 2)


def _digits(value: Any) -> Fraction:
    shown = sympy.Rational(value.evalf(60))
    return Fraction(int(shown.p), int(shown.q))


@pytest.mark.parametrize(
    ("own", "exact"),
    [
        (log(2), sympy.log(2)),
        (exp(HALF), sympy.exp(sympy.S.Half)),
        (log(3 * (exp(1) + -1) + 1), sympy.log(3 * sympy.E - 2)),
        (power(log(2), 2) * -5, -5 * sympy.log(2) ** 2),
        (power(log(HALF), -3), sympy.log(sympy.S.Half) ** -3),
        (abs(log(HALF) + -HALF), sympy.log(2) + sympy.S.Half),
        (mod(exp(3), 3), sympy.exp(3) - 18),
        (max(0, log(5)), sympy.log(5)),
    ],
    ids=str,
)
def test_the_number_lies_between_its_ends(own: Any, exact: Any) -> None:
    shown = _digits(exact)
    assert own.lower - Fraction(1, 10**55) <= shown <= own.upper + Fraction(1, 10**55)
    assert own.upper - own.lower < Fraction(1, 10**80)
    assert at_most(own) < shown < at_least(own) == math.nextafter(at_most(own), math.inf)


def test_numbers_that_are_exact_stay_so() -> None:
    assert (log(1), exp(0)) == (0, 1)
    assert (floor(exp(3)), ceiling(exp(3))) == (20, 21)
    assert log(2) < HALF * 2 < exp(1)
    assert exp(1) > log(2)
    assert exp(1) != 3


def test_what_the_ends_do_not_decide_is_refused() -> None:
    one = log(exp(1))
    assert isinstance(one, Real)
    tries: tuple[Callable[[], Any], ...] = (
        lambda: floor(one),
        lambda: one >= 1,
        lambda: one == 1,
        lambda: whole("k", one),
        lambda: power(one + -1, -1),
        lambda: log(one + -1),
        lambda: log(0),
        lambda: exp(5000),
    )
    for undecided in tries:
        with pytest.raises(ParameterError, match="must"):
            undecided()
