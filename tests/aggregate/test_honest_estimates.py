"""Tests of the state stand beside estimates of all kinds: levels are enumerated, attacks are seen.

Statistical tests here take honest reports for dishonest with a chance of 1e-9 each, whatever is
simulated; the attacks are far above what that significance misses.
"""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.succession import Succession
from ldp_verified.protocols import (
    SHE,
    BitReduction,
    BitState,
    Bitstogram,
    BitstogramState,
    ChangeTree,
    DuchiVector,
    KeyValueResponse,
    PaddedResponse,
    ParityTables,
    PrefixExtending,
    PrefixState,
    RangeTree,
    RangeWavelet,
    VotedMean,
)
from ldp_verified.run.aggregate.honest import UNTESTED, HonestyCheck, of_coins, of_mean
from ldp_verified.run.mechanisms import GRR, Duchi, Laplace
from tests.broken.influences import one_sided_mean, without_the_number_of_counts

if TYPE_CHECKING:
    from collections.abc import Callable

USERS = 20_000


def coin_levels(test: Callable[..., HonestyCheck]) -> list[float]:
    """p-values that two counts of honest coins reach more often than they may.

    Six coins of each count, three of every chance between the ends; all outcomes are enumerated.
    """
    least, most = np.array(0.25), np.array(0.75)
    found = []
    for chances in ((0.25, 0.25), (0.25, 0.75), (0.5, 0.75), (0.75, 0.75)):
        laws = [[Fraction(1)], [Fraction(1)]]
        for law in laws:
            for chance in [Fraction(c) for c in chances] * 3:
                law[:] = [
                    (law[w] * (1 - chance) if w < len(law) else Fraction(0))
                    + (law[w - 1] * chance if w else Fraction(0))
                    for w in range(len(law) + 1)
                ]
        at: dict[float, Fraction] = {}
        for pair in product(range(7), repeat=2):
            p = test("coins", np.array([6, 6]), np.array(pair), least, most).p_value
            at[p] = at.get(p, Fraction(0)) + laws[0][pair[0]] * laws[1][pair[1]]
        total = Fraction(0)
        for p in sorted(at):
            total += at[p]
            if p < 1 and float(total) > p * (1 + 1e-9):
                found.append(p)
    return found


def mean_levels(test: Callable[..., HonestyCheck]) -> list[float]:
    """The same of the mean of five reports of -2 and 2, whose means lie in -1..1."""
    found = []
    for plus in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        law = [Fraction(1)]
        for _ in range(5):
            law = [
                (law[w] * (1 - plus) if w < len(law) else Fraction(0))
                + (law[w - 1] * plus if w else Fraction(0))
                for w in range(len(law) + 1)
            ]
        ends = (Fraction(-2), Fraction(2)), (Fraction(-1), Fraction(1))
        values = [test("sum", 5, [Fraction(4 * w - 10)], *ends).p_value for w in range(6)]
        for p in values:
            chance = sum(c for c, v in zip(law, values, strict=True) if v <= p)
            if p < 1 and chance > p:
                found.append(p)
    return found


def test_levels() -> None:
    assert coin_levels(of_coins) == []
    assert mean_levels(of_mean) == []


def test_tests_above_their_level_are_seen() -> None:
    assert coin_levels(without_the_number_of_counts)
    assert mean_levels(one_sided_mean)


def test_candidates_that_anybody_chose_count_as_all_values() -> None:
    n, count = 1000, np.array([620])
    ends = np.array(0.5), np.array(0.5)
    one, all_ = (of_coins("x", n, count, *ends, looks=looks).p_value for looks in (None, 50))
    assert all_ == pytest.approx(50 * one)


def seen(estimate: Any) -> bool:
    """Whether the estimate says that reports are hardly honest, in its heading too."""
    doubted = bool(estimate.honesty.doubted(1e-9))
    assert ("hardly all honest" in estimate.heading) == doubted
    return doubted


def both(
    made: Any, honest: Any, fakes: Any, estimated: Callable[[Any], Any], more: int = USERS
) -> None:
    """Honest reports pass, and more fakes than users do not."""
    fine = estimated(made.empty(simulated=True).update(honest))
    assert fine.honesty.checks
    assert not seen(fine)
    wrong = made.reports(np.repeat(fakes, more, axis=0), simulated=True)
    assert seen(estimated(made.empty(simulated=True).update(honest).update(wrong)))


def test_numbers(seed: int) -> None:
    draw = np.random.default_rng(seed).uniform(-1, 1, USERS)
    for made in (Duchi(1.0), Laplace(1.0)):
        ends = np.array([made.decoding.outputs - 1], dtype=made.privatize([0.0]).data.dtype)
        both(made, made.privatize(draw, rng=seed), ends, lambda state: state.estimate(), 2 * USERS)
        assert made.empty().estimate().honesty == UNTESTED


