"""SVIM asks three groups of users; four, or other shares, are refuted by what is declared."""

from __future__ import annotations

import pytest

from ldp_verified.check.claims import AskedGroups, Context, RulingKind
from ldp_verified.protocols import SVIM

WRONG = {
    "four groups": AskedGroups(4),
    "two groups": AskedGroups(2),
    "equal shares": AskedGroups(3, (3, 3, 4)),
    "another order": AskedGroups(3, (5, 1, 4)),
}


@pytest.mark.parametrize("true", [AskedGroups(3), AskedGroups(3, (4, 1, 5))])
def test_three_groups_report(true: AskedGroups) -> None:
    assert true.decide(Context()).kind is RulingKind.PROVED


@pytest.mark.parametrize("name", WRONG)
def test_other_groups_are_refuted_by_declaration_and_class(name: str) -> None:
    found = WRONG[name].decide(Context())
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None
    assert found.witness.values == {"groups": "3", "of 10 users": "4, 1, 5"}


def test_a_class_that_asks_others_than_declared_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a class with a fourth group, so that both ways to count disagree."""
    monkeypatch.setattr(SVIM, "shares", (4, 1, 4, 1))
    with pytest.raises(ArithmeticError, match="disagree"):
        AskedGroups(4).decide(Context())
