"""Mean sizes of users' sets: ends hold by the exact law of a few users, and by simulation."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import (
    PaddedHashing,
    PaddedResponse,
    SamplingRappor,
    SamplingSuccinctHistogram,
    TextSketch,
)
from ldp_verified.protocols.candidates import CandidateSizes
from ldp_verified.protocols.set_sizes import MeanItems, bounded, sampled_share, successes
from ldp_verified.run.mechanisms import CMS
from tests.broken.set_sizes import both_ends_with_all, cutting_forgotten

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    How = Callable[[Any, int, int, int, float], tuple[float, float, float]]

EACH = [PaddedResponse, PaddedHashing, SamplingRappor, SamplingSuccinctHistogram]


def dummies_supported(made: Any, size: int) -> Floats:
    """The law of how many dummies a report on a set of this size supports, written out."""
    p, q, length = float(made.inner.p_star), float(made.inner.q_star), made.length
    held = max(length - size, 0) / length
    if isinstance(made, PaddedResponse):
        other = (1 - held) * length * q + held * (p + (length - 1) * q)
        return np.array([1 - other, other])
    own = np.convolve([1 - p, p], binom.pmf(np.arange(length), length - 1, q))
    return np.asarray(held * own + (1 - held) * binom.pmf(np.arange(length + 1), length, q))


def largest_miss(made: Any, n: int, how: How, level: float) -> float:
    """The chance that an interval does not hold the mean, of whichever sizes it is largest."""
    length, worst = made.length, 0.0
    laws = [dummies_supported(made, size) for size in range(length + 1)]
    said: dict[int, tuple[float, float, float]] = {}
    for sizes in itertools.combinations_with_replacement(range(length + 1), n):
        law = np.ones(1)
        for size in sizes:
            law = np.convolve(law, laws[size])
        true = length - np.mean(sizes)
        for supports in range(len(law)):
            if supports not in said:
                said[supports] = how(made.inner, supports, length, n, (1 - level) / 2)
        missed = [
            chance
            for supports, chance in enumerate(law.tolist())
            if not said[supports][1] <= true / length + 1e-12
            or not said[supports][2] >= true / length - 1e-12
        ]
        worst = max(worst, sum(missed))
    return worst


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("kind", [PaddedResponse, SamplingRappor])
def test_ends_hold_by_the_exact_law(kind: Any, level: float) -> None:
    for epsilon, length, n in ((1.0, 2, 9), (4.0, 3, 6), (8.0, 1, 12)):
        missed = largest_miss(kind(epsilon, 4, length), n, sampled_share, level)
        assert missed <= 1 - level + 1e-9


def test_ends_that_miss_twice_as_often_do_not() -> None:
    made = PaddedResponse(1.0, 4, 1)
    assert largest_miss(made, 40, sampled_share, 0.5) <= 0.5
    assert largest_miss(made, 40, both_ends_with_all, 0.5) > 0.6


def test_ends_of_coins_are_those_of_binomials() -> None:
    for n, count in ((1, 0), (1, 1), (7, 3), (1000, 10)):
        low, high = successes(count, n, 0.05)
        assert 0 <= low <= count / n <= high <= 1
        assert binom.sf(count - 1, n, low) <= 0.05 + 1e-9 or low == 0
        assert binom.cdf(count, n, high) <= 0.05 + 1e-9 or high == 1
    for n, count in ((7, 3), (1000, 10), (1000, 0), (50, 50)):  # of any numbers, so wider
        narrow, wide = successes(count, n, 0.05), bounded(count / n, n, 0.05)
        assert wide[0] <= narrow[0] + 1e-12
        assert wide[1] >= narrow[1] - 1e-12


SETS = [[], [0], [1, 3], [0, 1, 2], [0, 1, 2, 3, 4, 5]]
SIZES = np.array([0, 1, 2, 3, 6])
USERS = 4_000
RUNS = 100
MOST = int(binom.isf(1e-10, RUNS, 0.05))


def found(made: Any, seed: int) -> Any:
    """The state of the population: as many of each set."""
    counts = [USERS // len(SETS)] * len(SETS)
    return made.empty(simulated=True).update(made.simulate(SETS, counts, rng=seed))


@pytest.mark.parametrize("kind", EACH)
def test_intervals_hold_the_mean(kind: Any, seed: int) -> None:
    """Null: each interval misses with 5 % at most; n = 100 runs, level 1e-10.

    The means are of what is left of sets, of sets as they are, and of what is left of those items
    that are 0, 1 or 2: sets of 6 items are cut to 4. A fifth of the users have 4 or more.
    """
    made = kind(3.0, 20, 4)
    cut = np.minimum(SIZES, 4).mean()
    common = np.mean([0, 1, 1, 3, 3 * 4 / 6])
    missed = np.zeros(4, dtype=int)
    for run in range(RUNS):
        state = found(made, seed + run)
        three = (
            (made.mean_items(state), cut),
            (made.mean_items(state, largest=6), SIZES.mean()),
            (made.mean_items(state, range(3)), common),
        )
        outside = [not each.low <= true <= each.high for each, true in three]
        missed += [*outside, three[0][0].full < 0.2]
    assert missed.max() <= MOST


def test_an_interval_that_forgets_cutting_misses(seed: int) -> None:
    made, missed = PaddedResponse(3.0, 20, 4), 0
    for run in range(RUNS):
        each = cutting_forgotten(made, found(made, seed + run), 0.95, 6)
        missed += not each.low <= SIZES.mean() <= each.high
    assert missed > MOST


@pytest.mark.parametrize("kind", EACH)
def test_estimates_are_the_sums_of_estimated_counts(kind: Any, seed: int) -> None:
    """The union with public items is these, and what a set has beside them."""
    made = kind(3.0, 20, 4)
    state = found(made, seed)
    items = made.estimate(state)
    beside = made.mean_items(state, range(3, 20))
    assert beside.value == pytest.approx(items.counts[3:].sum() / USERS)
    dummies = made.estimated_sizes(state)
    assert made.mean_items(state).value == pytest.approx(4 - dummies.sum() / USERS)
    if kind is PaddedResponse:  # of which every report supports an item or a dummy
        assert made.mean_items(state).value == pytest.approx(items.counts.sum() / USERS)


@pytest.mark.parametrize("oracle", ["GRR", "OLH"])
def test_reported_sizes_have_a_mean(oracle: str, seed: int) -> None:
    """Null: an interval misses with 5 % at most; n = 100 runs, level 1e-10."""
    made = CandidateSizes(3.0, 20, ((0,), (1,), (2,), (3, 4)), oracle)
    true, missed = np.mean([0, 1, 1, 3, 4]), 0
    for run in range(RUNS):
        state = found(made, seed + run)
        each = made.mean_items(state)
        missed += not each.low <= true <= each.high
        sizes = made.estimate(state).counts
        assert each.value == pytest.approx(np.arange(5) @ sizes / USERS)
    assert missed <= MOST


def test_sets_of_strings_have_a_mean(seed: int) -> None:
    """Null: an interval of the level 1 - 1e-9 holds 1."""
    made = TextSketch(PaddedHashing(4.0, 1 << 20, 2))
    sent = made.privatize([{"bread", "milk"}, {"milk"}, set()] * 4_000, rng=seed)
    state = made.empty(simulated=True).update(sent)
    each = made.mean_strings(state, level=1 - 1e-9)
    assert each.low < 1 < each.high < 1.3


def test_what_is_refused() -> None:
    made = PaddedResponse(3.0, 20, 4)
    state = found(made, 1)
    wrong: Any = made
    for name, given in (
        ("level", 0),
        ("largest", -1),
        ("items", [1, 1]),
    ):
        with pytest.raises(ParameterError, match=f"{name}: (must|1 is named twice)"):
            wrong.mean_items(state, **{name: given})
    for items in ([20], [], [-1], [0.5], 3, "a", np.array(3)):
        with pytest.raises(DomainError, match="items: must be"):
            wrong.mean_items(state, items)
    with pytest.raises(ParameterError, match="state: must be of this protocol"):
        PaddedResponse(3.0, 20, 5).mean_items(state)
    sizes = CandidateSizes(3.0, 20)
    for each in (made, sizes):
        with pytest.raises(ParameterError, match="state: must have seen a report"):
            each.mean_items(each.empty())
    with pytest.raises(ParameterError, match="items: must be left out"):
        sizes.mean_items(sizes.empty(), [1])
    one: Any = TextSketch(CMS(1.0, 1 << 16, 256, 4, seed=1))
    with pytest.raises(ParameterError, match="mechanism: must be PaddedHashing"):
        one.mean_strings(one.empty())
    assert isinstance(made.mean_items(state), MeanItems)
