"""Statements in finitely many cases, and how checks are put together."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import E, Ge, Le, Rational, Symbol, exp, log

from ldp_verified.check.claims import (
    Cited,
    Context,
    EpsilonAt,
    Grid,
    Ladder,
    OnlyIf,
    Ruling,
    RulingKind,
    equal,
)
from ldp_verified.check.claims.numeric import combinations
from ldp_verified.check.claims.wording import given
from ldp_verified.errors import SpecError
from ldp_verified.language import load, real

t, x = Symbol("t"), real("x", above=0)
TRUE = Ladder(exp(x) >= 1 + x, x)
FALSE = Ladder(exp(x) <= 1 + x, x)


def kind(check: object) -> RulingKind:
    """Return the kind of a check's ruling in a run of its own."""
    return check.decide(Context()).kind  # type: ignore[attr-defined,no-any-return]  # any Check


def test_a_grid_is_checked_and_never_proved() -> None:
    found = Grid(exp(t) >= 1 + t, {t: ("1", "2")}, "somebody").decide(Context())
    assert found.kind is RulingKind.CHECKED
    assert found.detail == "2 cases agree: t = 1, 2; cited: somebody"
    assert kind(Grid(log(t) >= t - 1, {t: ("1/2",)})) is RulingKind.REFUTED


def test_a_relation_between_numbers_is_decided() -> None:
    assert kind(Grid(Le(exp(5), 149, evaluate=False), {})) is RulingKind.PROVED
    assert kind(Grid(Le(exp(5), 148, evaluate=False), {})) is RulingKind.REFUTED
    assert kind(Grid(Ge(3 * log(20), Rational(89, 10), evaluate=False), {})) is RulingKind.PROVED


def test_what_sympy_has_decided_is_no_grid() -> None:
    with pytest.raises(SpecError, match="evaluate=False"):
        Grid(exp(5) <= 149, {})


def test_every_combination_in_words_and_numbers() -> None:
    s = Symbol("s")
    every = list(combinations({s: ("1/2", 2), t: (3,)}))
    assert every == [{s: Fraction(1, 2), t: 3}, {s: 2, t: 3}]
    assert given({s: ("1/2", 2), t: (3,)}) == "s = 1/2, 2; t = 3"


def test_an_epsilon_outside_of_exponents() -> None:
    (half_plus,) = load("half_plus")
    (gamma,) = half_plus.parameters
    points = [{"gamma": "1/4"}, {"gamma": "1/100"}]
    assert kind(EpsilonAt(half_plus, gamma, points)) is RulingKind.REFUTED
    assert kind(EpsilonAt(half_plus, 5 * gamma, points)) is RulingKind.CHECKED


def region(check: OnlyIf) -> Ruling:
    """Return the ruling on a region whose relations were announced first."""
    check.announce(context := Context())
    return check.decide(context)


def test_a_region_is_neither_too_small_nor_another() -> None:
    c = real("c", at_least=0, at_most=1)
    found = region(OnlyIf(equal(c * x + (1 - c) * (x + 1), x), equal(c, 1), (x, c)))
    assert found.kind is RulingKind.REGION
    assert found.region == "c = 1"
    two_roots = equal((2 * c - 1) * (3 * c - 1) * x, 0)
    assert region(OnlyIf(two_roots, equal(c, Rational(1, 2)), (x, c))).kind is RulingKind.OPEN
    assert region(OnlyIf(equal(c * x, x), equal(c, Rational(1, 2)), (x, c))).kind is RulingKind.OPEN


def test_what_is_cited_is_never_proved() -> None:
    found = Cited("somebody").decide(Context())
    assert found.kind is RulingKind.OPEN
    assert "cited: somebody" in found.detail


def test_a_tie_that_no_precision_decides_is_open() -> None:
    """ln e is 1, which balls never tell from a little less."""
    tie = Grid(Ge(log(E, evaluate=False), 1, evaluate=False), {})
    assert tie.decide(Context()).kind is RulingKind.OPEN
