"""A hierarchy of intervals over ordered values, and the fewest of its intervals that make a range.

Level 0 is one interval of all values. Each interval has `fanout` children, as far as there are
values; those of the last level are single values. With a fan-out of 1 these are the only level.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

MOST_CHILDREN = 32
"""Fan-outs that are looked at, at most, beside that of a single level of all values."""


@dataclass(frozen=True)
class Hierarchy:
    """The intervals of one attribute.

    Attributes:
        k: the number of values. fanout: children of an interval, 2 or more; 1 for single values.
    """

    k: int
    fanout: int

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The number of values of an interval of each level, from all (or more) down to 1."""
        found = [1]
        while found[-1] < self.k and self.fanout > 1:
            found.append(found[-1] * self.fanout)
        return tuple(reversed(found))

    @property
    def levels(self) -> int:
        """The number of levels, level 0 included."""
        return len(self.widths)

    def nodes(self, level: int) -> int:
        """The number of intervals of a level."""
        return -(-self.k // self.widths[level])

    def cover(self, first: int, past: int) -> tuple[NDArray[np.int64], ...]:
        """The intervals of each level, the largest ones, that make up first..past-1.

        An interval is taken if it lies inside and the one above it does not. The last interval of a
        level lies inside where the range goes up to the last value.
        """
        found, above = [], (0, 0)
        for level, width in enumerate(self.widths):
            low = -(-first // width)
            high = self.nodes(level) if past == self.k else past // width
            inside = np.arange(low, max(low, high), dtype=np.int64)
            parents = inside // self.fanout
            found.append(inside[(parents < above[0]) | (parents >= above[1]) | (level == 0)])
            above = (low, high)
        return tuple(found)

    @cached_property
    def mean_nodes(self) -> tuple[Fraction, ...]:
        """The mean number of intervals of each level in a cover, over all k (k + 1)/2 ranges."""
        ranges = self.k * (self.k + 1) // 2
        holding = [self._holding(level) for level in range(self.levels)]
        return tuple(
            Fraction(own - sum(above), ranges)
            for own, above in (
                (sum(holding[0]), []),
                *(
                    (sum(each), [holding[level][node // self.fanout] for node in range(len(each))])
                    for level, each in enumerate(holding[1:])
                ),
            )
        )

    def _holding(self, level: int) -> list[int]:
        """Count the ranges that hold each interval of a level."""
        width = self.widths[level]
        starts = range(0, self.k, width)
        return [(start + 1) * (self.k - min(start + width, self.k) + 1) for start in starts]


def groups_of(trees: Sequence[Hierarchy]) -> tuple[tuple[int, ...], ...]:
    """A level of each attribute, for all groups of users: nobody is asked whether they are there.

    Args:
        trees: of the attributes, all of one fan-out.
    """
    every = tuple(product(*(range(tree.levels) for tree in trees)))
    return every if trees[0].fanout == 1 else every[1:]


def best_fanout(ks: Sequence[int], cost: Callable[[int], float], most: int) -> int:
    """The fan-out of least mean variance over all boxes of several attributes.

    A box is made of one interval of each attribute's cover. Cells of one group of levels are
    estimated by the users of that group. So the variance of a box is near the number of groups
    times, for each group, what a cell costs times the number of the box's cells in it, whose mean
    is the product of those of the attributes. The group of everything costs nothing. A fan-out of 1
    asks everybody for the cell of single values.

    Args:
        ks: the numbers of values of the attributes.
        cost: of a cell, from the number of cells of its group: the variance that a user of the
            group adds to it.
        most: groups there may be at most.
    """
    known: dict[int, float] = {}

    def whole(fanout: int) -> float:
        trees = [Hierarchy(k, fanout) for k in ks]
        groups = groups_of(trees)
        total = 0.0
        for group in groups:
            cells = prod(tree.nodes(level) for tree, level in zip(trees, group, strict=True))
            if cells not in known:
                known[cells] = cost(cells)
            means = (tree.mean_nodes[level] for tree, level in zip(trees, group, strict=True))
            total += known[cells] * float(prod(means, start=Fraction(1)))
        return len(groups) * total

    fanouts = {*range(1, min(max(ks), MOST_CHILDREN) + 1), max(ks)}
    tried = [f for f in sorted(fanouts) if len(groups_of([Hierarchy(k, f) for k in ks])) <= most]
    return int(min(tried, key=whole))
