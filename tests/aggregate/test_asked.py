"""Users of whom some were asked: variances by enumeration, and intervals against chance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified import GRR, OUE
from ldp_verified.protocols import SampleAmongFakeBits, SampleAmongFakes, SampleOne
from ldp_verified.run.aggregate import Estimate
from ldp_verified.run.aggregate.asked import AskedOracle
from ldp_verified.run.aggregate.combined import combination, covariance
from ldp_verified.run.mechanisms import Grades
from tests.aggregate.test_combined import Floats, tabled

HELD = np.array([30.0, 20.0, 10.0])


def enumerated(made: Any, chance: float) -> Floats:
    """Covariances of the estimated counts, over who is asked and every report."""
    if isinstance(made, Grades):
        table = np.array([[float(made.pmf(y, x)) for y in range(3)] for x in range(3)])
        adds = np.stack([made.oracle.estimated(1, e) for e in np.eye(3, dtype=int)], axis=1)
    else:
        table, adds = tabled(made)
    found = np.zeros((3, 3))
    for users, row, own in zip(HELD, table, np.eye(3), strict=True):
        square = ((adds / chance) * row * chance) @ (adds / chance).T
        found += users * (square - np.outer(own, own))
    return found


@pytest.mark.parametrize(
    "made", [GRR(1.0, 3), OUE(1.0, 3), Grades(1.0, categories=range(3))], ids=repr
)
@pytest.mark.parametrize("chance", [Fraction(1), Fraction(1, 2), Fraction(1, 7)])
def test_variances_are_those_of_asking_and_of_reports(made: Any, chance: Fraction) -> None:
    oracle, n = AskedOracle(made.oracle, 7, chance), int(HELD.sum())
    exact = enumerated(made, float(chance))
    shares = HELD / n
    assert n * oracle.plug_in(shares, n) == pytest.approx(np.diag(exact), rel=1e-9)
    absent, slope = oracle.variance_line(n)
    assert (n * (absent + slope * shares) >= np.diag(exact) * (1 - 1e-9)).all()
    found = covariance(oracle, shares)
    assert found is not None
    assert n * found == pytest.approx(exact, rel=1e-9, abs=1e-9)
    weights: Floats = np.array([1.0, -1.0, 0.5])
    one = combination(oracle, n, HELD, np.ones(3), weights)
    assert one.exact
    assert one.std_error**2 == pytest.approx(weights @ exact @ weights, rel=1e-9)


def test_planted_the_error_among_those_asked_is_too_small() -> None:
    """Without what asking adds, as if d times their standard error were the answer."""
    made = GRR(3.0, 3)
    state = made.simulate_counts(np.array([900, 50, 50]), 1).estimate()
    whole = Estimate(AskedOracle(made.oracle, 1000, Fraction(1, 4)), 4000, state.support_counts)
    assert whole.counts == pytest.approx(4 * state.counts)
    assert whole.std_error[0] > 1.5 * 4 * state.std_error[0]


def test_intervals_of_a_sampled_attribute_cover(seed: int) -> None:
    """Null: of 400 populations at most 57 counts lie outside: 6e-13 if each does with 0.05.

    If each does with 0.2, that is missed with 0.002. The true counts are those of all users.
    """
    scheme = SampleOne(2.0, (3, 2))
    rng = np.random.default_rng(seed)
    users = np.stack([np.repeat([0, 1, 2], [700, 250, 50]), np.arange(1000) % 2], axis=1)
    outside = np.zeros(4, dtype=int)
    for _ in range(400):
        state = scheme.empty(simulated=True).update(scheme.privatize(users, rng))
        estimate = state.estimate(0)
        low, high = estimate.interval()
        total = estimate.sum_of([0, 2])
        assert total.exact
        ends = total.interval()
        truth = np.array([700, 250, 50])
        outside[:3] += (truth < low) | (truth > high)
        outside[3] += not ends[0] <= 750 <= ends[1]
    estimate = scheme.empty(simulated=True).update(scheme.privatize(users, rng)).estimate(0)
    assert estimate.n == 1000
    assert estimate.equal_to([0.7, 0.25, 0.05]).p_value > 1e-9
    assert estimate.consistent().counts.sum() == pytest.approx(1000)
    assert outside.max() <= 57, outside


def test_sampling_among_fakes_has_estimates_like_others() -> None:
    made = SampleAmongFakes(1.0, (3, 2))
    tuples = np.array([[0, 1]] * 500 + [[2, 0]] * 100)
    reports = made.privatize(tuples, 1)
    states = [state.update(part) for state, part in zip(made.empty(True), reports, strict=True)]
    estimate = states[0].estimate()
    assert estimate.sum_of([0, 1]).exact
    assert estimate.top(1)[0].label == 0


def test_planted_fake_bits_are_not_taken_for_independent_ones() -> None:
    """Bits of a report share whether it is a fake: the sum of their variances is not exact."""
    made = SampleAmongFakeBits(3.0, (3, 2))
    states = made.empty(simulated=True)
    reports = made.privatize(np.array([[0, 1]] * 500 + [[2, 0]] * 100), 1)
    found = states[0].update(reports[0]).estimate().sum_of([0, 2])
    assert not found.exact
