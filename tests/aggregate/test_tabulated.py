"""What all estimates share: labels, tables, pictures, intervals that hold all at once."""

from __future__ import annotations

from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from ldp_verified import CMS, GRR, Laplace
from ldp_verified.deploy import Deployment, Succession
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SHE, DuchiVector, FixedRows
from ldp_verified.protocols.change_tree_state import TreeEstimate
from ldp_verified.protocols.over_days import DaysFigure
from ldp_verified.protocols.voting_state import VotedMeans
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.tabulated import Tabulated, normal_columns, normal_row, quantile

WRONG: Any = "no"


def counts() -> Tabulated:
    made = GRR(2.0, 3, categories=("a", "b", "c"))
    return made.simulate_counts(np.array([50, 30, 20]), 1).estimate()


def sums() -> Tabulated:
    made = SHE(2.0, 3)
    return made.aggregate(made.privatize([0, 1, 1, 2], 1), simulated=True).estimate()


def rows() -> Tabulated:
    made = CMS(2.0, 3, 4, 8)
    state = made.aggregate(made.privatize([0, 1, 1, 2] * 50, 1), simulated=True)
    return FixedRows(made).estimate(state)


def mean() -> Tabulated:
    made = Laplace(1.0, bounds=(0, 10))
    return made.aggregate(made.privatize([1.0, 5.0, 9.0], 1), simulated=True).estimate()


def vector() -> Tabulated:
    made = DuchiVector(2.0, 3)
    return made.aggregate(made.privatize(np.zeros((50, 3)), 1), simulated=True).estimate()


def shares() -> Tabulated:
    parts = []
    for epsilon in (1.0, 2.0):
        deployment = Deployment(GRR(epsilon, 3, categories=("a", "b", "c")))
        collector = deployment.collector(simulated=True)
        collector.add(deployment.client().batch(["a", "b", "c", "a"] * 10, rng=1))
        parts.append(collector)
    old, new = parts
    return Succession(new, [(old, datetime.now(UTC) + timedelta(days=1))]).estimate()


def days() -> Tabulated:
    found = TreeEstimate(100, np.array([10.0, 20.0, -3.0]), np.array([5.0, 6.0, 7.0]))
    assert found.interval(0.9)[0].tolist() == found.columns(0.9)[2].tolist()
    return found


def week() -> Tabulated:
    errors = np.array([0.1, 0.2])
    return DaysFigure(("a", "b"), (0.5, 0.5), np.array([0.4, 0.6]), errors / 2, errors)


def epochs() -> Tabulated:
    asked = np.array([True, False])
    return VotedMeans(np.array([0.5, 0.5]), asked, np.array([0.1, 0.1]))


ALL = [counts, sums, rows, mean, vector, shares, days, week, epochs]


@pytest.mark.parametrize("made", ALL, ids=lambda made: made.__name__)
def test_every_estimate_has_rows_tables_and_a_picture(made: Any) -> None:
    estimate: Tabulated = made()
    names = list(estimate.names)
    values, errors, low, high = estimate.columns()
    assert len(names) == len(values) == len(errors) == len(low) == len(high)
    assert list(estimate) == list(zip(names, values.tolist(), errors.tolist(), strict=True))
    first = estimate[names[0]]
    assert (first.value, first.std_error) == (values[0], errors[0])
    assert (first.low, first.high) == (low[0], high[0])
    assert [row.value for row in estimate.top(2)] == sorted(values.tolist(), reverse=True)[:2]
    frame, lazy, table = estimate.to_pandas(), estimate.to_polars(), estimate.to_arrow()
    assert lazy.columns == table.column_names == ["label", *frame.columns]
    assert lazy.columns[1] == estimate.quantity
    assert table[estimate.quantity].to_pylist() == values.tolist()
    assert estimate.quantity in estimate._repr_html_()
    axes = estimate.plot().axes[0]  # over time the quantity is the vertical axis
    assert {axes.get_xlabel(), axes.get_ylabel()} & {"users", estimate.quantity}
    wide = estimate.simultaneous(0.9)
    each = estimate.columns(0.9)[2:]
    assert (wide[0] <= each[0]).all()
    assert (wide[1] >= each[1]).all()


