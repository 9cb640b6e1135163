"""Conversations, curators and reports by queries: what is decided, and twins that are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ldp_verified.check.claims import (
    NEAR_SHARES,
    REPORT_BY_QUERIES,
    REPORTS_NEAR_BY,
    TOLERANCE,
    Cases,
    Context,
    RulingKind,
    Stated,
    conversations,
    fixed_queries,
    reports_by_queries,
    shares_apart,
)
from ldp_verified.check.claims import theorems as module
from ldp_verified.prove.coq.coqc import coqc_available

TRUE = {
    "epsilons add up": conversations(added=True),
    "fixed queries": fixed_queries(),
    "one message each": shares_apart(twice=False),
    "reports by queries": reports_by_queries(),
}
FALSE = {
    "epsilons do not add up": (conversations(added=False), "9 times as likely"),
    "two messages": (shares_apart(twice=True), "ratio 9"),
    "a wide tolerance": (reports_by_queries(tolerance=4 * TOLERANCE), "away, allowed is"),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_holds_is_looked_at_in_every_case(name: str) -> None:
    found = TRUE[name].decide(Context())
    assert found.kind is RulingKind.CHECKED
    assert "cases agree" in found.detail


@pytest.mark.parametrize("name", FALSE)
def test_what_does_not_hold_has_a_witness(name: str) -> None:
    check, said = FALSE[name]
    found = check.decide(Context())
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None
    assert said in found.witness.explanation


@pytest.mark.parametrize("check", [*TRUE.values(), *(check for check, _ in FALSE.values())])
def test_both_ways_to_decide_a_case_agree(check: Cases) -> None:
    for case in check.cases():
        assert case.holds == case.again()


WRONG = {
    "a trial that ends twice as often": (REPORT_BY_QUERIES, "= exp (- eps)", "= 2 * exp (- eps)"),
    "half of the distance": (REPORTS_NEAR_BY, "+ t / (1 - t)", "+ t / (2 * (1 - t))"),
    "half of epsilon": (
        NEAR_SHARES,
        "exp eps * transcript",
        "exp (eps / 2) * transcript",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_kernel_takes_the_statement_and_not_its_twin(name: str) -> None:
    stated, said, other = WRONG[name]
    assert said in stated.statement
    twin = replace(stated, statement=stated.statement.replace(said, other))
    found = module.accepted_statements([stated, twin])
    if not coqc_available():
        assert set(found.values()) == {module.NO_COQ}
        return
    assert found[stated] == module.ACCEPTED
    assert found[twin] != module.ACCEPTED


def test_a_statement_without_a_proof_is_not_accepted() -> None:
    """Planted: the proof is given up."""
    given_up = Stated(REPORTS_NEAR_BY.statement, "admit")
    assert module.accepted_statements([given_up])[given_up] != module.ACCEPTED
