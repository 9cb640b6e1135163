"""`verify` as a whole: what the routes say together."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from sympy import Rational

from ldp_verified.derive import Facts, free_cells
from ldp_verified.language import (
    LDP,
    Design,
    HashBlocks,
    Mechanism,
    Singletons,
    exp,
    integer,
    real,
)
from ldp_verified.prove import Status, verify
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.expand import complete, expand_form
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.enumeration.table_facts import delta, tight_ratio
from tests.broken.mechanisms import BROKEN, Broken
from tests.finite import FINITE
from tests.strategies import mechanisms

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)


def fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


@pytest.mark.evidence(of="mechanism")
@pytest.mark.parametrize("mechanism", FINITE, ids=lambda m: m.name)
def test_every_claim_of_the_catalogue_is_proved_and_every_route_agrees(
    mechanism: Mechanism,
) -> None:
    result = verify(mechanism, coq=False)
    by_obligation = {(v.claim, v.obligation): v for v in result.verdicts}
    counts = by_obligation.pop((None, "class_counts"))
    assert counts.status.for_all
    status = Status.ONE_GROUP
    # That everything has a value rests on nothing.
    defined = by_obligation.pop((None, "defined"), None)
    if defined is not None:
        assert defined.status is Status.ONE_GROUP
        assert defined.checkers == ("certificate", "smt", "enumeration")
    free = free_cells(mechanism)
    if free is not None and free.claims:
        assert by_obligation.pop((None, "free_cells")).checkers == ("certificate",)
    assert {v.status for v in by_obligation.values()} == {status}
    assert {v.groups for v in by_obligation.values()} == {("algebra",)}
    checkers = ("certificate", "smt", "enumeration")
    assert {v.checkers for v in by_obligation.values()} == {checkers}
    # What is derived where nothing is claimed of it is numbered after the claims.
    assert {claim for claim, _ in by_obligation if claim is not None} >= set(
        range(len(mechanism.claims))
    )


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: b.mechanism.name)
def test_every_planted_wrong_mechanism_is_refuted_with_a_witness(broken: Broken) -> None:
    result = verify(broken.mechanism, coq=False)
    assert result.status is Status.REFUTED
    refuted = [v for v in result.verdicts if v.status is Status.REFUTED]
    assert all(v.witness is not None and v.witness.explanation for v in refuted)


@pytest.mark.evidence(of="mechanism")
@pytest.mark.parametrize("mechanism", FINITE, ids=lambda m: m.name)
def test_derived_facts_are_those_of_the_expanded_table(mechanism: Mechanism) -> None:
    """Two routes that share nothing: pair tables in sympy, and the full table in fractions."""
    facts = Facts(mechanism)
    # Which of two ratios is the larger depends on whether zero + one is below 1.
    assert (facts.tight is None) == (mechanism.name == "sampled_bit")
    any_level = sympy.Symbol("level")
    curve = facts.delta(any_level)
    for point in list(points(mechanism, 4))[::2]:
        full = complete(mechanism.algebraic_table, point)
        table = expand_form(mechanism.algebraic_table, full)
        put = {s: Rational(v.numerator, v.denominator) for s, v in full.items()}
        ratio = tight_ratio(table)
        assert ratio is not None
        assert facts.tight is None or fraction(facts.tight.ratio.subs(put)) == ratio
        for level in (Fraction(1), (1 + ratio) / 2, ratio, 2 * ratio):
            at_level = Rational(level.numerator, level.denominator)
            value = curve.xreplace({**put, any_level: at_level})
            assert fraction(value) == delta(table, level)


def test_a_mechanism_without_claims_gets_its_facts_proved() -> None:
    table = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
    result = verify(Mechanism("silent", parameters=[eps, k], table=table), coq=False)
    assert result.needs == {Status.ONE_GROUP}
    derived = [v for v in result.verdicts if v.claim is not None]
    assert {v.obligation for v in derived} == {"ratio", "tight", "unbiased", "variance"}
    assert all(v.statement.startswith("derived: ") for v in derived)
    assert result.derived["tight epsilon"].startswith("eps ")


def test_a_wrong_lambda_passes_the_certificate_and_is_caught_by_enumeration() -> None:
    g, size = integer("g", at_least=2), integer("M", at_least=1)
    table = Design(
        size * g,
        size,
        size / g**2,
        u / (u + g - 1) / size,
        1 / (u + g - 1) / size,
        HashBlocks(k, g, size),
    )
    result = verify(
        Mechanism("wrong_lambda", parameters=[eps, k, g, size], table=table, claims=[LDP(eps)]),
        coq=False,
    )
    verdicts = {v.obligation: v for v in result.verdicts}
    assert "certificate" in verdicts["ratio"].checkers
    assert verdicts["ratio"].alone is Status.ONE_GROUP
    assert verdicts["ratio"].status is Status.OPEN
    assert verdicts["class_counts"].status is Status.REFUTED


def test_a_table_that_cannot_be_expanded_is_never_a_full_pass() -> None:
    table = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1))
    mechanism = Mechanism("abstract", parameters=[eps, k], table=table, claims=[LDP(eps)])
    result = verify(mechanism, coq=False)
    verdicts = {v.obligation: v for v in result.verdicts}
    assert verdicts["ratio"].checkers == ("certificate", "smt")
    assert verdicts["class_counts"].status is Status.ASSUMED
    assert verdicts["ratio"].assumptions == verdicts["class_counts"].assumptions
    assert result.needs == {Status.ONE_GROUP, Status.ASSUMED}
    assert not result.holds


def test_a_claim_true_at_every_enumerated_size_but_not_beyond_is_refuted() -> None:
    """The claimed ratio is u - (k - 2)...(k - 8): right at every k that enumeration looks at."""
    zero_until_eight = sympy.prod([k - i for i in range(2, 9)])
    table = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
    claim = LDP(sympy.log(u - zero_until_eight))
    mechanism = Mechanism("sly", parameters=[eps, k], table=table, claims=[claim])
    result = verify(mechanism, smt=False, coq=False)
    verdicts = {v.obligation: v for v in result.verdicts}
    assert verdicts["ratio"].status is Status.REFUTED
    assert verdicts["ratio"].witness is not None
    assert verdicts["ratio"].witness.parameters["k"] == "9"


def test_verify_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    verify(FINITE[0], coq=False)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=25)
@given(mechanisms())
def test_routes_agree_on_drawn_tables(mechanism: Mechanism) -> None:
    """Whatever is derived for a drawn table is certified, and enumeration finds the same."""
    result = verify(mechanism, largest=4, coq=False)
    assert Status.REFUTED not in {v.status for v in result.verdicts}
    findings = enumerate_obligations(mechanism, 4)
    assert all(finding.holds for finding in findings)
    counts = [v for v in result.verdicts if v.obligation == "class_counts"]
    assert [v.status for v in counts] == [Status.ONE_GROUP]
    proved = {v.obligation for v in result.verdicts if v.status is Status.ONE_GROUP}
    assert proved >= {"nonnegative", "sums_to_one", "equal_support", "ratio", "tight"}
