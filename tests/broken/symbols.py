"""Clients and servers of PCKV-UE that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldp_verified.protocols import KeyValueSymbols
from ldp_verified.run.aggregate.symbols import packed, unpacked


@dataclass(frozen=True)
class SureSigns(KeyValueSymbols):
    """The sign of the own key is never turned round: an infinite epsilon."""

    def drawn(self, pairs: Any, source: Any) -> Any:
        self.__dict__["_turned"] = 0
        return super().drawn(pairs, source)


@dataclass(frozen=True)
class AllPlus(KeyValueSymbols):
    """Symbols at other keys than the own one are + too often."""

    def drawn(self, pairs: Any, source: Any) -> Any:
        reports = super().drawn(pairs, source)
        bits = unpacked(reports.data, self.layout.counters)
        other = self.k - 1
        more = bits[:, other] & (source.words(len(bits)) < np.uint64(1 << 63))
        bits[:, self.layout.k + other] |= more
        return replace(reports, data=packed(bits))


@dataclass(frozen=True)
class LargerEpsilon(KeyValueSymbols):
    """The client draws at one and a half times epsilon."""

    def drawn(self, pairs: Any, source: Any) -> Any:
        more = KeyValueSymbols(self.epsilon * 1.5, self.k, self.length, self.bounds)
        return replace(more.drawn(pairs, source), identity=self.identity)


@dataclass(frozen=True)
class SignsForgotten(KeyValueSymbols):
    """The server takes signs for kept: sums are too small."""

    def estimate(self, state: Any) -> Any:
        found = super().estimate(state)
        share = float(2 * self.p - 1)
        half = found.counts / 2
        return replace(
            found, plus=half + found.sums * share / 2, minus=half - found.sums * share / 2
        )


WRONG: dict[str, tuple[Callable[[], KeyValueSymbols], str]] = {
    "signs that are never turned": (lambda: SureSigns(1.0, 2, 1), "reports of {0: 1}"),
    "too many pluses": (lambda: AllPlus(1.0, 2, 1), "reports of {0: 1}"),
    "a larger epsilon": (lambda: LargerEpsilon(1.0, 2, 1), "reports of {0: 1}"),
    "sums without the chance of a sign": (lambda: SignsForgotten(1.0, 2, 1), "estimates"),
}
"""What is wrong -> how it is made, and the start of the name of a look that shows it."""
