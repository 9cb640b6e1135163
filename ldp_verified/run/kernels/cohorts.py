"""Local hashing with a numbered family: linear functions over Z_g, g a prime.

Values and functions are vectors over Z_g, written as numbers in base g, and h_a(x) is their inner
product. Two values collide under exactly 1/g of the g^m functions: it is the digit family of
`ldp_verified.run.kernels.family`, whose base is g itself where g is a prime. A report is one
number, so the server may count reports first and look at functions afterwards.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource

MOST_OUTPUTS = 1 << 24
"""Functions times buckets: one counter for each is kept."""


def is_prime(number: int) -> bool:
    """Return whether a number is prime, by trial division."""
    return number >= 2 and all(number % d for d in range(2, int(number**0.5) + 1))


def coordinates(k: int, g: int) -> int:
    """The number m of base-g digits that 0..k-1 take: the least m >= 1 with g^m >= k.

    Raises:
        ParameterError: if g is no prime, or there are more than 2^24 pairs of function and bucket.
    """
    if not is_prime(g):
        raise ParameterError("g", "must be a prime", g)
    m = next(m for m in itertools.count(1) if g**m >= k)
    if g ** (m + 1) > MOST_OUTPUTS:
        rule = f"must leave at most 2^24 pairs of function and bucket; there are {g}^{m + 1}"
        raise ParameterError("k", rule, k)
    return m


def cohort_hash(
    values: NDArray[np.integer[Any]], k: int, g: int, lie: int, source: WordSource, width: int = 64
) -> NDArray[Any]:
    """A uniform function a of the family, then k-ary randomized response over the g buckets.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, at least 2.
        g: number of buckets, a prime, at most 2^width; g^m at most 2^width too.
        lie: threshold of each bucket, 1 <= lie and g * lie <= 2^width.
        source: where the words come from.
        width: bits of a word that are used.

    Returns:
        a g + bucket, shape (n,), in the smallest unsigned dtype that holds g^(m + 1) - 1.

    Raises:
        ParameterError: if k, g, lie or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return cohort_hash_sampler(k, g, lie, width).draw(values, source)


def cohort_hash_sampler(k: int, g: int, lie: int, width: int = 64) -> Sampler:
    """The sampler that `cohort_hash` draws from (same k, g, lie and width)."""
    check_width(width)
    check_threshold("k", k, 2, MOST_OUTPUTS)
    m = coordinates(k, g)
    check_threshold("g", g, 2, 2**width)
    check_threshold("functions", g**m, 2, 2**width)
    check_threshold("lie", lie, 1, 2**width // g)
    share = 2**width // g**m
    return Sampler(
        fill=cohort_hash_fill,
        inputs=k,
        cuts=(lie, g * lie - 1, share, share * g**m - 1),
        sizes=(g, m, 0),
        shape=(),
        dtype=smallest_dtype(g ** (m + 1)),
        word_bits=width,
        words_per_value=2,
        least_words=2,
    )


def cohort_hash_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: a word for the function, a word for the bucket; `out` turns words into sizes."""
    lie = cuts[0]
    last_lie = cuts[1]
    share = cuts[2]
    last_fair = cuts[3]
    g = sizes[0]
    m = sizes[1]
    zero = sizes[2]
    used = 0
    for i in range(len(values)):
        cursor = used
        # Words beyond equal shares would favour some functions: rejected.
        while cursor < len(words) and words[cursor] > last_fair:
            cursor += 1
        if cursor + 1 >= len(words):
            return i, used
        out[i] = words[cursor] // share
        function = out[i] + zero
        word = words[cursor + 1]
        used = cursor + 2
        if word <= last_lie:
            out[i] = word // lie
            bucket = out[i] + zero
        else:
            bucket = zero
            rest = values[i]
            left = function
            for _ in range(m):
                bucket += (rest % g) * (left % g)
                rest = rest // g
                left = left // g
            bucket = bucket % g
        out[i] = function * g + bucket
    return len(values), used
