"""Users with sets of items, and what is frequent among them."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks import itemset_users
from ldp_verified.protocols import ItemSets


def test_the_flights_are_sets_of_airports() -> None:
    found = itemset_users.flights(1000, seed=1)
    assert found.n == 1000
    assert 90 <= found.k <= 120
    assert found.sets.sizes.min() >= 1
    again = itemset_users.flights(1000, seed=1)
    assert np.array_equal(again.counts, found.counts)
    counts = list(found.items.values())
    assert counts == sorted(counts, reverse=True)
    assert len(counts) == itemset_users.TOP


def test_the_true_top_sets_are_those_of_a_full_count() -> None:
    """All sets of up to four of six items, of 400 users with random sets."""
    drawn = np.random.default_rng(5).random((400, 6)) < [0.9, 0.8, 0.7, 0.5, 0.3, 0.1]
    users = [set(np.flatnonzero(row).tolist()) for row in drawn]
    every = [e for size in range(1, 7) for e in itertools.combinations(range(6), size)]
    counts = {each: sum(set(each) <= user for user in users) for each in every}
    ranked = sorted(every, key=lambda each: (-counts[each], each))
    singles = {each: counts[each] for each in ranked if len(each) == 1}
    for top in (2, 5, 6):
        found = itemset_users.frequent(ItemSets.of(users), np.ones(400, dtype=int), singles, top)
        assert found == {each: counts[each] for each in ranked[:top]}
