"""Mean sizes of sets that are wrong: ends of half the price, and cutting that is forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.protocols.set_sizes import mean_items, sampled_share

if TYPE_CHECKING:
    from ldp_verified.protocols.set_sizes import MeanItems


def both_ends_with_all(
    inner: Any, supports: int, values: int, n: int, miss: float
) -> tuple[float, float, float]:
    """Each end misses with as much as both may together."""
    return sampled_share(inner, supports, values, n, 2 * miss)


def cutting_forgotten(made: Any, state: Any, level: float, largest: int) -> MeanItems:
    """The interval of what is left is taken for that of sets as they are."""
    del largest
    return replace(mean_items(made, state, None, level, None), level=level)
