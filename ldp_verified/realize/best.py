"""The best size of a mechanism: the integer of least variance at f = 0, decided by balls.

`variance` gives a ball around the variance of a size, at the working precision.
"""

from __future__ import annotations

from bisect import bisect
from typing import TYPE_CHECKING

from ldp_verified.realize import balls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flint import arb


def best_between(variance: Callable[[int], arb], low: int, high: int) -> int:
    """The best integer in low..high, by bisection, where the variance falls, then rises."""
    while low < high:
        middle = (low + high) // 2
        if better(variance, middle + 1, middle):
            low = middle + 1
        else:
            high = middle
    return low


def best_near(variance: Callable[[int], arb], sizes: Sequence[int]) -> int:
    """The best of the given sizes, ascending, where the variance falls, then rises."""
    best = best_between(variance, sizes[0], sizes[-1])
    place = bisect(sizes, best)
    return best_among(variance, sizes[max(0, place - 1) : place + 1])


def best_among(variance: Callable[[int], arb], sizes: Sequence[int]) -> int:
    """The best of the given sizes, by looking at each; the last of equals."""
    best = sizes[0]
    for size in sizes[1:]:
        if better(variance, size, best):
            best = size
    return best


def better(variance: Callable[[int], arb], one: int, other: int) -> bool:
    """Whether the variance of one size is at most that of another."""
    return balls.decide(lambda: balls.at_most(variance(one) - variance(other), 0.0))
