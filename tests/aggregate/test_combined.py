"""Sums, differences and ratios: exact variances against enumeration and against chance."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ldp_verified import GRR, OLH, OUE, SUE
from ldp_verified.aggregate.combined import combination
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR

LETTERS = ("a", "b", "c", "d")
HELD = np.array([40, 30, 20, 10])


def exact_variance(made: Any, weights: np.ndarray[Any, Any]) -> float:
    """Of the combination for the users HELD, by enumeration of every report of every user."""
    unary = isinstance(made, OUE | SUE)
    outputs = list(itertools.product((0, 1), repeat=4)) if unary else list(range(4))
    p, q = float(made.p_star), float(made.q_star)
    total = 0.0
    for x, users in enumerate(HELD):
        first = second = 0.0
        for y in outputs:
            if unary:
                assert isinstance(y, tuple)
                chance = float(
                    np.prod(
                        [
                            (p if v == x else q) if bit else 1 - (p if v == x else q)
                            for v, bit in enumerate(y)
                        ]
                    )
                )
                value = float(weights @ (np.array(y) - q)) / (p - q)
            else:
                chance = p if y == x else q
                value = float(weights @ (np.eye(4)[y] - q)) / (p - q)
            first += chance * value
            second += chance * value**2
        total += users * (second - first**2)
    return total


@pytest.mark.parametrize("made", [GRR(1.0, 4), OUE(1.0, 4), SUE(2.0, 4)], ids=repr)
@pytest.mark.parametrize("weights", [[1, 1, 0, 0], [1, -1, 0, 0], [1, 1, 1, 1], [0.5, 0, -2, 3]])
def test_the_variance_is_that_of_all_reports(made: Any, weights: list[float]) -> None:
    """With the true shares plugged in it is exact."""
    array = np.array(weights, dtype=float)
    counts = HELD.astype(float)
    found = combination(made.oracle, 100, counts, np.ones(4), array)
    assert found.exact
    assert found.value == pytest.approx(float(array @ counts))
    assert found.std_error**2 == pytest.approx(exact_variance(made, array), rel=1e-9, abs=1e-9)


def test_where_covariances_are_not_known_the_error_is_a_bound(seed: int) -> None:
    made = OLH(1.0, 4)
    estimate = made.aggregate(made.privatize(np.repeat(range(4), HELD), seed)).estimate()
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


def test_what_makes_no_combination_is_refused() -> None:
    made = GRR(1.0, 4, categories=LETTERS)
    estimate = made.aggregate(made.privatize(["a"] * 50, 1)).estimate()
    for wrong in ([], ["a", "a"], ["z"], [True], "ab", [None]):
        with pytest.raises(ParameterError, match="labels: must be"):
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
