"""The layout of reports on one level of a tree: a level, a Hadamard column and a sign, as a number.

A state counts how often each number came; one transform for each level gives the supports of all
nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.aggregate.layouts import Indexed, Unsigned
from ldp_verified.run.kernels.transform import walsh_hadamard

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class TreeLayout(Indexed):
    """A report is `first(g) + 2 j` for the sign +1 at column j of level g, one more for -1.

    The values that it may support are the nodes, numbered level by level: node v of a level g where
    H[v, j] is that sign. No node of another level is supported.

    Attributes:
        bits: how many bits the prefixes of each level have, rising.
    """

    bits: tuple[int, ...]

    @property
    def k(self) -> int:
        """The number of nodes of all levels."""
        return sum(1 << bits for bits in self.bits)

    @property
    def counters(self) -> int:
        """Two signs for each column of each level, and a level has as many columns as nodes."""
        return 2 * self.k

    @property
    def starts(self) -> tuple[int, ...]:
        """The number of the first node of each level, and of all nodes."""
        return tuple(accumulate((1 << bits for bits in self.bits), initial=0))

    def users(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many reports each level has, int64 (levels,)."""
        return np.array([part.sum() for part in self._parts(counters)], dtype=np.int64)

    def differences(self, counters: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """The level's reports that support each node less the others, for each level."""
        parts = self._parts(counters)
        return [np.asarray(walsh_hadamard(part[0::2] - part[1::2])) for part in parts]

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of supporting reports of each node: half of users plus difference."""
        users = self.users(counters)
        found = self.differences(counters)
        return np.concatenate([(a + n) // 2 for a, n in zip(found, users, strict=True)])

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which reports support a node."""
        starts = self.starts
        level = int(np.searchsorted(starts, value, side="right")) - 1
        numbers = data.astype(np.int64) - 2 * starts[level]
        here = (numbers >= 0) & (numbers < 2 << self.bits[level])
        common = (numbers >> 1) & (value - starts[level])
        return np.asarray(here & (np.bitwise_count(common) & 1 == numbers & 1))

    def _parts(self, counters: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        ends = [2 * start for start in self.starts[1:-1]]
        return np.split(counters, ends)
