"""Local hashing: a uniform function of the balanced family, and its value randomized."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from ldp_verified.run.kernels.division import MOST_QUOTIENTS, reciprocal
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype
from ldp_verified.run.kernels.family import digit_base, digit_count, evaluate
from ldp_verified.run.kernels.packed_hashing import lanes_for, packed_hash_sampler
from ldp_verified.run.kernels.support import support_counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource

__all__ = [
    "coefficients_per_word",
    "digit_base",
    "digit_count",
    "evaluate",
    "local_hash",
    "local_hash_fill",
    "local_hash_sampler",
    "support_counts",
]


def local_hash(
    values: NDArray[np.integer[Any]], k: int, g: int, lie: int, source: WordSource, width: int = 64
) -> NDArray[Any]:
    """A uniform function of the family, then k-ary randomized response over the g buckets.

    The function a is uniform in Z_g^m, exactly; given a, each bucket other than h_a(x) is
    reported with probability lie / 2^width, and h_a(x) with the rest.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, 2..2^31.
        g: number of buckets, 2..65536 and at most 2^width.
        lie: threshold of each bucket, 1 <= lie and g * lie <= 2^width.
        source: where the words come from.
        width: bits of a word that are used.

    Returns:
        Reports a_1..a_m, bucket: shape (n, m + 1), uint8 if g <= 256, else uint16.

    Raises:
        ParameterError: if k, g, lie or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return local_hash_sampler(k, g, lie, width).draw(values, source)


def local_hash_sampler(k: int, g: int, lie: int, width: int = 64) -> Sampler:
    """The sampler that `local_hash` draws from (same k, g, lie and width)."""
    check_width(width)
    digits = digit_count(k, g)
    base = digit_base(g)
    check_threshold("g", g, 2, 2**width)
    check_threshold("lie", lie, 1, 2**width // g)
    if lanes_for(g, width):
        return packed_hash_sampler(digits, k, g, lie, width)
    per_word = coefficients_per_word(digits, g, width)
    words = -(-digits // per_word)
    share = 2**width // g**per_word
    inverse_g, shift_g = _reciprocal(g)
    inverse_base, shift_base = _reciprocal(base)
    inverse_share, fine_share, shift_share = reciprocal(share, g**per_word)
    inverse_lie, fine_lie, shift_lie = reciprocal(lie, g)
    return Sampler(
        fill=local_hash_fill,
        inputs=k,
        cuts=(
            *(lie, g * lie - 1, share, share * g**per_word - 1),
            *(g, inverse_g, inverse_share, inverse_lie, 1),
        ),
        sizes=(
            *(digits, per_word, base, inverse_base, shift_base),
            *(g, shift_g, fine_share, shift_share, fine_lie, shift_lie),
            *reciprocal(g, digits * (base - 1) + 1),
        ),
        shape=(digits + 1,),
        dtype=smallest_dtype(g),
        word_bits=width,
        words_per_value=words + 1,
        least_words=words + 1,
    )


def coefficients_per_word(digits: int, g: int, width: int) -> int:
    """Return how many coefficients a word gives by exact division, spread evenly over words.

    Args:
        digits: number m of coefficients in all.
        g: number of buckets, at most 2^width.
        width: bits of a word that are used.
    """
    most = min(2**width, MOST_QUOTIENTS)
    room = next(d for d in itertools.count(1) if g ** (d + 1) > most)
    return -(-digits // -(-digits // room))


def _reciprocal(divisor: int) -> tuple[int, int]:
    """(inverse, shift) with x // divisor == x * inverse >> shift < 2^32 for 0 <= x < 2^31.

    Let inverse = (2^shift + e) / divisor with 0 <= e < divisor. The product exceeds x / divisor by
    x e / (divisor 2^shift) < 2^31 / 2^shift <= 1 / divisor: too little to reach the next integer.
    It stays below 2^63, as inverse <= 2^32 where divisor >= 2.
    """
    shift = 31 + (divisor - 1).bit_length()
    return -(-(2**shift) // divisor), shift


def local_hash_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: coefficients as the base-g digits of words that fit, their hash, then k-RR of it."""
    lie = cuts[0]
    last_lie = cuts[1]
    share = cuts[2]
    last_fair = cuts[3]
    g_word = cuts[4]
    inverse_g = cuts[5]
    inverse_share = cuts[6]
    inverse_lie = cuts[7]
    unit = cuts[8]
    digits = sizes[0]
    per_word = sizes[1]
    base = sizes[2]
    inverse_base = sizes[3]
    shift_base = sizes[4]
    g = sizes[5]
    shift_g = sizes[6]
    fine_share = sizes[7]
    shift_share = sizes[8]
    fine_lie = sizes[9]
    shift_lie = sizes[10]
    inverse_sum = sizes[11]
    fine_g = sizes[12]
    shift_sum = sizes[13]
    used = 0
    place = unit ^ unit  # kept as a word: unsigned, it needs no look for a place from the end
    for i in range(len(values)):
        cursor = used
        rest = values[i]
        bucket = 0
        left = digits
        while left > 0:
            # Words beyond g^per_word equal shares would favour some coefficients: rejected.
            while cursor < len(words) and words[cursor] > last_fair:
                cursor += 1
            if cursor == len(words):
                return i, used
            word = words[cursor]
            cursor += 1
            number = (word >> fine_share) * inverse_share >> shift_share
            if word - number * share >= share:
                number += unit
            for _ in range(min(left, per_word)):
                quotient = number * inverse_g >> shift_g
                coefficient = number - quotient * g_word
                number = quotient
                out[place] = coefficient
                upper = rest * inverse_base >> shift_base
                bucket += out[place] * (rest - upper * base)
                rest = upper
                place += unit
            left -= per_word
        if cursor == len(words):
            return i, used
        word = words[cursor]
        used = cursor + 1
        # word // lie, which is meant for lies only.
        lied = (word >> fine_lie) * inverse_lie >> shift_lie
        if word - lied * lie >= lie:
            lied += unit
        # bucket % g.
        bucket -= ((bucket >> fine_g) * inverse_sum >> shift_sum) * g
        if bucket >= g:
            bucket -= g
        if word <= last_lie:
            out[place] = lied
        else:
            out[place] = bucket
        place += unit
    return len(values), used
