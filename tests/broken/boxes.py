"""Haar wavelets of boxes that are wrong: leaky clients, another law, errors without the draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols import BoxWavelet, WaveletBoxes
from ldp_verified.protocols.uniform import uniform_below

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.aggregate.tabulated import TableRow
    from ldp_verified.run.kernels.randomness import WordSource

    Pair = tuple[int, int]
    Client = Callable[[BoxWavelet, Pair, WordSource], int]


def honest(made: BoxWavelet, pair: Pair, source: WordSource) -> int:
    """The package's own."""
    return int(made.drawn(np.array([pair]), source).data[0])


def _bit(made: BoxWavelet, pair: Pair, chosen: int, column: int) -> int:
    taken, bits = made.pairs[chosen], made.bits
    one, other = (v >> all_ - some for v, all_, some in zip(pair, bits, taken, strict=True))
    node = one >> 1 << bits[1] - 1 | other >> 1
    return ((node & column).bit_count() + one + other) & 1


def _sent(made: BoxWavelet, pair: Pair, chosen: int, column: int, source: WordSource) -> int:
    bit = np.array([_bit(made, pair, chosen, column)])
    sent = int(made.response.sampler().draw(bit, source)[0])
    return 2 * (chosen * made.columns + column) + sent


def levels_of_the_pair(made: BoxWavelet, pair: Pair, source: WordSource) -> int:
    """The levels are not drawn: they follow from the values, and tell them."""
    uniform_below(len(made.pairs), source)
    column = uniform_below(made.columns, source)
    return _sent(made, pair, (pair[0] + pair[1]) % len(made.pairs), column, source)


def truthful(made: BoxWavelet, pair: Pair, source: WordSource) -> int:
    """The sign is never turned."""
    chosen = uniform_below(len(made.pairs), source)
    column = uniform_below(made.columns, source)
    source.words(1)
    return 2 * (chosen * made.columns + column) + _bit(made, pair, chosen, column)


def of_the_first_alone(made: BoxWavelet, pair: Pair, source: WordSource) -> int:
    """The half of the second value is left out: private, and another law."""
    chosen = uniform_below(len(made.pairs), source)
    column = uniform_below(made.columns, source)
    below = made.bits[1] - made.pairs[chosen][1]
    left = pair[0], pair[1] & ~(1 << below) if made.pairs[chosen][1] else pair[1]
    return _sent(made, left, chosen, column, source)


class OfOneUserOnEach(WaveletBoxes):
    """Errors as if every user had reported on every two levels."""

    def count(self, rows: Pair, columns: Pair, level: float = 0.95) -> TableRow:
        """As the package, with smaller variances."""
        few = self.variances / (self.variances.size - 1)
        return WaveletBoxes(self.n, self.sizes, self.leaves, few, self.honesty).count(
            rows, columns, level
        )
