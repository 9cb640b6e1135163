"""Fits against general optimizers, expectation maximisation and numeric integrals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import Bounds, LinearConstraint, minimize

from ldp_verified import GRR, OUE, HadamardResponse, SubsetSelection
from ldp_verified.aggregate import Estimate
from ldp_verified.aggregate.combined import covariance
from ldp_verified.aggregate.consistent import norm_sub
from ldp_verified.aggregate.fitted import EXPONENTS, expected, exponent, nearest, power
from ldp_verified.aggregate.reconstruct import reconstruct
from ldp_verified.errors import ParameterError
from ldp_verified.mechanisms import Grades

Floats = np.ndarray[Any, np.dtype[np.float64]]
METHODS = (
    *("norm", "norm-mul", "norm-sub", "power-norm-sub"),
    *("least-squares", "likelihood", "ibu", "empirical-bayes"),
)
"""Those that take totals of k-ary response."""


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


@pytest.mark.parametrize("made", [OUE(0.5, 6), SubsetSelection(1.0, 9, 3), GRR(1.0, 4)], ids=repr)
def test_ibu_is_where_the_update_on_supports_ends(made: Any) -> None:
    """The update with p* where a value is held and q* elsewhere, as other packages run it."""
    p, q, k = float(made.oracle.p_star), float(made.oracle.q_star), made.k
    channel = np.full((k, k), q) + (p - q) * np.eye(k)
    for seed in range(5):
        held = np.random.default_rng(seed).multinomial(
            3000, np.arange(k, 0, -1) / (k * (k + 1) / 2)
        )
        estimate = made.simulate_counts(held, seed, report_by_report=True).estimate()
        seen = estimate.support_counts / estimate.support_counts.sum()
        shares = np.full(k, 1 / k)
        for _ in range(20_000):
            shares = shares * (channel @ (seen / (channel @ shares)))
        found = estimate.consistent("ibu").counts / estimate.n

        def fit(f: Floats, seen: Floats = seen) -> float:
            return float(seen @ np.log(channel @ f))

        assert found.sum() == pytest.approx(1)
        assert fit(found) >= fit(shares) - 1e-12
        assert found == pytest.approx(shares, abs=1e-3)


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


@pytest.mark.parametrize("made", [GRR(0.5, 5), GRR(2.0, 3)], ids=repr)
def test_the_closed_form_is_what_expectation_maximisation_converges_to(made: GRR) -> None:
    """A likelihood not below that after 10,000 steps, and the same shares."""
    rng = np.random.default_rng(5)
    channel = np.array([[float(made.pmf(y, x)) for x in range(made.k)] for y in range(made.k)])
    for _ in range(30):
        seen = rng.multinomial(200, rng.dirichlet(np.ones(made.k)))
        estimate = Estimate(made.oracle, 200, seen.astype(np.int64))
        found = estimate.consistent("likelihood").counts / 200
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1)
        slow = reconstruct(seen, channel, smooth=False, tolerance=1e-12)
        mine = float(seen @ np.log(channel @ found))
        assert mine >= slow.log_likelihood - 1e-9
        assert found == pytest.approx(slow.shares, abs=0.02)


def test_of_other_tables_it_is_expectation_maximisation() -> None:
    made = Grades(1.0)
    estimate = made.simulate_counts(np.array([500, 400, 100]), 3).estimate()
    found = estimate.consistent("likelihood").counts
    assert found.sum() == pytest.approx(1000)
    table = made.oracle.floats[0]
    inside = norm_sub(estimate.counts, 1000.0, estimate.std_error)
    logs = [float(estimate.support_counts @ np.log(x @ table / 1000)) for x in (found, inside)]
    assert logs[0] >= logs[1] - 1e-6
    with pytest.raises(ParameterError, match="totals: must be left out"):
        estimate.consistent("likelihood", totals={1: 500})


def test_the_mean_under_a_power_law_is_that_of_an_integral() -> None:
    counts, errors = np.array([-40.0, 0.0, 15.0, 60.0, 900.0]), np.full(5, 20.0)
    for s in (0.5, 1.5, 3.0):
        found = expected(counts, errors, s)
        for count, mean in zip(counts, found, strict=True):

            def weight(x: float, count: float = float(count), s: float = s) -> float:
                return float(x**-s * np.exp(-(((x - count) / 20.0) ** 2) / 2))

            ends = max(1.0, count - 200), max(250.0, count + 200)
            whole = quad(weight, *ends, epsrel=1e-10, limit=500)[0]
            first = quad(lambda x: x * weight(x), *ends, epsrel=1e-10, limit=500)[0]  # called here
            assert mean == pytest.approx(first / whole, abs=0.2), (s, count)  # 1 % of an error


def test_the_exponent_is_found(seed: int) -> None:
    """20,000 counts of density x^-2 on 1..n, with noise of 3: within 0.3, three steps of the grid.

    Without noise the standard deviation is 1/sqrt(20,000) = 0.007. With it 60 other seeds give 2.0.
    """
    rng = np.random.default_rng(seed)
    true = 1 / rng.random(20_000)
    errors = np.full(len(true), 3.0)
    noisy = true + rng.normal(size=len(true)) * 3
    assert abs(exponent(noisy, float(true.sum()), errors) - 2.0) <= 0.3
    found = power(noisy, float(true.sum()), errors)
    assert np.mean((found - true) ** 2) < np.mean((np.maximum(noisy, 0) - true) ** 2)
    assert power(noisy, float(true.sum()), errors * 0).min() >= 0
    assert EXPONENTS[0] > 0


@pytest.mark.parametrize("method", METHODS)
def test_known_totals_are_kept(method: str) -> None:
    made = GRR(1.0, 5, categories=("a", "b", "c", "d", "e"))
    held = np.array([500, 300, 150, 0, 50])
    estimate = made.simulate_counts(held, 4).estimate()
    totals = {("a", "b"): 800, "d": 0, ("c", "e"): 200}
    for known in (totals, {("a", "b"): 800}):
        found = estimate.consistent(method, totals=known)
        assert found.counts[:2].sum() == pytest.approx(800)
        assert found.counts.sum() == pytest.approx(1000)
        assert ((found.low <= held) & (held <= found.high)).all()
    all_known = estimate.consistent(method, totals=totals)
    assert all_known.counts[3] == pytest.approx(0, abs=1e-6)
    assert all_known.high[3] == 0


def test_totals_narrow_the_intervals() -> None:
    estimate = GRR(1.0, 3).simulate_counts(np.array([500, 300, 200]), 4).estimate()
    free, known = estimate.consistent(), estimate.consistent(totals={0: 500})
    assert (known.low[0], known.high[0]) == (500, 500)
    assert (known.high - known.low).sum() < (free.high - free.low).sum()


@pytest.mark.parametrize(
    "wrong",
    [
        {"z": 1},
        {0: -1},
        {0: 2000},
        {0: True},
        {0: "1"},
        {(0, 0): 1},
        {0: 1, (0, 1): 5},
        {(): 0},
        {0: 600, 1: 600},
        {(0, 1, 2): 999},
        {0: float("nan")},
        [500],
    ],
)
def test_other_totals_are_refused(wrong: Any) -> None:
    estimate = GRR(1.0, 3).simulate_counts(np.array([500, 300, 200]), 4).estimate()
    with pytest.raises(ParameterError, match="totals: must"):
        estimate.consistent(totals=wrong)


def test_what_does_not_fit_a_method_is_refused() -> None:
    estimate = GRR(1.0, 3).simulate_counts(np.array([500, 300, 200]), 4).estimate()
    with pytest.raises(ParameterError, match="totals: must be left out: base-cut keeps to no sum"):
        estimate.consistent("base-cut", totals={0: 1})
    bits = OUE(1.0, 3).simulate_counts(np.array([500, 300, 200]), 4).estimate()
    with pytest.raises(ParameterError, match="method: must be another one: supports do not say"):
        bits.consistent("likelihood")
    rows = HadamardResponse(1.0, 3).empty().estimate()
    assert rows.consistent("least-squares").counts.tolist() == [0, 0, 0]
    made = HadamardResponse(1.0, 5)
    some = made.aggregate(made.privatize([1, 2, 3], 1), simulated=True).estimate()
    with pytest.raises(ParameterError, match="method: must be another one: covariances"):
        some.consistent("least-squares")
    wide = OUE(1.0, 4097).simulate_counts(np.ones(4097, dtype=int), 1).estimate()
    with pytest.raises(ParameterError, match="method: must be another one for more than 4096"):
        wide.consistent("least-squares")
