"""Errors where many values are nearly empty and one is not: those of many runs, and of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from ldp_verified import GRR, OUE, PGR, SubsetSelection
from ldp_verified.protocols import JointTables, RangeGrid, RangeHierarchy
from ldp_verified.run.aggregate.population import average, of_counts, spread, summed_to_one

Found = tuple[float, float, float]


@pytest.mark.parametrize("make", [GRR, SubsetSelection, OUE], ids=["GRR", "subsets", "OUE"])
def test_a_sum_has_the_error_of_its_complement(make: Any, seed: int) -> None:
    """Where all counts add up to n, both are off by the same number; elsewhere by nearly it."""
    made = make(4.0, 1000)
    held = np.bincount([0, 1, 2, 3, 50], [3000, 1000, 500, 100, 400], 1000).astype(np.int64)
    estimate = made.simulate_counts(held, seed, report_by_report=True).estimate()
    one, others = estimate.sum_of([0]), estimate.sum_of(range(1, 1000))
    assert one.exact
    assert one.std_error == pytest.approx(float(estimate.std_error[0]))
    if make is OUE:
        assert others.std_error > one.std_error
    else:
        assert one.value + others.value == pytest.approx(5000)
        assert others.std_error == pytest.approx(one.std_error)


def one_of_a_thousand(seed: int) -> Found:
    state = GRR(4.0, 1000).simulate_counts([9000, *[100] * 111, *[0] * 888], seed)
    found = state.estimate().sum_of(range(1, 1000))
    return found.value, found.std_error, 11_100.0


def nobody_else(seed: int) -> Found:
    found = PGR(2.0, 100).simulate_counts([5000, *[0] * 99], seed, report_by_report=True).estimate()
    rest = found.sum_of(range(1, 100))
    return rest.value, rest.std_error, 0.0


def records() -> dict[str, Any]:
    """Half of 2,000 users hold one record, and the others any."""
    rng = np.random.default_rng(1)
    held = rng.integers(0, 32, (2000, 2))
    held[:1000] = 5
    return {"h": held[:, 0], "l": held[:, 1]}


USERS = records()
IN_CELL = float(((USERS["h"] == 5) & (USERS["l"] == 5)).sum())
BELOW_8 = float((USERS["h"] < 8).sum())


def one_cell(seed: int) -> Found:
    made = JointTables(4.0, {"h": range(32), "l": range(32)})
    state = made.empty(simulated=True).update(made.privatize(USERS, seed))
    table = made.estimate(state).table("h", "l")
    place = 5 * 32 + 5
    return float(table.counts[place]), float(table.std_error[place]), IN_CELL


def one_box(seed: int) -> Found:
    made = RangeGrid(4.0, {"h": 32, "l": 32})
    state = made.empty(simulated=True).update(made.privatize(USERS, seed))
    row = made.estimate(state).count({"h": (5, 5), "l": (5, 5)})
    return row.value, row.std_error, IN_CELL


def one_range(seed: int) -> Found:
    made = RangeHierarchy(4.0, 32)
    state = made.empty(simulated=True).update(made.privatize(USERS["h"], seed))
    row = made.estimate(state).between(0, 7)
    return row.value, row.std_error, BELOW_8


@pytest.mark.parametrize("run", [one_of_a_thousand, nobody_else, one_cell, one_box, one_range])
def test_errors_are_those_of_many_runs(run: Callable[[int], Found], seed: int) -> None:
    """Null: the mean of 150 squared differences is that of the squared errors that are stated.

    By normal approximation it is beyond 1.1 times the quantiles of chi-squared at 1e-9, the upper
    of which is 1.9, with less than that; errors that were 2 times too small had 4.
    """
    found = [run(seed + number) for number in range(150)]
    squares = [(value - truth) ** 2 for value, _, truth in found]
    stated = np.mean([error**2 for _, error, _ in found])
    low, high = (chi2.ppf(p, 150) / 150 for p in (1e-9, 1 - 1e-9))
    assert low / 1.1 < np.mean(squares) / stated < high * 1.1


def test_shares_add_up_to_one_and_the_weighted_stay() -> None:
    shares = np.array([0.9, -0.3, 0.2, 0.4])
    weighted = np.array([True, True, False, False])
    assert summed_to_one(shares, weighted) == pytest.approx([0.9, -0.3, 0.1, 0.3])
    every = summed_to_one(shares, np.ones(4, dtype=bool))
    assert every == pytest.approx(shares - 0.05)
    assert summed_to_one(np.array([3.0]), np.array([True])) == pytest.approx([1.0])


def test_averages_are_of_somebody() -> None:
    """They are linear in the shares, and cut at the least and the most that one user has."""
    of_each = np.array([1.0, 2.0, 4.0])
    assert float(average(np.array([0.5, -0.25, 0.75]), of_each)) == 3.0
    assert float(average(np.array([2.0, -0.5, -0.5]), of_each)) == 1.0
    assert float(average(np.array([-1.0, 0.0, 2.0]), of_each)) == 4.0
    assert float(spread(np.array([0.5, 0.5, 0.0]), of_each)) == 0.25
    assert float(spread(np.array([-1.0, 2.0, 0.0]), of_each)) == 0.0
    weights = 1e9 + of_each
    assert float(spread(np.array([0.5, 0.5, 0.0]), weights)) == pytest.approx(0.25)


def test_variances_of_counts_are_averages_with_their_own_share() -> None:
    variances = np.random.default_rng(3).uniform(1, 9, (4, 4))
    shares = np.array([0.9, -0.3, 0.2, 0.4])
    wanted = [
        float(average(summed_to_one(shares, np.arange(4) == v), variances[:, v])) for v in range(4)
    ]
    assert of_counts(shares, variances) == pytest.approx(wanted)
    assert of_counts(np.array([0.3]), np.array([[2.0]])) == pytest.approx([2.0])
