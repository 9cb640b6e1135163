"""The variance of a fitted range, of levels that report by different mechanisms.

A fitted range is a sum over the nodes of all levels, each times a weight. The variance of a level's
part depends on the sum of the weights and of their squares, over all nodes and over the users: that
is what covariances with two numbers give. Weights change only at the ends of the nodes that a range
cuts. So a few pieces of the line of leaves are enough, whatever the number of leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.aggregate.population import average, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.tree_fit import TreeFit

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

AT_A_TIME = 1 << 14
"""Ranges whose pieces are held at once."""


@dataclass(frozen=True, eq=False)
class LevelNoise:
    """How one level was counted.

    Attributes:
        users: of the level. nodes: that have values below them.
        absent: the variance of what one user adds to the count of a node that nobody holds.
        slope: what a share of holders adds to it.
        common, mixed: the covariance of two nodes is common + mixed times the sum of their shares.
    """

    users: float
    nodes: int
    absent: float
    slope: float
    common: float
    mixed: float


@dataclass(frozen=True, eq=False)
class RangeFit:
    """A fit of a tree, with variances of sums of fitted leaves, for the very users who reported.

    Attributes:
        fit: of the leaves. levels: how each was counted. users: of all levels.
        leaves: the fitted shares, which the variances are taken at, float64 (leaves,).
    """

    fit: TreeFit
    levels: tuple[LevelNoise, ...]
    users: int
    leaves: Floats

    @cached_property
    def _below(self) -> Floats:
        """The share of users below each leaf, float64 (leaves + 1,)."""
        return np.concatenate(([0.0], np.cumsum(self.leaves)))

    @cached_property
    def _sizes(self) -> tuple[tuple[int, float], ...]:
        """(leaves of a node, what it takes from the covariance), from the leaves' parents up."""
        return tuple((size, float(taken)) for size, taken in self.fit.steps)

    def variance_of(self, first: Integers, past: Integers) -> Floats:
        """The variance of the fitted share of the leaves first, ..., past - 1, for each pair.

        Args:
            first, past: int64 (q,), 0 <= first <= past <= leaves.
        """
        parts = range(0, len(first), AT_A_TIME)
        found = [self._some(first[a : a + AT_A_TIME], past[a : a + AT_A_TIME]) for a in parts]
        variances = np.concatenate([np.empty(0), *found])
        variances[past - first == self.fit.leaves] = 0.0  # their sum is known
        return variances

    def _some(self, first: Integers, past: Integers) -> Floats:
        first, past = first[:, np.newaxis], past[:, np.newaxis]
        ends = self._ends(first, past)
        starts = ends[:, :-1]
        shares = np.diff(self._below[ends], axis=1)
        starts = np.minimum(starts, self.fit.leaves - 1)  # a piece without leaves, at the end
        inside = np.clip((shares * ((starts >= first) & (starts < past))).sum(axis=1), 0.0, 1.0)
        noise, draw = np.zeros(len(inside)), -inside * (1 - inside) / self.users
        for level, nodes, variance in zip(
            self.levels, self.fit.nodes, self.fit.variances, strict=True
        ):
            size = self.fit.leaves // nodes
            weights = self._weights(size, starts, first, past) / float(variance)
            # Nodes of the level in each piece, those without values left out.
            counted = np.diff(np.minimum(ends, level.nodes * size), axis=1) / size
            noise += average(shares, _level_noise(level, weights, counted)) / level.users
            draw += spread(shares, weights) / level.users
        return np.asarray(np.maximum(noise, 0.0) + np.maximum(draw, 0.0))

    def _ends(self, first: Integers, past: Integers) -> Integers:
        """Return the places where weights may change, rising, int64 (q, pieces + 1)."""
        leaves = self.fit.leaves
        cuts = [np.zeros_like(first), np.full_like(first, leaves)]
        for size in (1, *(size for size, _ in self._sizes)):
            for end in (first, past):
                low = end // size * size
                cuts += [low, np.minimum(low + size, leaves)]
        return np.sort(np.concatenate(cuts, axis=1), axis=1)

    def _weights(self, size: int, starts: Integers, first: Integers, past: Integers) -> Floats:
        """The covariance of a fitted node with the fitted range, at the node of each start."""
        held = _inside(starts, size, first, past).astype(np.float64)
        own = float(self.fit.variances[-1]) - sum(m * t for m, t in self._sizes if m <= size)
        found = held * own
        for larger, taken in self._sizes:
            if larger > size:
                found -= size * taken * _inside(starts, larger, first, past)
        return found


def _inside(starts: Integers, size: int, first: Integers, past: Integers) -> Integers:
    """Count the leaves of a range in the block of a size that each start is in."""
    block = starts // size * size
    return np.asarray(np.clip(past, block, block + size) - np.clip(first, block, block + size))


def _level_noise(level: LevelNoise, weights: Floats, nodes: Floats) -> Floats:
    """The variance of what a user in each piece adds to one level's part, by the report's noise."""
    first = (weights * nodes).sum(axis=1, keepdims=True)
    second = (weights**2 * nodes).sum(axis=1, keepdims=True)
    own = level.absent * second + level.slope * weights**2
    both = level.common * (first**2 - second) + 2 * level.mixed * (first * weights - weights**2)
    return np.asarray(own + both)
