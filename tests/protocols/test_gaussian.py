"""The Gaussian mechanism: its claim, its law, its estimates, its parameters."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.analysis.account import (
    PrivacyLoss,
    composed,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
)
from ldp_verified.check.conformance.exact import BinomialTests
from ldp_verified.check.conformance.numeric import critical
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import GaussianLDP, ReportVariance, load
from ldp_verified.protocols import Gaussian
from ldp_verified.run.kernels.lattice import lattice_sampler
from ldp_verified.run.realize.real_numbers.discrete_gaussian import UNITS
from tests.registry import RANGE, covers

(SPEC,) = load("gaussian")
ALARM = 1e-9


@covers(RANGE, "Gaussian")
@settings(max_examples=30, deadline=None)
@given(
    st.one_of(st.sampled_from([1e-6, 1.0, 700.0]), st.floats(0.05, 700)),
    st.one_of(st.sampled_from([2.0**-60, 1e-6, 0.999]), st.floats(1e-12, 0.9)),
    st.sampled_from([None, 1, 3]),
)
def test_every_object_holds_its_claim_or_is_refused(
    epsilon: float, delta: float, grid: int | None
) -> None:
    try:
        made = Gaussian(epsilon, delta, grid=grid)
    except ParameterError:
        assert epsilon < 0.05  # where tens of thousands of steps do not suffice
        return
    assert 0 <= made.realized_delta <= delta
    law = [made.pmf(y, 0) for y in range(made.outputs)]
    assert sum(law) == 1
    values = made.privatize([-1.0, 0.0, 1.0], rng=1).data
    assert int(values.max()) < made.outputs


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.5, 1e-5), (1.0, 1e-6), (3.0, 1e-8), (8.0, 1e-12)]
)
def test_the_noise_is_that_of_the_analytic_calibration(epsilon: float, delta: float) -> None:
    """The sigma is right to a step of the grid; the standard deviation has about 64 steps."""
    made = Gaussian(epsilon, delta, bounds=(0.0, 1.0))
    step = 1 / made.steps
    assert abs(made.sigma - gaussian_sigma(epsilon, delta)) <= step


def test_reports_name_the_present_law() -> None:
    made = Gaussian(1.0, 1e-4)
    assert made.law_sha256 == SPEC.law_hash
    assert made.privatize([0.5], rng=1).law_hash == SPEC.law_hash


@pytest.mark.parametrize(
    ("epsilon", "delta", "grid"), [(0.5, 1e-5, None), (1.0, 1e-6, 40), (3.0, 1e-8, 100)]
)
def test_the_table_is_near_the_law_of_the_spec(epsilon: float, delta: float, grid: int) -> None:
    """At the sigma that the weights are made from, s steps: what s makes of the differences.

    A sum over steps is an integral up to phi'(1)/24 s^-2 in each probability; the place where the
    loss is epsilon is off by half a step at most, where the loss changes by mu/s in a step.
    """
    made = Gaussian(epsilon, delta, grid=grid)
    steps = made._noise.share / UNITS
    curve, _, variance = SPEC.claims
    assert isinstance(curve, GaussianLDP)
    assert isinstance(variance, ReportVariance)
    (sigma,) = SPEC.parameters
    at = 2 * steps / made.steps
    mu = float(curve.mu.subs(sigma, at))
    law = NormalDist(0.0, math.sqrt(float(variance.value.subs(sigma, at))))
    below = 0.0
    for place, weight in enumerate(made._noise.weights):
        below += weight / 2**128
        edge = (place - made._noise.reach + 0.5) * 2 / made.steps
        assert abs(below - law.cdf(edge)) <= 1 / (90 * steps**2)
    one = NormalDist()
    for eps in (epsilon, epsilon / 2):
        wanted = one.cdf(mu / 2 - eps / mu) - math.exp(eps) * one.cdf(-mu / 2 - eps / mu)
        slack = (1 + math.exp(eps)) / (90 * steps**2) + mu / (20 * steps**2)
        assert abs(made.delta_at(eps) - wanted) <= slack


def test_the_class_draws_from_its_weights() -> None:
    """The sampler whose whole law `tests/kernels/test_lattice.py` enumerates at narrow words."""
    made = Gaussian(1.0, 1e-4, bounds=(0, 7), grid=7)
    assert made.sampler() == lattice_sampler(7, made._noise.weights)
    reach = made._noise.reach
    table = [made.pmf(y, 3) * 2**128 for y in range(made.outputs)]
    assert table[3 : 3 + 2 * reach + 1] == list(made._noise.weights)
    assert sum(table) == 2**128


def test_the_classical_formula_at_large_epsilon_gives_too_little_noise() -> None:
    """E7's sigma, where it is no theorem, against what runs: the real delta is far above."""
    epsilon, delta = 20.0, 1e-6
    classical = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    assert gaussian_delta(epsilon, classical) > delta
    assert Gaussian(epsilon, delta, bounds=(0.0, 1.0)).sigma > classical


