"""Least squares for boxes: hierarchies over several attributes, all of whose cells agree.

Over each attribute stands a tree of intervals. A function on the values of one attribute is a sum
of effects, one for each level: what is constant on its intervals and sums to 0 over each interval
above. Of several attributes, an effect takes a level of each. A group of users, who report on one
level of each attribute, estimates every effect of no finer levels. Where all cells of a group have
the same error, these estimates are uncorrelated, and each effect is averaged over the groups by its
variance. That is least squares over all groups; the effect of everything is known.

Where there is one attribute, that is what Hay, Rastogi, Miklau and Suciu (2010) and Cormode,
Kulkarni and Srivastava (2019) do with trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.aggregate.tree_fit import squares_of_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Levels = tuple[int, ...]
    """A level of each attribute: of a group, or of an effect."""

MOST_CHILDREN = 32
"""Fan-outs that are looked at, at most, beside that of a single level of all values."""


@dataclass(frozen=True)
class Hierarchy:
    """The intervals of one attribute.

    Level 0 is one interval of all values. Each interval has `fanout` children; those of the last
    level are single values. The tree may have more of them than there are values.

    Attributes:
        k: the number of values. fanout: children of an interval, 2 or more; 1 if single values are
            the only level below that of all.
    """

    k: int
    fanout: int

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The number of values of an interval of each level, from all (or more) down to 1."""
        if self.fanout == 1:
            return self.k, 1
        found = [1]
        while found[-1] < self.k:
            found.append(found[-1] * self.fanout)
        return tuple(reversed(found))

    @property
    def levels(self) -> int:
        """The number of levels, level 0 included."""
        return len(self.widths)

    def nodes(self, level: int) -> int:
        """The number of intervals of a level that have values."""
        return -(-self.k // self.widths[level])

    def effects(self, first: int, past: int, level: int) -> Floats:
        """The effects of all levels up to one, of a range: at the intervals of that level.

        Args:
            first, past: of the range of the values first, ..., past - 1. level: as far as which.

        Returns:
            float64 (level + 1, nodes(level)): the range is their sum, where it is constant on the
            intervals of that level.
        """
        starts = np.arange(self.nodes(level)) * self.widths[level]
        means = np.zeros((level + 2, len(starts)))
        for above, width in enumerate(self.widths[: level + 1]):
            block = starts // width * width
            held = np.clip(past, block, block + width) - np.clip(first, block, block + width)
            means[above + 1] = held / width
        return np.diff(means, axis=0)

    @cached_property
    def mean_squares(self) -> Floats:
        """The mean over all ranges of the squares of each level's effect, float64 (levels,)."""
        number = self.k * (self.k + 1) / 2
        squares = [squares_of_ranges(width, self.k) / width / number for width in self.widths]
        return np.diff(np.array([0.0, *squares]))


def groups_of(trees: Sequence[Hierarchy]) -> tuple[Levels, ...]:
    """A level of each attribute, for all groups of users: nobody is asked whether they are there.

    Args:
        trees: of the attributes, all of one fan-out. With a fan-out of 1 there is one group, of
            single values.
    """
    every = tuple(product(*(range(tree.levels) for tree in trees)))
    return every[-1:] if trees[0].fanout == 1 else every[1:]


@dataclass(frozen=True, eq=False)
class GridFit:
    """Least squares over the cells of all groups.

    Attributes:
        trees: of the attributes. variances: group -> of the estimated share of a cell, less the
            covariance of two.
    """

    trees: tuple[Hierarchy, ...]
    variances: dict[Levels, float]

    @cached_property
    def precisions(self) -> dict[Levels, float]:
        """Group -> the inverse variance of an effect of unit length over the single values."""
        return {
            group: prod(t.widths[level] for t, level in zip(self.trees, group, strict=True)) / v
            for group, v in self.variances.items()
        }

    @cached_property
    def totals(self) -> Floats:
        """The precision of each effect, summed over the groups that estimate it: (levels, ...)."""
        found = np.zeros([tree.levels for tree in self.trees])
        for group, precision in self.precisions.items():
            found[tuple(slice(0, level + 1) for level in group)] += precision
        return found

    def weights(self, ends: Sequence[tuple[int, int]], group: Levels) -> Floats:
        """The weight of each cell of a group in the share of a box, in the group's shape.

        Args:
            ends: (first, past) of each attribute. group: of the levels.
        """
        seen = tuple(slice(0, level + 1) for level in group)
        factors = self.precisions[group] / self.totals[seen]
        factors[(0,) * len(group)] = 0.0  # everything is known
        for tree, (first, past), level in zip(self.trees, ends, group, strict=True):
            # The first axis of effects becomes the last one, of intervals.
            factors = np.tensordot(factors, tree.effects(first, past, level), axes=(0, 0))
        return np.asarray(factors)

    def known(self, ends: Sequence[tuple[int, int]]) -> float:
        """The share of a box if no user differed from the others."""
        parts = zip(self.trees, ends, strict=True)
        return prod((past - first) / tree.widths[0] for tree, (first, past) in parts)

    @property
    def mean_variance(self) -> float:
        """The mean variance of the share of a box, over all boxes of values."""
        squares = np.ones(())
        for tree in self.trees:
            squares = np.multiply.outer(squares, tree.mean_squares)
        found = squares / self.totals
        return float(found.sum() - found.flat[0])


def best_fanout(ks: Sequence[int], cost: Callable[[int], float], most: int) -> int:
    """The fan-out of least mean variance over all boxes of several attributes.

    Args:
        ks: the numbers of values of the attributes.
        cost: what a user of a group adds to the variance of the share of a cell, less the
            covariance of two cells; from the number of cells.
        most: groups there may be at most.
    """
    known: dict[int, float] = {}

    def variance(fanout: int) -> float:
        trees = tuple(Hierarchy(k, fanout) for k in ks)
        groups, found = groups_of(trees), {}
        for group in groups:
            cells = prod(tree.nodes(level) for tree, level in zip(trees, group, strict=True))
            if cells not in known:
                known[cells] = cost(cells)
            found[group] = known[cells] * len(groups)
        return GridFit(trees, found).mean_variance

    fanouts = {*range(1, min(max(ks), MOST_CHILDREN) + 1), max(ks)}
    tried = [f for f in sorted(fanouts) if len(groups_of([Hierarchy(k, f) for k in ks])) <= most]
    return int(min(tried, key=variance))
