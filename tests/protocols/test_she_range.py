"""Noisy histograms and vectors of numbers over the whole range of their parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SHE, DuchiVector, best_threshold, threshold_encoding
from tests.protocols.refusals import ODD, made_or_refused
from tests.registry import RANGE, covers
from tests.strategies import EPSILONS

SIZES = st.one_of(st.sampled_from([2, 3, 64, 65]), st.integers(2, 300))
GRIDS = st.one_of(st.sampled_from([None, 1, 2, 1000]), st.integers(1, 3000))
BOUNDS = st.one_of(
    st.sampled_from([(-1.0, 1.0), (0.0, 1.0), (-1e9, 1e9), (0.0, 1e-3)]),
    st.tuples(st.floats(-1e6, 0), st.floats(1e-3, 1e6)),
)
LENGTHS = st.one_of(st.sampled_from([1, 2, 3, 61, 62]), st.integers(1, 62))


def check_histogram(made: SHE) -> None:
    """The claim holds; reports are counted; the variance is a number above 0."""
    assert 0 < made.realized_epsilon <= made.epsilon
    assert 0 < made.variance(3) < float("inf")
    reports = made.privatize([0, made.k - 1], rng=1)
    estimate = made.aggregate(made.reports(np.array(reports.data), simulated=False)).estimate()
    assert estimate.counts.shape == (made.k,)
    assert np.isfinite(estimate.counts).all()


def check_vector(made: DuchiVector) -> None:
    """The claim holds, on the table's two probabilities too; means are numbers."""
    assert 0 < made.realized_epsilon <= made.epsilon
    low, high = made.bounds
    assert 0 < made.worst_variance < float("inf")
    reports = made.privatize([[low] * made.d, [high] * made.d], rng=1)
    estimate = made.mean_estimate(made.reports(np.array(reports.data), simulated=False))
    assert np.isfinite(estimate.means).all()
    assert np.isfinite(estimate.std_errors).all()


@covers(RANGE, "SHE")
@given(EPSILONS, st.sampled_from([2, 3, 64, 65]), GRIDS)
@settings(max_examples=12)
def test_a_histogram_keeps_its_claim_or_is_refused(epsilon: float, k: int, grid: Any) -> None:
    made = made_or_refused(SHE, {"epsilon": epsilon, "k": k, "grid": grid})
    if made is not None:
        check_histogram(made)


@covers(RANGE, "DuchiVector")
@given(EPSILONS, LENGTHS, BOUNDS)
@settings(max_examples=40)
def test_a_vector_keeps_its_claim_or_is_refused(epsilon: float, d: int, bounds: Any) -> None:
    made = made_or_refused(DuchiVector, {"epsilon": epsilon, "d": d, "bounds": bounds})
    if made is not None:
        check_vector(made)


@given(
    st.one_of(st.sampled_from([1e-6, 0.1, 1.0, 5.0, 44.0]), st.floats(1e-6, 60)),
    SIZES,
    st.one_of(st.none(), st.sampled_from([1e-6, 0.5, 1, Fraction(3, 4)]), st.floats(0.001, 1)),
)
@settings(max_examples=40)
def test_thresholds_keep_their_claim_or_are_refused(epsilon: float, k: int, theta: Any) -> None:
    made = made_or_refused(threshold_encoding, {"epsilon": epsilon, "k": k, "theta": theta})
    if made is None:
        return
    assert made.realized_epsilon <= made.epsilon <= epsilon * (1 + 1e-12)
    counts = made.aggregate(made.privatize([0, k - 1], rng=1), simulated=True).estimate().counts
    assert np.isfinite(counts).all()
    if theta is None:
        low, high = best_threshold(epsilon)
        assert 0.5 <= low <= high <= 1


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 44.0, 700.0])
def test_the_corners_are_made(epsilon: float) -> None:
    check_histogram(SHE(epsilon, 2))
    for d in (1, 2, 62):
        check_vector(DuchiVector(epsilon, d))


def test_one_value_and_other_odd_numbers_are_refused() -> None:
    usual: list[tuple[Any, dict[str, Any]]] = [
        (SHE, {"epsilon": 1.0, "k": 5}),
        (DuchiVector, {"epsilon": 1.0, "d": 3}),
        (threshold_encoding, {"epsilon": 1.0, "k": 5}),
    ]
    for make, arguments in usual:
        for argument in arguments:
            for value in [*ODD, 0]:
                with pytest.raises(ParameterError, match=argument):
                    make(**arguments | {argument: value})
        if "k" in arguments:
            with pytest.raises(ParameterError, match=r"k: must be an integer in 2\.\."):
                make(**arguments | {"k": 1})
    for bounds in ((1.0, 1.0), (1.0, 0.0), (0.0, float("inf"))):
        with pytest.raises(ParameterError, match="bounds"):
            DuchiVector(1.0, 2, bounds)
