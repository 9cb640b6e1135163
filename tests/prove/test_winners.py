"""A tight epsilon that is another formula in another range."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational, exp

from ldp_verified.derive import Facts
from ldp_verified.language import LDP, Matrix, Mechanism, load, real
from ldp_verified.prove import Status, verify
from ldp_verified.prove.certificates.checker import check
from ldp_verified.prove.enumeration.exact_values import evaluate
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.prove.enumeration.points import inside, points
from ldp_verified.prove.enumeration.table_facts import tight_ratio
from ldp_verified.prove.prepared import case
from ldp_verified.prove.winners import ranges

half, third = Rational(1, 2), Rational(1, 3)
p, r = real("p", above=0, below=1), real("r", above=0, below=1)
eps = real("eps", above=0)
u = exp(eps)

SPLIT: dict[str, tuple[list[Any], Matrix, int]] = {
    # Of two rows in general, each of the four ratios is the largest somewhere.
    "two rows": ([p, r], Matrix([[p, 1 - p], [r, 1 - r]]), 4),
    "one row": ([p], Matrix([[p, 1 - p], [third, 2 * third]]), 3),
    "in e^eps": ([eps], Matrix([[u / (u + 3), 3 / (u + 3)], [half, half]]), 2),
}


@pytest.mark.parametrize("name", SPLIT)
def test_every_range_is_reported_and_shown(name: str) -> None:
    parameters, table, number = SPLIT[name]
    mechanism = Mechanism("split", parameters=parameters, table=table)
    result = verify(mechanism, smt=False, coq=False)
    (found,) = [v for v in result.verdicts if v.obligation == "at_range"]
    assert found.status is Status.ONE_GROUP
    assert "certificate" in found.checkers
    text = result.derived["tight epsilon"]
    assert text.count(" where ") == number
    assert text in found.statement


@pytest.mark.parametrize("name", SPLIT)
def test_the_ranges_cover_the_domain_with_the_right_formula(name: str) -> None:
    """At points of the whole domain, by the table written out."""
    parameters, table, _ = SPLIT[name]
    mechanism = Mechanism("split", parameters=parameters, table=table)
    found = ranges(mechanism, Facts(mechanism))
    at = points(mechanism)
    assert len(at) >= 5
    for point in at:
        true = tight_ratio(expand(mechanism, point))
        here = [each for each in found if inside(each.mechanism, point)]
        assert here, point
        for each in here:
            (claim,) = each.mechanism.claims
            assert isinstance(claim, LDP)
            ratio = each.mechanism.algebraic("ratio", claim.ratio)
            assert evaluate(ratio, point) == true


def test_where_one_formula_is_enough_there_are_no_ranges() -> None:
    for name in ("warner", "grr"):
        mechanism = next(m for m in load(name) if m.name == name)
        assert ranges(mechanism, Facts(mechanism)) == ()


def test_a_formula_in_the_range_of_another_one_is_not_shown() -> None:
    """The ranges of two formulas exchanged: the verifier shows neither."""
    parameters, table, _ = SPLIT["in e^eps"]
    mechanism = Mechanism("split", parameters=parameters, table=table)
    one, other = (each.mechanism for each in ranges(mechanism, Facts(mechanism)))
    for claimed, where in ((one, other), (other, one)):
        wrong = Mechanism(
            "wrong",
            parameters=parameters,
            table=table,
            claims=claimed.claims,
            assuming=where.assuming,
        )
        this = case(wrong, derived=False)
        missing = [o for o in check(this.statement, this.certificate) if not o.shown]
        assert any(o.obligation.kind == "ratio" for o in missing)
        result = verify(wrong, smt=False, coq=False, derived=False)
        assert result.status is Status.REFUTED


def test_a_range_can_be_pasted_back_as_a_domain() -> None:
    parameters, table, _ = SPLIT["two rows"]
    mechanism = Mechanism("split", parameters=parameters, table=table)
    for each in ranges(mechanism, Facts(mechanism)):
        result = verify(each.mechanism, smt=False, coq=False, derived=False)
        assert {v.status for v in result.verdicts if v.claim == 0} == {Status.ONE_GROUP}
