"""Noise too large to be written out: nothing is said of what needs that, and all else is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ldp_verified.kinds import Kind
from ldp_verified.language import (
    LDP,
    Ends,
    Lattice,
    Mean,
    Mechanism,
    Noise,
    OneHot,
    Piece,
    Steps,
    integer,
    log,
    real,
)
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations

LARGE = 10**6
a = real("a", above=0, below=1)
m = integer("m", at_least=1)
k = integer("k", at_least=2)
x = integer("x", at_least=0, at_most=m)
low = real("low", above=0, at_most=1)
high = real("high", above=0, at_most=1)
far = real("far", at_least=0, at_most=LARGE)
LAW = Lattice((1 - a) / (1 + a), a)
BEYOND = 1 + a / (1 - a)  # one too much: the mean is another
ENDS = Ends(0, m, -BEYOND, m + BEYOND, low_tail=low, high_tail=high)


def noise(table: Noise, *parameters: Any, claims: Any) -> Mechanism:
    return Mechanism("made", parameters=[a, *parameters], table=table, claims=claims)


LATTICE = noise(Noise(x, LAW), m, claims=[LDP(-m * log(a)), Mean(x + 1)])
CUT = noise(Noise(x, LAW, ENDS), m, low, high, claims=[LDP(-m * log(a)), Mean(x)])
VECTOR = noise(Noise(x, LAW, encoder=OneHot(k)), m, k, claims=[LDP(-m * log(a)), Mean(x)])
STEPPED = noise(
    Noise(far, Steps([Piece(0, 1, (1 - a) / 2)], 1, a)), claims=[LDP(-log(a)), Mean(far)]
)
POINT = {a: Fraction(1, 3), low: Fraction(1, 2), high: Fraction(1, 2)}


@pytest.mark.parametrize(
    ("mechanism", "sizes", "left_out"),
    [
        (LATTICE, {m: LARGE}, {Kind.EQUAL_SUPPORT, Kind.RATIO}),
        (CUT, {m: LARGE}, {Kind.EQUAL_SUPPORT, Kind.RATIO, Kind.MEAN}),
        (VECTOR, {m: 2, k: LARGE}, {Kind.RATIO}),
        (STEPPED, {}, {Kind.EQUAL_SUPPORT, Kind.RATIO}),
    ],
)
def test_what_would_take_many_cells_has_no_finding(
    mechanism: Mechanism, sizes: dict[Any, int], left_out: set[Kind]
) -> None:
    given = {**POINT, **{symbol: Fraction(size) for symbol, size in sizes.items()}}
    point = {symbol: given[symbol] for symbol in mechanism.variables}
    found = {each.obligation: each.holds for each in enumerate_obligations(mechanism, at=[point])}
    wanted = {Kind.NONNEGATIVE, Kind.SUMS_TO_ONE, Kind.EQUAL_SUPPORT, Kind.RATIO, Kind.MEAN}
    assert {*found} == wanted - left_out
    assert found.get(Kind.MEAN) is (None if Kind.MEAN in left_out else mechanism is not LATTICE)


@pytest.mark.parametrize("mechanism", [LATTICE, CUT])
def test_a_point_that_is_too_large_hides_no_witness_at_a_small_one(mechanism: Mechanism) -> None:
    wrong = Mechanism(
        "wrong",
        parameters=mechanism.parameters,
        table=mechanism.table,
        claims=[LDP(-log(a))],
    )
    points = [
        {symbol: {**POINT, m: Fraction(size)}[symbol] for symbol in wrong.variables}
        for size in (LARGE, 3)
    ]
    found = {each.obligation: each for each in enumerate_obligations(wrong, at=points)}
    witness = found[Kind.RATIO].witness
    assert witness is not None
    assert witness.parameters["m"] == "3"
