"""Densities: what is right is proved by two routes, each planted error is refused by both."""

from __future__ import annotations

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    Density,
    Mechanism,
    Piece,
    Unbiased,
    load,
    real,
)
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.density_obligations import density_obligations
from ldp_verified.prove.certificates.polynomials import ExpressionError
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.prepared import case
from ldp_verified.prove.verdicts import Status
from ldp_verified.prove.verify import verify
from tests.broken.densities import WRONG

RIGHT = ["duchi", "piecewise", "square_wave", "hybrid"]


@pytest.mark.parametrize("name", RIGHT)
def test_the_certificate_shows_every_obligation(name: str) -> None:
    for mechanism in load(name):
        this = case(mechanism)
        outcomes = checker.check(this.statement, this.certificate)
        assert outcomes
        assert [o for o in outcomes if not o.shown] == []


@pytest.mark.parametrize("name", ["duchi", "piecewise", "square_wave"])
def test_every_claim_is_proved_and_every_route_agrees(name: str) -> None:
    (mechanism,) = load(name)
    found = verify(mechanism, 4, smt=True, coq=False)
    assert {v.status for v in found.verdicts} == {Status.ONE_GROUP}
    assert {v.checkers for v in found.verdicts} == {("certificate", "smt", "enumeration")}
    assert {v.claim for v in found.verdicts} >= {None, *range(len(mechanism.claims))}
    assert set(found.derived) == {"mean of a report", "variance of a report"}


@pytest.mark.parametrize("what", WRONG)
def test_the_certificate_refuses_what_is_wrong(what: str) -> None:
    mechanism, kinds = WRONG[what]
    this = case(mechanism)
    refused = {
        o.obligation.kind
        for o in checker.check(this.statement, this.certificate)
        if not o.shown and (o.obligation.claim or 0) < len(mechanism.claims)
    }
    assert kinds <= refused


def test_the_verdict_has_a_witness_that_enumeration_found() -> None:
    mechanism, _ = WRONG["levels in the ratio e^(2 eps)"]
    found = [
        v for v in verify(mechanism, 4, smt=False, coq=False).verdicts if v.obligation == "ratio"
    ]
    assert [v.status for v in found] == [Status.REFUTED]
    assert found[0].witness is not None
    assert "e^eps = 9, found 81" in found[0].witness.explanation


def test_what_enumeration_does_not_read_is_not_derived() -> None:
    """A wrong statement is refused although the declaration behind it is right."""
    this = case(next(iter(load("piecewise"))))
    statement = dict(this.statement)
    middle = dict(statement["pieces"][1], level=statement["pieces"][0]["level"])
    statement["pieces"] = [statement["pieces"][0], middle, statement["pieces"][2]]
    outcomes = checker.check(statement, this.certificate | {"statement": statement})
    assert {"sums_to_one", "tight"} <= {o.obligation.kind for o in outcomes if not o.shown}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"other": "x"}, "different names"),
        ({"other": "s"}, "different names"),
    ],
)
def test_a_malformed_statement_raises(change: dict[str, str], rule: str) -> None:
    statement = case(next(iter(load("piecewise")))).statement | change
    with pytest.raises(ExpressionError, match=rule):
        density_obligations(statement)


def test_tightness_needs_a_place_where_both_densities_are() -> None:
    """Two pieces whose levels have the right ratio, but which never meet, show nothing."""
    this = case(next(iter(load("piecewise"))))
    statement = this.statement
    ldp = dict(statement["claims"][0])
    # The window at x = 1 is [1, C]; the lower piece to the left at x' = -1 is empty.
    ldp["reached"] = {"kind": "piece", "own": 1, "other": 0, "x": "1", "x2": "-1"}
    changed = statement | {"claims": [ldp, *statement["claims"][1:]]}
    outcomes = checker.check(changed, this.certificate | {"statement": changed})
    assert "tight" in {o.obligation.kind for o in outcomes if not o.shown}


def test_claims_about_counts_are_refused() -> None:
    x = real("x", at_least=0, at_most=1)
    flat = Density(value=x, pieces=[Piece(0, 1, 1)])
    mechanism = Mechanism("flat", parameters=[], table=flat, claims=[Unbiased()])
    with pytest.raises(SpecError, match="of a Density may be"):
        _ = case(mechanism).statement


@pytest.mark.parametrize("what", WRONG)
def test_enumeration_refuses_what_is_wrong(what: str) -> None:
    mechanism, kinds = WRONG[what]
    refused = {f.obligation for f in enumerate_obligations(mechanism, 4) if not f.holds}
    assert kinds <= refused
