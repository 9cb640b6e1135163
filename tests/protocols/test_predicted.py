"""Predicted shares: the order that was measured, and how often such a value is found."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from ldp_verified.deploy.collect.hitters import found_shares, searches
from ldp_verified.errors import ReportError
from ldp_verified.protocols import (
    BitGroups,
    BitReduction,
    BitState,
    Bitstogram,
    BitstogramState,
    CodedState,
    FragmentState,
    PrefixCohorts,
    PrefixCohortState,
    PrefixExtending,
    PrefixRounds,
    PrefixState,
    PrivateExpanderSketch,
    PrivateExpanderSketchState,
    SequenceFragments,
    SuccinctHistogram,
    TreeHist,
    TreeHistState,
)
from ldp_verified.protocols.predicted import (
    FALSE_ALARM,
    TOP,
    Stage,
    chance_found,
    evenly_found,
    noise_reaches,
    pooled_stages,
    stage_of,
)
from ldp_verified.run.kernels.wide import hashes


def test_the_order_is_the_one_that_the_benchmark_measured() -> None:
    """At n = 657,427, epsilon = 4 and 48 bits: rounds, cohorts, PEM (benchmarks/HEAVY_HITTERS.md).

    The planted order is that of the promise, which was taken before: PEM is first by it.
    """
    plans = found_shares(4.0, 657_427, 48)
    assert [plan.name for plan in plans[:3]] == ["PrefixRounds", "PrefixCohorts", "PrefixExtending"]
    assert all(min(plan.rank) < plan.share for plan in plans if plan.finds)
    assert min(plans, key=lambda plan: plan.share).name == "PrefixExtending"


@pytest.mark.parametrize("kept, candidates", [(64, 1 << 20), (1, 128), (64, 128), (100, 128)])
def test_what_noise_reaches_is_a_normal_quantile(kept: int, candidates: int) -> None:
    assert noise_reaches(kept, candidates) == pytest.approx(norm.isf(kept / candidates), abs=1e-9)
    assert noise_reaches(candidates, candidates) == -math.inf


def test_places_that_a_code_mends_may_fail() -> None:
    stages = [Stage(1.0, 1.0, 0.0, reach=0.0, times=3)]
    p = float(norm.cdf(0.7))
    assert chance_found(stages, 0, 0.7) == pytest.approx(p**3)
    assert chance_found(stages, 1, 0.7) == pytest.approx(p**3 + 3 * p**2 * (1 - p))


def test_an_error_grows_with_the_share_by_its_holders_and_by_who_is_drawn() -> None:
    """By hand for 128 places at epsilon = 4: (0.225 + 0.014 + 0.062)/332 at n = 50,000."""
    made, n, share = BitGroups(4.0), 50_000, 0.0658
    m = 0.85 * n / 128
    stage = stage_of(n, m, made.pair_variances, reach=0.0)
    spread = (0.225 + 0.014 + 0.062) / 332
    assert stage.passed(share) == pytest.approx(norm.cdf(share / math.sqrt(spread)), abs=2e-3)
    twin = Stage(stage.absent, stage.absent, 0.0, reach=0.0)  # as it was predicted before
    assert twin.passed(share) > stage.passed(share)


def test_one_report_on_both_bits_of_a_cell_says_as_much_as_one_on_a_value() -> None:
    """Functions of SuccinctHistogram look at the bit: twice the variance was too pessimistic."""
    made = SuccinctHistogram(4.0, 16)
    assert made.pair_variances == (made.variance_absent, made.variance_held)
    seeds = made.privatize(np.zeros(200, dtype=np.int64), 1)
    found = seeds.groups < made.levels
    pairs = np.zeros((2, 2), dtype=np.uint64)
    pairs[1, 0] = np.uint64(1) << np.uint64(63 - made.cell_bits)
    own = [hashes(seeds.seeds[found], np.repeat(p[None], found.sum(), axis=0), 1) for p in pairs]
    assert (own[0] != own[1]).all()


def test_where_all_users_report_nobody_is_drawn() -> None:
    assert stage_of(1000, 1000, (1.0, 2.0)).drawn == 0
    assert stage_of(1000, 12_000, (1.0, 2.0)).drawn == 0
    assert stage_of(1000, 10, (1.0, 2.0)).drawn == pytest.approx(0.1 - 0.001)


def test_pooled_levels_are_as_a_search_among_noise_shows(seed: int) -> None:
    """Null: a value of the share that is evenly found is found in a run with 0.4 to 0.6.

    Three levels of 4 bits, of which 4 and 2 prefixes are kept, with normal estimates. Of 2,000 runs
    640 to 1,360: below 2e-13 at either edge. The planted twin does not pool.
    """
    rng, lengths, kept, listed = np.random.default_rng(seed), (4, 8, 12), 4, 2
    own = [Stage(1e-4, 1e-4, 0.0) for _ in lengths]
    share = evenly_found(pooled_stages(own, lengths, kept, listed))
    found = 0
    for _ in range(2000):
        scores, holds = np.zeros(1), np.array([True])
        for level in range(3):
            holds = (holds[:, None] & (np.arange(16) == 0)).reshape(-1)
            estimates = share * holds + 0.01 * rng.standard_normal(len(holds))
            scores = (level * np.repeat(scores, 16) + estimates) / (level + 1)
            best = np.argsort(-scores)[: listed if level == 2 else kept]
            scores, holds = scores[best], holds[best]
        found += bool(holds.any())
    assert 640 <= found <= 1360, found
    alone = [Stage(1e-4, 1e-4, 0.0, noise_reaches(k, s)) for k, s in ((4, 16), (4, 64), (2, 64))]
    assert evenly_found(alone) > 1.05 * share


def test_more_users_are_predicted_to_find_more() -> None:
    shares = [PrefixCohorts(4.0, 48).predicted_share(n) for n in (10**4, 10**5, 10**6)]
    assert shares == sorted(shares, reverse=True)
    assert PrefixExtending(0.01, 48).predicted_share(10) == math.inf


SEARCHED: list[tuple[Any, Any, int, tuple[float, float]]] = [
    (BitGroups(4.0, 16, cells=64), BitState, 6000, (0.3, 0.7)),
    (BitReduction(8.0, 8, cells=64), BitState, 2000, (0.3, 0.7)),
    (Bitstogram(4.0, 8, 32, rows=2, columns=64), BitstogramState, 8000, (0.3, 0.7)),
    (PrefixCohorts(4.0, 16, first=8, step=8, cohorts=512), PrefixCohortState, 8000, (0.3, 0.7)),
    (PrefixExtending(4.0, 24, step=8), PrefixState, 8000, (0.3, 0.7)),
    (PrefixRounds(4.0, 16, first=12, step=12, cohorts=512), None, 8000, (0.3, 0.7)),
    # Its code mends more than is taken.
    (
        PrivateExpanderSketch(4.0, 8, 2, 2, rows=2, columns=64),
        PrivateExpanderSketchState,
        8000,
        (0.5, 0.95),
    ),
    (SequenceFragments(4.0, 16, marks=4), FragmentState, 4000, (0.3, 0.7)),
    (SuccinctHistogram(4.0, 8, cells=64), CodedState, 8000, (0.3, 0.7)),
    (TreeHist(4.0, 8, 4, 64), TreeHistState, 4000, (0.3, 0.7)),
]


@pytest.mark.parametrize(
    "made, state, n, chances", SEARCHED, ids=[type(each[0]).__name__ for each in SEARCHED]
)
def test_a_value_of_the_predicted_share_is_found_in_a_part_of_the_runs(
    made: Any, state: Any, n: int, chances: tuple[float, float], seed: int
) -> None:
    """Null: by the call without arguments it is found in a run with a chance within `chances`.

    100 independent runs of n users, all others with uniform values. Of them as many may find it as
    have each edge's binomial tail above 5e-10: 1e-9 in all, and 1e-8 for all protocols.
    """
    runs, found = 100, 0
    holders = round(made.predicted_share(n) * n)
    for run in range(runs):
        rng = np.random.default_rng([seed % (1 << 60), run])
        own = int(rng.integers(0, 1 << made.bits))
        values = np.append(rng.integers(0, 1 << made.bits, n - holders), np.full(holders, own))
        try:
            if state is None:
                listed = made.mine(values, rng=rng)
            else:
                sent = made.privatize(values, rng)
                listed = state(made, simulated=True).update(sent).heavy_hitters()
        except ReportError:  # nothing stands out
            continue
        found += own in {value for value, _, _ in listed}
    least, most = binom.ppf(5e-10, runs, chances[0]), binom.isf(5e-10, runs, chances[1])
    assert least <= found <= most, found


def test_predictions_are_for_searches_as_they_are_called_without_arguments() -> None:
    assert {type(made).__name__ for made, *_ in SEARCHED} == {*searches()}
    for made, state, _, _ in SEARCHED:
        if state is None:
            assert made.top == TOP
            continue
        taken = inspect.signature(state.heavy_hitters).parameters
        assert (taken["top"].default, taken["false_alarm"].default) == (TOP, FALSE_ALARM)
