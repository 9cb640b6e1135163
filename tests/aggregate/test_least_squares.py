"""Least squares against general optimizers, and the two ways to solve its equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, minimize

from ldp_verified import GRR, OUE, HadamardResponse, SubsetSelection
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate import least_squares
from ldp_verified.run.aggregate.combined import Covariances, covariance
from ldp_verified.run.aggregate.consistent import norm_sub
from ldp_verified.run.aggregate.least_squares import nearest
from ldp_verified.run.mechanisms import Grades

Floats = np.ndarray[Any, np.dtype[np.float64]]


def optimum(counts: Floats, inverse: Any, groups: Any) -> Floats:
    """The least (x - counts)' inverse (x - counts), by a general optimizer."""
    run: Any = minimize
    sums = np.zeros((len(groups), len(counts)))
    for row, (places, _) in zip(sums, groups, strict=True):
        row[places] = 1.0
    totals = np.array([total for _, total in groups])
    start = np.zeros(len(counts))
    for places, total in groups:
        start[places] = total / len(places)
    done = run(
        lambda x: float((x - counts) @ inverse @ (x - counts)),
        start,
        jac=lambda x: 2 * inverse @ (x - counts),
        method="SLSQP",
        bounds=Bounds(0, np.inf),
        constraints=LinearConstraint(sums, totals, totals),
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    return np.asarray(done.x)


@given(st.lists(st.floats(-2, 3), min_size=3, max_size=7), st.integers(0, 1 << 32), st.booleans())
def test_least_squares_are_least(listed: list[float], noise: int, two_groups: bool) -> None:
    """No more than an optimizer finds, but for a millionth, and as far as rounding consistent."""
    counts, rng = np.array(listed), np.random.default_rng(noise)
    k = len(counts)
    mixed = rng.normal(size=(k, k))
    matrix = mixed @ mixed.T + 0.1 * np.eye(k)
    groups = [(np.arange(2), 0.5), (np.arange(2, k), 1.5)] if two_groups else [(np.arange(k), 2.0)]
    found = nearest(counts, matrix, groups)
    assert found.min() >= 0
    for places, total in groups:
        assert found[places].sum() == pytest.approx(total, abs=1e-6)
    inverse: Any = np.linalg.inv(matrix)
    mine, other = (
        float((x - counts) @ inverse @ (x - counts))
        for x in (found, optimum(counts, inverse, groups))
    )
    assert mine <= other + 1e-6 * (1 + other)


@given(st.lists(st.floats(-2, 3), min_size=2, max_size=30))
def test_with_equal_independent_errors_they_are_norm_sub(listed: list[float]) -> None:
    counts = np.array(listed)
    found = nearest(counts, np.eye(len(counts)), [(np.arange(len(counts)), 1.0)])
    assert found == pytest.approx(norm_sub(counts, 1.0, counts), abs=1e-8)


def test_a_sum_that_is_exactly_known_is_no_exception() -> None:
    matrix = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert nearest(np.array([3.0, -1.0]), matrix, [(np.arange(2), 2.0)]).tolist() == [2.0, 0.0]


def test_of_k_ary_response_the_sum_has_no_variance() -> None:
    """A singular matrix, against an optimizer with its pseudo-inverse."""
    made, held = GRR(1.0, 5), np.array([60, 25, 10, 0, 5])
    for seed in range(20):
        estimate = made.simulate_counts(held, seed).estimate()
        matrix = covariance(made.oracle, norm_sub(estimate.shares, 1.0, estimate.shares))
        assert matrix is not None
        inverse: Any = np.linalg.pinv(matrix, rcond=1e-9)
        groups = [(np.arange(5), 100.0)]
        found = estimate.consistent("least-squares").counts
        other = optimum(estimate.counts, inverse, groups)
        mine, theirs = (
            float((x - estimate.counts) @ inverse @ (x - estimate.counts)) for x in (found, other)
        )
        assert mine <= theirs * (1 + 1e-6) + 1e-6
        assert found.sum() == pytest.approx(100)


def test_planted_without_covariances_it_is_another_fit() -> None:
    estimate = SubsetSelection(1.0, 6, 4)
    counts = np.array([50.0, 30.0, 20.0, -5.0, 8.0, -3.0])
    matrix = covariance(
        estimate.oracle, np.full(6, 1 / 6) + np.array([0.3, 0, 0, -0.1, -0.1, -0.1])
    )
    assert matrix is not None
    groups = [(np.arange(6), 100.0)]
    whole, diagonal = (nearest(counts, each, groups) for each in (matrix, np.diag(np.diag(matrix))))
    assert np.abs(whole - diagonal).max() > 1e-3


@given(
    st.lists(st.floats(-2, 3), min_size=3, max_size=40),
    st.integers(0, 1 << 32),
    st.floats(-0.9, 5),
    st.booleans(),
)
def test_no_matrix_is_needed_where_few_numbers_say_it(
    listed: list[float], noise: int, common: float, two_groups: bool
) -> None:
    """The same counts from the diagonal and two numbers as from the matrix."""
    counts, rng = np.array(listed), np.random.default_rng(noise)
    k = len(counts)
    shares = rng.dirichlet(np.ones(k))
    # Positive definite: a diagonal of 1 or more, and terms whose sum over any unit vector is less.
    common, mixed = common / k, float(rng.uniform(-0.2, 0.2)) / k
    alone = 1.3 + rng.exponential(size=k)
    few = Covariances(alone + common + 2 * mixed * shares, shares, common, mixed)
    half = max(1, k // 2)
    groups = [(np.arange(k), 2.0)]
    if two_groups:
        groups = [(np.arange(half), 0.5), (np.arange(half, k), 1.5)]
    assert nearest(counts, few, groups) == pytest.approx(
        nearest(counts, few.dense(), groups), abs=1e-6
    )


@pytest.mark.parametrize(
    "made", [GRR(1.0, 50), OUE(1.0, 50), SubsetSelection(1.0, 50, 7)], ids=repr
)
def test_the_two_ways_agree_on_estimates(made: Any, rng: np.random.Generator) -> None:
    held = rng.multinomial(20_000, np.arange(1, 51) / 1275)
    estimate = made.simulate_counts(held, rng, report_by_report=True).estimate()
    start = norm_sub(estimate.shares, 1.0, estimate.std_error)
    matrix = covariance(estimate.oracle, start)
    assert matrix is not None
    for groups in (
        [(np.arange(50), 20_000.0)],
        [(np.arange(20), 5_000.0), (np.arange(20, 50), 15_000.0)],
    ):
        found = least_squares.least_squares(estimate, groups)
        assert found == pytest.approx(nearest(estimate.counts, matrix, groups), abs=1e-3)


def test_any_number_of_values_where_no_matrix_is_needed() -> None:
    k = 100_000
    found = GRR(1.0, k).simulate_counts(np.ones(k, dtype=int)).estimate()
    fitted = found.consistent("least-squares").counts
    assert fitted.min() >= 0
    assert fitted.sum() == pytest.approx(k)


def test_unknown_covariances_and_large_matrices_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for k in (5, 5000):
        made = HadamardResponse(1.0, k)
        some = made.aggregate(made.privatize([1, 2, 3], 1), simulated=True).estimate()
        with pytest.raises(ParameterError, match=r"method: must .*: covariances of these"):
            some.consistent("least-squares")
    monkeypatch.setattr(least_squares, "MOST_VALUES", 2)
    wide = Grades(1.0, categories=range(3)).simulate_counts(np.ones(3, dtype=int), 1).estimate()
    with pytest.raises(ParameterError, match=r"likelihood, empirical-bayes: .* at most 2 values"):
        wide.consistent("least-squares")
