"""The Gaussian mechanism: the analytic curve by another route, and where the classical one ends."""

from __future__ import annotations

import importlib
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from ldp_verified.analysis.account import (
    gaussian_classical_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
)
from ldp_verified.errors import ParameterError

# It has no types.
privacy_loss_distribution: Any = importlib.import_module(
    "dp_accounting.pld.privacy_loss_distribution"
)


@given(st.floats(0, 4), st.floats(0.3, 5))
def test_the_curve_is_the_integral(epsilon: float, sigma: float) -> None:
    # The two densities cross once, where the loss is epsilon: at sigma^2 epsilon + 1/2.
    def density(y: float) -> float:
        return math.exp(-((y / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))

    def excess(y: float) -> float:
        return density(y - 1) - math.exp(epsilon) * density(y)

    turn = sigma**2 * epsilon + 0.5
    value, error = quad(excess, turn, turn + 40 * sigma, epsabs=1e-13, limit=200)
    assert gaussian_delta(epsilon, sigma) == pytest.approx(value, abs=error + 1e-10)


@given(st.floats(0.01, 20), st.floats(1e-9, 0.1))
def test_the_calibrated_sigma_has_its_delta_and_little_more_noise(
    epsilon: float, delta: float
) -> None:
    sigma = gaussian_sigma(epsilon, delta)
    assert gaussian_delta(epsilon, sigma) <= delta
    assert gaussian_delta(epsilon, sigma * (1 - 1e-9)) > delta
    assert gaussian_epsilon(sigma, delta) <= epsilon * (1 + 1e-9)


@given(st.floats(0.01, 0.99), st.floats(1e-9, 0.1))
def test_the_classical_sigma_is_enough_where_it_is_a_theorem(epsilon: float, delta: float) -> None:
    assert gaussian_delta(epsilon, gaussian_classical_sigma(epsilon, delta)) <= delta


def test_the_classical_formula_fails_beyond() -> None:
    """Said to hold for every eps > 0 in lecture notes; at eps = 10 it does not."""
    delta = 1e-5
    sigma = math.sqrt(2 * math.log(1.25 / delta)) / 10
    assert gaussian_delta(10.0, sigma) > 2 * delta
    with pytest.raises(ParameterError, match="no theorem"):
        gaussian_classical_sigma(10.0, delta)
    # With that right-hand side for the variance (a misprint for sigma) it fails at eps = 1/2 too.
    variance = math.sqrt(2 * math.log(1.25 / delta)) / 0.5
    assert gaussian_delta(0.5, math.sqrt(variance)) > 10 * delta


def test_the_other_library_agrees() -> None:
    theirs = privacy_loss_distribution.from_gaussian_mechanism(2.0)
    for epsilon in (0.1, 0.5, 1.0):
        assert gaussian_delta(epsilon, 2.0) == pytest.approx(
            theirs.get_delta_for_epsilon(epsilon), rel=1e-3, abs=1e-6
        )


def test_sensitivity_scales() -> None:
    assert gaussian_sigma(1.0, 1e-6, 3.0) == pytest.approx(3 * gaussian_sigma(1.0, 1e-6), rel=1e-9)


@pytest.mark.parametrize("arguments", [(-1.0, 1.0), (1.0, 0.0), (1.0, math.inf), (True, 1.0)])
def test_arguments_are_checked(arguments: tuple[float, float]) -> None:
    with pytest.raises(ParameterError):
        gaussian_delta(*arguments)
