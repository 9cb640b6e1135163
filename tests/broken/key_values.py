"""Clients of key-value pairs that are wrong: they tell too much, or estimates are biased."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols.uniform import uniform_below

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ldp_verified.protocols import KeyValues
    from ldp_verified.run.kernels.randomness import WordSource

    Pairs = Mapping[int, float]
    Client = Callable[[KeyValues, Pairs, WordSource], int]


def honest(made: KeyValues, pairs: Pairs, source: WordSource) -> int:
    """The package's own."""
    return int(made.drawn(made.held([pairs]), source).data[0])


def _sent(made: KeyValues, item: int, source: WordSource) -> int:
    return int(made.inner.sampler().draw(np.array([item]), source)[0])


def _signs(pairs: Pairs, source: WordSource) -> list[int]:
    """Items of keys with the signs of numbers in -1..1."""
    words = source.words(len(pairs))
    drawn = zip(pairs.items(), words.tolist(), strict=True)
    return [2 * key + (word < (1 + number) / 2 * 2**64) for (key, number), word in drawn]


def shared_dummy(made: KeyValues, pairs: Pairs, source: WordSource) -> int:
    """All places without a pair have one dummy: no pairs sample it for sure."""
    items = _signs(pairs, source)
    place = uniform_below(max(made.length, len(items)), source)
    return _sent(made, items[place] if place < len(items) else 2 * made.k, source)


def plain_signs(made: KeyValues, pairs: Pairs, source: WordSource) -> int:
    """The sign of the number itself: private, but 1/2 counts as 1."""
    source.words(len(pairs))
    items = [2 * key + (number > 0) for key, number in pairs.items()]
    place = uniform_below(max(made.length, len(items)), source)
    dummy = 2 * made.k + place - len(items)
    return _sent(made, items[place] if place < len(items) else dummy, source)


def key_without_noise(made: KeyValues, pairs: Pairs, source: WordSource) -> int:
    """The sampled key is said; only its sign is randomized."""
    items = _signs(pairs, source)
    place = uniform_below(max(made.length, len(items)), source)
    chosen = items[place] if place < len(items) else 2 * made.k + place - len(items)
    sent = _sent(made, chosen, source)
    return 2 * (chosen // 2) + sent % 2


LEAKY: dict[str, Client] = {"shared dummy": shared_dummy, "key said": key_without_noise}
"""What costs more than it says."""
