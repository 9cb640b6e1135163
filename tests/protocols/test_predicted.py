"""Predicted shares: the order that was measured, and how often such a value is found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from ldp_verified.deploy.collect.hitters import found_shares
from ldp_verified.protocols import PrefixCohorts, PrefixExtending, PrefixState
from ldp_verified.protocols.predicted import chance_found, noise_reaches


def test_the_order_is_the_one_that_the_benchmark_measured() -> None:
    """At n = 657,427, epsilon = 4 and 48 bits: rounds, cohorts, PEM (benchmarks/HEAVY_HITTERS.md).

    The planted order is that of the promise, which was taken before: PEM is first by it.
    """
    plans = found_shares(4.0, 657_427, 48)
    assert [plan.name for plan in plans[:3]] == ["PrefixRounds", "PrefixCohorts", "PrefixExtending"]
    assert all(min(plan.rank) < plan.share for plan in plans if plan.finds)
    assert min(plans, key=lambda plan: plan.share).name == "PrefixExtending"


@pytest.mark.parametrize("kept, candidates", [(64, 1 << 20), (1, 128), (64, 128)])
def test_what_noise_reaches_is_a_normal_quantile(kept: int, candidates: int) -> None:
    assert noise_reaches(kept, candidates) == pytest.approx(norm.isf(kept / candidates), abs=1e-9)


def test_places_that_a_code_mends_may_fail() -> None:
    stages = [(1.0, 0.0, 3.0)]
    p = float(norm.cdf(0.7))
    assert chance_found(stages, 0, 0.7) == pytest.approx(p**3)
    assert chance_found(stages, 1, 0.7) == pytest.approx(p**3 + 3 * p**2 * (1 - p))


def test_more_users_are_predicted_to_find_more() -> None:
    shares = [PrefixCohorts(4.0, 48).predicted_share(n) for n in (10**4, 10**5, 10**6)]
    assert shares == sorted(shares, reverse=True)
    assert PrefixExtending(0.01, 48).predicted_share(10) == math.inf


def test_a_value_of_the_predicted_share_is_found_in_a_part_of_the_runs(seed: int) -> None:
    """Null: it is found in a run with a chance of 0.35 to 0.65, by the normal law 0.5.

    Of 60 runs 4 to 56: outside are less than 2e-7 at either edge.
    """
    made, n = PrefixExtending(4.0, 24, step=8), 50_000
    holders = round(made.predicted_share(n) * n)
    found = 0
    for run in range(60):
        rng = np.random.default_rng([seed % (1 << 60), run])
        others = rng.integers(0, 1 << 24, n - holders)
        values = np.append(others, np.full(holders, 0xA5C3F1))
        state = PrefixState(made, simulated=True).update(made.privatize(values, rng))
        listed = state.heavy_hitters(32, false_alarm=None)
        found += 0xA5C3F1 in {value for value, _, _ in listed}
    assert 4 <= found <= 56, found