def test_delta_falls_as_epsilon_grows_and_its_losses_say_the_same() -> None:
    made = Gaussian(1.0, 1e-6)
    loss = PrivacyLoss(made.losses)
    for level in (2, 3, 10):
        found = made.delta_at(math.log(level))
        # ln(level) is a double: at most 1e-15 from it, relatively.
        assert found == pytest.approx(float(loss.delta(Fraction(level))), rel=1e-9)
    assert made.delta_at(0.5) > made.realized_delta > made.delta_at(1.5)


def test_two_reports_compose_like_one_with_half_the_variance() -> None:
    """Real-valued Gaussian noise does so exactly; on the grid to the accuracy of the grid."""
    made = Gaussian(1.0, 1e-6, bounds=(0.0, 1.0))
    twice = composed(PrivacyLoss(made.losses), 2)
    analytic = gaussian_epsilon(made.sigma / math.sqrt(2), 1e-6)
    assert twice.epsilon(1e-6) == pytest.approx(analytic, rel=1 / made.steps)


def test_reports_follow_the_table(seed: int) -> None:
    """Null: P(report < y) is the table's for 30 places y; n = 200,000; level 1e-9 in all."""
    made = Gaussian(1.0, 1e-4, bounds=(0.0, 10.0), grid=5)
    n, places = 200_000, np.linspace(0, made.outputs, 32, dtype=int)[1:-1]
    below = [float(sum(made.pmf(y, 2) for y in range(place))) for place in places]
    data = made.privatize(np.full(n, 4.0), rng=seed).data  # a grid input: nothing is rounded
    tests = BinomialTests(n, np.array(below))
    counts = np.array([int((data < place).sum()) for place in places])
    assert tests.p_values(counts).min() >= ALARM / len(places)
    # A shift of the mean by a tenth of the standard deviation would be seen.
    assert tests.detectable(ALARM / len(places), 1e-3).min() < 0.04


def test_the_mean_is_unbiased_between_grid_points(seed: int) -> None:
    """Null: the mean is 3.3; Bernstein's bound for n = 200,000 at level 1e-9."""
    made = Gaussian(2.0, 1e-4, bounds=(0.0, 10.0))
    estimate = made.mean_estimate(made.privatize(np.full(200_000, 3.3), rng=seed), simulated=True)
    reach = made.decoding.value(made.outputs - 1) - made.decoding.value(0)
    slack = critical(ALARM, made.variance(3.3), float(reach) * 10, 200_000)
    assert abs(estimate.mean - 3.3) <= slack
    assert estimate.n == 200_000


def test_integers_within_as_many_steps_are_not_rounded() -> None:
    made = Gaussian(1.0, 1e-4, bounds=(0, 7), grid=7)
    assert made.variance(3) == pytest.approx(float(made._noise.variance))
    assert made.variance(3.5) == pytest.approx(float(made._noise.variance) + 0.25)
    assert made.worst_variance == made.variance(3.5)


def test_objects_are_rebuilt_from_their_arguments() -> None:
    made = Gaussian(1.0, 1e-4, bounds=(0, 7), grid=7)
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again.thresholds == made.thresholds
    assert repr(made).startswith("Gaussian(epsilon=1.0, delta=0.0001, bounds=(0.0, 7.0), grid=7, ")


def test_reports_of_another_delta_are_refused() -> None:
    made, other = Gaussian(1.0, 1e-4), Gaussian(1.0, 1e-5)
    with pytest.raises(ReportError, match="same mechanism"):
        made.aggregate(other.privatize([0.5], rng=1), simulated=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0.0}, "epsilon: must be"),
        ({"epsilon": math.inf}, "epsilon: must be"),
        ({"delta": 0.0}, "delta: must be a number in .*, 1 excluded, got 0.0"),
        ({"delta": 1.0}, "delta: must be"),
        ({"delta": 2.0**-61}, "delta: must be"),
        ({"delta": True}, "delta: must be"),
        ({"delta": math.nan}, "delta: must be"),
        ({"delta": "1e-6"}, "delta: must be"),
        ({"grid": 0}, "grid: must be"),
        ({"grid": 4097}, "grid: must be"),
        ({"bounds": (1, 1)}, "bounds: must be"),
        ({"epsilon": 1e-6}, "epsilon: must be larger at this delta"),
    ],
)
def test_bad_parameters_are_named(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6}
    with pytest.raises(ParameterError, match=message):
        Gaussian(**(good | arguments))


def test_values_out_of_bounds_are_refused() -> None:
    with pytest.raises(DomainError):
        Gaussian(1.0, 1e-6).privatize([0.5, 1.5])
