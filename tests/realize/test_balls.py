"""Ball arithmetic decides rightly, or not at all."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.run.realize.tables import balls
from tests.realize import exact

RATIONALS = st.fractions(min_value=Fraction(1, 10**30), max_value=1, max_denominator=10**30)
WIDTHS = st.integers(1, 64)


@given(RATIONALS, WIDTHS)
def test_ceil_scaled_of_a_rational(value: Fraction, width: int) -> None:
    decided = balls.decide(lambda: balls.ceil_scaled(balls.ball(value), width))
    assert decided == max(1, math.ceil(value * 2**width))


@given(st.integers(1, 2**64 - 1))
def test_an_exact_threshold_is_kept(threshold: int) -> None:
    cell = Fraction(threshold, 2**64)
    assert balls.decide(lambda: balls.ceil_scaled(balls.ball(cell), 64)) == threshold


def test_a_ball_across_an_integer_is_not_decided() -> None:
    assert balls.ceil_scaled(arb(0.5, 1e-30), 64) is None


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 44.0, 700.0, 1e300])
def test_a_tiny_lie_is_rounded_up_to_one_never_to_zero(epsilon: float) -> None:
    decided = balls.decide(lambda: balls.ceil_scaled((-arb(epsilon)).exp() / 2**80, 64))
    assert decided == 1


@given(st.floats(min_value=1e-300, max_value=700))
def test_floats_of_an_exponential(epsilon: float) -> None:
    near = balls.decide(lambda: balls.nearest_float((-balls.ball(epsilon)).exp()))
    above = balls.decide(lambda: balls.upper_float((-balls.ball(epsilon)).exp()))
    truth = exact.exp(-epsilon)
    assert near == float(truth)
    assert Fraction(math.nextafter(above, -math.inf)) < truth <= Fraction(above)


def test_a_number_below_every_double_is_zero_and_not_negative() -> None:
    zero = balls.decide(lambda: balls.nearest_float(-(-arb(1e5)).exp()))
    assert zero == 0
    assert math.copysign(1, zero) == 1


@given(RATIONALS)
def test_round_up_gives_the_smallest_double_not_below(value: Fraction) -> None:
    rounded = balls.round_up(value)
    assert Fraction(math.nextafter(rounded, 0)) < value <= Fraction(rounded)


@given(RATIONALS, st.floats(min_value=0, max_value=1))
def test_at_most_compares_exactly(value: Fraction, bound: float) -> None:
    # Equality of an inexact ball with its bound is undecidable: only dyadic values reach it.
    if value != Fraction(bound):
        decided = balls.decide(lambda: balls.at_most(balls.ball(value), bound))
        assert decided == (value <= Fraction(bound))


def test_precision_grows_until_the_answer_is_known() -> None:
    tried = []

    def attempt() -> int | None:
        tried.append(ctx.prec)
        return ctx.prec if ctx.prec >= 500 else None

    before = ctx.prec
    assert balls.decide(attempt) == 512
    assert tried == [128, 256, 512]
    assert ctx.prec == before


def test_what_no_precision_decides_is_an_error_and_restores_the_precision() -> None:
    before = ctx.prec
    with pytest.raises(ArithmeticError, match="65536 bits"):
        balls.decide(lambda: balls.at_most(arb(1) / 3 * 3, 1.0))
    assert ctx.prec == before


def test_an_unbounded_ball_has_no_float() -> None:
    assert balls.nearest_float(1 / arb(0, 1)) is None
    assert balls.upper_float(1 / arb(0, 1)) is None
