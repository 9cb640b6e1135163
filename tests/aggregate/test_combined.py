"""Sums, differences and ratios: exact variances against enumeration and against chance."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified import (
    GRR,
    HCMS,
    HRR,
    OLH,
    OUE,
    PGR,
    SUE,
    UE,
    BinaryRR,
    HadamardResponse,
    HashCohorts,
    SubsetSelection,
)
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR
from ldp_verified.run.aggregate import BitLayout, HashLayout, SubsetLayout
from ldp_verified.run.aggregate.combined import combination, covariance, pairs
from ldp_verified.run.aggregate.layouts import Indexed
from ldp_verified.run.kernels.family import digit_count
from ldp_verified.run.mechanisms import Grades

Floats = np.ndarray[Any, np.dtype[np.float64]]
LETTERS = ("a", "b", "c", "d")
HELD = np.array([40, 30, 20, 10])


def reports_of(made: Any) -> np.ndarray[Any, Any]:
    """Every report there is, in the layout's own shape."""
    layout = made.layout
    if isinstance(layout, BitLayout):
        return np.arange(1 << layout.k, dtype=np.uint64).reshape(-1, 1)
    if isinstance(layout, HashLayout):
        columns = itertools.product(range(layout.g), repeat=digit_count(layout.k, layout.g) + 1)
        return np.array(list(columns), dtype=layout.shape.dtype)
    assert isinstance(layout, Indexed)
    return np.arange(layout.counters).astype(layout.shape.dtype)


def tabled(made: Any) -> tuple[Floats, Floats]:
    """P(y|x) and what report y adds to the estimated count of v, both (k, reports), from `pmf`."""
    reports = reports_of(made)
    if isinstance(made.layout, SubsetLayout):
        reports = reports[np.bitwise_count(reports[:, 0]) == made.layout.omega]
    table = np.array([[float(made.pmf(y, x)) for y in reports] for x in range(made.k)])
    assert table.sum(axis=1) == pytest.approx(1)
    p, q = float(made.p_star), float(made.q_star)
    held = np.array([made.layout.holds(reports, v) for v in range(made.k)])
    return table, (held - q) / (p - q)


def exact_covariance(made: Any, held: Floats) -> Floats:
    """Of the estimated counts of these users, by enumeration of every report of every user."""
    table, adds = tabled(made)
    found = np.zeros((made.k, made.k))
    for users, row in zip(held, table, strict=True):
        mean = adds @ row
        found += users * ((adds * row) @ adds.T - np.outer(mean, mean))
    return found


KNOWN: list[Any] = [
    GRR(1.0, 4),
    GRR(0.1, 7),
    BinaryRR(1.0),
    OUE(1.0, 4),
    SUE(2.0, 4),
    UE(Fraction(1, 4), Fraction(2, 3), 5),
    SubsetSelection(1.0, 4, 1),
    SubsetSelection(1.0, 5, 2),
    SubsetSelection(0.5, 6, 4),
    HRR(1.0, 4),
    HRR(2.0, 6),
]
"""All triples of values have the same pairs."""

ADDED_UP: list[Any] = [
    HadamardResponse(1.0, 3),
    HadamardResponse(2.0, 7),
    PGR(1.0, 7, 2),
    PGR(1.0, 6, 3),
    HashCohorts(1.0, 5, 2),
    HashCohorts(1.0, 7, 3),
]
"""Of a report's outputs, those that support a third value are looked at."""


SKETCHES: list[Any] = [HCMS(1.0, 5, buckets=2), HCMS(2.0, 7, buckets=4)]
"""Over all functions of the family."""


