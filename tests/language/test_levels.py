"""The vocabulary of unary encodings with levels: pair tables, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational, simplify

from ldp_verified.errors import SpecError
from ldp_verified.language import Bits, Bloom, Levels, Mechanism, OneHot, integer, real
from ldp_verified.prove.enumeration.expand import expand, probability

k = integer("k", at_least=2)
m = integer("m", at_least=4)
a = real("a", above=0, below=1)
b = real("b", above=0, below=1)
third = Rational(1, 3)
BLOOM: Any = Bloom(m, hashes=2)


def test_two_levels_are_bits() -> None:
    """Level 0 is the bit 1: the same rows, once alone and once beside a third coordinate."""
    bits = Bits(one=a, zero=b, encoder=OneHot(k)).pair_tables()[0]
    alone, beside = Levels([a, 1 - a], [b, 1 - b], OneHot(k), supporting=[0]).pair_tables()
    for table in (alone, beside):
        for ours, theirs in zip(table.rows, bits.rows, strict=True):
            assert simplify(ours.px - theirs.px) == simplify(ours.px2 - theirs.px2) == 0
            assert (ours.supports_x, ours.supports_x2) == (theirs.supports_x, theirs.supports_x2)


def test_a_row_that_sums_to_two_is_seen_beside_a_third_coordinate() -> None:
    alone, beside = Levels([2 * a, 2 - 2 * a], [b / 2, (1 - b) / 2], OneHot(k)).pair_tables()
    assert simplify(sum(row.px for row in alone.rows)) == 1
    assert simplify(sum(row.px for row in beside.rows)) == Rational(1, 2)


def test_the_table_is_a_product() -> None:
    table = Levels([a, b, 1 - a - b], [third] * 3, OneHot(k), supporting=[0, 2])
    made = Mechanism("m", parameters=[k, a, b], table=table)
    point = {"k": 3, "a": third / 2, "b": third}
    full = expand(made, point)
    assert full.outputs == 27
    for column in full.columns:
        for x in range(3):
            assert full.probability(column, x) == probability(made, point, x, column.output)
        votes = frozenset(j for j, level in enumerate(column.output) if level in (0, 2))
        assert column.supports == votes


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Levels([1], [1], OneHot(k)), "2..8 levels"),
        (lambda: Levels([a, 1 - a], [1], OneHot(k)), "as held does"),
        (lambda: Levels([a, 1 - a], [b, 1 - b], BLOOM), "OneHot"),
        (lambda: Levels([a, 1 - a], [b, 1 - b], OneHot(k), supporting=[2]), "levels of 0..1"),
        (lambda: Levels([0.5, 0.5], [b, 1 - b], OneHot(k)), "not a float"),
    ],
)
def test_what_is_no_such_encoding_is_refused(make: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        make()
