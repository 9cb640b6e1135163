"""The exact law of transcripts at tiny sizes, over every published element."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy

from ldp_verified.errors import ContradictionError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import Groups, Published, Round, coin, published, x
from ldp_verified.prove import Status, protocols, verify_protocol
from ldp_verified.prove.exact_values import NotExpandableError
from ldp_verified.prove.transcripts import enumerate_transcripts
from tests.broken.protocols import UNDERPRICED, eps, protocol, sends

QUICK: dict[str, Any] = {"smt": False, "coq": False, "derived": False, "draw_points": False}
AT = {"eps": sympy.log(4)}
SMALL = {"bits": 2, "first": 1, "step": 1, "levels": 2, "buckets": 2, **AT}

COSTS = {
    "two reports at the price of one": 16,
    "two rounds at the price of one": 16,
    "a repeated round at the price of one": 64,
    "a second round that looks at the value again": 16,
    "a dear group": 16,
    "a dear turn": 8,
}


@pytest.mark.parametrize("name", UNDERPRICED)
def test_what_costs_more_than_declared_is_refuted_with_a_history(name: str) -> None:
    found = enumerate_transcripts(UNDERPRICED[name], AT)
    assert found.status is Status.REFUTED
    assert found.ratio == COSTS[name]
    assert found.witness is not None
    values = found.witness.values
    more, less = Fraction(values["P(transcript|x)"]), Fraction(values["P(transcript|x')"])
    assert more > 4 * less


def test_the_verdict_on_the_protocol_is_refuted_then() -> None:
    wrong = UNDERPRICED["two reports at the price of one"]
    verdict = verify_protocol(wrong, 3, points=[AT], **QUICK)
    assert verdict.status is Status.REFUTED
    assert verdict.reason == "after grr says 0; grr says 0: 16/49 is more than 4 times 1/49"


def test_the_history_names_what_was_published() -> None:
    found = enumerate_transcripts(UNDERPRICED["a second round that looks at the value again"], AT)
    assert found.witness is not None
    assert "a threshold 1 is published" in found.witness.values["transcript"]
    assert found.transcripts == 2 * 4 * 2


def test_prefix_extending_costs_what_it_declares_and_no_less() -> None:
    declared = load_protocol("prefix_extending")
    found = enumerate_transcripts(declared, SMALL)
    assert found.status is Status.ENUMERATED
    assert found.ratio == found.allowed == 4
    cheap = enumerate_transcripts(declared, {**SMALL, "eps": sympy.log(2)})
    assert cheap.status is Status.ENUMERATED
    assert cheap.ratio == cheap.allowed == 2
    verdict = verify_protocol(declared, 3, points=[SMALL], **QUICK)
    assert verdict.status is Status.ONE_GROUP
    assert "20 transcripts written out: none is more than 4 times" in verdict.text


def test_prefix_cohorts_cost_what_they_declare_whatever_the_functions_are() -> None:
    """One list of functions sends all prefixes to one bucket, and tells nothing."""
    declared = load_protocol("prefix_cohorts")
    small = {**SMALL, "levels": 1, "cohorts": 1, "functions": 1}
    for functions, ratio in ((0, 1), (0b0011_0100, 4)):
        found = enumerate_transcripts(declared, {**small, "h": functions})
        assert found.status is Status.ENUMERATED
        assert found.transcripts == 4
        assert found.ratio == ratio
        assert found.allowed == 4


def test_an_adaptive_protocol_within_its_budget_is_enumerated() -> None:
    """Two rounds at eps/2 each, of which the second asks by a threshold that the server picks."""
    second = sends(of=sympy.Piecewise((0, x < published), (1, True)), price=eps / 2, k=2)
    declared = protocol(
        [
            Round([sends(of=sympy.Mod(x, 2), price=eps / 2, k=2)], Published("a threshold", 4)),
            Round([second]),
        ]
    )
    found = enumerate_transcripts(declared, AT)
    assert found.status is Status.ENUMERATED
    assert found.ratio == 4
    assert verify_protocol(declared, 3, points=[AT], **QUICK).status.for_all


def test_inputs_outside_the_domain_of_a_randomizer_are_refuted() -> None:
    found = enumerate_transcripts(protocol([Round([sends(k=3)])]), AT)
    assert found.status is Status.REFUTED
    assert found.ratio is None
    assert found.witness is not None
    assert found.witness.explanation == "x = 3 gives grr the input 3, which it has not"
    coins = Groups(2, of=coin, coins=3)
    outside = enumerate_transcripts(protocol([Round([sends()])], groups=coins), AT)
    assert outside.witness is not None
    assert "a coin gives group 2, of 2 groups" in outside.witness.explanation


def test_a_ledger_that_proves_what_a_transcript_refutes_is_our_mistake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocols, "_above", lambda *_: "")
    with pytest.raises(ContradictionError):
        verify_protocol(UNDERPRICED["two reports at the price of one"], 3, points=[AT], **QUICK)


def test_what_cannot_be_written_out_is_refused() -> None:
    with pytest.raises(NotExpandableError, match="epsilon: must be an exact number"):
        enumerate_transcripts(protocol([Round([sends()])]), {"eps": 1})
    with pytest.raises(NotExpandableError, match=r"values: must be 2\.\.64"):
        enumerate_transcripts(load_protocol("prefix_extending"), {**SMALL, "bits": 7})
    with pytest.raises(NotExpandableError, match="rounds: must give at most"):
        enumerate_transcripts(protocol([Round([sends()], times=10)], 10 * eps), AT)
