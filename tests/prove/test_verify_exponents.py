"""Claims such as "the table of 1/2 + g is g-LDP": decided by inequalities of e^x, and by balls."""

from __future__ import annotations

from math import exp, factorial
from typing import Any

import pytest
from sympy import Rational, log

from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, Matrix, Mechanism, PersonalisedLDP
from ldp_verified.prove import Status, verify
from ldp_verified.prove.certificates.checker import check
from ldp_verified.prove.prepared import case
from ldp_verified.prove.verdicts import Verdict
from tests.broken.exponents import FALSE, eps, g, half, small, table


def verdict(mechanism: Mechanism, kind: str, *, smt: bool = False) -> Verdict:
    result = verify(mechanism, 4, smt=smt, coq=False)
    (found,) = [v for v in result.verdicts if v.obligation == kind and v.claim == 0]
    return found


@pytest.mark.parametrize("name", FALSE)
def test_a_false_one_is_refuted_with_the_place(name: str) -> None:
    mechanism, kind = FALSE[name]
    found = verdict(mechanism, kind)
    assert found.status is Status.REFUTED
    assert found.witness is not None
    assert "iff" not in found.detail


def test_the_witness_says_both_epsilons() -> None:
    found = verdict(FALSE["1/2 + g is g-LDP"][0], "ratio")
    assert found.witness is not None
    assert found.witness.parameters == {"g": "1/4"}
    assert "claimed eps = 1/4" in found.witness.explanation
    assert "ratio 3, eps = 1.09861" in found.witness.explanation


@pytest.mark.parametrize(
    "claim",
    [
        LDP(5 * small),
        LDP(log(2) + small),
        LDP(Rational(52, 100)),  # log(5/3) is 0.5108...
        LDP(1),
        LDP(30),
    ],
    ids=str,
)
@pytest.mark.parametrize("smt", [False, True])
def test_a_true_one_is_proved(claim: LDP, *, smt: bool) -> None:
    mechanism = Mechanism("m", parameters=[small], table=table(small), claims=[claim])
    found = verdict(mechanism, "ratio", smt=smt)
    assert found.status is Status.ONE_GROUP
    assert "certificate" in found.checkers


def test_the_true_epsilon_is_proved_and_tight() -> None:
    claim = LDP(log((half + g) / (half - g)), tight=True)
    mechanism = Mechanism("m", parameters=[g], table=table(g), claims=[claim])
    assert verdict(mechanism, "tight").status is Status.ONE_GROUP


def series(terms: int) -> Any:
    """1 + 2g + ... + (2g)^terms/terms!, which is below e^(2g)."""
    return sum((2 * g) ** i / factorial(i) for i in range(terms + 1))


@pytest.mark.parametrize(("terms", "shown"), [(3, True), (7, True), (8, False)])
def test_what_no_inequality_shows_is_not_proved_and_not_refuted(terms: int, *, shown: bool) -> None:
    """All three are true; of e^x the verifier knows seven terms."""
    ratio = series(terms)
    form = Matrix([[ratio / (1 + ratio), 1 / (1 + ratio)], [1 / (1 + ratio), ratio / (1 + ratio)]])
    found = verdict(Mechanism("m", parameters=[g], table=form, claims=[LDP(2 * g)]), "ratio")
    assert found.status is (Status.ONE_GROUP if shown else Status.OPEN)


def test_equality_with_the_verifiers_own_series_is_not_tight() -> None:
    """Seven terms are the bound of the obligation, not the claimed one."""
    ratio = series(7)
    form = Matrix([[ratio / (1 + ratio), 1 / (1 + ratio)], [1 / (1 + ratio), ratio / (1 + ratio)]])
    mechanism = Mechanism("m", parameters=[g], table=form, claims=[LDP(2 * g, tight=True)])
    assert verdict(mechanism, "tight").status is Status.REFUTED


@pytest.mark.parametrize(
    ("field", "text", "part"),
    [
        ("exponent", "-2*g", "exponent"),  # 1 - x + x^2/2 - ... is no bound from below.
        ("exponent", "g - 1/4", "exponent"),
        ("bounds", ["-1", "-1"], "factor/0"),
        ("exponent", "4*g", "0/0"),  # less than is claimed to be shown
    ],
)
def test_the_verifier_shows_no_other_statement(field: str, text: Any, part: str) -> None:
    """A statement with a wrong exponent or factor fails in the obligation that names it."""
    mechanism = Mechanism("m", parameters=[g], table=table(g), claims=[LDP(5 * g)])
    this = case(mechanism, derived=False)
    statement = {**this.statement, "claims": [{**this.statement["claims"][0], field: text}]}
    outcomes = check(statement, {**this.certificate, "statement": statement})
    missing = [o.obligation.name for o in outcomes if not o.shown]
    assert any(name.startswith("ratio/0") and name.endswith(part) for name in missing), missing


def test_a_large_table_is_decided_by_the_same_inequality() -> None:
    size = 12
    spread = (half - small) / (size - 1)
    rows = [[half + small if x == y else spread for y in range(size)] for x in range(size)]
    for epsilon, status in ((3, Status.ONE_GROUP), (2, Status.REFUTED)):
        mechanism = Mechanism(
            "m", parameters=[small], table=Matrix(rows), claims=[LDP(epsilon + small)]
        )
        # (5/8)/(3/88) = 55/3 = e^2.9
        assert exp(2.125) < 55 / 3 < exp(3)
        assert verdict(mechanism, "ratio").status is status


def test_regions_are_not_bounded_by_such_a_claim() -> None:
    """Only `LDP` without a delta is: others are errors, as they were."""
    with pytest.raises(SpecError, match="stands outside its generator"):
        Mechanism("m", parameters=[g], table=table(g), claims=[PersonalisedLDP(g, [0, 1])])


def test_a_free_epsilon_stays_one() -> None:
    """For every g there is a smaller eps."""
    mechanism = Mechanism("m", parameters=[g, eps], table=table(g), claims=[LDP(eps)])
    assert verdict(mechanism, "ratio").status is Status.REFUTED
