"""Estimates by a left inverse: exact, mergeable, and with intervals at least as wide as needed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ldp_verified import GRR
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate import (
    Estimate,
    Identity,
    LeftInverse,
    LinearOracle,
    OutputLayout,
    State,
)
from ldp_verified.run.aggregate.interval_ends import score_ends
from ldp_verified.run.aggregate.tabulated import quantile
from tests.realize.written_out import constant_table

F = Fraction
SKEWED = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 8), F(3, 4), F(1, 8)]]


def grr_as_table(epsilon: float, k: int) -> tuple[GRR, LinearOracle]:
    """k-ary randomized response, and its realized table with a left inverse written down."""
    grr = GRR(epsilon, k)
    unit, (lie,) = 2**64, grr.thresholds
    truth = unit - (k - 1) * lie
    table = tuple(tuple(truth if x == y else lie for y in range(k)) for x in range(k))
    # (1[y = v] - q*)/(p* - q*), in units of 1/(truth - lie)
    rows = tuple(tuple(unit - lie if y == v else -lie for y in range(k)) for v in range(k))
    inverse = LeftInverse(rows, truth - lie)
    return grr, LinearOracle(grr.identity, OutputLayout(k, k), table, unit, inverse)


@pytest.mark.parametrize(("epsilon", "k"), [(1.0, 2), (0.3, 5), (4.0, 30)])
def test_counting_supports_is_a_left_inverse(
    epsilon: float, k: int, rng: np.random.Generator
) -> None:
    grr, oracle = grr_as_table(epsilon, k)
    counts = rng.multinomial(10_000, np.full(k, 1 / k)).astype(np.int64)
    one, other = Estimate(grr.oracle, 10_000, counts), Estimate(oracle, 10_000, counts)
    np.testing.assert_allclose(one.counts, other.counts, rtol=1e-9, atol=1e-6)
    ends = score_ends(grr.oracle, 10_000, one.shares, quantile(0.9))
    for low, high in zip(ends, other.interval(0.9), strict=True):
        np.testing.assert_allclose(low, high, rtol=1e-9, atol=1e-6)
    spread = np.sqrt(10_000 * oracle.plug_in(one.shares, 10_000))
    np.testing.assert_allclose(other.std_error, spread, rtol=1e-12)


def test_estimates_are_exact_up_to_the_last_rounding() -> None:
    made = constant_table(SKEWED)
    state = made.aggregate(
        made.reports(np.array([0, 0, 1, 2, 2, 2], dtype=np.uint8), simulated=False)
    )
    assert state.counts.tolist() == [2, 1, 3]
    wanted = [sum(c * w for c, w in zip([2, 1, 3], row, strict=True)) for row in made.weights]
    assert state.estimate().counts.tolist() == [float(value) for value in wanted]
    # The shares of all values sum to one exactly, so the counts do up to that rounding.
    assert state.estimate().counts.sum() == pytest.approx(6, rel=1e-12)


def test_states_merge_exactly_and_count_outputs() -> None:
    made = constant_table(SKEWED)
    one, other = (
        made.aggregate(made.privatize([0, 1] * 50, seed), simulated=True) for seed in (1, 2)
    )
    assert one.merge(other) == other.merge(one)
    assert one.merge(other).counts.shape == (3,)
    assert one.merge(made.empty(simulated=True)) == one
    with pytest.raises(ParameterError, match=r"shape \(3,\)"):
        State(made.oracle, 1, np.zeros(2, dtype=np.int64))
    with pytest.raises(ReportError, match=r"0\.\.2"):
        made.reports(np.array([3]), simulated=False)


def test_nothing_seen_is_a_valid_result() -> None:
    estimate = constant_table(SKEWED).empty().estimate()
    assert estimate.counts.tolist() == estimate.std_error.tolist() == [0, 0]
    assert np.isnan(estimate.shares).all()
    assert [end.tolist() for end in estimate.interval()] == [[0, 0], [0, 0]]


def test_the_line_of_the_score_interval_bounds_the_variance_of_every_population() -> None:
    rows = [[F(5, 8), F(2, 8), F(1, 8)], [F(1, 8), F(6, 8), F(1, 8)], [F(2, 8), F(1, 8), F(5, 8)]]
    made = constant_table(rows)
    a, b = made.oracle.variance_line(100)
    steps = range(11)
    for i in steps:
        for j in range(11 - i):
            shares = [F(i, 10), F(j, 10), F(10 - i - j, 10)]
            bound = a + b * np.array([float(share) for share in shares])
            assert (made.variance(1, shares) <= bound * (1 + 1e-12)).all()


@pytest.mark.parametrize(("x", "v"), [(0, 0), (0, 1), (1, 0)])
def test_a_weight_that_is_one_unit_off_is_biased(x: int, v: int) -> None:
    table = ((3, 1), (1, 3))
    right = [[3, -1], [-1, 3]]
    identity = Identity("T", (), "", ())
    LinearOracle(identity, OutputLayout(2, 2), table, 4, LeftInverse(((3, -1), (-1, 3)), 2))
    right[v][x] += 1
    wrong = LeftInverse(tuple(map(tuple, right)), 2)
    with pytest.raises(ParameterError, match="must be unbiased"):
        LinearOracle(identity, OutputLayout(2, 2), table, 4, wrong)
