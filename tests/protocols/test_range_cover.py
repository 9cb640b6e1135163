"""Covers of ranges: exactly the values of the range, no node too many, and the derived fan-out."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.protocols.range_cover import Hierarchy, best_fanout
from tests.broken.ranges import EveryNodeInside

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = [(2, 2), (5, 1), (3, 2), (8, 2), (9, 3), (10, 3), (13, 4), (16, 16), (7, 100)]


def ranges(k: int) -> Iterator[tuple[int, int]]:
    return ((first, last + 1) for first, last in combinations_with_replacement(range(k), 2))


def partitions(tree: Hierarchy) -> bool:
    """Whether each cover holds each value of its range once, and no other."""
    for first, past in ranges(tree.k):
        held = np.zeros(tree.k, dtype=int)
        for nodes, width in zip(tree.cover(first, past), tree.widths, strict=True):
            for node in nodes.tolist():
                held[node * width : (node + 1) * width] += 1
        if not np.array_equal(held, (np.arange(tree.k) >= first) & (np.arange(tree.k) < past)):
            return False
    return True


@pytest.mark.parametrize(("k", "fanout"), SIZES)
def test_a_cover_is_a_partition_of_its_range(k: int, fanout: int) -> None:
    tree = Hierarchy(k, fanout)
    assert tree.nodes(0) == (1 if fanout > 1 else k)
    assert tree.nodes(tree.levels - 1) == k
    assert partitions(tree)


def test_planted_covers_that_take_nodes_below_others_are_seen() -> None:
    assert not partitions(EveryNodeInside(9, 3))


@pytest.mark.parametrize(("k", "fanout"), SIZES)
def test_no_cover_has_fewer_nodes_and_the_mean_is_counted(k: int, fanout: int) -> None:
    tree = Hierarchy(k, fanout)
    counted = np.zeros(tree.levels, dtype=int)
    for first, past in ranges(k):
        cover = tree.cover(first, past)
        counted += [len(nodes) for nodes in cover]
        assert sum(map(len, cover)) == fewest(tree, first, past)
    number = k * (k + 1) // 2
    assert tree.mean_nodes == tuple(Fraction(int(c), number) for c in counted)


def fewest(tree: Hierarchy, first: int, past: int) -> int:
    """The least number of intervals that make up a range, from left to right."""
    needed = {first: 0}
    for at in range(first, past):
        for level, width in enumerate(tree.widths):
            end = min(at + width, tree.k)
            if at % width == 0 and end <= past and at // width < tree.nodes(level):
                needed[end] = min(needed.get(end, past), needed[at] + 1)
    return needed[past]


def test_the_fan_out_is_derived() -> None:
    """The cost is written out from counted covers, for cells that cost more where they are many."""
    for ks, cost in product(((16,), (12, 7), (5, 6, 4)), (alike, by_number)):
        costs = {}
        for fanout in range(1, max(ks) + 1):
            trees = [Hierarchy(k, fanout) for k in ks]
            means = [
                np.mean([list(map(len, t.cover(*each))) for each in ranges(t.k)], axis=0)
                for t in trees
            ]
            groups = list(product(*(range(t.levels) for t in trees)))[fanout > 1 :]
            costs[fanout] = len(groups) * sum(
                cost(math.prod(t.nodes(level) for t, level in zip(trees, group, strict=True)))
                * math.prod(mean[level] for mean, level in zip(means, group, strict=True))
                for group in groups
            )
        assert costs[best_fanout(ks, cost, 99)] == pytest.approx(min(costs.values()))
        assert best_fanout(ks, cost, 1) in (1, max(ks))


def alike(cells: int) -> float:
    """As of one-bit response."""
    return 1.0 if cells else 0.0


def by_number(cells: int) -> float:
    """As of k-ary response."""
    return float(cells)
