"""Kinds of noise and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_verified.analysis.central import (
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    Sensitivity,
    StaircaseNoise,
    TruncatedGeometricNoise,
)
from ldp_verified.analysis.central.neighbours import Neighbours
from ldp_verified.analysis.utility import geometric_mass
from ldp_verified.errors import ParameterError


@pytest.mark.parametrize("epsilon", [0, -1.0, float("nan"), float("inf"), True, "1"])
@pytest.mark.parametrize("kind", [GeometricNoise, LaplaceNoise, StaircaseNoise])
def test_an_epsilon_that_is_none_is_refused(kind: Any, epsilon: Any) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        kind(epsilon)


@pytest.mark.parametrize("delta", [0, 1.0, -1e-3, 1e-30, True, "1"])
def test_a_delta_that_is_none_is_refused(delta: Any) -> None:
    with pytest.raises(ParameterError, match="delta"):
        GaussianNoise(1.0, delta)


def test_laplace_noise_has_512_points_to_a_scale_where_there_is_room() -> None:
    assert LaplaceNoise(1.0).law(Sensitivity.of_number(1)).fine == 512
    assert LaplaceNoise(1.0).law(Sensitivity.of_number(100)).fine == 6
    assert LaplaceNoise(1.0).law(Sensitivity.of_number(1 << 20)).fine == 1
    assert LaplaceNoise(0.001).law(Sensitivity.of_number(1)).fine == 1


@pytest.mark.parametrize("total", [1, 3, 1 << 20])
@pytest.mark.parametrize("kind", [GeometricNoise, LaplaceNoise, StaircaseNoise])
def test_any_large_epsilon_has_a_law(kind: Any, total: int) -> None:
    law = kind(1.7e308).law(Sensitivity.of_number(total))
    assert law.variance < 1
    most = LaplaceNoise(1.7e308).law(Sensitivity.of_number(total)).fine
    assert most == LaplaceNoise(float(1 << 20)).law(Sensitivity.of_number(total)).fine


@pytest.mark.parametrize("value", range(5))
def test_truncated_noise_is_the_truncated_geometric_mechanism(value: int) -> None:
    """Answers within 0..4, and all beyond an end put on it: as the tail bounds have the law."""
    law = TruncatedGeometricNoise(1.0).law(Sensitivity.of_number(1))
    expected = geometric_mass(1 / law.alpha, value, 0, 4)
    inside = [law.pmf(y - value) for y in range(5)]
    beyond = law.alpha / (1 + law.alpha)
    below = beyond * law.alpha**value
    above = beyond * law.alpha ** (4 - value)
    assert expected == (inside[0] + below, *inside[1:4], inside[4] + above)


@pytest.mark.parametrize("given", [(0, 0, 0), (1, 2, 1), (2, 1, 3), (1, -1, 1), (1, 1.0, 1)])
def test_a_sensitivity_that_is_none_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="sensitivity"):
        Sensitivity(*given)


@pytest.mark.parametrize("given", ["bounded", None, 1, ""])
def test_unknown_neighbours_are_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="'add-remove' or 'replace'"):
        Neighbours.of(given)
