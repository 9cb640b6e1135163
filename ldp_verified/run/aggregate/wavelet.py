"""The Haar transform of shares: the coefficients that reports estimate, and the fit that they give.

Over 2^bits leaves stands a binary tree. The coefficient of a node is the share of users in its left
half less that in its right half. A leaf has 2^-bits, and of each node above it the coefficient,
with the sign of the leaf's half, over the leaves of the node. A report is the sign of a coefficient
times that of a Hadamard column; so one transform for each level gives the sums of all nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.run.aggregate.honest import Honesty, honesty
from ldp_verified.run.aggregate.layouts import Indexed
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.tree_layout import TreeLayout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Identity

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class WaveletLayout(Indexed):
    """A report is 2 (2^g - 1 + j) for the sign +1 at column j of level g, one more for -1.

    Outputs support no value; the states of a `TreeLayout` of the nodes have the same counters.

    Attributes:
        levels: of the tree, without the leaves: those have so many bits.
    """

    levels: int

    @property
    def k(self) -> int:
        """The number of leaves."""
        return 1 << self.levels

    @property
    def counters(self) -> int:
        """Two signs for each column of each level, and a level has as many columns as nodes."""
        return 2 * (self.k - 1)

    @cached_property
    def nodes(self) -> TreeLayout:
        """The layout of all nodes that have two halves, the root first."""
        return TreeLayout(tuple(range(self.levels)))

    def users(self, counters: Integers) -> Integers:
        """Return how many reports each level has, int64 (levels,)."""
        return self.nodes.users(counters)

    def differences(self, counters: Integers) -> list[Integers]:
        """The reports that fit the left half of each node less the others, for each level."""
        return self.nodes.differences(counters)


def haar(coefficients: Floats) -> Floats:
    """The leaves along the first axis: the inverse transform of the whole and of all nodes.

    Args:
        coefficients: float64 (2^levels, ...): of the whole, then of the nodes, the root first.
    """
    found = coefficients[:1]
    while len(found) < len(coefficients):
        own = coefficients[len(found) : 2 * len(found)]
        halves = np.stack(((found + own) / 2, (found - own) / 2), axis=1)
        found = halves.reshape(2 * len(found), *coefficients.shape[1:])
    return found


@dataclass(frozen=True)
class WaveletFit:
    """Shares of leaves from coefficients of nodes that are uncorrelated: the inverse transform.

    Attributes:
        variances: of a coefficient of each level, from the root on, above 0.
    """

    variances: tuple[Fraction, ...]

    @classmethod
    def of_levels(cls, levels: int) -> WaveletFit:
        """The transform of so many levels, with variances of 1."""
        return cls((Fraction(1),) * levels)

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return 1 << len(self.variances)

    def fitted(self, nodes: Sequence[Floats], total: float) -> Floats:
        """The leaves, float64 (leaves,): they sum to `total`.

        Args:
            nodes: coefficients of the nodes of each level. total: the sum of all leaves.
        """
        return haar(np.concatenate([np.full(1, total), *nodes]))

    def variance_of(self, first: Integers, past: Integers) -> Floats:
        """The variance of the fitted sum of the leaves first, ..., past - 1, for each pair.

        Args:
            first, past: int64 (q,), 0 <= first <= past <= leaves.
        """
        found = np.zeros(len(first))
        for variance, squares in zip(self.variances, self.squares(first, past), strict=True):
            found += float(variance) * squares
        return found

    def squares(self, first: Integers, past: Integers) -> Floats:
        """The sum of the squared weights of each level's nodes in ranges, float64 (levels, q).

        Args:
            first, past: as for `variance_of`.
        """
        found = np.empty((len(self.variances), len(first)))
        for level in range(len(self.variances)):
            low, high, apart = self._weights(level, first, past)
            found[level] = np.where(apart, low**2 + high**2, (high - low) ** 2)
        return found

    def reach(self, first: int, past: int) -> tuple[Fraction, ...]:
        """Return for each level the most that signed coefficients add to the sum of a range.

        That is the sum of the absolute weights of the nodes. At some column the signs of any two
        nodes are those of their weights, or the opposite ones.
        """
        found = []
        for level in range(len(self.variances)):
            low, high, apart = self._weights(level, np.array([first]), np.array([past]))
            one = abs(low[0]) + abs(high[0]) if apart[0] else abs(high[0] - low[0])
            found.append(Fraction(float(one)))
        return tuple(found)

    def _weights(
        self, level: int, first: Integers, past: Integers
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """(weight of all leaves before `first`, of those before `past`, whether in two nodes).

        Only the nodes that a range cuts have a weight: leaves of the range in the left half, less
        those in the right one, over the leaves of the node.
        """
        size = self.leaves >> level
        low, high = (np.minimum(end % size, size - end % size) / size for end in (first, past))
        return low, high, np.asarray(first // size != past // size)

    @cached_property
    def mean_variance(self) -> Fraction:
        """The mean of the variance over all ranges of one leaf or more, exactly."""
        pairs = zip(self.variances, self.mean_squares, strict=True)
        return sum((variance * squares for variance, squares in pairs), Fraction(0))

    @property
    def mean_squares(self) -> tuple[Fraction, ...]:
        """The mean of `squares` over all ranges of one leaf or more, exactly."""
        d = self.leaves
        found = []
        for level in range(len(self.variances)):
            half = d >> level + 1
            # Over the ends inside a node: the sums of the weights and of their squares.
            once, twice = Fraction(half, 2), Fraction(2 * half * half + 1, 12 * half)
            sums = (1 << level) * ((d + 1) * twice - once**2)
            found.append(sums / Fraction(d * (d + 1), 2))
        return tuple(found)


@dataclass(frozen=True)
class WaveletOracle:
    """Counts of all leaves, by an estimator that is linear in the reports.

    Users are taken to be spread evenly over the levels. A report then adds 2^-bits to each leaf,
    and +-levels/gain over the leaves of its own node of the level.

    Attributes:
        identity: which reports belong to it. layout: how they lie in an array.
        right: the probability that a report has the right sign, realized; above 1/2.
    """

    identity: Identity
    layout: WaveletLayout
    right: Fraction

    labels: ClassVar[None] = None
    no_estimator: ClassVar[None] = None
    exclusive: ClassVar[bool] = True

    @property
    def k(self) -> int:
        """The number of leaves."""
        return self.layout.k

    @cached_property
    def nodes(self) -> FrequencyOracle:
        """An oracle for how often reports fit the left half of each node.

        It serves only to test a state. Its two chances are those of a user in the left half and of
        one in the right half; that of a user in neither half lies between them.
        """
        share = Fraction(1, self.layout.levels)
        ends = self.right * share, (1 - self.right) * share
        none = Fraction(0), Fraction(0)
        return FrequencyOracle(
            *(self.identity, self.layout.nodes, *ends, *none), fresh=True, exclusive=False
        )

    def implausible(self, n: int, counters: Integers) -> str | None:
        """Say why honest reports give these counters with a chance below 2^-100; None if not."""
        return self.nodes.implausible(n, counters)

    def tested(self, supports: Integers) -> Honesty:
        """Test whether honest reports come so often: at each node, and at each level."""
        nodes = self.layout.nodes.supports(supports)
        return honesty(self.nodes, int(supports.sum()), nodes, supports)

    def estimated(self, n: int, counters: Integers) -> Floats:
        """The inverse transform, as if the levels had equally many users."""
        scale = self.layout.levels / float(2 * self.right - 1)
        fit = WaveletFit.of_levels(self.layout.levels)
        sums = self.layout.differences(counters)
        return fit.fitted([scale * each.astype(np.float64) for each in sums], float(n))

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The line at the shares, clipped to [0, 1]."""
        a, b = self.variance_line(n)
        return np.asarray(a + b * np.clip(shares, 0.0, 1.0))

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """The exact variance line, the same for all leaves and numbers of users.

        The square of what is added about 2^-bits hangs on the level alone: on average it is
        levels/gain^2 (1 - 4^-bits)/3.
        """
        del n
        even, gain = Fraction(1, self.k), 2 * self.right - 1
        square = self.layout.levels * (1 - even**2) / (3 * gain**2)
        absent, held = square - even**2, square - (1 - even) ** 2
        return np.asarray(float(absent)), np.asarray(float(held - absent))

    @property
    def half_step(self) -> Floats:
        """Half of what a report of the lowest level and its opposite differ by."""
        return np.asarray(float(self.layout.levels / (2 * self.right - 1) / 2))
