"""Lists made from oracles: the same error is refuted by hand, twice the error is not."""

from __future__ import annotations

from fractions import Fraction

from ldp_verified.claims import Context, RulingKind, lists_of_oracles
from ldp_verified.claims.oracles import VALUES, _good


def test_the_same_error_is_refuted_and_twice_is_not() -> None:
    found = lists_of_oracles(1).decide(Context())
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None
    answers = [Fraction(a) for a in found.witness.values["answers"].split(", ")]
    tau = Fraction(found.witness.parameters["tau"])
    # By hand: whoever is named, another value may be held and the oracle be within tau.
    for named in range(VALUES):
        worst = [
            holder
            for holder in range(VALUES)
            if holder != named and all(abs(a - (x == holder)) <= tau for x, a in enumerate(answers))
        ]
        assert worst
        assert tau < 1
    assert lists_of_oracles(2).decide(Context()).kind is RulingKind.CHECKED


def test_a_list_is_good_where_only_its_value_may_be_held() -> None:
    answers = (Fraction(1), Fraction(0), Fraction(0))
    assert _good(0, answers, Fraction(1, 2), 1)
    assert not _good(1, answers, Fraction(1, 2), 1)
