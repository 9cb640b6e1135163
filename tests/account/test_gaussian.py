"""The Gaussian mechanism: the analytic curve by another route, and where the classical one ends."""

from __future__ import annotations

import importlib
import math
from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from ldp_verified.analysis.account import (
    gaussian_classical_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
)
from ldp_verified.analysis.account.gaussian import _far, _phi
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


@pytest.mark.parametrize("sigma", [1e-6, 1e-3, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("d", [-60.0, -3.0, 0.0, 0.5, 5.0, 60.0])
def test_far_out_the_curve_is_the_same(sigma: float, d: float) -> None:
    """Both ways to evaluate it, where balls hold the factors of either."""
    with ctx.workprec(4000):
        a = 1 / arb(sigma)
        epsilon = a * (a / 2 + d)
        if epsilon >= 0:
            near = _phi(a / 2 - epsilon / a) - epsilon.exp() * _phi(-a / 2 - epsilon / a)
            assert _far(a, epsilon).overlaps(near)


@pytest.mark.parametrize("sigma", [1e-100, 1e-20, 1e-12, 2.5e-7, 1e-4, 1e-2])
@pytest.mark.parametrize("delta", [0.5, 1e-5, 1e-300])
def test_little_noise_has_a_huge_epsilon(sigma: float, delta: float) -> None:
    found = gaussian_epsilon(sigma, delta)
    assert gaussian_delta(found, sigma) <= delta
    assert found == pytest.approx(1 / sigma**2 / 2 + abs(norm.isf(delta)) / sigma, rel=1e-2)


@pytest.mark.parametrize("epsilon", [1e13, 1e25, 1e40, 1e300, 1e308])
@pytest.mark.parametrize("sigma", [1.0, 2.5e-7, 1e-10, 1e10, 1e-300])
def test_a_delta_is_found_at_any_epsilon(epsilon: float, sigma: float) -> None:
    """0 or 1 to all digits, but where epsilon is near 1/(2 sigma^2); rounded up, and never 0."""
    turn = 1 / sigma / sigma / 2
    found = gaussian_delta(epsilon, sigma)
    assert 0 < found <= 1
    if not 0.5 < epsilon / turn < 2:
        assert found == (1.0 if epsilon < turn else 5e-324)


@pytest.mark.parametrize("sensitivity", [1e-320, 1e-305, 1e-150, 1e150])
def test_sigma_is_as_small_as_the_sensitivity_allows(sensitivity: float) -> None:
    sigma = gaussian_sigma(1.0, 1e-3, sensitivity)
    assert gaussian_delta(1.0, sigma, sensitivity) <= 1e-3
    assert sigma / sensitivity == pytest.approx(gaussian_sigma(1.0, 1e-3), rel=1e-3)


def test_an_epsilon_beyond_all_doubles_is_refused() -> None:
    for sigma, sensitivity in ((1e-300, 1.0), (1.0, 1e300)):
        with pytest.raises(ParameterError, match=f"^sigma: must be larger .*, got {sigma}"):
            gaussian_epsilon(sigma, 1e-5, sensitivity)


def test_a_sigma_beyond_all_doubles_is_refused() -> None:
    """The error named delta, which was right; the classical sigma was infinite."""
    for find in (gaussian_sigma, gaussian_classical_sigma):
        for epsilon, delta, sensitivity in ((1e-300, 1e-300, 1e300), (0.5, 1e-5, 1e308)):
            with pytest.raises(ParameterError, match="sensitivity: must be smaller") as refused:
                find(epsilon, delta, sensitivity)
            assert str(sensitivity) in str(refused.value)
    assert gaussian_classical_sigma(1e-300, 1e-300, 1e-300) < 38


@pytest.mark.parametrize("arguments", [(-1.0, 1.0), (1.0, 0.0), (1.0, math.inf), (True, 1.0)])
def test_arguments_are_checked(arguments: tuple[float, float]) -> None:
    with pytest.raises(ParameterError):
        gaussian_delta(*arguments)
