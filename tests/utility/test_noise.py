"""Moments, tails and masses of noise, against each other and against sums."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from ldp_verified.analysis.utility import (
    gaussian_tail,
    geometric_mass,
    laplace_moment,
    laplace_tail,
)
from ldp_verified.analysis.utility.noise import laplace_moment_integral
from ldp_verified.errors import ParameterError


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_laplace_moments_are_those_of_the_density(order: int) -> None:
    scale = Fraction(3, 2)
    found = laplace_moment_integral(order, scale)
    assert abs(float(found.mid()) - float(laplace_moment(order, scale))) < 1e-9


def test_tails() -> None:
    assert float(laplace_tail(Fraction(2)).mid()) == pytest.approx(0.1353352832366127)
    assert float(gaussian_tail(Fraction(2)).mid()) == pytest.approx(0.04550026389635842)


@pytest.mark.parametrize("value", [0, 2, 5])
def test_truncated_geometric_noise_is_a_distribution_and_private(value: int) -> None:
    level = Fraction(2)
    masses = geometric_mass(level, value, 0, 5)
    assert sum(masses) == 1
    for other in (value - 1, value + 1):
        if 0 <= other <= 5:
            pairs = zip(masses, geometric_mass(level, other, 0, 5), strict=True)
            assert max(p / q for p, q in pairs) == level


def test_a_moment_is_exact_at_floats() -> None:
    found = laplace_moment(3, 0.1)
    assert type(found) is Fraction
    assert found == 6 * Fraction(0.1) ** 3
    assert geometric_mass(2.0, 0, 0, 1) == geometric_mass(Fraction(2), 0, 0, 1)


@pytest.mark.parametrize("times", [Fraction(-1), -1e-300, math.nan, math.inf, "1", None])
@pytest.mark.parametrize("tail", [laplace_tail, gaussian_tail])
def test_no_error_is_below_0(tail: Any, times: Any) -> None:
    """Below 0 the formulas give more than 1, which is no probability."""
    with pytest.raises(ParameterError, match="times"):
        tail(times)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((math.inf, 0, 0, 2), "level"),
        ((math.nan, 0, 0, 2), "level"),
        (("x", 0, 0, 2), "level"),
        ((2, 0.5, 0, 2), "value"),
        ((2, 0, "0", 2), "low"),
        ((2, 0, 0, math.inf), "high"),
    ],
)
def test_masses_of_what_is_no_number_are_refused(arguments: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        geometric_mass(*arguments)


def test_bad_noise_is_named() -> None:
    with pytest.raises(ParameterError, match="level"):
        geometric_mass(Fraction(1), 0, 0, 1)
    with pytest.raises(ParameterError, match="value"):
        geometric_mass(Fraction(2), 3, 0, 1)
    with pytest.raises(ParameterError, match="scale"):
        laplace_moment(1, Fraction(0))
