"""Numbers that lie exactly where a decision flips: no ball decides them, exact arithmetic does."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.run.realize import Categories, Number, SingletonRandomizer
from ldp_verified.run.realize.tables.divergence import delta_of
from ldp_verified.run.realize.tables.formal import Formal

T = Formal.exponential()


def test_what_is_a_number_and_what_is_a_power() -> None:
    assert ((T + 1) / (2 * T + 2)).rational == Fraction(1, 2)
    assert (T**3 / (T * T)).power == 1
    assert (1 / T**2).power == -2
    assert (T / T).power == 0
    assert (2 * T).power is None
    assert (T + 1).rational is None
    assert (T - T).rational == 0
    with pytest.raises(ZeroDivisionError):
        _ = 1 / (T - T)


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 9), st.fractions(1, 9))
def test_it_is_arithmetic(a: int, b: int, c: int, place: Fraction) -> None:
    """The same formula in fractions and as a function of t, taken at a fraction."""

    def formula(t: Number) -> Number:
        return (a * t**2 - b) / (t + c) - 1 / t + (3 - t) * b

    ball = formula(T).at(arb(place.numerator) / place.denominator)
    wanted = formula(place)
    assert (ball - arb(wanted.numerator) / wanted.denominator).contains(0)


@dataclass(frozen=True, repr=False)
class Sly(SingletonRandomizer):
    """The worst ratio is e^eps for k <= 8, and larger from 9."""

    eps: float
    k: int
    categories: Categories | None = None
    epsilon: float = field(init=False)

    name: ClassVar[str] = "sly"
    law_sha256: ClassVar[str] = "0" * 64
    exponent: ClassVar[str | None] = "eps"
    cell_sizes: ClassVar[tuple[str, ...]] = ("k",)

    @staticmethod
    def cells(t: Number, k: Number) -> tuple[Number, Number]:
        more = (k - 2) * (k - 3) * (k - 4) * (k - 5) * (k - 6) * (k - 7) * (k - 8) / 10**9
        q = t / (1 + (k - 1) * t + more * t)
        return 1 - (k - 1) * q, q

    @staticmethod
    def support(inside: Number, outside: Number) -> tuple[Number, Number]:
        return inside, outside

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        return inside / outside


@dataclass(frozen=True, repr=False)
class Constant(Sly):
    """At k = 3 the lie is 1/6 whatever t is, so that k lies are exactly one half."""

    name: ClassVar[str] = "constant"

    @staticmethod
    def cells(t: Number, k: Number) -> tuple[Number, Number]:
        q = (1 + t) / (6 + 6 * t + (k - 3) * t)
        return 1 - (k - 1) * q, q


@dataclass(frozen=True, repr=False)
class Half(Sly):
    """The ratio is e^(eps/2) at k = 4: a power of t that is not t itself."""

    name: ClassVar[str] = "half"
    root: ClassVar[int] = 2

    @staticmethod
    def cells(t: Number, k: Number) -> tuple[Number, Number]:
        q = t / (1 + (k - 1) * t + (k - 4) * t / 10**6)
        return 1 - (k - 1) * q, q


@pytest.mark.parametrize("k", range(2, 9))
def test_a_ratio_of_exactly_e_to_a_double(k: int) -> None:
    made = Sly(eps=1.0, k=k)
    assert made.epsilon == 1.0
    assert made.realized_epsilon <= 1.0


def test_beyond_it_is_the_ratio_of_the_table() -> None:
    made = Sly(eps=1.0, k=9)
    assert made.epsilon == pytest.approx(math.log(math.e + 5040e-9), rel=1e-12)
    assert made.epsilon > 1.0


def test_cells_that_are_rational_numbers_at_some_size() -> None:
    made = Constant(eps=1.0, k=3)
    assert made.epsilon == pytest.approx(math.log(4))
    assert made.ideal.q == 1 / 6
    assert made.q >= Fraction(1, 6)


def test_a_power_of_the_exponential() -> None:
    assert Half(eps=3.0, k=4).epsilon == 1.5
    assert Half(eps=3.0, k=5).epsilon > 1.5


def test_a_delta_that_is_a_double() -> None:
    assert delta_of([(Fraction(1, 6), Fraction(0)), (Fraction(1, 3), Fraction(0))], 1.0) == 0.5
