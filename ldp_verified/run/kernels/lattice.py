"""Sampling noise on the integers from a table of weights: one word, rarely two, per value.

The weights add up to the number of pairs of words, so every probability is exact. A first word
decides unless it is the first word of a cut; only then is a second one read.
"""

from __future__ import annotations

import operator
from itertools import accumulate
from typing import TYPE_CHECKING, SupportsIndex

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_width, smallest_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots


def lattice_sampler(m: int, weights: Sequence[SupportsIndex], width: int = 64) -> Sampler:
    """The input plus j, where P(j) = weights[j]/2^(2 width).

    Args:
        m: inputs are 0..m.
        weights: positive integers, two or more, that add up to 2^(2 width).
        width: bits of a word that are used.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    whole = [operator.index(weight) for weight in weights]
    if m < 0:
        raise ParameterError("m", "must be >= 0", m)
    if len(whole) < 2 or min(whole) <= 0 or sum(whole) != 1 << (2 * width):
        rule = f"must be two or more, positive, and add up to 2^{2 * width}"
        raise ParameterError("weights", rule, whole[:8])
    cuts = list(accumulate(whole[:-1]))
    mask = (1 << width) - 1
    return Sampler(
        fill=lattice_fill,
        inputs=m + 1,
        cuts=(*(cut >> width for cut in cuts), *(cut & mask for cut in cuts)),
        sizes=(len(cuts),),
        shape=(),
        dtype=smallest_dtype(m + len(whole)),
        word_bits=width,
    )


def lattice_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: how many cuts are not above the number of two digits, by bisection."""
    count = sizes[0]
    used = 0
    for i in range(len(values)):
        if used >= len(words):
            return i, used
        word = words[used]
        first, last = 0, count
        while first < last:
            middle = (first + last) // 2
            if cuts[middle] < word:
                first = middle + 1
            else:
                last = middle
        if first < count and cuts[first] == word:
            if used + 1 >= len(words):
                return i, used
            used += 1
            second = words[used]
            last = first
            while last < count and cuts[last] == word:
                last += 1
            while first < last:
                middle = (first + last) // 2
                if cuts[count + middle] <= second:
                    first = middle + 1
                else:
                    last = middle
        used += 1
        out[i] = values[i] + first
    return len(values), used
