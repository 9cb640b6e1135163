"""Haar wavelets: price, counts of ranges, quantiles, and what they refuse."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import RangeTree, RangeWavelet, SpendingBook
from tests.broken.ranges import Hasty, without_the_half
from tests.registry import RANGE, covers

WAVELET = RangeWavelet(1.0, 50)
VALUES = np.repeat([0, 3, 17, 18, 40, 49], [3_000, 5_000, 4_000, 4_000, 2_000, 2_000])
RANGES = [(0, 49), (0, 0), (3, 3), (0, 17), (18, 49), (4, 16), (17, 40), (41, 48)]


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("range_wavelet").law_hash == RangeWavelet.law_sha256


@covers(RANGE, "RangeWavelet")
@given(epsilon=st.floats(1e-6, 700), k=st.sampled_from([2, 3, 300, 1 << 20, 1 << 24]))
@settings(max_examples=40, deadline=None)
def test_no_report_costs_more_than_is_wanted(epsilon: float, k: int) -> None:
    made = RangeWavelet(epsilon, k)
    assert 0 < made.realized_epsilon <= epsilon
    assert 0 < made.mean_variance(1) < math.inf
    assert made.levels == (k - 1).bit_length()
    assert made.layout.counters <= 1 << made.bits_per_report


@pytest.mark.parametrize("bits", range(2, 13))
def test_no_hierarchical_histogram_has_a_smaller_mean_error(bits: int) -> None:
    wavelet = RangeWavelet(1.0, 1 << bits).mean_variance(1)
    steps = range(1, bits + 1)
    assert wavelet < min(RangeTree(1.0, 1 << bits, step).mean_variance(1) for step in steps)


def test_the_variance_of_one_leaf_and_of_a_half_are_what_the_transform_says() -> None:
    """A leaf: levels (1/4 + 1/16 + ...)/gain^2; half of 64 leaves: only the root, at 1/2."""
    made = RangeWavelet(1.0, 64)
    node = 6 * ((math.e + 1) / (math.e - 1)) ** 2
    leaf = (1 - 4.0**-6) / 3
    assert made.variance(7, 5, 5) == pytest.approx(7 * node * leaf)
    assert made.variance(7, 0, 31) == pytest.approx(7 * node / 4)
    assert made.variance(7, 0, 63) == 0


def test_counts_of_ranges_are_unbiased_with_no_more_than_the_stated_error(seed: int) -> None:
    """Null: each count is normal around the truth with at most its standard error; n = 20000.

    Two-sided normal tests at level 1e-10 of 8 ranges and 50 values, by three ways of drawing: 2e-8
    in all. A bias of 7.8 standard errors is found with a power of 0.9.
    """
    state = WAVELET.empty(simulated=True).update(WAVELET.privatize(VALUES, rng=seed))
    estimate = WAVELET.estimate(state)
    limit = -NormalDist().inv_cdf(5e-11)
    for first, last in RANGES:
        row = estimate.between(first, last)
        truth = int(((first <= VALUES) & (last >= VALUES)).sum())
        assert abs(row.value - truth) <= limit * row.std_error + 1e-6
        assert 0 <= row.low <= row.high <= len(VALUES)
        assert row.std_error == pytest.approx(
            math.sqrt(WAVELET.variance(len(VALUES), first, last)), rel=0.05
        )
    held = np.bincount(VALUES, minlength=50)
    assert (np.abs(estimate.counts - held) <= limit * estimate.std_error).all()
    below = np.abs(estimate.at_most - np.cumsum(held))
    assert (below <= limit * estimate.at_most_error + 1e-6).all()
    own = state.estimate()
    # By the state alone; its plug-in error is exact but for the share.
    assert (np.abs(own.counts[:50] - held) <= 1.1 * limit * own.std_error[:50]).all()
    assert np.abs(own.counts[50:]).max() <= limit * float(own.std_error.max())
    assert state.honesty().p_value > 1e-9
    assert estimate.honesty.doubt == ""


def test_reports_that_forget_the_half_are_seen(seed: int) -> None:
    """Planted: signs of another law; the counts are off by many standard errors."""
    from ldp_verified.run.kernels.seeds import word_source

    made, source = RangeWavelet(1.0, 8), word_source(seed, "planted")
    codes = [without_the_half(made, 5, source) for _ in range(4000)]
    state = made.empty(simulated=True).update(made.reports(np.array(codes), simulated=True))
    row = made.estimate(state).between(4, 7)
    assert abs(row.value - 4000) > 8 * row.std_error


def test_reports_that_somebody_made_up_are_doubted(seed: int) -> None:
    honest = WAVELET.privatize(VALUES, rng=seed)
    state = WAVELET.empty(simulated=True).update(honest)
    lies = WAVELET.reports(np.full(5000, 2, dtype=np.uint8), simulated=True)
    state.update(lies)
    assert state.honesty().p_value < 1e-9
    assert WAVELET.estimate(state).honesty.doubt != ""
    with pytest.raises(ReportError, match="implausible=True"):
        type(state).from_bytes(state.to_bytes(), WAVELET.oracle)


def test_the_squared_error_is_the_stated_one(seed: int) -> None:
    """Null: the mean squared error of 4 ranges over 300 runs is at most the stated variance.

    n = 400 users. A sum of 300 squares of a normal variable exceeds 1.75 times its mean with a
    probability below 1e-11 (chi-squared); half of the stated variance would fail with power 0.99,
    and the mean is also at least 0.4 of it, as users of many values come close to the bound.
    """
    values = np.arange(400) % 50
    errors = []
    for run in range(300):
        state = WAVELET.empty(True).update(WAVELET.privatize(values, rng=seed + run))
        rows = [WAVELET.estimate(state).between(*each) for each in RANGES[3:7]]
        truth = [int(((a <= values) & (b >= values)).sum()) for a, b in RANGES[3:7]]
        errors.append([(row.value - t) / row.std_error for row, t in zip(rows, truth, strict=True)])
    squares = (np.array(errors) ** 2).mean(axis=0)
    assert (squares < 1.75).all()
    assert (squares > 0.4).all()


def test_intervals_of_quantiles_cover_them(seed: int) -> None:
    """Null: each of three intervals misses with chance 0.01 at most; n = 200 runs, level 1e-10.

    Planted: intervals of a quarter of the error, which miss far more often, are seen.
    """
    made, shares, runs = RangeWavelet(2.0, 64), (0.05, 0.5, 0.9), 200
    values = np.random.default_rng(3).binomial(63, 0.4, 2000)
    truth = np.quantile(values, shares, method="inverted_cdf").astype(int).tolist()
    missed, short = 0, 0
    for run in range(runs):
        found = made.estimate(made.empty(True).update(made.privatize(values, rng=seed + run)))
        hasty = Hasty(found.n, found.k, found.leaves, found.fit)
        ends = [found.quantile(share, level=0.99) for share in shares]
        missed += any(not e.low <= t <= e.high for e, t in zip(ends, truth, strict=True))
        ends = [hasty.quantile(share, level=0.99) for share in shares]
        short += any(not e.low <= t <= e.high for e, t in zip(ends, truth, strict=True))
    most = int(binom.isf(1e-10, runs, 0.03))
    assert missed <= most < short


@pytest.mark.parametrize("k", [50, 5000])
def test_states_add_up_and_are_saved(k: int, tmp_path: Path) -> None:
    made = RangeWavelet(2.0, k)
    values = [0, 1, 49] * 30
    one, two = made.privatize(values, rng=1), made.privatize(values, rng=2)
    whole = made.empty(True).update(one).update(two)
    assert made.empty(True).update(one).merge(made.empty(True).update(two)) == whole
    whole.save(tmp_path / "state")
    for again in (made.load(tmp_path / "state"), pickle.loads(pickle.dumps(whole))):
        assert again == whole
        assert np.array_equal(made.estimate(again).leaves, made.estimate(whole).leaves)
    other = RangeWavelet(made.epsilon, k - 1)
    with pytest.raises(ReportError, match="k"):
        other.empty().update(one)
    with pytest.raises(ParameterError, match="state: must be of this protocol: "):
        other.estimate(whole)
    with pytest.raises(ReportError):
        RangeTree(2.0, k).empty(True).update(one)


def test_a_client_reports_once_and_pays_first(tmp_path: Path) -> None:
    book = SpendingBook(tmp_path / "book", 1, new=True)
    client = WAVELET.client(rng=1, book=book)
    for wrong in (50, -1, "1", 0.5, True, [1], None):
        with pytest.raises(DomainError, match="must"):
            client.report(wrong)
    assert book.left == 1
    assert len(client.report(49)) == 1
    assert book.left == 0
    with pytest.raises(ParameterError, match="report: must be called once"):
        client.report(0)


def test_bad_arguments_are_named() -> None:
    for arguments, name in (
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": True}, "epsilon"),
        ({"k": 1}, "k"),
        ({"k": 2.0}, "k"),
        ({"k": (1 << 24) + 1}, "k"),
    ):
        given: dict[str, Any] = {"epsilon": 1.0, "k": 50} | arguments
        with pytest.raises(ParameterError) as refused:
            RangeWavelet(**given)
        assert refused.value.argument == name
    values: Any  # no type would let these pass
    for values in ([50], [-1], ["a"], [0.5], None):
        with pytest.raises(DomainError):
            WAVELET.privatize(values, rng=1)
    for first, last, named in ((-1, 2, "first"), (3, 2, "last"), (0, 50, "last")):
        with pytest.raises(ParameterError, match=f"{named}: must"):
            WAVELET.influence(first, last)
    with pytest.raises(ReportError, match=r"0\.\.125"):
        WAVELET.reports(np.array([126]), simulated=True)
    few = WAVELET.empty(True).update(WAVELET.privatize([1], rng=1))
    with pytest.raises(ParameterError, match=r"state: must have reports on each of .* levels; of"):
        WAVELET.estimate(few)
    with pytest.raises(ParameterError, match="values: must be left out"):
        few.estimate([1])
