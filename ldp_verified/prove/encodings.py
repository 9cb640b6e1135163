"""Which bits each input of a `Bits` table sets, written out for enumeration."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from ldp_verified.language.bloom import Bloom
from ldp_verified.prove.exact_values import NotExpandableError, Point, whole

if TYPE_CHECKING:
    from ldp_verified.language.structures import OneHot

MOST_WORK = 2**14
"""Pairs of inputs times outputs, of Bloom encodings of more than 2 h bits."""


def encodings(
    encoder: OneHot | Bloom, point: Point
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
