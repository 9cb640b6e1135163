"""Sampling one of K ranks, the first m of which are favoured; given that, uniform.

One word chooses between the two kinds; then ranks of that kind are drawn until one exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots


def favoured_sampler(ranks: int, favoured: int, inside: int, width: int = 64) -> Sampler:
    """Return the sampler of a rank, which is a favoured one with probability inside/2^width.

    It is uniform then among the first m ranks, else uniform among the others. The input is always
    0: the caller decides which report a rank stands for.

    Args:
        ranks: K, 2..2^width. favoured: m, 1..K - 1.
        inside: 1..2^width - 1.
        width: bits of a word that are used.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    check_threshold("ranks", ranks, 2, 2 ** min(width, 32))
    check_threshold("favoured", favoured, 1, ranks - 1)
    check_threshold("inside", inside, 1, 2**width - 1)
    rest = ranks - favoured
    masks = ((1 << (count - 1).bit_length()) - 1 for count in (favoured, rest))
    return Sampler(
        fill=favoured_fill,
        inputs=1,
        cuts=(inside, 0, favoured, *masks, favoured, rest),
        sizes=(1, 3, 5),
        shape=(),
        dtype=smallest_dtype(ranks),
        word_bits=width,
        words_per_value=3,
        least_words=2,
    )


def favoured_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: one word for the kind, further ones for ranks until one is of that kind."""
    have, start, mask, below = len(words), sizes[0], sizes[1], sizes[2]
    used = 0
    for i in range(len(values)):
        cursor = used
        if cursor >= have:
            return i, used
        kind = 0 if words[cursor] < cuts[0] else 1
        cursor += 1
        wrong = True
        while wrong:
            if cursor >= have:
                return i, used
            rank = words[cursor] & cuts[mask + kind]
            cursor += 1
            wrong = rank >= cuts[below + kind]
            out[i] = rank + cuts[start + kind]
        used = cursor
    return len(values), used
