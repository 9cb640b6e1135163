"""k-ary randomized response: the truth, or each of the k values with the same probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ldp_verified.run.kernels.division import MOST_QUOTIENTS, reciprocal
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype
from ldp_verified.run.kernels.vectorised import grr_with_numpy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource

MOST_VALUES: Final = 1 << 63
"""Values are int64."""


def grr(
    values: NDArray[np.integer[Any]], k: int, lie: int, source: WordSource, width: int = 64
) -> NDArray[Any]:
    """One draw per value: P(y|x) = lie / 2^width for y != x, and the rest for y = x.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, 2..2^28.
        lie: threshold of each value, 1 <= lie and k * lie <= 2^width.
        source: where the words come from.
        width: bits of a word that are used.

    Returns:
        Reported values, shape (n,), in the smallest unsigned dtype that holds k - 1.

    Raises:
        ParameterError: if k, lie or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return grr_sampler(k, lie, width).draw(values, source)


def grr_sampler(k: int, lie: int, width: int = 64) -> Sampler:
    """The sampler that `grr` draws from (same k, lie and width)."""
    check_width(width)
    check_threshold("k", k, 2, min(2**width, MOST_QUOTIENTS))
    check_threshold("lie", lie, 1, 2**width // k)
    inverse, fine, shift = reciprocal(lie, k)
    # k * lie may be 2^64 itself, which no word holds: compare with the last word of the lies.
    return Sampler(
        fill=grr_fill,
        inputs=k,
        cuts=(lie, k * lie - 1, inverse, 1),
        sizes=(fine, shift),
        shape=(),
        dtype=smallest_dtype(k),
        word_bits=width,
        vectorised=grr_with_numpy,
    )


def grr_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: the first k intervals of `lie` words report 0..k-1; all further words the truth."""
    lie = cuts[0]
    last_lie = cuts[1]
    inverse = cuts[2]
    unit = cuts[3]
    fine = sizes[0]
    shift = sizes[1]
    done = min(len(values), len(words))
    for i in range(done):
        word = words[i]
        # word // lie, which is meant for lies only.
        lied = (word >> fine) * inverse >> shift
        if word - lied * lie >= lie:
            lied += unit
        if word <= last_lie:
            out[i] = lied
        else:
            out[i] = values[i]
    return done, done


def grr_wide(
    values: NDArray[np.integer[Any]], k: int, mix: int, source: WordSource, width: int = 64
) -> NDArray[Any]:
    """Two factors, for large k: with probability mix / 2^width a uniform value, else the truth.

    So P(y|x) = mix / (k 2^width) for y != x, and P(x|x) = 1 - (k-1) P(y|x).

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, at least 2, at most 2^width and 2^63.
        mix: threshold of answering at random, 1..2^width - 1.
        source: where the words come from.
        width: bits of a word that are used.

    Returns:
        Reported values, shape (n,), in the smallest unsigned dtype that holds k - 1.

    Raises:
        ParameterError: if k, mix or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return grr_wide_sampler(k, mix, width).draw(values, source)


def grr_wide_sampler(k: int, mix: int, width: int = 64) -> Sampler:
    """The sampler that `grr_wide` draws from (same k, mix and width)."""
    check_width(width)
    check_threshold("k", k, 2, min(2**width, MOST_VALUES))
    check_threshold("mix", mix, 1, 2**width - 1)
    share = 2**width // k
    return Sampler(
        fill=grr_wide_fill,
        inputs=k,
        cuts=(mix, share, k * share - 1),
        sizes=(),
        shape=(),
        dtype=smallest_dtype(k),
        word_bits=width,
        words_per_value=2,
        least_words=2,
    )


def grr_wide_fill(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,
    sizes: DrawnColumn,  # noqa: ARG001  (a sampler calls every kernel alike)
) -> tuple[int, int]:
    """Kernel: one word chooses; words are read until one fits a uniform value, chosen or not."""
    mix = cuts[0]
    share = cuts[1]
    last_fair = cuts[2]
    used = 0
    for i in range(len(values)):
        cursor = used
        if cursor == len(words):
            return i, used
        answer_at_random = words[cursor] < mix
        cursor += 1
        # The words beyond k equal shares would favour some values: they are rejected.
        while cursor < len(words) and words[cursor] > last_fair:
            cursor += 1
        if cursor == len(words):
            return i, used
        if answer_at_random:
            out[i] = words[cursor] // share
        else:
            out[i] = values[i]
        used = cursor + 1
    return len(values), used
