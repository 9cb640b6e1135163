"""Subsets of omega values: the own value or not, then a uniform subset of the others.

The others are drawn by Floyd's method (Bentley, Floyd, 1987, "Programming pearls: a sample of
brilliance"): one uniform integer for each, over ranges that grow by one, so the number of words
does not depend on what is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.kernels.draw import Sampler, check_threshold, check_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.kernels.draw import Column, Slots
    from ldp_verified.kernels.randomness import WordSource

_FIXED = 5
"""Constants before the ranges."""


def subset(
    values: NDArray[np.integer[Any]],
    k: int,
    omega: int,
    deny: int,
    source: WordSource,
    width: int = 64,
) -> NDArray[np.uint64]:
    """A subset of omega values: without the own one with probability deny / 2^width, else with it.

    Given that, it is uniform among the subsets without the own value, or with it.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, 2..2^width.
        omega: size of the subset, 1..k-1.
        deny: threshold of leaving the own value out, 1..2^width - 1.
        source: where the words come from.
        width: bits of a word that are used.

    Returns:
        Packed reports, shape (n, ceil(k / 64)), dtype uint64: bit v % 64 of number v // 64 says
        whether v is in the subset; the bits beyond k are 0.

    Raises:
        ParameterError: if k, omega, deny or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return subset_sampler(k, omega, deny, width).draw(values, source)


def subset_sampler(k: int, omega: int, deny: int, width: int = 64) -> Sampler:
    """The sampler that `subset` draws from (same k, omega, deny and width)."""
    check_width(width)
    check_threshold("k", k, 2, 2 ** min(width, 32))
    check_threshold("omega", omega, 1, k - 1)
    check_threshold("deny", deny, 1, 2**width - 1)
    ranges: list[int] = []
    for size in range(k - omega, k):
        share = min(2**width // size, 2**width - 1)  # a range of one needs no word, but has one
        ranges += (share, share * size - 1)
    blocks = -(-k // 64)
    return Sampler(
        fill=subset_fill,
        inputs=k,
        cuts=(deny, 1, 63, blocks, k - 1 - omega, *ranges),
        sizes=(omega, blocks),
        shape=(blocks,),
        dtype=np.dtype(np.uint64),
        word_bits=width,
        words_per_value=1 + omega,
        least_words=1 + omega,
    )


def subset_fill(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """Kernel: a word for the own value, then one of Floyd's ranges after the other.

    All arithmetic on values is done on words: `out` turns the own value into one. The first range
    serves a subset without the own value only, and is read in any case.
    """
    deny = cuts[0]
    unit = cuts[1]
    last_lane = cuts[2]
    step = cuts[3]
    omega = sizes[0]
    blocks = sizes[1]
    used = 0
    row = unit ^ unit
    for i in range(len(values)):
        cursor = used
        if cursor == len(words):
            return i, used
        denied = words[cursor] < deny
        cursor += 1
        start = i * blocks
        out[start] = values[i]
        own = out[start]
        for block in range(blocks):
            out[start + block] = 0
        largest = cuts[4]
        for position in range(omega):
            share = cuts[_FIXED + 2 * position]
            last_fair = cuts[_FIXED + 2 * position + 1]
            # Words beyond equal shares would favour some values: rejected.
            while cursor < len(words) and words[cursor] > last_fair:
                cursor += 1
            if cursor == len(words):
                return i, used
            drawn = words[cursor] // share
            cursor += 1
            if position > 0 or denied:
                # The others are numbered without the own value.
                if drawn >= own:
                    drawn += unit
                slot = row + (drawn >> 6)
                bit = unit << (drawn & last_lane)
                if out[slot] & bit:
                    drawn = largest
                    if drawn >= own:
                        drawn += unit
                    slot = row + (drawn >> 6)
                    bit = unit << (drawn & last_lane)
                out[slot] = out[slot] | bit
            largest += unit
        if not denied:
            slot = row + (own >> 6)
            out[slot] = out[slot] | (unit << (own & last_lane))
        used = cursor
        row += step
    return len(values), used
