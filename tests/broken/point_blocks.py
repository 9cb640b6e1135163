"""Clients and servers of HPGR, and texts of its spec, that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ldp_verified.protocols import HPGR
from ldp_verified.run.aggregate.point_blocks import PointBlocksLayout


@dataclass(frozen=True)
class BlockForgotten(PointBlocksLayout):
    """beta is left out: a neighbour adds to the count of a value, whoever holds it."""

    def supports(self, counters: Any) -> Any:
        met = self.orthogonal * self.sums(counters)[:, : self.size]
        return met.reshape(-1)[: self.k]


@dataclass(frozen=True)
class MetByOne(PointBlocksLayout):
    """r stands in the place of both: what neighbours add is taken off too often."""

    def supports(self, counters: Any) -> Any:
        on_block = counters.reshape(self.blocks, self.points).sum(axis=1, keepdims=True)
        scores = self.orthogonal * (self.sums(counters)[:, : self.size] - on_block)
        return scores.reshape(-1)[: self.k]


def _served_by(layout: type[PointBlocksLayout]) -> type[HPGR]:
    @dataclass(frozen=True, repr=False)
    class Served(HPGR):
        @cached_property
        def layout(self) -> PointBlocksLayout:
            right = super().layout
            return layout(right.k, right.prime, right.dimension, right.blocks)

    return Served


@dataclass(frozen=True, repr=False)
class HomeBody(HPGR):
    """Half of the points of other blocks are moved to the own one: a larger epsilon."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        reports = super().privatize(values, rng)
        moved = reports.data.copy()
        some = np.flatnonzero(np.arange(len(moved)) % 2 == 0)
        own = np.asarray(values)[some] // self.layout.size
        moved[some] = moved[some] % self.layout.points + own * self.layout.points
        return replace(reports, data=moved)


@dataclass(frozen=True, repr=False)
class LargerEpsilon(HPGR):
    """The client draws at one and a half times epsilon."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        more = HPGR(self.epsilon * 1.5, self.k, self.prime, self.blocks)
        return replace(more.privatize(values, rng), identity=self.identity)


WRONG: dict[str, tuple[Callable[[], HPGR], str]] = {
    "beta left out": (lambda: _served_by(BlockForgotten)(1.0, 12, 2, 2), "estimates"),
    "r for both": (lambda: _served_by(MetByOne)(1.0, 12, 2, 2), "estimates"),
    "the own block too often": (lambda: HomeBody(1.0, 12, 2, 2), "reports of 0"),
    "a larger epsilon": (lambda: LargerEpsilon(1.0, 12, 2, 2), "reports of 0"),
}
"""What is wrong -> how it is made, and the start of the name of a look that shows it."""

TEXTS: dict[str, tuple[str, str, str, str]] = {
    "beta left out": ("beta = -alpha * both / r", "beta = 0 * alpha", "hpgr_count", "holds"),
    "r for both": ("beta = -alpha * both / r", "beta = -alpha * r / r", "hpgr_count", "holds"),
    "gamma of one block": (
        "gamma = -p * (alpha * r + beta * B)",
        "gamma = -p * alpha * r",
        "hpgr_count",
        "holds",
    ),
    "a total without h": (
        "p = 1 / (r * u + h * B - r)",
        "p = 1 / (r * u + B)",
        "hpgr",
        "sums_to_one",
    ),
    "a block more": (
        "(h * B - 3 * r + both, 1",
        "((h + 1) * B - 3 * r + both, 1",
        "hpgr",
        "sums_to_one",
    ),
    "half of epsilon": (
        "LDP(eps, tight=True, source",
        "LDP(eps / 2, tight=True, source",
        "hpgr",
        "ratio",
    ),
    "the variance of strangers for neighbours": (
        "stranger + both / ((r - both) * D)",
        "stranger + 0 * both / ((r - both) * D)",
        "hpgr_count",
        "holds",
    ),
}
"""What is wrong -> the line of the spec, what stands there, the mechanism and what is refuted."""
