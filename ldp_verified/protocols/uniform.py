"""Uniform whole numbers, exactly, by rejection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource


def uniform_numbers(count: int, below: int, source: WordSource) -> NDArray[np.int64]:
    """`count` independent uniform numbers in 0..below-1, int64; `below` is in 1..2^63.

    Of the 2^64 words those beyond the largest multiple of `below` are left out.
    """
    if below & (below - 1) == 0:
        drawn = source.words(count)
        drawn &= np.uint64(below - 1)
        return drawn.astype(np.int64)  # not a view: words may be symbols
    highest = (1 << 64) - (1 << 64) % below - 1
    found = np.empty(0, dtype=np.uint64)
    while len(found) < count:
        words = source.words(count - len(found))
        fair = words <= np.uint64(highest)
        found = np.concatenate([found, words if fair.all() else words[fair]])
    numbers: NDArray[np.int64] = (found % np.uint64(below)).astype(np.int64)
    return numbers


def uniform_below(below: int, source: WordSource) -> int:
    """One uniform number in 0..below-1."""
    return int(uniform_numbers(1, below, source)[0])


def distinct_numbers(count: int, below: int, source: WordSource) -> tuple[int, ...]:
    """A uniform subset of `count` of the numbers 0..below-1, in rising order (Floyd's method)."""
    chosen: set[int] = set()
    for last in range(below - count, below):
        drawn = uniform_below(last + 1, source)
        chosen.add(last if drawn in chosen else drawn)
    return tuple(sorted(chosen))
