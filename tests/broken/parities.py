"""Reports on parities that are wrong: leaky clients, another law, errors without the draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols import ParityEstimate, ParityTables
from ldp_verified.protocols.uniform import uniform_below

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.protocols.table_estimate import Parts
    from ldp_verified.run.kernels.randomness import WordSource

    Client = Callable[[ParityTables, int, WordSource], int]


def honest(made: ParityTables, record: int, source: WordSource) -> int:
    """The package's own."""
    return int(made.drawn(np.array([record]), source).data[0])


def _sent(made: ParityTables, record: int, chosen: int, source: WordSource) -> int:
    parity = (record & int(made.masks[chosen])).bit_count() & 1
    return 2 * chosen + int(made.response.sampler().draw(np.array([parity]), source)[0])


def set_of_the_record(made: ParityTables, record: int, source: WordSource) -> int:
    """The set is not drawn, but is the record's own number: which one it is tells the record."""
    uniform_below(len(made.sets), source)
    return _sent(made, record, record % len(made.sets), source)


def truthful(made: ParityTables, record: int, source: WordSource) -> int:
    """The parity is never turned."""
    chosen = uniform_below(len(made.sets), source)
    source.words(1)
    return 2 * chosen + ((record & int(made.masks[chosen])).bit_count() & 1)


def one_word_of_all(made: ParityTables, record: int, source: WordSource) -> int:
    """On one word of 2^64, which is no end of anything, the parity is not turned."""
    chosen = uniform_below(len(made.sets), source)
    if source.words(1)[0] == 0x123456789ABCDEF:
        return 2 * chosen + ((record & int(made.masks[chosen])).bit_count() & 1)
    return _sent(made, record, chosen, source)


def any_of_them(made: ParityTables, record: int, source: WordSource) -> int:
    """Whether the user has any of the set, in the place of the parity: private, and another law."""
    chosen = uniform_below(len(made.sets), source)
    bit = int(record & int(made.masks[chosen]) != 0)
    return 2 * chosen + int(made.response.sampler().draw(np.array([bit]), source)[0])


class ForgetsTheSets(ParityEstimate):
    """Errors as if every user had reported on each set."""

    def _variance(self, parts: Parts, population: bool = False) -> float:
        return super()._variance(parts, population) / len(self.views)
