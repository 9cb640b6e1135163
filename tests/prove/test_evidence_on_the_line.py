"""What the solver says about inputs on the line is looked at there, and never passed over."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import pytest

from ldp_verified.language import (
    LDP,
    Lattice,
    Mean,
    Mechanism,
    Noise,
    Rational,
    integer,
    log,
)
from ldp_verified.prove.certificates.domains import DomainVariable
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.smt import Query, only_between_integers
from ldp_verified.prove.verdicts import Status, Verdict
from ldp_verified.prove.verify import verify
from tests.broken.densities import HIDDEN, UNREACHED

evidence = import_module("ldp_verified.prove.evidence")


def said(mechanism: Mechanism, kind: str) -> Verdict:
    """The verdict on the mechanism's only claim, of one kind."""
    verdicts = verify(mechanism, 3, smt=True, coq=False).verdicts
    (found,) = [v for v in verdicts if (v.claim, v.obligation) == (0, kind)]
    return found


@pytest.mark.parametrize("name", HIDDEN)
def test_a_claim_is_refuted_at_the_inputs_of_the_solver(name: str) -> None:
    mechanism, kind = HIDDEN[name]
    assert [f.holds for f in enumerate_obligations(mechanism) if f.obligation == kind] == [True]
    verdict = said(mechanism, kind)
    assert verdict.status is Status.REFUTED
    assert "counterexample proposed by smt" in verdict.detail


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("tried", [0, 4])
def test_what_no_witness_was_found_for_is_open(
    name: str, tried: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the model's inputs, or without any model."""
    monkeypatch.setattr(evidence, "_inputs", lambda _: ())
    monkeypatch.setattr(evidence, "MOST_MODELS", tried)
    mechanism, kind = HIDDEN[name]
    verdict = said(mechanism, kind)
    assert verdict.status is Status.OPEN
    assert "smt refuses" in verdict.detail


def test_a_bound_that_more_than_the_claim_breaks_is_open() -> None:
    """Levels 3/4 and 1/4 are in the ratio 3, but no two inputs give both at one output."""
    whole = UNREACHED["too far"]
    mechanism = Mechanism("far", parameters=[], table=whole.table, claims=[LDP(log(2))])
    assert said(mechanism, "ratio").status is Status.OPEN


def test_inputs_that_are_none_are_not_looked_at() -> None:
    mechanism, _ = HIDDEN["a ratio reached at 1/3"]
    outside = [Fraction(-1, 3), Fraction(4, 3)]
    assert enumerate_obligations(mechanism, inputs=outside) == enumerate_obligations(mechanism)


def test_inputs_of_noise_are_looked_at_too() -> None:
    d = Rational(1, 2)
    at = integer("x", at_least=0, at_most=9)
    law = Lattice(mass=(1 - d) / (1 + d), decay=d)
    table = Noise(value=at, law=law)
    wrong = Mean(at + at * (at - 1) * (at - 2) * (at - 3) * (at - 4) * (at - 9))
    mechanism = Mechanism("noise", parameters=[], table=table, claims=[wrong])
    holds = [f.holds for f in enumerate_obligations(mechanism) if f.obligation == "mean"]
    seen = enumerate_obligations(mechanism, inputs=[Fraction(6), Fraction(1, 2), Fraction(11)])
    assert (holds, [f.holds for f in seen if f.obligation == "mean"]) == ([True], [False])


@pytest.mark.parametrize(
    ("negation", "integer_variable", "expected"),
    [
        ("(= (+ (* 2 k) (- 5)) 0)", True, True),
        ("(= (+ (* 2 k) (- 6)) 0)", True, False),
        ("(= (+ (* 2 k) (- 5)) 0)", False, False),
    ],
)
def test_a_zero_between_integers_is_told_from_others(
    negation: str, integer_variable: bool, expected: bool
) -> None:
    k = DomainVariable("k", "2", None, False, False, integer_variable)
    query = Query(("one",), "a zero", (k,), negation)
    assert only_between_integers(query) is expected
