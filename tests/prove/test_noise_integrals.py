"""Moments of normal and exponential noise by integration, against their closed forms."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified.prove.enumeration.noise_integrals import exponential_moments, normal_moments


@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(1), Fraction(50)])
@pytest.mark.parametrize("level", [Fraction(1, 3), Fraction(1), Fraction(5)])
def test_moments_of_normal_noise_are_between_narrow_bounds(
    level: Fraction, scale: Fraction
) -> None:
    (low, high), (least, most) = normal_moments(level, scale)
    assert low < level * scale < high
    assert least < level * scale**3 < most
    assert high - low < Fraction(1, 10**30) * scale * level
    assert most - least < Fraction(1, 10**30) * scale**3 * level


@pytest.mark.parametrize("scale", [Fraction(1, 7), Fraction(1), Fraction(999)])
@pytest.mark.parametrize("level", [Fraction(1, 3), Fraction(1), Fraction(5)])
def test_moments_of_exponential_noise_are_between_narrow_bounds(
    level: Fraction, scale: Fraction
) -> None:
    (low, high), (least, most) = exponential_moments(level, scale)
    assert low < 2 * level * scale < high
    assert least < 4 * level * scale**3 < most
    assert high - low < Fraction(1, 10**23) * scale * level
    assert most - least < Fraction(1, 10**23) * scale**3 * level
