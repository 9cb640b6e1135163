"""List the bits that each input of a `Bits` table sets, for enumeration."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations, compress, product
from typing import TYPE_CHECKING, Any

from ldp_verified.language.bloom import Bloom
from ldp_verified.prove.enumeration.exact_values import NotExpandableError, Point, whole
from ldp_verified.prove.enumeration.incidence import functions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ldp_verified.language.structures import HashedOneHot, OneHot

MOST_HASHED = 2**10
"""Outputs of a sketch: its functions all look alike, and larger ones show nothing new."""

MOST_WORK = 2**14
"""Pairs of inputs times outputs, of Bloom encodings of more than 2 h bits."""


def encodings(
    encoder: OneHot | HashedOneHot | Bloom, point: Point
) -> tuple[int, list[tuple[str, frozenset[int]]]]:
    """The number of bits, and (label, bits that are 1) of every input.

    Of a Bloom encoder: every set of one to h bits.

    Raises:
        NotExpandableError: no whole number of bits, or too many.
    """
    if not isinstance(encoder, Bloom):
        k = whole("values", encoder.values, point)
        return k, [(str(x), frozenset([x])) for x in range(k)]
    m, h = whole("bits", encoder.bits, point), encoder.hashes
    if m > 2 * h and whole("values", encoder.values, point) ** 2 * 2 ** min(m, 64) > MOST_WORK:
        raise NotExpandableError("bits", "must be few to be written out", m)
    sets = [frozenset(ones) for size in range(1, h + 1) for ones in combinations(range(m), size)]
    return m, [("{" + ", ".join(map(str, sorted(ones))) + "}", ones) for ones in sets]


def hashed(
    sizes: Mapping[str, int], unit: int, one: int, zero: int
) -> Iterator[tuple[Any, int, tuple[int, ...], frozenset[int]]]:
    """Every function with every vector of bits; equal functions are written out once.

    Args:
        sizes: k, and the number of buckets.
        unit: the common denominator of one and zero. one, zero: the cells, in units of it.

    Yields:
        ((buckets, bits), how many functions, P(y|x) for every x in units of 1/(functions
        unit^width), the values that are supported).
    """
    for hashes, times in Counter(functions(sizes)).items():
        for bits in product((0, 1), repeat=sizes["buckets"]):
            weights = []
            for bucket in hashes:
                weight = 1
                for j, bit in enumerate(bits):
                    chance = one if j == bucket else zero
                    weight *= chance if bit else unit - chance
                weights.append(weight)
            held = frozenset(x for x, bucket in enumerate(hashes) if bits[bucket])
            yield (hashes, bits), times, tuple(weights), held


def products(width: int, ones: frozenset[int], unit: int, one: int, zero: int) -> tuple[int, ...]:
    """The chance of every vector of bits for an encoding.

    Args:
        width: the number of bits. ones: those that the encoding sets.
        unit: the common denominator of one and zero. one, zero: the cells, in units of it.

    Returns:
        In the order of `vectors`, in units of 1/unit^width.
    """
    size = len(ones)
    # The product of a vector's chances is that of any with as many bits set among the ones, and
    # among the others.
    values = [
        one**a * (unit - one) ** (size - a) * zero**b * (unit - zero) ** (width - size - b)
        for a in range(size + 1)
        for b in range(width - size + 1)
    ]
    return tuple(map(values.__getitem__, _bits_set(width, ones)))


@lru_cache(maxsize=512)
def _bits_set(width: int, ones: frozenset[int]) -> tuple[int, ...]:
    """The place in `products` of each vector's chance, by its bits among the ones and others."""
    others = width - len(ones) + 1
    return tuple(len(held & ones) * others + len(held - ones) for _, held in vectors(width))


@lru_cache(maxsize=16)
def vectors(width: int) -> tuple[tuple[tuple[int, ...], frozenset[int]], ...]:
    """List every vector of bits, in the order in which the first bit changes fastest.

    Args:
        width: the number of bits of each vector.

    Returns:
        (bits, indices of the bits that are 1) of each vector.
    """
    every = (backwards[::-1] for backwards in product((0, 1), repeat=width))
    return tuple((bits, frozenset(compress(range(width), bits))) for bits in every)
