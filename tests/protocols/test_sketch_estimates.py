"""The estimator for rows as they are: exactly unbiased, its variance, and where there is none."""

from __future__ import annotations

import itertools
from math import nextafter

import numpy as np
import pytest

from ldp_verified import CMS, HCMS
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import FixedRows, day_epsilon
from ldp_verified.run.aggregate.state import State

MADE: list[CMS | HCMS] = [
    CMS(1.0, 5, 4, 4, 1),
    HCMS(1.0, 5, 4, 4, 1),
    CMS(2.0, 4, 2),
    CMS(1.0, 6, 7),
]


def every_report(made: CMS | HCMS) -> list[np.ndarray]:
    if isinstance(made, CMS):
        pairs = itertools.product(range(made.height), range(2**made.buckets))
        return [np.array([y], dtype=np.uint64) for y in pairs]
    return [np.array([y], dtype=np.uint8) for y in range(2 * made.height * made.buckets)]


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_mean_and_variance_of_one_user_by_enumeration(made: CMS | HCMS) -> None:
    fixed = FixedRows(made)
    reports = every_report(made)
    states = [State(made.oracle).update(made.reports(y, simulated=False)) for y in reports]
    added = np.array([fixed.estimate(state).counts for state in states])
    for x in range(made.k):
        masses = np.array([float(made.pmf(y[0], x)) for y in reports])
        mean = masses @ added
        np.testing.assert_allclose(mean, np.eye(made.k)[x], atol=1e-10)
        variance = masses @ (added - mean) ** 2
        np.testing.assert_allclose(variance, fixed.variances[x], rtol=1e-9)


@pytest.mark.parametrize("made", MADE[:2], ids=repr)
def test_the_usual_estimator_is_off_by_the_collisions(made: CMS | HCMS) -> None:
    counts = np.array([50, 20, 10, 0, 5])
    reports = every_report(made)
    states = [State(made.oracle).update(made.reports(y, simulated=False)) for y in reports]
    added = np.array([state.estimate().counts for state in states])
    expected = sum(
        counts[x] * (np.array([float(made.pmf(y[0], x)) for y in reports]) @ added)
        for x in range(made.k)
    )
    np.testing.assert_allclose(expected - counts, FixedRows(made).bias(counts), atol=1e-9)
    assert abs(expected - counts).max() > 1


def test_all_rows_of_the_family_have_no_bias() -> None:
    made = CMS(1.0, 6, 7)
    assert abs(FixedRows(made).bias(np.arange(6) * 100)).max() < 1e-9


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        (CMS(1.0, 8, 4, 2, 1), "at least k"),
        (HCMS(1.0, 100, 4, 30, 1), "at least k"),
        (CMS(1.0, 5, 4, 4, 0), "rank"),
        (CMS(1.0, 4000, 4, 3000, 1), "2048"),
    ],
)
def test_rows_that_do_not_tell_counts_apart_are_refused(made: CMS | HCMS, rule: str) -> None:
    with pytest.raises(ParameterError, match=rule):
        FixedRows(made)


def test_a_rank_that_is_not_full_is_seen_whatever_the_size() -> None:
    """Values 0 and 1 always collide: their difference is a digit of which every row is 0 mod 2."""
    seeds = [
        seed for seed in range(200) if not CMS(1.0, 4, 2, 3, seed).layout.functions[:, 0].any()
    ]
    assert seeds
    for seed in seeds:
        with pytest.raises(ParameterError, match="rank"):
            FixedRows(CMS(1.0, 4, 2, 3, seed))


@pytest.mark.parametrize("made", [CMS(4.0, 50, 16, 64, 1), HCMS(4.0, 50, 16, 64, 1)])
def test_estimates_and_their_errors(made: CMS | HCMS, rng: np.random.Generator) -> None:
    """Null: normal with the stated error; level 6e-10 for each of 50 values, 20,000 reports.

    A bias of 12 standard errors is missed with probability below 1e-8.
    """
    users = np.minimum(rng.geometric(0.1, size=20_000) - 1, 49)
    state = made.aggregate(made.privatize(users, rng), simulated=True)
    estimate = FixedRows(made).estimate(state)
    truth = np.bincount(users, minlength=50)
    assert (abs(estimate.counts - truth) < 6.2 * estimate.std_error).all()
    low, high = estimate.interval(0.9)
    inside = np.clip(estimate.counts, 0, estimate.n)
    assert (low <= inside).all()
    assert (inside <= high).all()
    with pytest.raises(ReportError, match="foreign"):
        FixedRows(MADE[0]).estimate(state)
    with pytest.raises(ParameterError, match="level"):
        estimate.interval(1.0)
    nothing = FixedRows(made).estimate(made.empty())
    assert not nothing.counts.any()
    assert not nothing.std_error.any()


def test_a_day_of_reports_adds_up() -> None:
    made = CMS(1.0, 1000, 64, 128)
    assert day_epsilon(made, 1) == made.realized_epsilon
    day = day_epsilon(made, 16)
    assert 15.999 < day <= nextafter(16 * made.realized_epsilon, 17.0)
    with pytest.raises(ParameterError, match="reports"):
        day_epsilon(made, 0)


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_variances_of_sums_are_those_of_all_reports(made: CMS | HCMS) -> None:
    fixed, reports, rng = FixedRows(made), every_report(made), np.random.default_rng(2)
    states = [State(made.oracle).update(made.reports(y, simulated=False)) for y in reports]
    added = np.array([fixed.estimate(state).counts for state in states])
    weights, shares = rng.normal(size=made.k), rng.dirichlet(np.ones(made.k))
    wanted = 0.0
    for x, share in enumerate(shares.tolist()):
        masses = np.array([float(made.pmf(y[0], x)) for y in reports])
        wanted += share * float(masses @ (added @ weights) ** 2 - weights[x] ** 2)
    assert float(shares @ fixed.variances_of_each(weights)) == pytest.approx(wanted)
    for v, each in enumerate(fixed.variances.T):
        assert fixed.variances_of_each(np.eye(made.k)[v]) == pytest.approx(each)


def test_sums_of_counts_for_fixed_rows_have_exact_errors() -> None:
    made = CMS(2.0, 4, 4, 8, categories=("a", "b", "c", "d"))
    state = made.aggregate(made.privatize(["a", "b", "c", "d", "a"] * 50, 1), simulated=True)
    found = FixedRows(made).estimate(state)
    both = found.sum_of(["a", "b"])
    assert both.exact
    assert both.value == pytest.approx(found["a"].value + found["b"].value)
    assert found.sum_of(["a"]).std_error == pytest.approx(found["a"].std_error)
