"""Stepped noise: its largest ratio is over all inputs, not over those of a few."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ldp_verified.language import LDP, Mechanism, Noise, Piece, Rational, Steps, load, log, real
from ldp_verified.prove.enumeration.concrete_noise import ConcreteNoise
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.step_ratios import largest_step_ratio

x = real("x", at_least=0, at_most=1)
THIN = Rational(1, 1000)


def dented(epsilon: Any) -> Mechanism:
    """A bump and a dent, half of the reach from each other; next to all pairs see 8 at most."""
    flat = Rational(1, 4)
    bump, dent = Rational(1, 5), Rational(7, 10)
    pieces = [
        Piece(0, bump, flat),
        Piece(bump, bump + THIN, 4 * flat),
        Piece(bump + THIN, dent, flat),
        Piece(dent, dent + THIN, flat / 4),
        Piece(dent + THIN, 1, flat),
    ]
    mass = sum(2 * (p.high - p.low) * p.level for p in pieces) * 2
    pieces = [Piece(p.low, p.high, p.level / mass) for p in pieces]
    table = Noise(x, Steps(pieces, period=1, decay=Rational(1, 2)))
    claim = LDP(epsilon, tight=True)
    return Mechanism("dented", parameters=[], table=table, claims=[claim])


@pytest.mark.parametrize(
    ("epsilon", "ratio", "tight"),
    [(4 * log(2), True, True), (log(15), False, False), (log(17), True, False)],
)
def test_tight_is_what_some_pair_of_inputs_reaches(epsilon: Any, ratio: bool, tight: bool) -> None:
    found = {f.obligation: f for f in enumerate_obligations(dented(epsilon))}
    assert (found["ratio"].holds, found["tight"].holds) == (ratio, tight)
    witness = found["tight"].witness
    if witness is not None:
        assert "the largest ratio is 16" in witness.explanation


def test_the_witness_is_a_pair_of_inputs_with_these_densities() -> None:
    form = dented(4 * log(2)).algebraic_table
    assert isinstance(form, Noise)
    place = ConcreteNoise(form, {})
    ratio, values = place.worst
    y = Fraction(values["y"].removeprefix("y = "))
    own, other = (place.density(y - values[name]) for name in ("x", "x'"))
    assert 0 <= min(values["x"], values["x'"]) <= max(values["x"], values["x'"]) <= 1
    assert (own, other) == (values["P(y|x)"], values["P(y|x')"])
    assert ratio == own / other == 16


def test_steps_that_fall_have_their_largest_ratio_at_the_ends() -> None:
    (mechanism,) = load("staircase")
    found = {f.obligation: f for f in enumerate_obligations(mechanism, 3)}
    assert found["ratio"].holds
    assert found["tight"].holds


def test_a_gap_is_seen_by_some_pair_of_inputs() -> None:
    half, third, one = Fraction(1, 2), Fraction(1, 3), Fraction(1)
    found = largest_step_ratio([(Fraction(0), third, one), (half, one, one)], one, half, third)
    assert found is not None
    assert found.own == 1
    assert found.other == 0
    assert abs(found.z - found.z2) < third
    assert largest_step_ratio([], one, half, third) is None
