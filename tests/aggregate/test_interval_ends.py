"""Intervals of counts cover what they say: exact sums of binomials, nothing is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import GRR, OUE
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.interval_ends import coins_of_supports, score_ends, support_ends
from ldp_verified.run.aggregate.listed import Listed
from ldp_verified.run.aggregate.tabulated import quantile
from tests.aggregate.oracles import oracle as no_coins

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.oracle import Floats

MADE = (GRR(1.0, 1000), GRR(8.0, 1000), GRR(8.0, 2), GRR(0.5, 2), OUE(4.0, 1000), OUE(1.0, 100))
"""With n users below, n q* goes from 0.0003 to 1,134."""

USERS = (1, 2, 5, 30, 100, 1000, 3000)


def law(made: Any, n: int, held: int) -> Floats:
    """The chances of 0..n supports of a value that so many of n users hold."""
    p, q = float(made.oracle.p_star), float(made.oracle.q_star)
    own = binom.pmf(np.arange(held + 1), held, p)
    return np.convolve(own, binom.pmf(np.arange(n - held + 1), n - held, q))


def some_counts(n: int) -> list[int]:
    """True counts near both ends and between."""
    return sorted({min(max(c, 0), n) for c in (0, 1, 2, 3, n // 4, n // 2, n - 1, n)})


@pytest.mark.parametrize("n", USERS)
@pytest.mark.parametrize("made", MADE, ids=str)
def test_intervals_cover_as_often_as_they_say(made: Any, n: int) -> None:
    """Exact: of one value at a level, and of all k at once by the chances added up."""
    k = made.oracle.k
    every = Estimate(Listed(made.oracle, n + 1), n, np.arange(n + 1))
    for level in (0.01, 0.5, 0.95, 0.999, 1 - 0.05 / k, 1 - 0.001 / k):
        low, high = every.interval(level)
        for held in some_counts(n):
            missed = law(made, n, held)[(low > held) | (high < held)].sum()
            assert missed <= 1 - level, (level, held)


@pytest.mark.parametrize("n", [100, 1000, 10_000])
def test_intervals_of_all_values_hold_at_once(n: int) -> None:
    """All users hold one value; supports of the other values miss with the sum of their chances.

    Score intervals covered with a chance of 0.01, 0.56 and 0.89 here.
    """
    made = GRR(1.0, 1000)
    most = int(binom.isf(1e-12, n, float(made.oracle.q_star)))
    supports = np.zeros(1000, dtype=np.int64)
    supports[: most + 1] = np.arange(most + 1)
    low = Estimate(made.oracle, n, supports).interval(0.95, simultaneous=True)[0][: most + 1]
    chances = binom.pmf(np.arange(most + 1), n, float(made.oracle.q_star))
    assert 999 * (chances[low > 0].sum() + 1e-12) <= 0.025
    assert (low > 0).any()


def test_score_intervals_would_be_noticed() -> None:
    """The intervals that were here before, at the point of the test above."""
    made, n = GRR(1.0, 1000), 100
    every = Estimate(Listed(made.oracle, n + 1), n, np.arange(n + 1))
    low, _ = score_ends(made.oracle, n, every.shares, quantile(0.95, 1000))
    assert law(made, n, 0)[low > 0].sum() > 50 * 0.05 / 1000


@pytest.mark.parametrize("made", MADE, ids=str)
def test_ends_are_not_needlessly_far(made: Any) -> None:
    """The outermost count inside has a tail of a third of the error at least."""
    n, miss = 300, 1e-5
    low, high = support_ends(made.oracle, n, np.arange(n + 1), miss)
    for s in range(n + 1):
        least, most = int(np.ceil(low[s])), int(np.floor(high[s]))
        if 0 < low[s] < n:
            assert law(made, n, least)[s:].sum() > miss / 3
        if 0 < high[s] < n:
            assert law(made, n, most)[: s + 1].sum() > miss / 3


@pytest.mark.parametrize("n", [10**6, 10**10])
def test_many_users_have_the_score_interval(n: int) -> None:
    """To 1 % of its width: the normal approximation is good there."""
    oracle = OUE(1.0, 100).oracle
    middle = n * float(oracle.q_star)
    supports = np.round(middle + np.linspace(0, 9, 50) * np.sqrt(middle)).astype(np.int64)
    every = Estimate(Listed(oracle, 50), n, supports)
    ends = every.interval(0.95), score_ends(oracle, n, every.shares, quantile(0.95))
    width = ends[1][1] - ends[1][0]
    for found, expected in zip(*ends, strict=True):
        assert np.all(np.abs(found - expected) <= 0.01 * width)


def test_only_independent_supports_are_coins() -> None:
    assert coins_of_supports(no_coins()) is None
    made = GRR(1.0, 4).oracle
    assert coins_of_supports(made) is made
    assert coins_of_supports(Listed(made, 2)) is made


def test_users_who_hold_nothing_else_are_not_found(seed: int) -> None:
    """Null: `held_by` is wrong with chance 0.05 at most; n = 50 runs, level 1e-10.

    Before, it was wrong in 97 % of the runs: that is seen with a power of 1 - 1e-30.
    """
    made, wrong = GRR(1.0, 1000), 0
    counts = np.eye(1, 1000, dtype=np.int64)[0] * 100
    for run in range(50):
        wrong += made.simulate_counts(counts, rng=seed + run).estimate().held_by(0.01).low > 1
    assert wrong <= int(binom.isf(1e-10, 50, 0.05))
