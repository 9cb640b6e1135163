"""Thresholds: the two probabilities are Laplace tails, and no other threshold has less variance."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, nextafter

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import laplace

from ldp_verified import OUE
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import best_threshold, threshold_encoding

EPSILONS = [1e-3, 0.1, 1.0, 4.0, 20.0]


def variance_at(theta: float, epsilon: float) -> float:
    """At f = 0, of thresholded Laplace noise: q (1 - q)/(p - q)^2."""
    noise = laplace(scale=2 / epsilon)
    p, q = noise.sf(theta - 1), noise.sf(theta)
    return float(q * (1 - q) / (p - q) ** 2)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("theta", [0.25, 0.5, 0.75, 1, Fraction(1, 3)])
def test_probabilities_are_tails_of_laplace_noise(epsilon: float, theta: float) -> None:
    made = threshold_encoding(epsilon, 5, theta)
    noise = laplace(scale=2 / epsilon)
    assert float(made.p) == pytest.approx(float(noise.sf(float(theta) - 1)), rel=1e-12)
    assert float(made.q) == pytest.approx(float(noise.sf(float(theta))), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 20.0])
def test_the_best_threshold_is_found_by_search_too(epsilon: float) -> None:
    low, high = best_threshold(epsilon)
    assert low <= high <= nextafter(low, 1.0)
    assert low > 0.5
    assert high < 1
    found = minimize_scalar(
        variance_at, bounds=(0.3, 1.2), args=(epsilon,), method="bounded", options={"xatol": 1e-9}
    )
    assert low == pytest.approx(float(found.x), abs=1e-5)
    for theta in np.linspace(-1, 2, 301):
        assert variance_at(float(theta), epsilon) >= variance_at(low, epsilon) * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1.0, 44.0, 700.0])
def test_the_corners(epsilon: float) -> None:
    low, high = best_threshold(epsilon)
    assert 0.5 <= low <= high < 1
    made = threshold_encoding(epsilon, 3)
    assert made.realized_epsilon <= made.epsilon < epsilon
    assert made.saturated == (epsilon > 100)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("theta", [None, 0.3, 1])
def test_bits_are_more_private_than_the_noisy_numbers(epsilon: float, theta: float | None) -> None:
    made = threshold_encoding(epsilon, 4, theta)
    share = best_threshold(epsilon)[0] if theta is None else theta
    kept, raised = exp(epsilon / 2 * (1 - share)), exp(epsilon / 2 * share)
    exact = log((2 * kept - 1) * (2 * raised - 1))
    assert made.epsilon == pytest.approx(exact, rel=1e-9)
    assert made.epsilon < epsilon


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_at_one_it_is_optimized_unary_encoding(epsilon: float) -> None:
    """With the noise for eps-private bits; and no threshold beats it at the epsilon of its bits."""
    noise = 2 * log((exp(epsilon) + 1) / 2)
    made, best = threshold_encoding(noise, 9, 1), OUE(epsilon, 9)
    assert made.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert float(made.q) == pytest.approx(float(best.q), rel=1e-9)
    assert made.p == best.p
    other = threshold_encoding(noise, 9)
    assert OUE(other.epsilon, 9).variance(1000) <= other.variance(1000)


@pytest.mark.parametrize(
    ("epsilon", "theta", "name"),
    [
        (1.0, 0.0, "theta"),
        (1.0, 1.5, "theta"),
        (1.0, True, "theta"),
        (1.0, "1", "theta"),
        (0.0, None, "epsilon"),
        (1500.0, None, "epsilon"),
        (1e-17, 0.5, "epsilon"),
    ],
)
def test_other_arguments_are_refused(epsilon: float, theta: float | None, name: str) -> None:
    with pytest.raises(ParameterError) as error:
        threshold_encoding(epsilon, 3, theta)
    assert error.value.argument == name
