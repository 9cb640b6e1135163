"""Sensitivities and probabilities on all small data sets, and planted-wrong ones of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.analysis.central import (
    ClampedMean,
    ClampedSum,
    Count,
    CuratorNoise,
    ExponentialMechanism,
    GaussianNoise,
    GeometricNoise,
    Histogram,
    LaplaceNoise,
    MostFrequent,
    Neighbours,
    Quantile,
    Selection,
    StaircaseNoise,
    Statistic,
    check_release,
    check_selection,
    check_sensitivity,
)
from ldp_verified.errors import ParameterError
from ldp_verified.prove.verdicts import Status
from tests.broken import central as planted

BOTH = ("add-remove", "replace")
NUMBERS = (-2.0, 0.0, 1.0, 5.0)
STATISTICS: dict[str, tuple[Statistic, Sequence[Any], int]] = {
    "count": (Count(), (0, 1), 4),
    "count of a label": (Count(of="b"), ("a", "b", "c"), 3),
    "histogram": (Histogram(3), (0, 1, 2), 3),
    "histogram of one": (Histogram(("a",)), ("a",), 3),
    "sum": (ClampedSum(-1, 3, 1.0), NUMBERS, 3),
    "sum of two signs": (ClampedSum(-4, 1, 0.5), (-9.0, 0.2, 1.0), 3),
    "mean": (ClampedMean(-1, 4, 1.0), NUMBERS, 3),
    "mean of few steps": (ClampedMean(0, 1, 1.0), (0.0, 1.0), 4),
}
SELECTIONS: dict[str, tuple[Selection, Sequence[Any], int]] = {
    "median": (Quantile(0.5, 0, 3, 4), (0.0, 1.0, 2.5, 3.0), 4),
    "a third decile": (Quantile(0.3, 0, 3, 4), (0.0, 1.0, 2.5, 9.0), 3),
    "mode": (MostFrequent(3), (0, 1, 2), 4),
}
NOISES: tuple[CuratorNoise, ...] = (GeometricNoise(1.0), LaplaceNoise(0.25), StaircaseNoise(1.0))


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("name", [*STATISTICS, *SELECTIONS])
def test_the_sensitivity_holds_and_is_reached(name: str, neighbours: str) -> None:
    cases: dict[str, tuple[Any, Sequence[Any], int]] = {**STATISTICS, **SELECTIONS}
    what, universe, most = cases[name]
    found = check_sensitivity(what, universe, most, neighbours)
    assert found.status is Status.ENUMERATED, found.detail
    if name == "histogram of one" and neighbours == "replace":
        assert found.found is None  # with one value there are no two data sets of one size
    elif isinstance(what, Statistic):
        assert found.found == what.sensitivity(Neighbours(neighbours))
    else:
        assert found.found is not None
        assert found.found.each == what.sensitivity(Neighbours(neighbours))


def test_a_histogram_tells_the_two_kinds_of_neighbours_apart() -> None:
    one, two = (check_sensitivity(Histogram(3), (0, 1, 2), 3, each).found for each in BOTH)
    assert one is not None
    assert two is not None
    assert (one.total, two.total) == (1, 2)


WRONG: dict[str, tuple[Statistic | Selection, Sequence[Any], int, str]] = {
    "one count of two": (planted.OneForAll(3), (0, 1, 2), 2, "replace"),
    "two counts that move by one": (planted.TwoThatMoveOne(3), (0, 1, 2), 2, "replace"),
    "a sum that is not clamped": (planted.Unclamped(-1, 3, 1.0), NUMBERS, 2, "add-remove"),
    "the upper bound alone": (planted.OfTheUpperBound(-4, 1, 1.0), (-4.0, 1.0), 2, "add-remove"),
    "a mean of a public n": (planted.MeanOfAPublicN(0, 1, 1.0), (0.0, 1.0), 4, "add-remove"),
    "scores in people": (planted.InPeople(0.5, 0, 3, 4), (0.0, 3.0), 2, "replace"),
    "scores that count twice": (planted.Doubled(0.5, 0, 3, 4), (0.0, 3.0), 3, "replace"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_sensitivity_that_is_too_small_is_refuted_with_two_data_sets(name: str) -> None:
    what, universe, most, neighbours = WRONG[name]
    found = check_sensitivity(what, universe, most, neighbours)
    assert found.status is Status.REFUTED
    assert found.witness is not None
    one, other = found.witness
    longer, shorter = max(one, other, key=len), min(one, other, key=len)
    if neighbours == "replace":
        assert len(one) == len(other)
        assert sum(a != b for a, b in zip(one, other, strict=True)) == 1
    else:
        removed = [(*longer[:i], *longer[i + 1 :]) for i in range(len(longer))]
        assert shorter in removed
    assert str(list(one)) in found.detail


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("by", NOISES, ids=lambda by: by.title)
@pytest.mark.parametrize("name", STATISTICS)
def test_every_pure_noise_keeps_its_promise(name: str, by: CuratorNoise, neighbours: str) -> None:
    what, universe, most = STATISTICS[name]
    found = check_release(what, by, universe, most, neighbours)
    assert found.status is Status.ENUMERATED, found.detail


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("name", ["count", "histogram", "sum", "mean of few steps"])
def test_gaussian_noise_keeps_its_promise(name: str, neighbours: str) -> None:
    what, universe, most = STATISTICS[name]
    found = check_release(what, GaussianNoise(2.0, 0.01), universe, most, neighbours)
    assert found.status is Status.ENUMERATED, found.detail


@pytest.mark.parametrize("by", [planted.OfOneCount(1.0), planted.OfTheTotal(1.0)])
def test_noise_that_is_too_narrow_for_two_counts_is_refuted(by: CuratorNoise) -> None:
    found = check_release(Histogram(3), by, (0, 1, 2), 2, "replace")
    assert found.status is Status.REFUTED
    assert found.witness is not None
    assert check_release(Histogram(3), by, (0, 1, 2), 2, "add-remove").status is Status.ENUMERATED


def test_gaussian_noise_for_one_count_is_refuted_for_two() -> None:
    by, law = GaussianNoise(2.0, 0.01), planted.gaussian_of_one(2.0, 0.01)
    found = check_release(Histogram(3), by, (0, 1, 2), 2, "replace", law)
    assert found.status is Status.REFUTED


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("name", SELECTIONS)
def test_the_exponential_mechanism_keeps_its_promise(
    name: str, epsilon: float, neighbours: str
) -> None:
    what, universe, most = SELECTIONS[name]
    by = ExponentialMechanism(epsilon)
    found = check_selection(what, by, universe, most, neighbours)
    assert found.status is Status.ENUMERATED, found.detail


def test_weights_that_forget_the_normalization_are_refuted() -> None:
    found = check_selection(MostFrequent(3), planted.Twice(1.0), (0, 1, 2), 3, "replace")
    assert found.status is Status.REFUTED
    assert found.witness is not None


@given(
    low=st.integers(-40, 40),
    width=st.integers(1, 40),
    step=st.sampled_from([0.25, 0.3, 1.0, 1.7]),
    neighbours=st.sampled_from(BOTH),
    mean=st.booleans(),
)
def test_sums_and_means_of_any_bounds_hold_and_are_reached(
    low: int, width: int, step: float, neighbours: str, mean: bool
) -> None:
    high = low + width
    kind = ClampedMean if mean else ClampedSum
    if math.floor(high / step) - math.ceil(low / step) < 2:
        return
    found = check_sensitivity(
        kind(low, high, step), (-100.0, low, low + width / 3, high, 100.0), 2, neighbours
    )
    assert found.status is Status.ENUMERATED
    assert found.found == kind(low, high, step).sensitivity(Neighbours(neighbours))


def test_vectors_of_different_lengths_are_refused() -> None:
    class Rows(Histogram):
        def steps(self, values: Any, neighbours: Neighbours) -> Any:
            del neighbours
            return np.zeros(len(values), dtype=np.int64)

    with pytest.raises(ParameterError, match="one length"):
        check_sensitivity(Rows(2), (0, 1), 2, "add-remove")


@pytest.mark.parametrize("universe,most", [((), 2), ((0, 1), 0), (range(64), 8)])
def test_too_much_or_nothing_is_refused(universe: Sequence[int], most: int) -> None:
    with pytest.raises(ParameterError):
        check_sensitivity(Count(), universe, most, "replace")
