"""Least squares over a tree of estimates whose nodes should add up to their parents.

Each node estimates the sum of the leaves below it. All nodes of a level have the same variance, and
no two nodes are correlated. The sum of all leaves is known. Then the covariance matrix of the
fitted leaves has a simple form: a multiple of the identity, less a constant on each block of leaves
below a node. A fit takes time in proportion to the nodes, and the variance of a range in proportion
to the levels.

Michael Hay, Vibhor Rastogi, Gerome Miklau, Dan Suciu (2010), Boosting the Accuracy of
Differentially Private Histograms Through Consistency; Graham Cormode, Tejas Kulkarni, Divesh
Srivastava (2019), Answering Range Queries Under Local Differential Privacy. There all nodes have
one variance; here each level has its own, and the formulas are derived anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class TreeFit:
    """The fit of a tree whose nodes of a level have equally many children.

    Attributes:
        nodes: the number of nodes of each level, rising, each a multiple of the one before; the
            leaves are the last.
        variances: of a node of each level, above 0.
    """

    nodes: tuple[int, ...]
    variances: tuple[Fraction, ...]

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return self.nodes[-1]

    @cached_property
    def steps(self) -> tuple[tuple[int, Fraction], ...]:
        """(leaves of a node, what each node takes from the covariance), upwards; the root is last.

        Before a level is seen, the covariance of the leaves below one of its nodes has equal row
        sums e. A node of m leaves and variance v takes e^2/(v + m e) from each entry of its block
        (Sherman and Morrison), which leaves the row sums e v/(v + m e). The root has variance 0.
        """
        found: list[tuple[int, Fraction]] = []
        row = self.variances[-1]
        above = zip(self.nodes[-2::-1], self.variances[-2::-1], strict=True)
        for nodes, variance in (*above, (1, Fraction(0))):
            size = self.leaves // nodes
            found.append((size, row**2 / (variance + size * row)))
            row *= variance / (variance + size * row)
        return tuple(found)

    def fitted(self, estimates: Sequence[Floats], total: float) -> Floats:
        """The leaves of least variance, float64 (leaves,): they sum to `total`.

        Args:
            estimates: of the nodes of each level.
            total: the sum of all leaves.
        """
        right = np.zeros(self.leaves)
        for nodes, variance, found in zip(self.nodes, self.variances, estimates, strict=True):
            right += np.repeat(found / float(variance), self.leaves // nodes)
        spread = self.times(right)
        # Without the root's share of `times`, which takes the sum to 0, it is added evenly.
        return spread + total / self.leaves

    def times(self, vector: Floats) -> Floats:
        """The covariance of the fitted leaves times a vector, float64 (leaves,)."""
        found = vector * float(self.variances[-1])
        for size, taken in self.steps:
            sums = vector.reshape(-1, size).sum(axis=1)
            found = found - np.repeat(float(taken) * sums, size)
        return found

    def variance_of(self, first: Integers, past: Integers) -> Floats:
        """The variance of the fitted sum of the leaves first, ..., past - 1, for each pair.

        Args:
            first, past: int64 (q,), 0 <= first <= past <= leaves.
        """
        length = (past - first).astype(np.float64)
        found = length * float(self.variances[-1])
        for size, taken in self.steps:
            found -= float(taken) * _squares(first, past, size)
        found[past - first == self.leaves] = 0.0  # their sum is known
        return np.maximum(found, 0.0)

    @property
    def mean_variance(self) -> Fraction:
        """The mean of the variance over all ranges of one leaf or more, exactly."""
        return self.mean_variance_among(self.leaves)

    def mean_variance_among(self, k: int) -> Fraction:
        """The mean of the variance over all ranges of the first k leaves, exactly.

        Args:
            k: in 1..leaves.
        """
        found = self.variances[-1] * squares_of_ranges(1, k)
        for size, taken in self.steps:
            found -= taken * squares_of_ranges(size, k)
        return found / Fraction(k * (k + 1), 2)


def _squares(first: Integers, past: Integers, size: int) -> Floats:
    """Summed over the blocks of a size: the squared number of a range's leaves in the block."""
    low, high = first // size, (past - 1) // size
    whole = np.where(past > first, high - low - 1, 0).astype(np.float64)
    left = (np.minimum((low + 1) * size, past) - first).astype(np.float64)
    right = (past - np.maximum(high * size, first)).astype(np.float64)
    several = whole * float(size) ** 2 + left**2 + right**2
    return np.asarray(np.where(whole < 0, left**2, several))


def squares_of_ranges(size: int, k: int) -> int:
    """Summed over the blocks of a size and over all ranges of the leaves 0, ..., k - 1.

    What is summed is the squared number of a range's leaves in a block. Leaves i <= j are both in
    (i + 1)(k - j) ranges. Summed over the pairs of one block that starts at a, that is a parabola
    in a; and a = 0, size, 2 size, ... The last block may be cut.

    Args:
        size: of a block. k: the number of leaves.
    """
    blocks, rest = divmod(k, size)
    constant, slope = _parabola(size, k)
    first = size * (blocks * (blocks - 1) // 2)
    second = size * size * ((blocks - 1) * blocks * (2 * blocks - 1) // 6)
    found = blocks * constant + slope * first - size * size * second
    if rest:
        start = blocks * size
        constant, slope = _parabola(rest, k)
        found += constant + slope * start - rest * rest * start * start
    return found


def _parabola(size: int, k: int) -> tuple[int, int]:
    """(c, s) of c + s a - size^2 a^2, the sum over the pairs of a block that starts at a."""
    smaller = size * (size - 1) * (2 * size - 1) // 6  # the sum of min(i, j), i and j < size
    larger = size * size * (size - 1) - smaller  # and of max(i, j)
    product = (size * (size - 1) // 2) ** 2
    constant = k * (size * size + smaller) - larger - product
    return constant, size * size * (k - 1) - size * size * (size - 1)


def levels_of(bits: int, step: int) -> tuple[int, ...]:
    """The bits of the levels whose nodes have 2^step children, the first perhaps fewer."""
    count = -(-bits // step)
    return tuple(bits - step * (count - 1 - level) for level in range(count))


def best_step(bits: int) -> int:
    """The step at which the mean variance over all ranges is least.

    Users are spread evenly over the levels. The variance of a node is taken to be that of a node
    that nobody holds. Then the best step depends neither on epsilon nor on the number of users.

    Args:
        bits: the leaves are 2^bits.
    """

    def cost(step: int) -> Fraction:
        nodes = tuple(1 << each for each in levels_of(bits, step))
        return TreeFit(nodes, (Fraction(len(nodes)),) * len(nodes)).mean_variance

    return min(range(1, bits + 1), key=cost)
