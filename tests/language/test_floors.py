"""floor(...) in cells, claims, assumptions and bounds."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Ge, Rational, floor

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    Holds,
    Mechanism,
    OneHot,
    Singletons,
    exp,
    integer,
    real,
)
from ldp_verified.language.floors import floors_written
from ldp_verified.prove.enumeration.points import points

eps, k = real("eps", above=0), integer("k", at_least=2)
u = exp(eps)
GRR = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))


def declared(table: Any, *claims: Any, assuming: Any = ()) -> Mechanism:
    return Mechanism("m", parameters=[eps, k], table=table, claims=claims, assuming=assuming)


def any_floor(expression: Any) -> Any:
    """A relation that sympy does not decide."""
    return Ge(floor(expression), -9, evaluate=False)


@pytest.mark.parametrize("expression", [k / 2, (k + 1) / 3, (5 - k) / 4, k / 3 + Rational(1, 6)])
def test_there_is_one_value_at_every_size(expression: Any) -> None:
    mechanism = declared(GRR, Holds(any_floor(expression)))
    (made,) = (p for p in mechanism.variables if p.name.startswith("floor_"))
    found = points(mechanism)
    assert {int(p[k]) for p in found} == set(range(2, 9))
    for point in found:
        assert point[made] == int(floor(expression.subs(k, int(point[k]))))


def test_a_floor_in_a_cell_and_in_a_claim_is_the_same_parameter() -> None:
    half = floor(k / 2)
    mechanism = declared(Bits(half / k, half / (2 * k), OneHot(k)), Holds(any_floor(k / 2)))
    names = [p.name for p in mechanism.parameters]
    assert names == ["eps", "k", "floor_k_2"]
    assert not any(v.has(floor) for _, v in mechanism.table.expressions())
    assert mechanism.domains[mechanism.parameters[2]].describe("h").endswith("1 <= floor_k_2")


def test_two_floors_are_two_parameters() -> None:
    mechanism = declared(GRR, Holds(any_floor(k / 2)), Holds(any_floor(k / 3)))
    assert [p.name for p in mechanism.parameters[2:]] == ["floor_k_3", "floor_k_2"]


def test_texts_have_the_floor_in_place_of_its_parameter() -> None:
    mine = integer("floor_k_5", at_least=0, at_most=k)
    stated = [Holds(any_floor(k / 2)), Holds(any_floor((k + 1) / 3))]
    mechanism = Mechanism("m", parameters=[eps, k, mine], table=GRR, claims=stated)
    write = floors_written(mechanism.parameters)
    assert write("3*floor_k_2 + floor_k_3_1_3**2") == "3*floor(k/2) + floor(k/3 + 1/3)**2"
    assert write("floor_k_5, floor_k_22, k_floor_k_2") == "floor_k_5, floor_k_22, k_floor_k_2"
    assert floors_written([eps, k])("floor_k_2") == "floor_k_2"


def test_a_whole_bound_needs_no_floor() -> None:
    assert integer("w", at_most=floor(k / 2)).domain.upper == k / 2
    assert integer("w", at_most=floor(k / 2) - 1).domain.upper == k / 2 - 1
    w = integer("w", at_least=1, at_most=k // 2)
    mechanism = Mechanism("m", parameters=[k, w, eps], table=GRR, claims=[LDP(eps)])
    found = {(int(p[k]), int(p[w])) for p in points(mechanism)}
    assert all(2 * own <= size for size, own in found)
    assert {(2, 1), (3, 1), (8, 4)} <= found


def test_without_floors_nothing_changes() -> None:
    claim = LDP(eps)
    mechanism = declared(GRR, claim)
    assert mechanism.table is GRR
    assert mechanism.claims[0] is claim


@pytest.mark.parametrize("inner", [eps, k**2 / 2, 5 / k, k * eps])
def test_what_is_not_linear_in_integers_is_refused(inner: Any) -> None:
    with pytest.raises(SpecError, match="linear in integer parameters"):
        declared(GRR, Holds(any_floor(inner)))
