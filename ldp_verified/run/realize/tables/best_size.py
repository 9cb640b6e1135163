"""The best size of a mechanism: the integer of least variance at f = 0, exactly decided.

`variance` gives the variance of a size as an exact function of an exponential, and `ball` a ball
around such a function, at the working precision.
"""

from __future__ import annotations

from bisect import bisect
from typing import TYPE_CHECKING

from ldp_verified.run.realize.tables import balls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flint import arb

    from ldp_verified.run.realize.tables.formal import Formal

    Ball = Callable[[Formal], arb]


def best_between(variance: Callable[[int], Formal], low: int, high: int, ball: Ball) -> int:
    """The best integer in low..high, by bisection, where the variance falls, then rises."""
    while low < high:
        middle = (low + high) // 2
        if better(variance, middle + 1, middle, ball):
            low = middle + 1
        else:
            high = middle
    return low


def best_near(variance: Callable[[int], Formal], sizes: Sequence[int], ball: Ball) -> int:
    """The best of the given sizes, ascending, where the variance falls, then rises."""
    best = best_between(variance, sizes[0], sizes[-1], ball)
    place = bisect(sizes, best)
    return best_among(variance, sizes[max(0, place - 1) : place + 1], ball)


def best_among(variance: Callable[[int], Formal], sizes: Sequence[int], ball: Ball) -> int:
    """The best of the given sizes, by looking at each; the last of equals."""
    best = sizes[0]
    for size in sizes[1:]:
        if better(variance, size, best, ball):
            best = size
    return best


def better(variance: Callable[[int], Formal], one: int, other: int, ball: Ball) -> bool:
    """Return whether the variance of one size is at most that of another."""
    gap = variance(one) - variance(other)
    known = gap.rational
    if known is not None:
        return known <= 0
    return balls.decide(lambda: balls.at_most(ball(gap), 0.0))
