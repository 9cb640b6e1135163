"""Empirical Bayes against the rule that knows the true counts, and against planted fits."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified import GRR, OUE, HadamardResponse
from ldp_verified.deploy.collect.methods import compare, zipf
from ldp_verified.run.aggregate import prior
from ldp_verified.run.aggregate.prior import learnt, posterior
from ldp_verified.run.mechanisms import Grades

Floats = np.ndarray[Any, np.dtype[np.float64]]
SPREAD = 40.0


def noisy(levels: list[float], times: int) -> tuple[Floats, Floats]:
    """True counts, each level so many times, and estimates at the normal quantiles: no chance."""
    quantiles = [NormalDist().inv_cdf((i + 0.5) / times) for i in range(times)]
    true = np.repeat(np.array(levels), times)
    return true, true + SPREAD * np.tile(np.array(quantiles), len(levels))


def oracle(counts: Floats, levels: list[float]) -> Floats:
    """The mean given the estimate if the levels are known, which nobody knows."""
    each = np.array(levels)
    weights = np.exp(-(((counts[:, None] - each) / SPREAD) ** 2) / 2)
    return np.asarray((weights @ each) / weights.sum(axis=1))


def squared(found: Floats, true: Floats) -> float:
    return float(((found - true) ** 2).mean())


def fit(counts: Floats) -> Floats:
    constant = np.full(len(counts), SPREAD**2)
    return posterior(counts, constant, 0 * constant)


def without_noise(counts: Floats) -> Floats:
    """Planted: a quarter of the variance."""
    constant = np.full(len(counts), SPREAD**2 / 4)
    return posterior(counts, constant, 0 * constant)


@pytest.mark.parametrize("levels", [[0.0, 150.0], [900.0], [0.0, 100.0, 1000.0]], ids=repr)
def test_it_is_nearly_as_good_as_knowing_the_levels(levels: list[float]) -> None:
    """At most a tenth of what the estimates lose beyond the rule that knows the levels."""
    true, counts = noisy(levels, 400)
    best, raw = squared(oracle(counts, levels), true), squared(counts, true)
    mine, planted = squared(fit(counts), true), squared(without_noise(counts), true)
    assert best < raw / 2
    assert mine <= best + (raw - best) / 10
    assert planted > best + (raw - best) / 10


def test_counts_that_nobody_resembles_are_hardly_changed() -> None:
    """Counts 10 errors apart move by less than half an error; one far away not at all."""
    counts = np.array([400.0, 800.0, 1200.0, 1600.0, 9000.0])
    found = fit(counts)
    assert np.abs(found - counts).max() < SPREAD / 2
    assert found[-1] == 9000.0


def test_what_fits_noise_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty counts spread evenly: all steps are worse; that is planted."""
    rng = np.random.default_rng(7)
    stopped, planted = [], []
    for _ in range(40):
        true = np.linspace(0, 1500, 30)
        counts = true + SPREAD * rng.normal(size=30)
        stopped.append(squared(fit(counts), true))
        with monkeypatch.context() as patch:
            patch.setattr(prior, "learnt", unstopped)
            planted.append(squared(fit(counts), true))
    assert np.mean(stopped) < 1.05 * SPREAD**2
    assert np.mean(planted) > 1.2 * SPREAD**2


def unstopped(likelihoods: Floats, first: Floats) -> Floats:
    """Planted: expectation maximisation to its end."""
    chances = first
    for _ in range(2000):
        chances = chances * (likelihoods.T @ (1 / (likelihoods @ chances))) / len(likelihoods)
    return chances


def test_a_fit_is_a_distribution_and_never_less_likely_than_the_first() -> None:
    rng = np.random.default_rng(3)
    for values in (1, 2, 9, 60):
        likelihoods = np.exp(-rng.exponential(size=(values, 20)) * 3)
        first = np.full(20, 1 / 20)
        found = learnt(likelihoods, first)
        assert found.min() > 0
        assert found.sum() == pytest.approx(1)
        assert np.log(likelihoods @ found).sum() >= np.log(likelihoods @ first).sum() - 1e-9


@given(
    st.lists(st.floats(-1e7, 1e7), min_size=2, max_size=40),
    st.floats(0, 1e6),
    st.floats(-1, 1e4),
)
def test_odd_input_has_finite_means(listed: list[float], at_zero: float, slope: float) -> None:
    counts = np.array(listed)
    found = posterior(counts, np.full(len(counts), at_zero), np.full(len(counts), slope))
    assert np.isfinite(found).all()
    assert found.shape == counts.shape


@pytest.mark.parametrize("made", [GRR(1.0, 60), OUE(1.0, 60), HadamardResponse(1.0, 60)], ids=repr)
def test_it_has_less_error_than_norm_sub(made: Any) -> None:
    """Of 12 runs each: a paired difference of more than 3 standard errors."""
    scores = compare(made, zipf(60, 30_000, 1.1), 12)
    assert scores["empirical-bayes"].no_better_than(scores["norm-sub"]) < -3


def test_it_keeps_totals_and_fits_every_table() -> None:
    made = GRR(1.0, 5, categories=("a", "b", "c", "d", "e"))
    estimate = made.simulate_counts(np.array([500, 300, 150, 0, 50]), 4).estimate()
    found = estimate.consistent("empirical-bayes", totals={("a", "b"): 800, "d": 0})
    assert found.counts[:2].sum() == pytest.approx(800)
    assert found.counts[3] == 0
    assert found.counts.min() >= 0
    assert found.counts.sum() == pytest.approx(1000)
    grades = Grades(1.0).simulate_counts(np.array([500, 400, 100]), 3).estimate()
    assert grades.consistent("empirical-bayes").counts.sum() == pytest.approx(1000)
    nobody = OUE(1.0, 3).empty().estimate()
    assert nobody.consistent("empirical-bayes").counts.tolist() == [0, 0, 0]
