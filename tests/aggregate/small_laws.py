"""The exact law of the support counts of a few users, written out."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Supports = tuple[int, ...]
Law = dict[Supports, float]


def of_responses(k: int, p: float, q: float) -> list[Law]:
    """The law of one report of each value by k-ary response: it supports one value."""
    units = [tuple(int(y == v) for v in range(k)) for y in range(k)]
    return [{unit: (p if y == x else q) for y, unit in enumerate(units)} for x in range(k)]


def of_bits(k: int, p: float, q: float) -> list[Law]:
    """The law of one report of each value by unary encoding: bits are independent."""
    found = []
    for x in range(k):
        chance = [p if v == x else q for v in range(k)]
        both = [(1 - c, c) for c in chance]
        found.append(
            {
                bits: float(np.prod([both[v][bit] for v, bit in enumerate(bits)]))
                for bits in itertools.product((0, 1), repeat=k)
            }
        )
    return found


def together(first: Mapping[Supports, float], second: Mapping[Supports, float]) -> Law:
    """The law of the sum of two independent vectors."""
    found: defaultdict[Supports, float] = defaultdict(float)
    for (a, p), (b, q) in itertools.product(first.items(), second.items()):
        found[tuple(map(sum, zip(a, b, strict=True)))] += p * q
    return dict(found)


def populations(n: int, k: int) -> Iterator[Supports]:
    """How many of n users may hold each of k values."""
    for bars in itertools.combinations(range(n + k - 1), k - 1):
        ends = (-1, *bars, n + k - 1)
        yield tuple(b - a - 1 for a, b in itertools.pairwise(ends))


def law_of(held: Supports, reports: list[Law]) -> Law:
    """The law of the supports of a population."""
    found: Law = {(0,) * len(held): 1.0}
    for value, users in enumerate(held):
        for _ in range(users):
            found = together(found, reports[value])
    return found
