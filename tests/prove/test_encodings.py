"""Encodings written out for enumeration."""

from __future__ import annotations

from math import comb

import pytest

from ldp_verified.language import Bloom, OneHot
from ldp_verified.prove.enumeration.encodings import encodings
from ldp_verified.prove.enumeration.exact_values import NotExpandableError


@pytest.mark.parametrize("bits,hashes", [(2, 1), (4, 2), (5, 2), (6, 3)])
def test_every_set_of_at_most_h_bits_once(bits: int, hashes: int) -> None:
    found_bits, inputs = encodings(Bloom(bits, hashes), {})
    sets = [ones for _, ones in inputs]
    assert found_bits == bits
    assert len(set(sets)) == len(sets) == sum(comb(bits, i) for i in range(1, hashes + 1))
    assert all(1 <= len(ones) <= hashes and ones <= set(range(bits)) for ones in sets)
    assert len({label for label, _ in inputs}) == len(inputs)


def test_one_hot() -> None:
    assert encodings(OneHot(3), {}) == (3, [(str(x), frozenset([x])) for x in range(3)])


def test_too_many_are_refused() -> None:
    with pytest.raises(NotExpandableError, match="few"):
        encodings(Bloom(40, 2), {})
