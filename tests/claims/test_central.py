"""Noise on databases: antiderivatives, and Gaussian noise by its curve and by quadrature."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import pytest
from sympy import Symbol

from ldp_verified.analysis.account.gaussian import _curve
from ldp_verified.check.claims import (
    Context,
    GaussianIs,
    GaussianTail,
    LaplaceMoment,
    LaplaceTail,
    RulingKind,
    central,
)
from ldp_verified.check.claims.central import antiderivative, gaussian_slope, integrated


@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_an_antiderivative_has_its_derivative(order: int) -> None:
    q = antiderivative(order)
    slope = [j * q[j] for j in range(1, len(q))] + [0]
    assert [a - b for a, b in zip(q, slope, strict=True)] == [0] * order + [1]
    assert q[0] == factorial(order)


@pytest.mark.parametrize(("coefficient", "kind"), [(2, RulingKind.PROVED), (3, RulingKind.REFUTED)])
def test_the_second_moment(coefficient: int, kind: RulingKind) -> None:
    found = LaplaceMoment(2, coefficient).decide(Context())
    assert found.kind is kind
    assert "antiderivative" in found.checkers


def test_tails_are_proved() -> None:
    for tail in (LaplaceTail(), GaussianTail()):
        assert tail.decide(Context()).kind is RulingKind.PROVED


def test_the_slope_of_a_polynomial_times_the_bell() -> None:
    assert gaussian_slope([1]) == [0, -1]
    assert gaussian_slope([0, 1]) == [1, 0, -1]
    assert gaussian_slope([2, 0, 3]) == [0, 4, 0, -3]


def test_a_wrong_slope_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(central, "gaussian_slope", lambda _: [0, 1])
    with pytest.raises(ArithmeticError, match="rises and then falls"):
        GaussianTail().decide(Context())


@pytest.mark.parametrize(("epsilon", "sigma"), [("1/2", "3"), ("2", "1/2"), ("5", "1")])
def test_curve_and_quadrature(epsilon: str, sigma: str) -> None:
    level, noise = Fraction(epsilon), Fraction(sigma)
    assert integrated(level, noise).overlaps(_curve(level, noise, Fraction(1)))


def test_too_little_noise_is_refuted_and_enough_is_only_checked() -> None:
    sigma, eps, delta = map(Symbol, ("sigma", "eps", "delta"))
    at = {eps: ("1/2",), delta: ("1/1000",)}
    little = GaussianIs(sigma, eps, delta, {sigma: ("1",), **at}).decide(Context())
    enough = GaussianIs(sigma, eps, delta, {sigma: ("9",), **at}).decide(Context())
    assert little.kind is RulingKind.REFUTED
    assert enough.kind is RulingKind.CHECKED
