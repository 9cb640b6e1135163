"""Moments, tails and masses of noise, against each other and against sums."""

from __future__ import annotations

from fractions import Fraction

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


def test_bad_noise_is_named() -> None:
    with pytest.raises(ParameterError, match="level"):
        geometric_mass(Fraction(1), 0, 0, 1)
    with pytest.raises(ParameterError, match="value"):
        geometric_mass(Fraction(2), 3, 0, 1)
    with pytest.raises(ParameterError, match="scale"):
        laplace_moment(1, Fraction(0))
