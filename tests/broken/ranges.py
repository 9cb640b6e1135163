"""Hierarchical histograms that are wrong: leaky clients, another law, a wrong fit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols import RangeEstimate, RangeQuantile, RangeTree, RangeWavelet
from ldp_verified.protocols.range_fit import RangeFit
from ldp_verified.protocols.range_grid_fit import GridFit
from ldp_verified.protocols.uniform import uniform_below
from ldp_verified.run.aggregate.tree_fit import TreeFit
from ldp_verified.run.aggregate.wavelet import WaveletFit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ldp_verified.protocols.range_levels import Made
    from ldp_verified.run.kernels.randomness import WordSource

    Client = Callable[[RangeTree, int, WordSource], int]
    WaveClient = Callable[[RangeWavelet, int, WordSource], int]


def _report(made: RangeTree, group: int, node: int, source: WordSource) -> int:
    drawn = made.responses[group].sampler().draw(np.array([node]), source)
    return int(drawn[0]) + 2 * made.layout.starts[group]


def honest(made: RangeTree, value: int, source: WordSource) -> int:
    """The package's own."""
    return int(made.drawn(np.array([value]), source).data[0])


def level_of_the_value(made: RangeTree, value: int, source: WordSource) -> int:
    """The level is the value's parity: which one it is tells the value."""
    uniform_below(made.levels, source)
    group = value % made.levels
    whole = made.layout.bits[-1]
    return _report(made, group, value >> (whole - made.layout.bits[group]), source)


def truthful(made: RangeTree, value: int, source: WordSource) -> int:
    """The sign is never turned."""
    group = uniform_below(made.levels, source)
    node = value >> (made.layout.bits[-1] - made.layout.bits[group])
    column = int(source.words(1)[0] >> np.uint64(64 - made.layout.bits[group]))
    source.words(1)
    return 2 * made.layout.starts[group] + 2 * column + (node & column).bit_count() % 2


def suffix(made: RangeTree, value: int, source: WordSource) -> int:
    """The last bits of the value in the place of the first ones: private, and another law."""
    group = uniform_below(made.levels, source)
    return _report(made, group, value & (1 << made.layout.bits[group]) - 1, source)


def honest_sign(made: RangeWavelet, value: int, source: WordSource) -> int:
    """The package's own."""
    return int(made.drawn(np.array([value]), source).data[0])


def _sign(made: RangeWavelet, value: int, level: int, column: int, source: WordSource) -> int:
    node = value >> (made.levels - 1 - level)
    bit = ((node >> 1 & column).bit_count() + node) & 1
    drawn = made.response.sampler().draw(np.array([bit]), source)
    return 2 * ((1 << level) - 1 + column) + int(drawn[0])


def column_of_the_node(made: RangeWavelet, value: int, source: WordSource) -> int:
    """The column is not drawn, but is the number of the own node: it tells half of the value."""
    level = uniform_below(made.levels, source)
    source.words(1)
    return _sign(made, value, level, value >> (made.levels - level), source)


def truthful_sign(made: RangeWavelet, value: int, source: WordSource) -> int:
    """The sign is never turned."""
    level = uniform_below(made.levels, source)
    column = uniform_below(1 << made.levels - 1, source) & ((1 << level) - 1)
    source.words(1)
    node = value >> (made.levels - 1 - level)
    return 2 * ((1 << level) - 1 + column) + (((node >> 1 & column).bit_count() + node) & 1)


def without_the_half(made: RangeWavelet, value: int, source: WordSource) -> int:
    """The entry of the node alone, as in a hierarchical histogram: private, and another law."""
    level = uniform_below(made.levels, source)
    column = uniform_below(1 << made.levels - 1, source) & ((1 << level) - 1)
    even = value & ~(1 << made.levels - 1 - level)
    return _sign(made, even, level, column, source)


class UnscaledWavelet(WaveletFit):
    """Coefficients are not spread over the leaves of their nodes, as if all levels had pairs."""

    def fitted(self, nodes: Sequence[NDArray[np.float64]], total: float) -> NDArray[np.float64]:
        """As the package, without the division."""
        found = np.full(1, total)
        for coefficients in nodes:
            halves = found / 2 + coefficients, found / 2 - coefficients
            found = np.stack(halves, axis=1).reshape(-1)
        return found


class ForgetsTheLevelBelow(TreeFit):
    """What a level takes from the covariance is counted as if no level below had taken anything."""

    @cached_property
    def steps(self) -> tuple[tuple[int, Fraction], ...]:
        """As the package, without the last line of the loop."""
        found: list[tuple[int, Fraction]] = []
        row = self.variances[-1]
        above = zip(self.nodes[-2::-1], self.variances[-2::-1], strict=True)
        for nodes, variance in (*above, (1, Fraction(0))):
            size = self.leaves // nodes
            found.append((size, row**2 / (variance + size * row)))
        return tuple(found)


class Hasty(RangeEstimate):
    """Intervals of quantiles with a quarter of the standard error."""

    def quantile(self, share: float, level: float = 0.95) -> RangeQuantile:
        """As the package, with other errors."""
        made = RangeEstimate(self.n, self.k, self.leaves, self.fit)
        made.__dict__["at_most_error"] = self.at_most_error / 4
        return made.quantile(share, level)


class OnlyFromTheFinest(GridFit):
    """Each effect is taken to be seen by one group only, as if groups did not add up."""

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """As the package, without adding up."""
        found = np.ones([tree.levels for tree in self.trees])
        for group, precision in self.precisions.items():
            found[group] = precision
        return found


def same_costs_everywhere(made: Made, k: int) -> Made:
    """Every level is taken to be counted like the leaves."""
    leaves = made(k)
    return lambda _: leaves


class WithoutTheDraw(RangeFit):
    """The users of a level are taken to be all users: what is sampled adds nothing."""

    def variance_of(self, first: NDArray[np.int64], past: NDArray[np.int64]) -> NDArray[np.float64]:
        """As if nobody held anything."""
        levels = tuple(replace(level, slope=0.0, mixed=0.0) for level in self.levels)
        empty = np.zeros_like(self.leaves)
        return RangeFit(self.fit, levels, self.users, empty).variance_of(first, past)