@pytest.mark.parametrize("made", KNOWN + ADDED_UP + SKETCHES, ids=repr)
def test_the_variance_is_that_of_all_reports(made: Any) -> None:
    """With the true shares plugged in it is exact, of whatever combination."""
    held = np.arange(10.0, 0.0, -1.0)[: made.k]
    n, exact = int(held.sum()), exact_covariance(made, held)
    for first in ([1, 1], [1, -1], [1] * made.k, [0.5, 0, -2, 3]):
        array = np.zeros(made.k)
        array[: len(first)] = first[: made.k]
        found = combination(made.oracle, n, held, np.ones(made.k), array)
        assert found.exact
        assert found.value == pytest.approx(float(array @ held))
        assert found.std_error**2 == pytest.approx(array @ exact @ array, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("made", KNOWN, ids=repr)
def test_the_covariances_are_those_of_all_reports(made: Any) -> None:
    held = np.arange(10.0, 0.0, -1.0)[: made.k]
    found = covariance(made.oracle, held / held.sum())
    assert found is not None
    assert held.sum() * found == pytest.approx(exact_covariance(made, held), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("made", ADDED_UP, ids=repr)
def test_planted_one_number_for_all_triples_is_seen(made: Any) -> None:
    """Of a user who holds a third value, not all pairs are alike, so no number says them."""
    assert pairs(made.oracle) is None
    if made.oracle.layout.counters == 16:
        return  # over two elements no three points lie on a line: these are independent
    table, adds = tabled(made)
    joint = (adds * table[2]) @ adds.T
    others = [joint[v, w] for v, w in itertools.combinations(range(made.k), 2) if 2 not in (v, w)]
    assert made.k == 3 or np.ptp(others) > 1e-3


def test_of_a_linear_estimator_the_variance_is_that_of_its_table() -> None:
    """Three values, three outputs, no support: by enumeration of the exact table."""
    made = Grades(1.0, categories=range(3))
    held = np.arange(made.k, 0.0, -1.0) * 10
    table = np.array([[float(made.pmf(y, x)) for y in range(3)] for x in range(3)])
    adds = np.array([[made.empty().oracle.estimated(1, e) for e in np.eye(3, dtype=int)]])[0].T
    exact = np.zeros((made.k, made.k))
    for users, row in zip(held, table, strict=True):
        exact += users * ((adds * row) @ adds.T - np.outer(adds @ row, adds @ row))
    found = covariance(made.oracle, held / held.sum())
    assert found is not None
    assert held.sum() * found == pytest.approx(exact, rel=1e-9, abs=1e-9)
    weights: Floats = np.array([-1.0, 0.0, 1.0])
    one = combination(made.oracle, int(held.sum()), held, np.ones(made.k), weights)
    assert one.exact
    assert one.std_error**2 == pytest.approx(weights @ exact @ weights, rel=1e-9)


def test_where_covariances_are_not_known_the_error_is_a_bound(seed: int) -> None:
    made = OLH(1.0, 4)
    estimate = made.aggregate(
        made.privatize(np.repeat(range(4), HELD), seed), simulated=True
    ).estimate()
    found = estimate.sum_of([0, 2])
    assert not found.exact
    assert found.std_error == pytest.approx(float(estimate.std_error[[0, 2]].sum()))
    assert not LGRR(2.0, 1.0, 4).oracle.fresh
    assert combination(LGRR(2.0, 1.0, 4).oracle, 100, HELD * 1.0, np.ones(4), np.ones(4)).exact


def test_errors_are_those_of_chance(seed: int) -> None:
    """Null: of 400 populations at most 57 lie outside the interval of level 0.95.

    More do with a chance of 6e-13 if each does with 0.05, three times. If each does with 0.2, that
    is missed with 0.002.
    """
    made = GRR(1.0, 4, categories=LETTERS)
    rng = np.random.default_rng(seed)
    outside = {"sum": 0, "contrast": 0, "ratio": 0}
    for _ in range(400):
        estimate = made.simulate_counts(HELD * 1000, int(rng.integers(1 << 60))).estimate()
        for name, found, truth in (
            ("sum", estimate.sum_of(["a", "c"]), 60_000),
            ("contrast", estimate.contrast("a", "d"), 30_000),
            ("ratio", estimate.ratio("a", "b"), 4 / 3),
        ):
            low, high = found.interval()
            outside[name] += not low <= truth <= high
    assert max(outside.values()) <= 57, outside


@pytest.mark.parametrize("made", [SubsetSelection(2.0, 100), GRR(0.1, 77)], ids=repr)
def test_a_sum_without_an_error_is_in_its_interval(made: Any, seed: int) -> None:
    """All users hold one of all values: what is off is rounding, and the interval has it."""
    for run in range(30):
        values = np.arange(997) % made.k
        state = made.aggregate(made.privatize(values, seed + run), simulated=True)
        found = state.estimate().sum_of(range(made.k))
        low, high = found.interval()
        assert low <= 997 <= high
        assert high - low < 1e-3
        assert 0 < found.rounded < 1e-6


def test_what_makes_no_combination_is_refused() -> None:
    made = GRR(1.0, 4, categories=LETTERS)
    estimate = made.aggregate(made.privatize(["a"] * 50, 1), simulated=True).estimate()
    for wrong in ([], ["a", "a"], ["z"], [True], "ab", [None]):
        with pytest.raises(ParameterError, match=r"labels: (must be|'a' is named twice)"):
            estimate.sum_of(wrong)  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="second: must be another value"):
        estimate.contrast("a", "a")
    with pytest.raises(ParameterError, match="first: must be the label"):
        estimate.contrast(0, "a")
    with pytest.raises(ParameterError, match="below: must have a count of more than 3"):
        estimate.ratio("a", "d")
    with pytest.raises(ParameterError, match="level"):
        estimate.sum_of(["a"]).interval(1.0)


def test_no_reports_combine_to_nothing() -> None:
    found = GRR(1.0, 4).empty().estimate().sum_of([0, 1])
    assert (found.value, found.std_error) == (0.0, 0.0)
