"""The populations, methods and scores of the comparison of frequent items."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks import itemset_users, itemsets
from ldp_verified.protocols import ItemSets

NEST = itemset_users.Population.of(
    "nest", ItemSets.of([list(range(size)) for size in range(1, 33)]), np.full(32, 2000), 32
)
"""Item i is held by the 32 - i largest sets of each kind: 0 is the most frequent."""


def test_scores_are_those_computed_by_hand() -> None:
    truth, n = NEST.items, NEST.n
    assert list(truth) == [(item,) for item in range(16)]
    perfect = itemsets.score(truth, n, {each: float(count) for each, count in truth.items()})
    assert (perfect.f1, perfect.ncr, perfect.squared) == (1.0, 1.0, 0.0)
    near = itemsets.score(truth, n, {(0,): truth[0,] + n / 10, (20,): 5.0})
    assert near.f1 == 2 / 18
    assert near.ncr == 16 / 136
    assert near.squared == pytest.approx(0.01)
    assert math.isnan(itemsets.score(truth, n, {(31,): 1.0}).squared)


def test_a_page_and_a_plot_have_all_methods(tmp_path: Path) -> None:
    """At epsilon = 8 neighbours in rank, 2000 of 64000 users, are ten standard errors apart."""
    population = NEST
    rows = itemsets.measure(population, [8.0], 2)
    assert [row[0] for row in rows] == [
        "SVIM",
        "LDPMiner, told length 29",
        "padding and sampling, length 1",
        "padding and sampling, told length 29",
        "sampling succinct histogram, told length 29",
        "sampling RAPPOR, told length 29",
        "SVSM, sets of items",
    ]
    for name, _, scores, found in rows:
        assert all(len(each.counts) <= itemset_users.TOP_SETS for each in found)
        if name in ("SVIM", "padding and sampling, told length 29"):
            assert all(each.f1 > 0.8 for each in scores)
    text = itemsets.page([itemsets.part(rows, population, 2)], 2)
    assert text.count("| 8 |") == 8
    itemsets.draw({"nest": rows}, tmp_path / "plot.svg")
    assert "</svg>" in (tmp_path / "plot.svg").read_text(encoding="utf-8")


def test_intervals_say_which_of_two_is_above() -> None:
    high, low = ([itemsets.Score(f1, 0.0, 0.0) for f1 in each] for each in ((0.9, 0.8), (0.2, 0.3)))
    assert itemsets.interval(high) == pytest.approx((0.85 - 0.098, 0.85 + 0.098))
    cases = [(high, low, "above"), (low, high, "below"), (high, high, "not apart")]
    for first, second, word in cases:
        rows: list[itemsets.Row] = [
            ("SVIM", 1.0, first, []),
            ("LDPMiner, told length 5", 1.0, second, []),
        ]
        ((epsilon, _, _, found),) = itemsets.against(rows)
        assert (epsilon, found) == ("1", word)


def test_what_cutting_takes_is_computed_by_hand() -> None:
    """Of {0}, {0, 1} and two users of each: one place leaves 3 of 4 holders of 0, 1 of 2 of 1.

    All items are 6, of which 4 are left; so the scaled counts are 4.5 of 4 and 1.5 of 2.
    """
    made = itemset_users.Population.of("two", ItemSets.of([[0], [0, 1]]), np.array([2, 2]), 2)
    row = itemsets.cutting(made, None, 1)
    assert row == ["all items", "1", "-50.0%..-25.0%", "-25.0%..+12.5%"]
    assert itemsets.cutting(made, None, None)[1:] == ["2", "+0.0%..+0.0%", "+0.0%..+0.0%"]
    assert itemsets.cutting(made, 2, 1)[1:] == row[1:]


def test_pairs_have_a_score_of_their_own() -> None:
    population = NEST
    true = [each for each in population.itemsets if len(each) > 1]
    half = dict.fromkeys(true[::2], 1.0)
    wrong: dict[tuple[int, ...], float] = {(30, 31): 1.0}
    assert itemsets.of_several(population, [itemsets.Found(half | wrong, 0.0)]) == (
        f"{2 * len(half) / (len(half) + 1 + len(true)):.3f}"
    )
    apart = ItemSets.of([[item] for item in range(40)])
    alone = itemset_users.Population.of("apart", apart, np.full(40, 1), 40)
    assert itemsets.of_several(alone, [itemsets.Found(wrong, 0.0)]) == "-"


def test_processes_share_the_runs() -> None:
    population = NEST
    one, two = (itemsets.measure(population, [1.0], 2, each) for each in (1, 2))
    assert [row[2] for row in one] == [row[2] for row in two]
