"""Sampling a corner of a cube: one that agrees with a sign vector in more than half, or another.

One word chooses between the two kinds of corners; then corners are drawn until one is of that kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots

MOST_SIGNS: Final = 62
"""Sign vectors are numbers below 2^62: bit j is 1 where sign j is +."""


def corner_sampler(d: int, inside: int, width: int = 64) -> Sampler:
    """Return the sampler of a corner, which is near the input with probability inside/2^width.

    It is uniform then among the corners that agree with the input in more than half of d signs,
    else uniform among all others.

    Args:
        d: signs, at most `width`.
        inside: 1..2^width - 1.
        width: bits of a word that are used.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    if not 1 <= d <= min(width, MOST_SIGNS):
        raise ParameterError("d", f"must be in 1..{min(width, MOST_SIGNS)}", d)
    check_threshold("inside", inside, 1, 2**width - 1)
    return Sampler(
        fill=corner_fill,
        inputs=1 << d,
        cuts=(inside, (1 << d) - 1, 0, 1),
        sizes=(d,),
        shape=(),
        dtype=np.dtype(np.uint64),
        word_bits=width,
        words_per_value=3,
        least_words=2,
    )


def corner_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: one word for the kind, further ones for corners until one is of that kind."""
    inside, mask, zero, one, d = cuts[0], cuts[1], cuts[2], cuts[3], sizes[0]
    have = len(words)
    used = 0
    for i in range(len(values)):
        cursor = used
        if cursor >= have:
            return i, used
        near = words[cursor] < inside
        cursor += 1
        # Read back from the slot, the value is unsigned like the words.
        out[i] = values[i]
        signs = out[i]
        corner = zero
        wrong = True
        while wrong:
            if cursor >= have:
                return i, used
            corner = words[cursor] & mask
            cursor += 1
            rest = corner ^ signs
            apart = 0
            while rest != zero:
                rest &= rest - one
                apart += 1
            wrong = (2 * apart < d) != near
        out[i] = corner
        used = cursor
    return len(values), used
