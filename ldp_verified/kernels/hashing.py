"""Local hashing: a uniform function of the balanced family, and its value randomized."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from ldp_verified.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype
from ldp_verified.kernels.family import digit_base, digit_count, evaluate
from ldp_verified.kernels.support import support_counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.kernels.draw import Column, Slots
    from ldp_verified.kernels.randomness import WordSource

__all__ = [
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
    # As many coefficients from one word as the exact division below allows, evenly spread.
    room = next(d for d in itertools.count(1) if g ** (d + 1) > 2 ** min(width, 31))
    words = -(-digits // room)
    per_word = -(-digits // words)
    share = 2**width // g**per_word
    inverse_g, shift_g = _reciprocal(g)
    inverse_base, shift_base = _reciprocal(base)
    return Sampler(
        fill=local_hash_fill,
        inputs=k,
        cuts=(lie, g * lie - 1, share, share * g**per_word - 1, g, inverse_g),
        sizes=(digits, per_word, g, shift_g, base, inverse_base, shift_base),
        shape=(digits + 1,),
        dtype=smallest_dtype(g),
        word_bits=width,
        words_per_value=words + 1,
        least_words=words + 1,
    )


def _reciprocal(divisor: int) -> tuple[int, int]:
    """(inverse, shift) with x // divisor == x * inverse >> shift < 2^32 for 0 <= x < 2^31.

    With inverse = (2^shift + e) / divisor and 0 <= e < divisor, the product exceeds x / divisor by
    x e / (divisor 2^shift) < 2^31 / 2^shift <= 1 / divisor: too little to reach the next integer.
    It stays below 2^63, as inverse <= 2^32 where divisor >= 2.
    """
    shift = 31 + (divisor - 1).bit_length()
    return -(-(2**shift) // divisor), shift


def local_hash_fill(
    values: Column, out: Slots, words: Column, cuts: Column, sizes: Column
) -> tuple[int, int]:
    """Kernel: coefficients as the base-g digits of words that fit, their hash, then k-RR of it."""
    lie = cuts[0]
    last_lie = cuts[1]
    share = cuts[2]
    last_fair = cuts[3]
    g_word = cuts[4]
    inverse_g = cuts[5]
    digits = sizes[0]
    per_word = sizes[1]
    g = sizes[2]
    shift_g = sizes[3]
    base = sizes[4]
    inverse_base = sizes[5]
    shift_base = sizes[6]
    used = 0
    for i in range(len(values)):
        cursor = used
        row = i * (digits + 1)
        position = 0
        while position < digits:
            # Words beyond g^per_word equal shares would favour some coefficients: rejected.
            while cursor < len(words) and words[cursor] > last_fair:
                cursor += 1
            if cursor == len(words):
                return i, used
            number = words[cursor] // share
            cursor += 1
            end = min(position + per_word, digits)
            while position < end:
                quotient = (number * inverse_g) >> shift_g
                out[row + position] = number - quotient * g_word
                number = quotient
                position += 1
        if cursor == len(words):
            return i, used
        word = words[cursor]
        used = cursor + 1
        if word <= last_lie:
            out[row + digits] = word // lie
        else:
            rest = values[i]
            bucket = 0
            for position in range(digits):
                quotient = (rest * inverse_base) >> shift_base
                bucket += out[row + position] * (rest - quotient * base)
                rest = quotient
            out[row + digits] = bucket % g
    return len(values), used
