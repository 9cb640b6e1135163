"""Fits against general optimizers, expectation maximisation and numeric integrals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from ldp_verified import GRR, OLH, OUE, HadamardResponse, SubsetSelection
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate import Estimate, State
from ldp_verified.run.aggregate.consistent import norm_sub
from ldp_verified.run.aggregate.fitted import EXPONENTS, expected, exponent, power, power_law_mass
from ldp_verified.run.aggregate.reconstruct import reconstruct
from ldp_verified.run.mechanisms import Grades

Floats = np.ndarray[Any, np.dtype[np.float64]]
METHODS = (
    *("norm", "norm-mul", "norm-sub", "power-norm-sub"),
    *("least-squares", "likelihood", "ibu", "empirical-bayes"),
)
"""Those that take totals of k-ary response."""


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
        shares, before = np.full(k, 1 / k), np.zeros(k)
        for _ in range(1_000_000):
            if np.abs(shares - before).max() < 1e-9:
                break
            before = shares
            shares = shares * (channel @ (seen / (channel @ shares)))
        found = estimate.consistent("ibu").counts / estimate.n

        def fit(f: Floats, seen: Floats = seen) -> float:
            return float(seen @ np.log(channel @ f))

        assert found.sum() == pytest.approx(1)
        assert fit(found) >= fit(shares) - 1e-12
        assert found == pytest.approx(shares, abs=1e-3)


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


def test_the_power_law_is_normalised_at_every_exponent() -> None:
    assert 1.0 in EXPONENTS
    assert power_law_mass(1e6, 1.0) == math.log(1e6)
    for n in (2.0, 3.0, 1e3, 1e6):
        for s in map(float, EXPONENTS):
            found, _ = quad(lambda u, s=s: math.exp((1 - s) * u), 0.0, math.log(n))
            assert math.isclose(power_law_mass(n, s), found, rel_tol=1e-9)
        near = power_law_mass(n, math.nextafter(1.0, 0.0))
        assert math.isclose(near, math.log(n), rel_tol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("method", ["power", "power-norm-sub"])
@pytest.mark.parametrize("made", [GRR(1.0, 5), OUE(1.0, 5), OLH(1.0, 5), HadamardResponse(1.0, 5)])
def test_few_users_have_a_power_law_too(made: Any, method: str, n: int) -> None:
    state = State(made.oracle, simulated=True)
    if n:
        state.update(made.privatize([0] * n, rng=1))
    counts = state.estimate().consistent(method).counts
    assert np.isfinite(counts).all()
    assert (counts >= 0).all()


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
        {True: 500},
        {(0, True): 500},
        {1.0: 500},
        {np.True_: 500},
        {None: 0},
        {0: 600, 1: 600},
        {(0, 1, 2): 999},
        {0: float("nan")},
        [500],
    ],
)
def test_other_totals_are_refused(wrong: Any) -> None:
    estimate = GRR(1.0, 3).simulate_counts(np.array([500, 300, 200]), 4).estimate()
    with pytest.raises(
        ParameterError, match=r"totals: (groups must not share|must|0 is named twice)"
    ):
        estimate.consistent(totals=wrong)


def test_what_does_not_fit_a_method_is_refused() -> None:
    estimate = GRR(1.0, 3).simulate_counts(np.array([500, 300, 200]), 4).estimate()
    with pytest.raises(ParameterError, match="totals: must be left out: base-cut keeps to no sum"):
        estimate.consistent("base-cut", totals={0: 1})


@pytest.mark.parametrize("n", [0, 1000], ids=lambda n: f"{n} reports")
@pytest.mark.parametrize(
    "made, lacking, others",
    [
        (OUE(1.0, 3), ("likelihood",), "norm-sub, least-squares, ibu, empirical-bayes"),
        (OLH(1.0, 3), ("likelihood", "least-squares"), "norm-sub, ibu, empirical-bayes"),
        (HadamardResponse(1.0, 3), ("likelihood", "least-squares"), "norm-sub, ibu, empirical-"),
        (Grades(1.0), ("ibu",), "norm-sub, least-squares, likelihood, empirical-bayes"),
        (GRR(1.0, 3), (), ""),
    ],
    ids=repr,
)
def test_a_method_is_refused_by_the_mechanism_alone(
    made: Any, lacking: tuple[str, ...], others: str, n: int
) -> None:
    """Without reports all were taken, and no message said what else there is."""
    held = np.array([n // 2, n // 2, 0])
    estimate = made.simulate_counts(held, 4, report_by_report=True).estimate()
    for method in METHODS:
        if method in lacking:
            rule = f"method: must be another one, such as {others}"
            with pytest.raises(ParameterError, match=rule):
                estimate.consistent(method)
        else:
            assert len(estimate.consistent(method).counts) == 3


def test_totals_without_a_closed_form_are_refused_before_there_are_reports() -> None:
    with pytest.raises(ParameterError, match="totals: must be left out: there is no closed form"):
        Grades(1.0).empty().estimate().consistent("likelihood", totals={1: 0})


def test_reports_without_any_support_are_updated_as_well() -> None:
    """The update stays where it begins: at equal shares."""
    estimate = Estimate(OUE(1.0, 4).oracle, 8, np.zeros(4, dtype=np.int64))
    assert estimate.consistent("ibu").counts == pytest.approx([2.0] * 4)
