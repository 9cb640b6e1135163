"""Published accounting formulas hold where they are looked at; a wrong one would be seen."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified.analysis.account import dominating_pair
from ldp_verified.check.claims import PUBLISHED, Context, RulingKind
from ldp_verified.check.claims.accounting import delta_by_truths
from ldp_verified.check.claims.numeric import Case, Cases


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_every_case_agrees_and_nothing_is_called_proved(name: str) -> None:
    found = PUBLISHED[name]().decide(Context())
    assert found.kind is RulingKind.CHECKED
    assert "cited: " in found.detail


@pytest.mark.parametrize("k", [1, 2, 7])
def test_two_ways_to_sum_a_composition(k: int) -> None:
    for level in map(Fraction, ("1", "3/2", "5")):
        exact = dominating_pair(Fraction(3)).repeated(k).delta(level)
        assert delta_by_truths(Fraction(3), k, level) == exact


def case(holds: bool, again: bool) -> Case:
    """A case that says this."""
    return Case({"n": 1}, holds, lambda: again, {"value": 2}, "an explanation")


def test_a_failed_case_refutes_if_both_evaluations_fail() -> None:
    found = Cases("x", lambda: [case(True, True), case(False, False)], "two").decide(Context())
    assert found.kind is RulingKind.REFUTED
    with pytest.raises(ArithmeticError, match="disagree"):
        Cases("x", lambda: [case(False, True)], "one").decide(Context())


def test_a_failed_bound_refutes_nothing() -> None:
    found = Cases("x", lambda: [case(False, False)], "one", conclusive=False).decide(Context())
    assert found.kind is RulingKind.OPEN
