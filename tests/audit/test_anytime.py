"""Anytime bounds: the chance of ever being wrong, computed exactly by walking all paths."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from scipy.special import xlogy

from ldp_verified.check.audit.bounds import anytime
from ldp_verified.check.audit.bounds.anytime import log_evidence, lower_bound, upper_ratio
from ldp_verified.check.audit.bounds.bounds import Stake, Tally

LEVEL = 0.1


@pytest.mark.parametrize("epsilon,odds", [(0.0, 1.0), (0.7, 1.0), (2.0, 1.0), (1.0, 5.0)])
def test_the_chance_that_it_is_ever_wrong(epsilon: float, odds: float) -> None:
    """Over 150 looks, one after each sample; paths that were wrong once are taken out."""
    theta = 1 / (1 + odds * exp(-epsilon))
    alive, wrong = {0: 1.0}, 0.0
    for n in range(1, 151):
        step: dict[int, float] = {}
        for plus, chance in alive.items():
            for more, share in ((1, theta), (0, 1 - theta)):
                step[plus + more] = step.get(plus + more, 0.0) + chance * share
        for plus in list(step):
            if lower_bound(Tally(plus, n - plus, n), Stake(odds), LEVEL) > epsilon:
                wrong += step.pop(plus)
        alive = step
    assert 0 < wrong <= LEVEL


def test_the_chance_that_it_is_ever_wrong_with_a_delta() -> None:
    """Three sides, 40 looks, at a randomizer that keeps (eps, delta) with equality."""
    epsilon, delta, minus = 0.5, 0.1, 0.2
    plus = exp(epsilon) * minus + delta
    chances = ((1, 0, plus), (0, 1, minus), (0, 0, 1 - plus - minus))
    alive, wrong = {(0, 0): 1.0}, 0.0
    for n in range(1, 41):
        step: dict[tuple[int, int], float] = {}
        for (a, b), chance in alive.items():
            for more_a, more_b, share in chances:
                at = a + more_a, b + more_b
                step[at] = step.get(at, 0.0) + chance * share
        for a, b in list(step):
            evidence = log_evidence(Tally(a, b, n), Stake(), epsilon, delta)
            if evidence >= -log(LEVEL):
                wrong += step.pop((a, b))
        alive = step
    assert wrong <= LEVEL


def test_the_bound_and_the_evidence_agree() -> None:
    tally = Tally(600, 300, 1000)
    for delta in (0.0, 0.05):
        bound = lower_bound(tally, Stake(), 0.01, delta)
        assert log_evidence(tally, Stake(), bound - 1e-4, delta) >= -log(0.01)
        assert log_evidence(tally, Stake(), bound + 1e-4, delta) < -log(0.01)


def test_the_upper_bound_of_an_events_own_ratio() -> None:
    tally = Tally(6000, 3000, 10_000)
    high, low = upper_ratio(tally, Stake(), 0.01), lower_bound(tally, Stake(), 0.01)
    assert low < log(2) < high < low + 0.25
    assert upper_ratio(Tally(100, 0, 100), Stake(), 0.01) == float("inf")


@pytest.mark.parametrize(
    "plus,minus,rest,ratio,extra",
    [
        (10, 3, 20, 2.0, 0.05),
        (10, 0, 20, 1e3, 0.01),
        (0, 5, 4, 3.0, 0.1),
        (100, 0, 0, 50.0, 0.3),
        (5, 5, 0, 1.0, 0.2),
        (1000, 0, 100, 1e200, 0.02),
    ],
)
def test_the_largest_likelihood_on_the_edge_is_not_too_small(
    plus: int, minus: int, rest: int, ratio: float, extra: float
) -> None:
    """A value too small would make the evidence too large; a fine grid finds none larger."""
    q = np.linspace(0, (1 - extra) / (ratio + 1), 200_001)
    p = ratio * q + extra
    grid = xlogy(plus, p) + xlogy(minus, q) + xlogy(rest, np.maximum(1 - p - q, 0))
    found = anytime._largest_on_edge(plus, minus, rest, ratio, extra)
    assert float(grid.max()) - 1e-9 * abs(found) <= found <= float(grid.max()) + 1e-3


def test_disjoint_counts_give_a_finite_bound() -> None:
    for delta in (0.0, 0.05):
        assert 1 < lower_bound(Tally(2097, 0, 16_384), Stake(), 0.005, delta) < 8


def test_the_chance_that_an_upper_bound_is_ever_wrong_with_a_delta() -> None:
    """Three sides, 40 looks, at the event's own ratio: the bound below it counts as wrong."""
    target, delta, minus = 0.5, 0.1, 0.2
    plus = exp(target) * minus + delta
    chances = ((1, 0, plus), (0, 1, minus), (0, 0, 1 - plus - minus))
    alive, wrong = {(0, 0): 1.0}, 0.0
    for n in range(1, 41):
        step: dict[tuple[int, int], float] = {}
        for (a, b), chance in alive.items():
            for more_a, more_b, share in chances:
                at = a + more_a, b + more_b
                step[at] = step.get(at, 0.0) + chance * share
        for a, b in list(step):
            evidence = anytime._log_evidence_below(Tally(a, b, n), Stake(), target, delta)
            if evidence >= -log(LEVEL):
                wrong += step.pop((a, b))
        alive = step
    assert 0 < wrong <= LEVEL


def test_an_upper_bound_with_a_delta_closes_in() -> None:
    found = [
        upper_ratio(Tally(430 * m, 200 * m, 1000 * m), Stake(), 0.01, 0.1) for m in (1, 10, 1000)
    ]
    assert found == sorted(found, reverse=True)
    assert log(330 / 200) < found[-1] < log(330 / 200) + 0.05
    assert upper_ratio(Tally(0, 0, 5), Stake(), 0.01, 0.1) == float("inf")
