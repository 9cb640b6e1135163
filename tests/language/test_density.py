"""Densities and their claims say what is wrong with a declaration."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    Atom,
    Density,
    Mean,
    Mechanism,
    Piece,
    ReportVariance,
    SmallerWorst,
    WorstVariance,
    integer,
    load,
    real,
)

x = real("x", at_least=0, at_most=1)
eps = real("eps", above=0)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"value": sympy.Symbol("x"), "atoms": [Atom(0, 1)]}, "value"),
        ({"value": integer("x", at_least=0, at_most=1), "atoms": [Atom(0, 1)]}, "value"),
        ({"value": real("x", at_least=0), "atoms": [Atom(0, 1)]}, "two bounds"),
        ({"value": real("x", at_least=0, at_most=eps), "atoms": [Atom(0, 1)]}, "two bounds"),
        ({"value": x}, "must not be empty"),
        ({"value": x, "pieces": [(0, 1, 1)]}, r"pieces\[0\]"),
        ({"value": x, "atoms": [Piece(0, 1, 1)]}, r"atoms\[0\]"),
    ],
)
def test_other_tables_are_refused(arguments: dict[str, Any], rule: str) -> None:
    with pytest.raises(SpecError, match=rule):
        Density(**arguments)


@pytest.mark.parametrize("bad", [0.5, True, "y ==", sympy.oo])
def test_numbers_must_be_exact(bad: Any) -> None:
    for make in (lambda: Piece(0, bad, 1), lambda: Atom(bad, 1), lambda: Mean(bad)):
        with pytest.raises(SpecError):
            make()
    with pytest.raises(SpecError):
        ReportVariance(bad)
    with pytest.raises(SpecError):
        WorstVariance(1, at=bad)


def test_the_input_may_stand_in_the_table_and_claims_only_if_it_is_the_same() -> None:
    flat = Density(value=x, pieces=[Piece(0, 1, 1)])
    Mechanism("flat", parameters=[], table=flat, claims=[Mean(x / 2)])
    with pytest.raises(SpecError, match="declared"):
        Mechanism("flat", parameters=[], table=flat, claims=[Mean(sympy.Symbol("z"))])
    with pytest.raises(SpecError, match="input"):
        Mechanism("flat", parameters=[x], table=flat)
    with pytest.raises(SpecError, match="input"):
        Mechanism("flat", parameters=[real("x", above=0)], table=flat)


def test_cells_are_named_and_replaced() -> None:
    form = load("hybrid")[0].table
    assert isinstance(form, Density)
    cells = form.cells()
    assert len(cells) == 3 * 3 + 2 * 2
    assert form.with_cells(cells) == form
    doubled = form.with_cells({name: 2 * cell for name, cell in cells.items()})
    assert doubled.pieces[1].level == 2 * form.pieces[1].level
    with pytest.raises(SpecError, match="no pair tables"):
        form.pair_tables()


def test_a_comparison_needs_an_inequality_and_a_density() -> None:
    with pytest.raises(SpecError, match="condition"):
        SmallerWorst("duchi", sympy.Eq(eps, 1), at=0, other_at=0)
    flat = Density(value=x, pieces=[Piece(0, 1, 1)])
    claim = SmallerWorst("grr", eps > 1, at=0, other_at=0)
    with pytest.raises(SpecError, match="must be a Density"):
        Mechanism("flat", parameters=[eps], table=flat, claims=[claim])


def test_an_instance_keeps_the_input() -> None:
    (spec,) = load("square_wave")
    b = spec.parameters[1]
    half = spec.instance("half", {b: sympy.Rational(1, 2)})
    assert isinstance(half.table, Density)
    assert half.table.pieces[0].low == -sympy.Rational(1, 2)
    assert len(half.claims) == len(spec.claims)
