"""Find the smallest whole number that is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def fewest(enough: Callable[[int], bool], most: int) -> int | None:
    """Find the smallest n in 1..most that is enough, where more are never worse.

    Args:
        enough: asked about 2 log2 n numbers, none of them above `most`.
        most: at least 1.

    Returns:
        The number; where more may be worse, one that is enough after one that is not. None where
        `most` is not enough.
    """
    low, high = 0, 1
    while not enough(high):
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
