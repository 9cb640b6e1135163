"""Claims about tables: a conjunction of obligations, a mechanism that is missing, a wrong count."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import Gt, exp

from ldp_verified.check.claims import Context, OfSpec, Relation, Ruling, RulingKind, Table, equal
from ldp_verified.check.claims.entries import Check
from ldp_verified.check.claims.tables import ruling_of
from ldp_verified.language import (
    LDP,
    BetterThan,
    Design,
    Matrix,
    Mechanism,
    Singletons,
    Unbiased,
    load,
    real,
)
from ldp_verified.prove import Status, Verdict

eps, level = real("eps", above=0), real("level", above=1)


def decided(check: Check, largest: int = 4) -> Ruling:
    """The ruling in a run of its own."""
    context = Context(largest=largest)
    check.announce(context)
    return check.decide(context)


def verdict(status: Status, *checkers: str) -> Verdict:
    """A verdict of this status."""
    return Verdict(0, "a claim", "ratio", status, checkers, "sizes")


def test_the_obligations_of_one_claim() -> None:
    proved = verdict(Status.PROVED, "certificate", "smt")
    assert ruling_of([proved, verdict(Status.PROVED, "smt")]).checkers == ("smt",)
    for status in (Status.ENUMERATED, Status.OPEN):
        assert ruling_of([proved, verdict(status)]).kind is RulingKind.OPEN
    assert ruling_of([]).kind is RulingKind.OPEN


def test_what_rests_on_enumerated_counts_is_not_proved() -> None:
    resting = replace(verdict(Status.ENUMERATED, "certificate"), alone=Status.PROVED)
    found = ruling_of([verdict(Status.PROVED, "certificate"), resting])
    assert (found.kind, found.detail) == (RulingKind.CHECKED, "sizes")


def test_relations_in_one_generator() -> None:
    assert decided(Relation(equal(exp(eps) * exp(-eps / 2), exp(eps / 2)), (eps,))).kind is (
        RulingKind.PROVED
    )
    found = decided(Relation(Gt(level, 2), (level,)))
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None
    assert 1 < Fraction(found.witness.parameters["level"]) <= 2


def test_claims_of_a_spec_and_of_one_that_is_not_there() -> None:
    assert decided(OfSpec("binary_rr")).kind is RulingKind.PROVED
    assert decided(OfSpec("dbitflip_one", file="dbitflip")).kind is RulingKind.PROVED
    for file in ("dbitflip", "no/such/file.py"):
        missing = decided(OfSpec("no_such_mechanism", file=file))
        assert missing.kind is RulingKind.OPEN
        assert "no_such_mechanism" in missing.detail


def test_a_derived_region_is_said() -> None:
    (grr,) = load("grr")
    found = decided(Table(grr, BetterThan("oue", at_f=0)), largest=3)
    assert found.kind is RulingKind.REGION
    assert found.region == "k < 3*exp(eps) + 2"


@pytest.mark.parametrize("together", [1, 2])
def test_a_count_that_no_table_has_proves_nothing(together: int) -> None:
    u, k = exp(eps), 3
    wrong = Mechanism(
        "wrong",
        parameters=[eps],
        table=Design(k, 1, together, u / (u + 2), 1 / (u + 2), Singletons(k)),
    )
    assert decided(Table(wrong, LDP(eps))).kind is not RulingKind.PROVED


def test_what_one_claim_divides_by_says_nothing_of_the_others() -> None:
    """Weights that divide by 0 at u = 2, as a document prints them, of a table that is sound."""
    u = exp(eps)
    flip = 1 / (u + 1)
    fine = Mechanism("fine", parameters=[eps], table=Matrix([[u * flip, flip], [flip, u * flip]]))
    wrong = Unbiased(1 / (u - 2), -1 / (u - 2))
    checks = [Table(fine, LDP(eps, tight=True)), Table(fine, wrong), Table(fine, Unbiased())]
    context = Context(largest=4)
    for check in checks:
        check.announce(context)
    tight, printed, derived = (check.decide(context) for check in checks)
    assert tight.kind is RulingKind.PROVED
    assert derived.kind is RulingKind.PROVED
    assert printed.kind is RulingKind.REFUTED


def test_a_table_that_is_not_defined_everywhere_proves_nothing() -> None:
    u = exp(eps)
    flip = (u - 2) / ((u - 2) * (u + 1))
    rows = [[1 - flip, flip], [flip, 1 - flip]]
    pole = Matrix([[cell + 0 * u + 1 / (u - 2) - 1 / (u - 2) for cell in row] for row in rows])
    broken = Mechanism("broken", parameters=[eps], table=pole)
    if not any(need.value.has(exp) for need in broken.requirements):
        pytest.fail("nothing was noted, so nothing is tried")
    context = Context(largest=4)
    check = Table(broken, LDP(eps, tight=True))
    check.announce(context)
    assert check.decide(context).kind is not RulingKind.PROVED
