"""The largest ratio of all pairs of inputs: found where ends and levels are affine, else none."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from ldp_verified.language import (
    LDP,
    Atom,
    Density,
    Mechanism,
    Piece,
    Rational,
    exp,
    load,
    log,
    real,
)
from ldp_verified.prove.enumeration.concrete_density import concrete, spots
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.largest_ratio import AffineDensity
from ldp_verified.prove.verdicts import Status
from ldp_verified.prove.verify import verify
from tests.broken.densities import RARE, UNREACHED

x = real("x", at_least=0, at_most=1)
half, third = Rational(1, 2), Rational(1, 3)


def found(mechanism: Mechanism, kind: str) -> list[Any]:
    """What enumeration says of one kind of obligation."""
    return [f for f in enumerate_obligations(mechanism, 3) if f.obligation == kind]


@pytest.mark.parametrize("name", RARE)
def test_a_ratio_that_few_pairs_of_inputs_reach_is_tight(name: str) -> None:
    assert [f.holds for f in found(RARE[name], "tight")] == [True]
    verdicts = verify(RARE[name], 3, smt=False, coq=False).verdicts
    assert Status.REFUTED not in {v.status for v in verdicts}


@pytest.mark.parametrize("name", UNREACHED)
def test_a_bound_that_no_pair_reaches_is_refuted_by_the_largest_ratio(name: str) -> None:
    (finding,) = found(UNREACHED[name], "tight")
    assert finding.witness is not None
    assert "is reached nowhere: the largest ratio is " in finding.witness.explanation
    assert [f.holds for f in found(UNREACHED[name], "ratio")] == [True]


def test_where_the_largest_ratio_is_not_found_tight_is_open() -> None:
    """Levels that are squares of the input: 8/5 is reached at x = 1/3 alone, 7/4 nowhere."""
    s = x * (Rational(2, 3) - x)
    pieces = [Piece(0, 1, (1 + s) / 2), Piece(1, 2, (1 - s) / 2)]
    table = Density(value=x, pieces=pieces)
    assert AffineDensity(table).largest_ratio({}) is None
    mechanism = Mechanism("hill", parameters=[], table=table, claims=[LDP(log(9), tight=True)])
    assert found(mechanism, "tight") == []
    (verdict,) = [
        v for v in verify(mechanism, smt=False, coq=False).verdicts if v.obligation == "tight"
    ]
    assert verdict.status is Status.OPEN


@pytest.mark.parametrize("bound", [Rational(29, 10), Rational(2999, 1000)])
def test_a_larger_ratio_than_the_inputs_show_refutes_a_bound(bound: Any) -> None:
    mechanism = Mechanism("late", parameters=[], table=RARE["late"].table, claims=[LDP(log(bound))])
    (finding,) = found(mechanism, "ratio")
    assert finding.witness is not None
    assert "found 3, eps = 1.09861" in finding.witness.explanation


def test_a_supremum_of_affine_levels_is_approached() -> None:
    """An open domain: 1 + 2 x against 1 - x/2, at x below 1 and x' at most 1."""
    low = real("x", above=0, below=1)
    table = Density(
        value=low,
        atoms=[Atom(0, (1 + low) / 3), Atom(1, (2 - low) / 3)],
    )
    largest = AffineDensity(table).largest_ratio({})
    assert largest is not None
    assert largest.own == 2 * largest.other
    assert largest.corner == (Fraction(1), Fraction(0))
    near = Rational(2) - Rational(1, 10**9)
    mechanism = Mechanism("near", parameters=[], table=table, claims=[LDP(log(near))])
    (finding,) = found(mechanism, "ratio")
    assert finding.witness is not None


@pytest.mark.parametrize(
    "table",
    [
        Density(x, [Piece(0, 1, half), Piece(0, 1, half)]),
        Density(x, [Piece(0, x, half), Piece(x + third, 2, half)]),
        Density(x, [Piece(x, 1, half), Piece(1, 2, half)]),
        Density(x, [Piece(0, 2 * x - 1, half), Piece(2 * x - 1, 2, half)]),
        Density(x, [Piece(0, x**2, half), Piece(x**2, 2, half)]),
        Density(x, [Piece(0, 1, half)], [Atom(0, half), Atom(0, half)]),
        Density(x, atoms=[Atom(x, 1)]),
        Density(x, atoms=[Atom(0, x), Atom(1, 1 - x)]),
        Density(x, atoms=[Atom(0, 2 * x - 1), Atom(1, 2 - 2 * x)]),
    ],
    ids=str,
)
def test_no_largest_ratio_is_said_of_what_is_not_this_simple(table: Density) -> None:
    largest = AffineDensity(table).largest_ratio({})
    assert largest is None or not largest.other


@pytest.mark.parametrize("name", ["piecewise", "square_wave", "duchi", "hybrid"])
def test_no_pair_of_many_inputs_has_a_larger_ratio(name: str) -> None:
    mechanism = next(iter(load(name)))
    form = mechanism.algebraic_table
    assert isinstance(form, Density)
    value = Fraction(5, 3)
    point = {}
    for symbol, domain in mechanism.variables.items():
        point[symbol] = value if domain.upper is None else Fraction(1, 3)
    largest = AffineDensity(form).largest_ratio(point)
    assert largest is not None
    low, high = (Fraction(int(b)) for b in (form.value.domain.lower, form.value.domain.upper))
    inputs = [low + (high - low) * Fraction(i, 24) for i in range(25)]
    drawn = [concrete(form, point, at) for at in inputs]
    ratios = [s.own / s.other for a, b in product(drawn, drawn) for s in spots(a, b)]
    assert max(ratios) <= largest.own / largest.other
    close = [concrete(form, point, at) for at in [*largest.beside()][-1]]
    reached = max(s.own / s.other for s in spots(*close))
    assert largest.own / largest.other - reached < Fraction(1, 10**9)


def test_levels_that_depend_on_e_to_the_eps_are_put_down_first() -> None:
    eps = real("eps", above=0)
    u = exp(eps)
    table = Density(x, [Piece(0, x, 1 / (1 + u)), Piece(x, 2, u / (1 + u))])
    mechanism = Mechanism("m", parameters=[eps], table=table, claims=[LDP(eps, tight=True)])
    assert [f.holds for f in found(mechanism, "tight")] == [True]


def test_a_wave_so_wide_that_its_levels_never_meet_has_a_smaller_epsilon() -> None:
    (steps,) = load("examples/specs/two_steps.py")
    assert isinstance(steps.table, Density)
    eps, narrow = steps.parameters
    wide = real("b", above=0)
    table = steps.table.map(lambda value: value.subs(narrow, wide))
    mechanism = Mechanism(
        "wide", parameters=[eps, wide], table=table, claims=[LDP(eps, tight=True)]
    )
    (finding,) = found(mechanism, "tight")
    assert finding.witness is not None
    assert Fraction(finding.witness.parameters["b"]) >= 1
    assert "is reached nowhere" in finding.witness.explanation
    assert [f.holds for f in found(steps, "tight")] == [True]
