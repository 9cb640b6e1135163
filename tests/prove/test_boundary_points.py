"""Points beside a boundary: inside the domain, on both sides, none where it is not met."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Rational, Symbol, exp

from ldp_verified.language import BetterThan, Domain, Matrix, Mechanism, f, load, real
from ldp_verified.prove.enumeration.boundary_points import (
    NEARER,
    SHARES,
    beside,
    crossings,
    shares,
    toward_ends,
)

x = Symbol("x")
LINE = Domain(lower=Rational(0), upper=Rational(1))


def test_both_sides_of_every_root_in_the_domain() -> None:
    found = beside((2 * x - 1) * (3 * x - 1) * (x - 2), x, LINE, {})
    assert len(found) == 4
    for low, high, root in ((0, 1, Fraction(1, 3)), (2, 3, Fraction(1, 2))):
        assert found[low] < root < found[high]
        assert found[high] - found[low] < Fraction(1, 100)


@pytest.mark.parametrize("margin", [x**2 + 1, x - 2, Symbol("y") * x - 1])
def test_no_point_where_no_boundary_meets_the_domain(margin: object) -> None:
    assert beside(margin, x, LINE, {}) == []


def test_an_end_of_the_domain_has_one_side() -> None:
    (only,) = beside(x, x, LINE, {})
    assert 0 < only < Fraction(1, 100)


def test_points_along_a_real_parameter() -> None:
    fano = next(m for m in load("examples/specs/fano.py"))
    claim = fano.claims[2]
    assert isinstance(claim, BetterThan)
    u = fano.generator.symbol
    values = [point[u] for point in crossings(fano, claim, [{u: Fraction(3)}])]
    assert len(values) == 2
    assert {value**2 + value < 8 for value in values} == {True, False}


def test_shares_of_a_claim() -> None:
    grr = load("grr")[0]
    eps, k = grr.parameters
    fixed = BetterThan("oue", k < 3 * exp(eps) + 2, at_f=Rational(1, 4))
    assert shares(fixed, fixed.margin, {}) == (Fraction(1, 4),)
    free = BetterThan("oue", f < Rational(1, 2), at_f=f)
    m = Mechanism("m", parameters=[eps, k], table=grr.table, claims=[free])
    found = shares(free, m.algebraic("condition", free.margin), {})
    assert found[:3] == SHARES
    assert found[3] < Fraction(1, 2) < found[4]


def test_points_go_towards_the_ends_that_do_not_belong_to_the_domain() -> None:
    g = real("g", at_least=0, below=Rational(1, 2))
    rows = [[Rational(1, 2) + g, Rational(1, 2) - g], [Rational(1, 2) - g, Rational(1, 2) + g]]
    mechanism = Mechanism("m", parameters=[g], table=Matrix(rows))
    left = [Fraction(1, 2) - each[g] for each in toward_ends(mechanism, [{g: Fraction(1, 4)}])]
    assert left == [share / 4 for share in NEARER]
    closed = real("g", at_least=0, at_most=Rational(1, 4))
    table = Matrix([[1 - closed, closed], [closed, 1 - closed]])
    inner = Mechanism("m", parameters=[closed], table=table)
    assert toward_ends(inner, [{closed: Fraction(1, 8)}]) == []
