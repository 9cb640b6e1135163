"""Bounds by strata: their level at randomizers of all kinds, and their law by other code."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified.check.audit.bounds.bounds import Stake, Tally
from ldp_verified.check.audit.bounds.bounds import lower_bound as conditional
from ldp_verified.check.audit.bounds.strata import (
    MOST,
    Strata,
    lower_bound,
    p_value,
    power,
    promised,
    resolution,
    upper_limit,
)

LEVEL = 0.05
SHAPES = ((1, 7), (3, 5), (6, 2), (2, 2))


def seen(counts: tuple[int, ...], sizes: tuple[int, ...]) -> Strata:
    rows = zip(SHAPES, counts, sizes, strict=True)
    return Strata.of((s, a, plus, n - plus) for (s, a), plus, n in rows)


def folded(sizes: tuple[int, ...], eps: float) -> np.ndarray:
    """The law of the sum by folding binomial laws, which are scipy's."""
    found = np.ones(1)
    for (s, a), n in zip(SHAPES, sizes, strict=True):
        chance = s * exp(eps) / (s * exp(eps) + a)
        found = np.convolve(found, binom.pmf(np.arange(n + 1), n, chance))
    return found


@pytest.mark.parametrize("sizes", [(40, 0, 3, 11), (300, 200, 100, 50), (1, 0, 0, 0), (5, 5, 5, 5)])
@pytest.mark.parametrize("eps", [0.0, 0.7, 2.0])
def test_tails_are_those_of_folded_binomial_laws(sizes: tuple[int, ...], eps: float) -> None:
    tails = np.cumsum(folded(sizes, eps)[::-1])[::-1]
    for share in (0.05, 0.4, 0.7, 0.95, 1.0):
        counts = tuple(round(share * n) for n in sizes)
        found = p_value(seen(counts, sizes), eps)
        assert found >= tails[sum(counts)] * (1 - 1e-9)
        assert found == pytest.approx(tails[sum(counts)], rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("level", [0.05, 1e-3, 1e-9])
def test_one_stratum_is_the_conditional_bound(level: float) -> None:
    for plus, minus in ((50, 60), (60, 0), (3, 2), (900, 400), (1, 0), (0, 9)):
        for s, a in ((1, 1), (1, 7)):
            found = lower_bound(Strata.of([(s, a, plus, minus)]), level)
            expected = conditional(Tally(plus, minus, plus + minus), Stake(a / s), level)
            assert found == pytest.approx(expected, abs=1e-6)


def test_what_speaks_for_all_or_for_none_is_left_out() -> None:
    assert Strata.of([(0, 5, 0, 9), (5, 0, 9, 0), (2, 3, 0, 0)]) == Strata()
    assert (lower_bound(Strata(), LEVEL), p_value(Strata(), 1.0)) == (0.0, 1.0)
    both = Strata.of([(2, 3, 4, 5)]) + Strata.of([(2, 3, 1, 1), (1, 4, 2, 0)])
    assert both.rows == ((1, 4, 2, 0), (2, 3, 5, 6))
    assert (both.plus, both.size) == (7, 13)
    assert Strata.of([(1, 4, 3, 0)]).point == MOST


def worst(table: np.ndarray) -> float:
    """The tight eps of a table of probabilities, rows are inputs."""
    return float(np.log(table.max(axis=0) / table.min(axis=0)).max())


@pytest.mark.parametrize("seed", range(6))
def test_the_level_holds_for_any_table_and_any_sets(seed: int) -> None:
    """Exact: 4 inputs, 5 outputs, 4 samples, and every way in which they can come out.

    Tables and sets are random; nothing in them is symmetric. Each sample has the law of (s, a) and
    of being spoken for that its table says.
    """
    rng = np.random.default_rng([seed, 41])
    k, outputs, n = 4, 5, 4
    table = rng.dirichlet(np.ones(outputs) * (0.5 + seed), size=k) + 0.02
    table /= table.sum(axis=1, keepdims=True)
    speaks = rng.random((outputs, k)) < 0.5
    cells: dict[tuple[int, bool], float] = {}
    for x, y in product(range(k), range(outputs)):
        place = int(speaks[y].sum()), bool(speaks[y, x])
        cells[place] = cells.get(place, 0.0) + float(table[x, y]) / k
    eps, wrong = worst(table), 0.0
    for drawn in product(cells, repeat=n):
        rows = ((s, k - s, int(own), int(not own)) for s, own in drawn)
        if lower_bound(Strata.of(rows), LEVEL) > eps:
            wrong += float(np.prod([cells[each] for each in drawn]))
    assert wrong <= LEVEL


def test_a_bound_that_forgot_what_is_spoken_for_would_be_wrong() -> None:
    """Nothing is told: all outputs speak for 3 of 4 inputs, and so does the truth.

    Counted as one against one they would show eps = ln 3.
    """
    honest = Strata.of([(3, 1, 750, 250)])
    assert lower_bound(honest, LEVEL) == 0.0
    assert lower_bound(Strata.of([(1, 1, 750, 250)]), LEVEL) > 0.8 * log(3)


def test_power_and_resolution_are_what_folding_says() -> None:
    sizes, level, claim = (300, 200, 100, 50), 0.01, 1.0
    counts = tuple(n // 2 for n in sizes)
    strata = seen(counts, sizes)
    found = resolution(strata, level, claim, 0.95)
    assert found is not None
    for true in (claim, 1.2, found):
        tails = np.cumsum(folded(sizes, claim)[::-1])[::-1]
        needed = int(np.argmax(tails <= level))
        expected = float(folded(sizes, true)[needed:].sum())
        assert power(strata, level, target=claim, true=true) == pytest.approx(expected, abs=1e-7)
    assert power(strata, level, target=claim, true=found) >= 0.95
    assert power(strata, level, target=claim, true=found - 0.01) < 0.95
    assert power(Strata(), level, target=claim, true=9.0) == 0.0
    assert resolution(Strata(), level, claim, 0.95) is None


def test_the_limits_enclose_the_point() -> None:
    strata = seen((60, 90, 80, 33), (200, 180, 100, 50))
    low, high = lower_bound(strata, LEVEL), upper_limit(strata, LEVEL)
    assert low < strata.point < high
    tail = folded((200, 180, 100, 50), high)[: strata.plus + 1].sum()
    assert tail == pytest.approx(LEVEL, rel=1e-5)
    assert low == pytest.approx(promised(strata, LEVEL), abs=0.02)
    assert upper_limit(Strata.of([(1, 2, 9, 0)]), LEVEL) == float("inf")
