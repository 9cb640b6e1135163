"""Verdicts put together: never stronger than the weakest part, nor than the strongest route."""

from __future__ import annotations

import pytest

from ldp_verified.check.claims import Ruling, RulingKind
from ldp_verified.check.claims.rulings import all_of, open_because, refuted, routes

PROVED = Ruling(RulingKind.PROVED, ("coq",), "a theorem")
REGION = Ruling(RulingKind.REGION, ("smt",), "sizes", None, "k = 2")
CHECKED = Ruling(RulingKind.CHECKED, ("balls",), "2 cases")
OPEN = open_because("nobody knows")
REFUTED = refuted(("enumeration",), "3 > 2", {"k": 3}, {"left": 3})


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [(REFUTED, OPEN), (OPEN, CHECKED), (CHECKED, REGION), (REGION, PROVED)],
)
def test_a_conjunction(weaker: Ruling, stronger: Ruling) -> None:
    assert all_of([weaker, stronger]).kind is weaker.kind
    assert all_of([stronger, weaker]).kind is weaker.kind


def test_checkers_details_and_regions_add_up() -> None:
    found = all_of([PROVED, REGION, PROVED])
    assert found.checkers == ("coq", "smt")
    assert found.detail == "a theorem; sizes"
    assert found.region == "k = 2"


def test_the_strongest_route_decides() -> None:
    assert routes([OPEN, CHECKED]).kind is RulingKind.CHECKED
    found = routes([CHECKED, PROVED, OPEN])
    assert found.kind is RulingKind.PROVED
    assert found.checkers == ("balls", "coq")
    assert "nobody" not in found.detail


def test_routes_against_each_other() -> None:
    assert routes([REFUTED, CHECKED, OPEN]) is REFUTED
    with pytest.raises(ArithmeticError, match="proved by"):
        routes([PROVED, REFUTED])


def test_a_witness_is_text() -> None:
    assert REFUTED.witness is not None
    assert REFUTED.witness.parameters == {"k": "3"}
    assert PROVED.with_detail("first").detail == "first; a theorem"
