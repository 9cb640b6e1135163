"""Intervals of quantiles cover them, and the answers of a hierarchical histogram fit each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import RangeEstimate, RangeHierarchy, RangeTree, RangeWavelet
from tests.broken.ranges import Hasty

if TYPE_CHECKING:
    from collections.abc import Iterator

TREE = RangeTree(2.0, 64)
VALUES = np.random.default_rng(3).binomial(63, 0.4, 2000)
RUNS = 200


def estimates(seed: int, count: int = RUNS) -> Iterator[RangeEstimate]:
    """Of the same users, with fresh reports."""
    for run in range(count):
        state = TREE.empty(simulated=True).update(TREE.privatize(VALUES, rng=seed + run))
        yield TREE.estimate(state)


def missed(found: Iterator[Any]) -> int:
    """How often one of the intervals of a run is wrong, at a level of 0.99 for each of three."""
    shares = (0.05, 0.5, 0.9)
    truth = np.quantile(VALUES, shares, method="inverted_cdf").astype(int).tolist()
    wrong = 0
    for each in found:
        ends = [each.quantile(share, level=0.99) for share in shares]
        wrong += any(not e.low <= t <= e.high for e, t in zip(ends, truth, strict=True))
    return wrong


MOST = int(binom.isf(1e-10, RUNS, 0.03))
"""Misses of three intervals of level 0.99, in 200 runs: more have a chance below 1e-10."""


def test_intervals_of_quantiles_cover_them(seed: int) -> None:
    """Null: each of three intervals misses with chance 0.01 at most; n = 200 runs, level 1e-10.

    Runs that miss with a chance of 0.25 are found with a power above 0.99.
    """
    assert missed(estimates(seed)) <= MOST


def test_intervals_that_are_too_short_are_seen(seed: int) -> None:
    short = (Hasty(each.n, each.k, each.leaves, each.fit) for each in estimates(seed))
    assert missed(short) > MOST


def test_what_it_says_fits_together(seed: int) -> None:
    (found,) = estimates(seed, 1)
    assert found.leaves.sum() == pytest.approx(1)
    assert found.at_most[-1] == pytest.approx(2000)
    assert found.at_most_error[-1] == pytest.approx(0, abs=1e-3)
    assert found.between(0, 20).value == pytest.approx(found.at_most[20])
    assert found.between(5, 5).value == pytest.approx(found.counts[5])
    assert found.between(5, 5).std_error == pytest.approx(found.std_error[5])
    assert found.between(3, 9).value == pytest.approx(found.counts[3:10].sum())
    narrow, wide = found.between(3, 9, level=0.5), found.between(3, 9, level=0.99)
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    low, high = found.simultaneous(0.95)
    assert ((low <= found.columns()[2]) & (found.columns()[3] <= high)).all()
    assert [row.label for row in found.rows()] == list(range(64))
    assert (found.heading, found.quantity) == ("2,000 users", "count")


def test_bad_arguments_are_named(seed: int) -> None:
    (found,) = estimates(seed, 1)
    for share in (0, 1, -0.5, True, "0.5", None, float("nan")):
        wrong: Any = share
        with pytest.raises(ParameterError, match="share: must"):
            found.quantile(wrong)
    for first, last, name in ((-1, 1, "first"), (64, 64, "first"), (3, 2, "last"), (0, 64, "last")):
        with pytest.raises(ParameterError, match=f"{name}: must"):
            found.between(first, last)
    with pytest.raises(ParameterError, match="level"):
        found.between(0, 1, level=1)
    with pytest.raises(ParameterError, match="level"):
        found.quantile(0.5, level=0)


@pytest.mark.parametrize("make", [RangeHierarchy, RangeTree, RangeWavelet])
def test_all_users_are_in_the_whole_range_for_sure(make: Any, seed: int) -> None:
    """Rounding left a sum of 3999.999999999998 whose interval was that point."""
    made = make(1.0, 64)
    assert made.variance(4000, 0, 63) == 0.0
    for run in range(5):
        reports = made.privatize(np.arange(4000) % 60, rng=seed + run)
        found = made.estimate(made.empty(simulated=True).update(reports))
        row = found.between(0, 63)
        assert (row.value, row.std_error, row.high) == (4000.0, 0.0, 4000.0)
        assert (found.at_most[-1], found.at_most_error[-1]) == (4000.0, 0.0)