@pytest.mark.parametrize("made", ALL, ids=lambda made: made.__name__)
def test_bad_arguments(made: Any) -> None:
    estimate: Tabulated = made()
    for call in (
        lambda: estimate["unknown"],
        lambda: estimate.columns(1.0),
        lambda: estimate.columns(0.9, WRONG),
        lambda: estimate.top(0),
        lambda: estimate.plot(0),
        lambda: estimate.simultaneous(0),
    ):
        with pytest.raises(ParameterError):
            call()


def test_intervals_that_hold_at_once_are_bonferroni() -> None:
    assert quantile(0.9) == pytest.approx(NormalDist().inv_cdf(0.95))
    assert quantile(0.9, 5) == pytest.approx(NormalDist().inv_cdf(0.99))
    found = vector()
    *_, low, high = found.columns(0.9, True)
    *_, first, last = found.columns(1 - 0.1 / 3)
    assert low == pytest.approx(first)
    assert high == pytest.approx(last)
    *_, inner, _ = found.columns(0.9)
    assert (low <= inner).all()
    assert (low < inner).any()


def test_sums_of_noisy_numbers_are_independent() -> None:
    found = sums()
    assert isinstance(found, Estimate)
    both, single = found.sum_of([0, 1]), found[0]
    assert both.exact
    assert both.std_error == pytest.approx(2**0.5 * single.std_error)
    assert found.contrast(0, 1).std_error == pytest.approx(both.std_error)
    assert found.consistent("norm-sub").counts.sum() == pytest.approx(found.n)
    for method in ("least-squares", "likelihood", "ibu"):
        with pytest.raises(ParameterError, match="must be another one"):
            found.consistent(method)
    with pytest.raises(ParameterError):
        found.equal_to([0.5, 0.25, 0.25])


def test_intervals_within_bounds_are_around_the_nearest_number_that_may_be_true() -> None:
    """An estimate far beyond the bounds had a point as its interval, which it was sure of."""
    values, errors = np.array([-50.0, -1.0, 5.0, 99.5, 150.0]), np.ones(5)
    reach = NormalDist().inv_cdf(0.975)
    low, high = normal_columns(values, errors, 0.95, False, (0.0, 100.0))[2:]
    assert low == pytest.approx([0, 0, 5 - reach, 99.5 - reach, 100 - reach])
    assert high == pytest.approx([reach, reach, 5 + reach, 100, 100])
    free = normal_columns(values, errors, 0.95, False)[2:]
    assert free[0] == pytest.approx(values - reach)
    inside = np.clip(free, 0, 100)
    assert (low <= inside[0]).all()
    assert (high >= inside[1]).all()


def test_a_row_of_one_number_is_that_of_the_columns() -> None:
    values, errors = np.array([-50.0, -1.0, 5.0, 99.5, 150.0]), np.array([1.0, 2.0, 0.0, 3.0, 4.0])
    columns = normal_columns(values, errors, 0.9, False, (0.0, 100.0))
    for place in range(5):
        value, error, low, high = (float(column[place]) for column in columns)
        found = normal_row("a", value, error, 0.9, 100)
        assert astuple(found) == ("a", value, error, low, high)
    with pytest.raises(ParameterError, match="level: must be a number between 0 and 1"):
        normal_row("a", 1.0, 1.0, 1.0, 100)


def test_a_number_without_an_error_is_in_its_interval_however_it_is_rounded() -> None:
    off = 4000.0 - 2.0**-41
    for row in (normal_row("all", off, 0.0, 0.95, 4000), normal_row("all", off, 0.0, 0.95, 10**6)):
        assert row.low < off < 4000.0 <= row.high < 4000.0 + 1e-6
    share = 0.1 + 0.2
    low, high = normal_columns(np.array([share]), np.zeros(1), 0.95, False)[2:]
    assert low[0] < 0.3 < share < high[0] < 0.3 + 1e-12
