"""The parameter at a wanted epsilon, where there is a formula."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sympy

from ldp_verified.derive import Facts, solve_parameter
from ldp_verified.language import (
    LDP,
    Matrix,
    Mechanism,
    Rational,
    integer,
    load,
    load_catalogue,
    log,
    real,
)
from ldp_verified.prove import Status, verify

if TYPE_CHECKING:
    from ldp_verified.derive import SolvedParameter

SOLVED = {m.name: found for m in load_catalogue() if (found := solve_parameter(m)) is not None}


def test_what_can_be_solved_for() -> None:
    assert {name: found.parameter.name for name, found in SOLVED.items()} == {
        "half_plus": "gamma",
        "two_coins": "heads",
        "ue": "zero",
        "warner": "gamma",
    }


@pytest.mark.parametrize("name", SOLVED)
def test_the_ratio_at_the_solution_is_the_level(name: str) -> None:
    found = SOLVED[name]
    mechanism = next(m for m in load_catalogue() if m.name == name)
    tight = Facts(mechanism).tight
    assert tight is not None
    assert sympy.cancel(tight.ratio.subs(found.parameter, found.value) - found.level) == 0


def test_oue_is_unary_encoding_at_one_half() -> None:
    (oue,) = load("oue")
    cells = SOLVED["ue"].mechanism.algebraic_table.cells()
    (one,) = (p for p in SOLVED["ue"].mechanism.parameters if p.name == "one")
    (level,) = oue.algebraic_table.cells()["zero"].free_symbols
    (own,) = cells["zero"].free_symbols - {one}
    at_half = cells["zero"].subs({one: Rational(1, 2), own: level})
    assert sympy.cancel(at_half - oue.algebraic_table.cells()["zero"]) == 0


@pytest.mark.parametrize("name", SOLVED)
def test_verify_proves_it(name: str) -> None:
    mechanism = next(m for m in load_catalogue() if m.name == name)
    verdicts = verify(mechanism, 3, coq=False).verdicts
    (verdict,) = (v for v in verdicts if v.obligation == "at_epsilon")
    assert verdict.status is Status.ONE_GROUP
    assert {"certificate", "enumeration"} <= set(verdict.checkers)


def test_a_bound_may_have_parameters_with_bounds_of_their_own() -> None:
    """Bounds of the parameters that stay are about those parameters, whatever was moved."""
    c, q = real("c", above=1), integer("q", at_least=2)
    most = integer("most", at_least=q**3)
    own, other, rest = (x / (c + most - 1) for x in (c, 1, most - 2))
    table = Matrix([[own, other, rest], [other, own, rest]])
    found = solve_parameter(Mechanism("cubes", parameters=[q, most, c], table=table, claims=[]))
    assert found is not None
    assert found.text == "c = exp(eps)"
    high = real("high", above=c)
    moved = solve_parameter(
        Mechanism(
            "moved",
            parameters=[c, high, real("top", above=high)],
            table=Matrix([[c / (c + 1), 1 / (c + 1)], [1 / (c + 1), c / (c + 1)]]),
            claims=[],
        )
    )
    assert moved is not None
    assert [p.name for p in moved.mechanism.parameters] == ["eps", "high", "top"]


def _wrong(found: SolvedParameter, value: sympy.Expr) -> SolvedParameter:
    (eps,) = (p for p in found.mechanism.parameters if p.name == "eps")
    (warner,) = load("warner")
    put = {found.parameter: value.subs(found.level, sympy.exp(eps))}
    table = warner.table.map(lambda cell: sympy.sympify(cell).subs(put))
    made = Mechanism("wrong", parameters=[eps], table=table, claims=[LDP(eps, tight=True)])
    return replace(found, value=value, mechanism=made)


@pytest.mark.parametrize("change", ["twice the noise", "gamma is eps"])
def test_a_wrong_solution_is_refuted(monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    found = SOLVED["warner"]
    level = found.level
    value = found.value / 2 if change == "twice the noise" else (level - 1) / (2 * level)
    wrong = _wrong(found, value)
    module = importlib.import_module("ldp_verified.prove.verify")
    monkeypatch.setattr(
        module, "solve_parameter", lambda m, _: wrong if m.name == "warner" else None
    )
    (warner,) = load("warner")
    verdicts = verify(warner, 3, coq=False).verdicts
    (verdict,) = (v for v in verdicts if v.obligation == "at_epsilon")
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None


def test_a_solution_that_ends_at_a_finite_epsilon_is_none() -> None:
    """At gap = 1 the ratio is 20: for a larger one the gap would have to be above 1."""
    gap = real("room", above=0, below=1)
    high, low = (gap * Rational(cell, 21) + (1 - gap) / 2 for cell in (20, 1))
    assert (
        solve_parameter(
            Mechanism("mixed", parameters=[gap], table=Matrix([[high, low], [low, high]]))
        )
        is None
    )


def test_no_formula_no_solution() -> None:
    p = real("p", above=0, at_most=Rational(1, 4))
    square = Matrix([[1 - p**2, p**2], [p**2, 1 - p**2]])
    claims = [LDP(log((1 - p**2) / p**2), tight=True)]
    assert solve_parameter(Mechanism("square", parameters=[p], table=square, claims=claims)) is None
    infinite = Matrix([[1 - p, p], [0, 1]])
    assert solve_parameter(Mechanism("infinite", parameters=[p], table=infinite, claims=[])) is None
    (grr,) = load("grr")
    assert solve_parameter(grr) is None