def test_vectors_and_noisy_bits(seed: int) -> None:
    vector, noisy = DuchiVector(1.0, 3), SHE(1.0, 3)
    users = np.random.default_rng(seed).uniform(-1, 1, (USERS, 3))
    plus = np.array([1], dtype=np.uint64)
    both(vector, vector.privatize(users, rng=seed), plus, lambda state: state.estimate())
    ends = np.full((1, 3), noisy.number.outputs - 1, dtype=noisy.privatize([0]).data.dtype)
    honest = noisy.privatize(np.arange(USERS) % 3, rng=seed)
    both(noisy, honest, ends, lambda state: state.estimate())


def test_trees_sets_and_pairs(seed: int) -> None:
    tree, sets, pairs = RangeTree(1.0, 8, 1), PaddedResponse(1.0, 6, 2), KeyValueResponse(1.0, 4, 2)
    users = np.arange(USERS)
    honest = tree.privatize(users % 8, rng=seed)
    both(tree, honest, tree.layout.check(np.array([0])), tree.estimate)
    bits = ParityTables(1.0, ("a", "b", "c"))
    odd = bits.privatize(users % 8, rng=seed)
    both(bits, odd, bits.layout.check(np.array([0])), lambda s: bits.estimate(s).table("a", "b"))
    wavelet = RangeWavelet(1.0, 8)
    signs = wavelet.privatize(users % 8, rng=seed)
    both(wavelet, signs, wavelet.layout.check(np.array([0])), wavelet.estimate)
    both(wavelet, signs, wavelet.layout.check(np.array([1])), lambda state: state.estimate())
    held = sets.privatize([(int(v) % 6,) for v in users], rng=seed)
    both(sets, held, sets.inner.layout.check(np.array([0])), sets.estimate)
    numbers = pairs.privatize([{int(v) % 4: 0.5} for v in users], rng=seed)
    both(pairs, numbers, pairs.inner.layout.check(np.array([0])), pairs.estimate)
    state = pairs.empty(simulated=True).update(numbers)
    assert pairs.estimate(state).means.honesty == pairs.estimate(state).honesty


def test_days_and_votes(seed: int) -> None:
    days, votes = ChangeTree(1.0, 3), VotedMean(1.0, 2)
    histories = np.random.default_rng(seed).integers(0, 2, (USERS, 1)) * np.ones(3, dtype=np.int64)
    honest = days.privatize(histories, rng=seed)
    joined = np.array([1, 2 * days.firsts[-1]])
    both(days, honest, joined, lambda state: state.estimate())
    answers = votes.answer.privatize(np.resize([-1, 1], USERS), rng=seed)
    said = votes.reports(answers.data.astype(np.int64) + 4, simulated=True)
    both(votes, said, np.array([5]), lambda state: state.estimate())


@pytest.mark.parametrize(
    "made,state",
    [
        (PrefixExtending(1.0, 8, 4), PrefixState),
        (Bitstogram(1.0, 8, 4, 0, 2, 8), BitstogramState),
        (BitReduction(4.0, 8, 4), BitState),
    ],
    ids=["prefix_extending", "bitstogram", "bit_reduction"],
)
def test_groups(made: Any, state: Any, seed: int) -> None:
    """Half of the users send the zero function, and bucket 0; or in Hashtogram one sign always."""
    reports = made.privatize(np.arange(USERS) % 200, rng=seed)
    fine = state(made, simulated=True).update(reports).estimate([1, 2])
    assert fine.honesty.checks
    assert not seen(fine)
    half = np.arange(len(reports)) % 2 == 0
    confirming = half & (reports.groups == made.levels) if made.groups > made.levels else half
    if made.drawn_afresh(reports.groups[confirming]).all():
        reports.seeds[confirming] = 0
    else:
        reports.seeds[confirming] = reports.seeds[confirming][0]
    reports.buckets[confirming] = 0
    assert seen(state(made, simulated=True).update(reports).estimate([1, 2]))


def test_deployments_that_follow_each_other(seed: int) -> None:
    """One with crude fakes makes what both say together doubtful; of shares, and of means."""
    until = datetime(2026, 1, 1, tzinfo=UTC)
    users = np.arange(USERS)
    for fakes in (0, 10_000):
        collectors = []
        for epsilon in (1.0, 2.0):
            deployment = Deployment(GRR(epsilon, 20))
            collector, made = deployment.collector(simulated=True), deployment.mechanism
            collector.add_rows(deployment.to_rows(made.privatize(users % 20, rng=seed)))
            crude = made.reports(np.zeros(fakes, dtype=np.uint8), True)
            collector.add_rows(deployment.to_rows(crude))
            collectors.append(collector)
        found = Succession(collectors[1], [(collectors[0], until)]).estimate()
        assert len(found.honesty.checks) == 2
        assert seen(found) == (fakes > 0)
    numbers = [Deployment(Duchi(epsilon)) for epsilon in (1.0, 2.0)]
    states = [each.collector(simulated=True) for each in numbers]
    for deployment, state in zip(numbers, states, strict=True):
        drawn = deployment.mechanism.privatize(np.zeros(USERS), rng=seed)
        state.add_rows(deployment.to_rows(drawn))
    means = Succession(states[1], [(states[0], until)]).estimate()
    assert len(means.honesty.checks) == 2
    assert not seen(means)
