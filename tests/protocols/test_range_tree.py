"""Hierarchical histograms: price, counts of ranges, quantiles, and what they refuse."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import RangeClient, RangeTree, SpendingBook
from tests.registry import RANGE, covers

TREE = RangeTree(1.0, 50, step=2)
VALUES = np.repeat([0, 3, 17, 18, 40, 49], [3_000, 5_000, 4_000, 4_000, 2_000, 2_000])
RANGES = [(0, 49), (0, 0), (3, 3), (0, 17), (18, 49), (4, 16), (17, 40), (41, 48)]


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("range_tree").law_hash == RangeTree.law_sha256


@covers(RANGE, "RangeTree")
@given(
    epsilon=st.floats(1e-6, 700),
    k=st.sampled_from([2, 3, 300, 1 << 20, 1 << 24]),
    step=st.sampled_from([None, 1, 2]),
)
@settings(max_examples=40, deadline=None)
def test_no_report_costs_more_than_is_wanted(epsilon: float, k: int, step: int | None) -> None:
    made = RangeTree(epsilon, k, step if k > 3 else None)
    assert 0 < made.realized_epsilon <= epsilon
    assert 0 < made.mean_variance(1) < math.inf
    assert made.layout.bits[-1] == (k - 1).bit_length()
    assert made.layout.counters <= 1 << made.bits_per_report
    assert all(each.thresholds == made.identity.thresholds for each in made.responses)


def test_the_variance_of_a_flat_histogram_is_that_of_one_bit_response() -> None:
    """A range of r of D leaves that sum to a known number: r (1 - r/D) (u + 1)^2/(u - 1)^2."""
    flat = RangeTree(1.0, 64, step=6)
    node = ((math.e + 1) / (math.e - 1)) ** 2
    for first, last in ((0, 0), (3, 10), (0, 31), (5, 63)):
        r = last - first + 1
        assert flat.variance(7, first, last) == pytest.approx(7 * r * (1 - r / 64) * node)
    assert flat.variance(7, 0, 63) < 1e-9
    assert flat.mean_variance(7) > 1.5 * RangeTree(1.0, 64).mean_variance(7)


def test_counts_of_ranges_are_unbiased_with_no_more_than_the_stated_error(seed: int) -> None:
    """Null: each count is normal around the truth with at most its standard error; n = 20000.

    Two-sided normal tests at level 1e-10 of 8 ranges and 50 values, by three ways of drawing: 2e-8
    in all. A bias of 7.8 standard errors is found with a power of 0.9.
    """
    reports = TREE.privatize(VALUES, rng=seed)
    state = TREE.empty(simulated=True).update(reports)
    estimate = TREE.estimate(state)
    limit = -NormalDist().inv_cdf(5e-11)
    for first, last in RANGES:
        row = estimate.between(first, last)
        truth = int(((first <= VALUES) & (last >= VALUES)).sum())
        assert abs(row.value - truth) <= limit * row.std_error
        assert 0 <= row.low <= row.high <= len(VALUES)
        assert row.std_error == pytest.approx(
            math.sqrt(TREE.variance(len(VALUES), first, last)), rel=0.02
        )
    wrong = np.abs(estimate.counts - np.bincount(VALUES, minlength=50))
    assert (wrong <= limit * estimate.std_error).all()
    below = np.abs(estimate.at_most - np.cumsum(np.bincount(VALUES, minlength=50)))
    assert (below <= limit * estimate.at_most_error).all()


def test_reports_of_prefixes_from_the_wrong_end_are_seen(seed: int) -> None:
    """Planted: values mirrored in their levels; the counts are off by many standard errors."""
    mirrored = 49 - VALUES
    state = TREE.empty(simulated=True).update(TREE.privatize(mirrored, rng=seed))
    row = TREE.estimate(state).between(0, 17)
    assert abs(row.value - 12_000) > 8 * row.std_error


def test_the_squared_error_is_the_stated_one(seed: int) -> None:
    """Null: the mean squared error of 4 ranges over 300 runs is at most the stated variance.

    n = 400 users. A sum of 300 squares of a normal variable exceeds 1.75 times its mean with a
    probability below 1e-11 (chi-squared); half of the stated variance would fail with power 0.99,
    and the mean is also at least 0.4 of it, as users of many values come close to the bound.
    """
    values = np.arange(400) % 50
    errors = []
    for run in range(300):
        state = TREE.empty(True).update(TREE.privatize(values, rng=seed + run))
        rows = [TREE.estimate(state).between(*each) for each in RANGES[3:7]]
        truth = [int(((a <= values) & (b >= values)).sum()) for a, b in RANGES[3:7]]
        errors.append([(row.value - t) / row.std_error for row, t in zip(rows, truth, strict=True)])
    squares = (np.array(errors) ** 2).mean(axis=0)
    assert (squares < 1.75).all()
    assert (squares > 0.4).all()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.93])
def test_a_quantile_of_all_leaves_lies_where_the_counts_cross(share: float) -> None:
    made = RangeTree(8.0, 64)
    values = np.arange(64_000) % 64
    state = made.empty(True).update(made.privatize(values, rng=5))
    found = made.estimate(state).quantile(share)
    truth = int(np.quantile(values, share, method="inverted_cdf"))
    assert found.low <= found.value <= found.high
    assert abs(found.value - truth) <= 3
    wide = made.estimate(state).quantile(share, level=0.999999)
    assert wide.low <= found.low <= found.high <= wide.high


@pytest.mark.parametrize("part", ["small", "large"])
def test_states_add_up_and_are_saved(part: str, tmp_path: Path) -> None:
    made = TREE if part == "small" else RangeTree(2.0, 5000)
    values = [0, 1, 49] * 20
    one, two = made.privatize(values, rng=1), made.privatize(values, rng=2)
    whole = made.empty(True).update(one).update(two)
    merged = made.empty(True).update(one).merge(made.empty(True).update(two))
    assert merged == whole
    whole.save(tmp_path / "state")
    for again in (made.load(tmp_path / "state"), pickle.loads(pickle.dumps(whole))):
        assert again == whole
        assert np.array_equal(made.estimate(again).leaves, made.estimate(whole).leaves)
    assert copy.copy(whole) == whole
    other = RangeTree(made.epsilon, made.k, 3)
    with pytest.raises(ReportError, match="step"):
        other.empty().update(one)
    with pytest.raises(ReportError, match="is foreign"):
        other.load(tmp_path / "state")
    with pytest.raises(ParameterError, match="state: must be of this protocol: "):
        other.estimate(whole)
    with pytest.raises(ParameterError, match="state"):
        made.estimate(None)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ReportError, match="simulated"):
        made.empty().update(one)


def test_a_client_reports_once_and_pays_first(tmp_path: Path) -> None:
    book = SpendingBook(tmp_path / "book", 1, new=True)
    client = TREE.client(rng=1, book=book)
    for wrong in (50, -1, "1", 0.5, True, [1], None):
        with pytest.raises(DomainError, match="must"):
            client.report(wrong)
    assert book.left == 1
    assert len(client.report(49)) == 1
    assert book.left == 0
    with pytest.raises(ParameterError, match="report: must be called once"):
        client.report(0)
    with pytest.raises(ParameterError, match="budget"):
        TREE.client(rng=1, book=book).report(0)


def test_bad_arguments_are_named() -> None:
    for arguments, name in (
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": True}, "epsilon"),
        ({"k": 1}, "k"),
        ({"k": 2.0}, "k"),
        ({"k": (1 << 24) + 1}, "k"),
        ({"step": 0}, "step"),
        ({"step": 7}, "step"),
    ):
        given: dict[str, Any] = {"epsilon": 1.0, "k": 50, "step": None} | arguments
        with pytest.raises(ParameterError) as refused:
            RangeTree(**given)
        assert refused.value.argument == name
    values: Any  # no type would let these pass
    for values in ([50], [-1], ["a"], [0.5], None):
        with pytest.raises(DomainError):
            TREE.privatize(values, rng=1)
    with pytest.raises(ParameterError, match="rng"):
        TREE.privatize([1], rng=1.5)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ParameterError, match="n: must"):
        TREE.variance(-1, 0, 1)
    for first, last, named in ((-1, 2, "first"), (3, 2, "last"), (0, 50, "last")):
        with pytest.raises(ParameterError, match=f"{named}: must"):
            TREE.variance(1, first, last)
    protocol: Any = None
    with pytest.raises(ParameterError, match="protocol"):
        RangeClient(protocol)
    with pytest.raises(ReportError, match=r"0\.\.167"):
        TREE.reports(np.array([168]), simulated=True)
    few = TREE.empty(True).update(TREE.privatize([1], rng=1))
    with pytest.raises(ParameterError, match=r"state: must have reports on each of .* levels; of"):
        TREE.estimate(few)
