"""The methods and scores of the comparison of frequent items."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks import itemsets
from ldp_verified.protocols import ItemSets

SETS = ItemSets.of([[0, 1], [2], [], [3, 0, 1]])
NEST = ItemSets.of([list(range(size)) for size in range(1, 33)]).repeated([2000] * 32)
"""Item i is held by the 32 - i largest sets of each kind: 0 is the most frequent."""


def test_the_flights_are_sets_of_airports() -> None:
    found = itemsets.flights(1000, seed=1)
    assert len(found.sets) == 1000
    assert 90 <= found.k <= 120
    assert found.sets.sizes.min() >= 1
    assert found.counts.sum() == len(found.sets.items)
    again = itemsets.flights(1000, seed=1)
    assert np.array_equal(again.sets.items, found.sets.items)
    assert found.counts[found.top].tolist() == sorted(found.counts.tolist(), reverse=True)[:16]


def test_what_is_no_candidate_is_left_out() -> None:
    found = itemsets.within(SETS, np.array([3, 1]), 4)
    assert found.sizes.tolist() == [1, 0, 0, 2]
    assert found.items.tolist() == [1, 0, 1]


def test_lengths_and_factors_are_those_computed_by_hand() -> None:
    sizes = np.array([50.0, 60.0, 30.0, 10.0, 0.0])
    assert itemsets.percentile(sizes) == 2
    assert itemsets.percentile(np.array([9.0, 0.0, 0.0])) == 1
    assert itemsets.percentile(np.array([0.0, 1.0, 1.0])) == 2
    assert itemsets.cut_factor(sizes, 2) == (60 + 60 + 30) / (60 + 60 + 20)
    assert itemsets.cut_factor(sizes, 4) == 1.0
    assert itemsets.cut_factor(np.zeros(3), 1) == 1.0


def test_scores_are_those_computed_by_hand() -> None:
    population = itemsets.Population.of(NEST, 32)
    assert population.top == list(range(16))
    n = len(NEST)
    counts = population.counts[:16].astype(float)
    perfect = itemsets.score(population, itemsets.Found(list(range(16)), counts, 1, 0.0))
    assert (perfect.f1, perfect.ncr, perfect.squared) == (1.0, 1.0, 0.0)
    near = itemsets.Found([0, 20], counts[:2] + n / 10, 1, 0.0)
    found = itemsets.score(population, near)
    assert found.f1 == 2 / 18
    assert found.ncr == 16 / 136
    assert found.squared == pytest.approx(0.01)
    assert math.isnan(itemsets.score(population, itemsets.Found([31], counts[:1], 1, 0.0)).squared)


def test_a_page_and_a_plot_have_all_methods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At epsilon = 8 neighbours in rank, 2000 of 64000 users, are ten standard errors apart."""
    monkeypatch.setattr(itemsets, "TOP", 16)
    population = itemsets.Population.of(NEST, 32)
    rows = itemsets.measure(population, [8.0], 2)
    assert [row[0] for row in rows] == [
        "SVIM",
        "padding and sampling, length 1",
        "padding and sampling, told length 29",
    ]
    for _, _, scores, found in rows[::2]:
        assert all(each.f1 > 0.8 for each in scores)
        assert all(len(each.items) == 16 for each in found)
    text = itemsets.page(rows, population, 2)
    assert text.count("| 8 |") == 3
    itemsets.draw(rows, tmp_path / "plot.svg")
    assert "</svg>" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
