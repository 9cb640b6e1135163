"""Lists made from oracles: the same error is refuted by hand, twice the error is not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Le

from ldp_verified.check.claims import (
    Context,
    Relation,
    RulingKind,
    cells_apart,
    cells_at_most_users,
    found_by_bits,
    listed_above_tau,
    lists_of_oracles,
    missed_by_bits,
)
from ldp_verified.check.claims.numeric import AllOf
from ldp_verified.check.claims.oracles import HALF, VALUES, _good
from ldp_verified.check.claims.rulings import Ruling
from ldp_verified.language import Rational


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


def ruled(check: Relation | AllOf) -> Ruling:
    """The ruling on a check, which asks for what it needs first."""
    context = Context()
    check.announce(context)
    return check.decide(context)


TRUE: dict[str, Relation | AllOf] = {
    "a list above tau": listed_above_tau(),
    "bits of values above 2 tau": found_by_bits(strict=True),
    "values that are missed": missed_by_bits(),
    "values in cells of their own": cells_apart(),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_holds_is_proved(name: str) -> None:
    assert ruled(TRUE[name]).kind is RulingKind.PROVED


def test_at_twice_tau_a_tie_is_possible() -> None:
    found = ruled(found_by_bits(strict=False))
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None
    tau, f_x, own, other = (
        Fraction(found.witness.parameters[name]) for name in ("tau", "f_x", "est_own", "est_other")
    )
    assert f_x >= 2 * tau
    assert abs(own - f_x) <= tau
    assert abs(other) <= tau
    assert own <= other


def test_false_twins_are_refuted() -> None:
    missed, apart = missed_by_bits(), cells_apart()
    (_, other, own, f_x), (users,) = missed.parameters, apart.parameters
    twins = [
        cells_at_most_users(),
        Relation(Le(f_x, 2 * missed.parameters[0] * Rational(9, 10)), missed.parameters),
        Relation(Le(users * (users - 1) / (2 * users), HALF, evaluate=False), (users,)),
    ]
    assert {str(other), str(own)} == {"est_other", "est_own"}
    for twin in twins:
        assert ruled(twin).kind is RulingKind.REFUTED
