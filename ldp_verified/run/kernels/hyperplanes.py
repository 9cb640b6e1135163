"""Points of a projective space over Z_q, and uniform ones on a hyperplane or off it.

A vector of Z_q^t is a number in base q; a point is a vector whose first digit that is not 0 is 1.
The point with m digits after that 1, which write c, has the index (q^m - 1)/(q - 1) + c, whatever
the dimension t.

Off the hyperplane of x, each point has one vector y with <x, y> = 1: the digit where x has its
first 1 follows from the others, which are free. On it, that digit follows too, and the others are a
point of one dimension less. So both are uniform integers.

There may be several such spaces, blocks: a value lies in one of them, and all points of the others
are off its hyperplane. Point y of block b has the number b (points of a block) + y.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.cohorts import is_prime
from ldp_verified.run.kernels.draw import Sampler, check_threshold, check_width, smallest_dtype

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import DrawnColumn, Slots
    from ldp_verified.run.kernels.randomness import WordSource

MOST_POINTS = 1 << 25
"""The server holds a few numbers for each point: at most 0.8 GiB."""

MOST_VECTORS = 1 << 31
"""q^t: vectors are numbers of 32 bits on small devices."""


def dimension(k: int, prime: int) -> int:
    """The least t >= 2 with at least k points.

    Raises:
        ParameterError: if `prime` is none, or there are more than 2^25 points or 2^31 vectors.
    """
    if not is_prime(prime):
        raise ParameterError("prime", "must be a prime", prime)
    t = next(t for t in itertools.count(2) if points(prime, t) >= k)
    if points(prime, t) > MOST_POINTS or prime**t > MOST_VECTORS:
        rule = f"must leave at most 2^25 points and 2^31 vectors; there are {prime}^{t} vectors"
        raise ParameterError("k", rule, k)
    return t


def points(prime: int, t: int) -> int:
    """Return how many points the space of vectors of t digits has."""
    return int((prime**t - 1) // (prime - 1))


def hyperplane(
    values: NDArray[np.integer[Any]],
    k: int,
    prime: int,
    deny: int,
    source: WordSource,
    width: int = 64,
) -> NDArray[Any]:
    """A point off the hyperplane of x with probability deny / 2^width, else on it; uniform then.

    Args:
        values: integers in 0..k-1, shape (n,).
        k: number of values, at least 2.
        prime: q.
        deny: threshold of a point off the hyperplane, 1..2^width - 1.
        source: where the words come from.
        width: bits of a word that are used; q^(t - 1) at most 2^width.

    Returns:
        Indices of points, shape (n,), in the smallest unsigned dtype for them.

    Raises:
        ParameterError: if k, prime, deny or width is outside its range.
        DomainError: if `values` is no such array.
    """
    return hyperplane_sampler(k, prime, deny, width).draw(values, source)


def hyperplane_sampler(k: int, prime: int, deny: int, width: int = 64) -> Sampler:
    """The sampler that `hyperplane` draws from (same k, prime, deny and width)."""
    check_threshold("k", k, 2, MOST_POINTS)
    return block_sampler(k, prime, dimension(k, prime), 1, deny, width)


def block_sampler(k: int, prime: int, t: int, blocks: int, deny: int, width: int = 64) -> Sampler:
    """`hyperplane_sampler` for several blocks of ceil(k / blocks) values, the last ones of fewer.

    Args:
        k: number of values, at least 2.
        prime: q.
        t: digits of a vector, so that a block has as many points as values at least.
        blocks: how many.
        deny: threshold of a point off the hyperplane, in whatever block, 1..2^width - 1.
        width: bits of a word that are used.

    Raises:
        ParameterError: if k, deny or width is outside its range, or a block has too few points.
    """
    check_width(width)
    check_threshold("k", k, 2, MOST_POINTS)
    check_threshold("deny", deny, 1, 2**width - 1)
    size, block = -(-k // blocks), points(prime, t)
    check_threshold("values of a block", size, 1, block)
    on = points(prime, t - 1)
    off = blocks * block - on
    check_threshold("points off a hyperplane", off, 2, 2**width)
    shares = [min(2**width // size, 2**width - 1) for size in (on, off)]
    first = [points(prime, m) for m in range(t + 1)]
    powers = [prime**m for m in range(t + 1)]
    inverses = [0, *(pow(digit, -1, prime) for digit in range(1, prime))]
    return Sampler(
        fill=hyperplane_fill,
        inputs=k,
        cuts=(deny, shares[0], shares[0] * on - 1, shares[1], shares[1] * off - 1),
        sizes=(prime, t, 0, size, *first, *powers, *inverses),
        shape=(),
        dtype=smallest_dtype(blocks * block),
        word_bits=width,
        words_per_value=3,
        least_words=3,
    )


def hyperplane_fill(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Kernel: a word for on or off, two uniform integers, and the digit that one leaves open.

    Integers beyond those of the own block's points off the hyperplane are points of other blocks.
    """
    deny = cuts[0]
    q = sizes[0]
    t = sizes[1]
    zero = sizes[2]
    size = sizes[3]
    first = 4
    powers = first + t + 1
    inverses = powers + t + 1
    used = 0
    for i in range(len(values)):
        cursor = used
        if cursor == len(words):
            return i, used
        off = words[cursor] < deny
        cursor += 1
        # Words beyond equal shares would favour some points: rejected. Both integers are drawn, so
        # that the number of words does not say which of them was taken.
        while cursor < len(words) and words[cursor] > cuts[4]:
            cursor += 1
        if cursor == len(words):
            return i, used
        beside = words[cursor] // cuts[3]
        cursor += 1
        while cursor < len(words) and words[cursor] > cuts[2]:
            cursor += 1
        if cursor == len(words):
            return i, used
        out[i] = words[cursor] // cuts[1]
        if off:
            out[i] = beside
        used = cursor + 1
        others = out[i] + zero
        value = values[i]
        start = zero
        if value >= size:
            block = value // size
            value -= block * size
            start = block * sizes[first + t]  # the first point of the own block
        if off and others >= sizes[powers + t - 1]:
            others -= sizes[powers + t - 1]
            if others >= start:
                others += sizes[first + t]
            out[i] = others
            continue
        product = zero
        if off:
            product = zero + 1
        else:
            after = zero
            while sizes[first + after + 1] <= others:
                after += 1
            others += sizes[powers + after] - sizes[first + after]
        # The own point has its first 1 at `place`; its digits below that are those of `own`.
        place = zero
        while sizes[first + place + 1] <= value:
            place += 1
        own = value - sizes[first + place]
        below = others % sizes[powers + place]
        vector = (others - below) * q + below
        for _ in range(place):
            product -= (own % q) * (below % q)
            own = own // q
            below = below // q
        vector += (product % q) * sizes[powers + place]
        top = t - 1
        while sizes[powers + top] > vector:
            top -= 1
        factor = sizes[inverses + vector // sizes[powers + top]]
        point = sizes[first + top]
        for position in range(top):
            digit = vector // sizes[powers + position] % q
            point += digit * factor % q * sizes[powers + position]
        out[i] = start + point
    return len(values), used
