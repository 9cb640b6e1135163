"""Clients of padding and sampling that pad, cut or sample as they should not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.protocols.padding import PaddedSampling
from ldp_verified.protocols.uniform import uniform_below

if TYPE_CHECKING:
    from ldp_verified.run.kernels.randomness import WordSource

Items = tuple[int, ...]
Client = Callable[[PaddedSampling, Items, Any], Any]


def report(protocol: PaddedSampling, chosen: int, source: WordSource) -> Any:
    """What is sent of what was sampled."""
    drawn = protocol.inner.sampler().draw(np.array([chosen]), source)
    return tuple(np.ravel(drawn).tolist())


def honest(protocol: PaddedSampling, items: Items, source: WordSource) -> Any:
    """The client of the package."""
    return tuple(np.ravel(protocol.client(rng=source).report(items).data).tolist())


def shared_dummy(protocol: PaddedSampling, items: Items, source: WordSource) -> Any:
    """All places that are padded have one dummy."""
    (chosen,) = protocol.sampled(ItemSets.of([items]), source).tolist()
    return report(protocol, min(chosen, protocol.k), source)


def no_dummies(protocol: PaddedSampling, items: Items, source: WordSource) -> Any:
    """A set that is not empty samples one of its items, however few they are."""
    if not items:
        return honest(protocol, items, source)
    return report(protocol, items[uniform_below(len(items), source)], source)


def first_more_often(protocol: PaddedSampling, items: Items, source: WordSource) -> Any:
    """The first place is sampled twice as often as each other one."""
    places = [*items, *range(protocol.k, protocol.k + protocol.length)][: protocol.length]
    place = max(0, uniform_below(protocol.length + 1, source) - 1)
    return report(protocol, places[place], source)


def dummy_of_its_size(protocol: PaddedSampling, items: Items, source: WordSource) -> Any:
    """Sampling what is padded gives the dummy that stands for the size of the set."""
    (chosen,) = protocol.sampled(ItemSets.of([items]), source).tolist()
    return report(protocol, chosen if chosen < protocol.k else protocol.k + len(items), source)


def keeps_the_first(protocol: PaddedSampling, items: Items, source: WordSource) -> Any:
    """Cuts off the last items of a long set, so that these are never counted."""
    return honest(protocol, items[: protocol.length], source)


def keeps_a_favourite(protocol: PaddedSampling, items: Items, source: WordSource) -> Any:
    """Cuts a long set to item 0, if it is there, and others: item 0 is counted in full."""
    kept = list(items)
    while len(kept) > protocol.length:
        fixed = int(kept[0] == 0 and protocol.length > 1)
        del kept[fixed + uniform_below(len(kept) - fixed, source)]
    return honest(protocol, tuple(kept), source)


LEAKY: dict[str, Client] = {
    "shared dummy": shared_dummy,
    "no dummies": no_dummies,
    "first place more often": first_more_often,
    "dummy of its size": dummy_of_its_size,
}
"""What is wrong -> a client whose report over k-ary response costs more than is declared."""

BIASED: dict[str, Client] = {
    "the first items are kept": keeps_the_first,
    "item 0 is kept": keeps_a_favourite,
}
"""What is wrong -> a client that costs what is declared, and counts some items too often."""
