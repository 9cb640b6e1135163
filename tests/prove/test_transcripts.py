"""The exact law of transcripts at tiny sizes, over every published element."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy

from ldp_verified.errors import ContradictionError, SpecError
from ldp_verified.language import load_protocol
from ldp_verified.language.itemsets import padded_item, signed_items
from ldp_verified.language.protocol import Groups, Published, Round, coin, draw, published, x
from ldp_verified.prove import Status, protocols, verify_protocol
from ldp_verified.prove.enumeration.exact_values import NotExpandableError
from ldp_verified.prove.transcripts import enumerate_transcripts
from tests.broken.protocols import (
    MINING,
    OVERSAMPLED,
    SIGNED,
    UNDERPRICED,
    eps,
    padded,
    protocol,
    sends,
)

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
    "a group that speaks in two rounds": 16,
    "a round of all beside one of a group": 16,
    "a dear choice": 16,
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


SAMPLED = {
    "one dummy for all places": 7,
    "the first place is sampled more often": 5,
    "a number of draws that the places do not divide": 5,
    "sets that are not padded": 7,
    "an item that is always sampled where it is held": 7,
    "an item in the place of all others": 7,
    "a signed key that is not padded": 7,
    "a signed key that is always in the first place": 7,
    "a coin that the places do not divide": 5,
}


@pytest.mark.parametrize("name", OVERSAMPLED)
def test_an_input_that_is_sampled_too_often_is_refuted(name: str) -> None:
    """The report is 1 + chance (e^eps' - 1) times as likely, with e^eps' = 2 (4 - 1) + 1."""
    found = enumerate_transcripts(OVERSAMPLED[name], AT)
    assert found.status is Status.REFUTED
    assert found.ratio == SAMPLED[name]
    verdict = verify_protocol(OVERSAMPLED[name], 3, **QUICK)
    assert verdict.status is Status.OPEN
    assert "has no value of a chance above 1/2 for grr" in verdict.reason


def test_signed_keys_cost_what_is_paid_if_signs_have_coins_of_their_own() -> None:
    """With the place's own coin they are private here too, but that is not seen: it is open."""
    apart = padded(padded_item(SIGNED, sympy.Mod(draw, 2), 2, 2), draws=4)
    found = enumerate_transcripts(apart, AT)
    assert found.status is Status.ENUMERATED
    assert found.ratio == found.allowed == 4
    assert verify_protocol(apart, 3, **QUICK).status is Status.ONE_GROUP
    shared = padded(padded_item(signed_items(x, draw, 1, 2), draw, 2, 2))
    assert verify_protocol(shared, 3, **QUICK).status is Status.OPEN


@pytest.mark.parametrize(
    "name, lengths", [("key_value_response", (1, 2)), ("key_value_bits", (1,))]
)
def test_key_value_pairs_cost_what_they_declare_and_no_less(
    name: str, lengths: tuple[int, ...]
) -> None:
    """For one key with a number of three, or none. One key in two places gains with bits, too."""
    declared = load_protocol(name)
    assert verify_protocol(declared, 3, **QUICK).status is Status.ONE_GROUP
    for length in lengths:
        at = {"eps": sympy.log(3), "k": 1, "l": length, "r": 2}
        found = enumerate_transcripts(declared, at)
        assert found.status is Status.ENUMERATED
        assert found.ratio == found.allowed == 3


@pytest.mark.parametrize("t, s, h", [(1, 1, 2), (2, 1, 1), (1, 2, 2)])
def test_a_hierarchical_histogram_costs_what_it_declares(t: int, s: int, h: int) -> None:
    declared = load_protocol("range_tree")
    assert verify_protocol(declared, 3, **QUICK).status is Status.ONE_GROUP
    found = enumerate_transcripts(declared, {"eps": sympy.log(3), "t": t, "s": s, "h": h})
    assert found.status is Status.ENUMERATED
    assert found.ratio == found.allowed == 3
    assert found.transcripts == sum(2 * 2 ** (t + s * level) for level in range(h))


@pytest.mark.parametrize("bits, matrix", [(1, 0), (2, 0), (2, 0b1000_0000), (3, 0x5AF0_1234_5678)])
def test_a_wavelet_costs_what_it_declares_whatever_the_matrix_is(bits: int, matrix: int) -> None:
    declared = load_protocol("range_wavelet")
    assert verify_protocol(declared, 3, **QUICK).status is Status.ONE_GROUP
    found = enumerate_transcripts(declared, {"eps": sympy.log(3), "bits": bits, "H": matrix})
    assert found.status is Status.ENUMERATED
    assert found.ratio == found.allowed == 3
    assert found.transcripts == 2 * bits * 2 ** (bits - 1)


@pytest.mark.parametrize("a, b, matrix", [(1, 1, 0), (1, 2, 0xA5)])
def test_a_wavelet_of_boxes_costs_what_it_declares(a: int, b: int, matrix: int) -> None:
    declared = load_protocol("box_wavelet")
    assert verify_protocol(declared, 3, **QUICK).status is Status.ONE_GROUP
    found = enumerate_transcripts(declared, {"eps": sympy.log(3), "a": a, "b": b, "H": matrix})
    assert found.status is Status.ENUMERATED
    assert found.ratio == found.allowed == 3
    assert found.transcripts == 2 * ((a + 1) * (b + 1) - 1) * 2 ** (a + b - 2)


@pytest.mark.parametrize("d, m, matrix", [(1, 1, 2), (2, 3, 0x6CA), (2, 2, 0), (3, 2, 0x96F0)])
def test_parities_cost_what_is_declared_whatever_the_functions_are(
    d: int, m: int, matrix: int
) -> None:
    declared = load_protocol("parity_tables")
    assert verify_protocol(declared, 3, **QUICK).status is Status.ONE_GROUP
    found = enumerate_transcripts(declared, {"eps": sympy.log(3), "d": d, "m": m, "M": matrix})
    assert found.status is Status.ENUMERATED
    assert found.allowed == 3
    assert found.ratio == (3 if matrix else 1)
    assert found.transcripts == 2 * m


def test_sampling_one_of_two_that_are_padded_costs_what_is_paid() -> None:
    found = enumerate_transcripts(padded(padded_item(x, draw, 2, 2)), AT)
    assert found.status is Status.ENUMERATED
    assert found.ratio == found.allowed == 4


@pytest.mark.parametrize("k, length, u", [(2, 1, 2), (3, 1, 2), (3, 2, 2), (4, 3, 3), (2, 5, 10)])
def test_padding_and_sampling_costs_what_it_declares_and_no_less(
    k: int, length: int, u: int
) -> None:
    """For all pairs of sets of every size, longer than l, empty, and equal to all items."""
    at = {"eps": sympy.log(u), "k": k, "l": length}
    response = enumerate_transcripts(load_protocol("padded_response"), at)
    assert response.status is Status.ENUMERATED
    assert response.ratio == response.allowed == u
    assert response.transcripts == k + length


@pytest.mark.parametrize("k, length", [(2, 1), (2, 2), (3, 2)])
def test_nothing_is_gained_by_sampling_what_is_hashed(k: int, length: int) -> None:
    at = {"eps": sympy.log(3), "k": k, "l": length, "buckets": 2}
    hashed = enumerate_transcripts(load_protocol("padded_hashing"), at)
    assert hashed.status is Status.ENUMERATED
    assert hashed.ratio == hashed.allowed == 3


SAMPLING = ("sampling_succinct_histogram", "sampling_rappor")


@pytest.mark.parametrize("name", SAMPLING)
@pytest.mark.parametrize("k, length", [(2, 1), (2, 2), (3, 2)])
def test_nothing_is_gained_by_sampling_what_is_told_in_bits(name: str, k: int, length: int) -> None:
    found = enumerate_transcripts(load_protocol(name), {"eps": sympy.log(4), "k": k, "l": length})
    assert found.status is Status.ENUMERATED
    assert found.ratio == found.allowed == 4


@pytest.mark.parametrize("name", ["padded_response", "padded_hashing", *SAMPLING])
def test_padding_and_sampling_is_proved_as_far_as_its_randomizer(name: str) -> None:
    assert verify_protocol(load_protocol(name), 3, **QUICK).status is Status.ONE_GROUP


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
    many = padded(padded_item(x, draw, 2, 2), draws=1025)
    with pytest.raises(NotExpandableError, match=r"draws: must be 1\.\.1024"):
        enumerate_transcripts(many, AT)
    with pytest.raises(NotExpandableError, match="rounds: must give at most"):
        enumerate_transcripts(protocol([Round([sends()], times=10)], 10 * eps), AT)


TINY = {
    "svim": [
        {"k": 2, "kept": 1, "longest": 2, "buckets": 2},
        {"k": 2, "kept": 2, "longest": 1, "buckets": 2},
    ],
    "svsm": [{"k": 2, "kept": 1, "longest": 2, "buckets": 2}],
    "ldp_miner": [
        {"k": 2, "l": 1, "kept": 1, "places": 1},
        {"k": 2, "l": 2, "kept": 2, "places": 2},
    ],
}


@pytest.mark.parametrize("name", TINY)
def test_mining_costs_what_it_declares_whatever_is_published(name: str) -> None:
    """For all sets of two items, all lists of sets, all lengths, and either report."""
    for at in TINY[name]:
        declared = load_protocol(name)
        found = enumerate_transcripts(declared, {**at, "eps": sympy.log(16)})
        assert found.status is Status.ENUMERATED
        assert found.ratio == found.allowed == 16


def test_elements_that_nobody_looks_at_are_not_listed() -> None:
    """Group 0 has one transcript for each output; group 1 one for each element and output."""
    unread = protocol(
        [
            Round([sends()], Published("a number", below=9), speaks=0),
            Round([sends(of=sympy.Mod(x + published, 4))], speaks=1),
        ],
        groups=Groups(2),
    )
    assert enumerate_transcripts(unread, AT).transcripts == 4 + 9 * 4


@pytest.mark.parametrize("name", MINING)
def test_mining_that_reports_too_much_is_refuted(name: str) -> None:
    wrong, at = MINING[name]
    found = enumerate_transcripts(wrong, {**at, "eps": sympy.log(4)})
    assert found.status is Status.REFUTED
    assert found.ratio is not None
    assert found.ratio > 4
    assert verify_protocol(wrong, 3, **QUICK).status is Status.OPEN


@pytest.mark.parametrize("name", ["zz", "Eps", "x"])
def test_a_point_names_nothing_else_than_parameters(name: str) -> None:
    at = {"eps": sympy.log(2), name: 1}
    with pytest.raises(SpecError, match=f"points: must name parameters of made, got '{name}'"):
        enumerate_transcripts(protocol([Round([sends()])]), at)
