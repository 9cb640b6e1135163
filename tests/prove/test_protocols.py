"""Verdicts on protocols are never stronger than those on their randomizers, or than the tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ldp_verified.derive import ledger
from ldp_verified.language import LDP, Matrix, Mechanism, Rational, load, load_protocol, real
from ldp_verified.language.protocol import Protocol, Round, Sends, x
from ldp_verified.prove import Status, verify_protocol
from tests.broken.protocols import UNDERPRICED, eps, protocol, sends

PROOFS = Path(__file__).resolve().parents[2] / "proofs"
QUICK: dict[str, Any] = {"smt": False, "coq": False, "derived": False, "draw_points": False}
THEOREMS = (
    ledger.SEQUENTIAL,
    ledger.SPLIT,
    ledger.ENCODED,
    ledger.SAMPLED,
    ledger.AMPLIFIED,
    ledger.PROCESSED,
    ledger.COMPOSED,
)


def test_prefix_extending_is_proved_as_far_as_its_randomizer() -> None:
    found = verify_protocol(load_protocol("prefix_extending"), 3, **QUICK)
    assert found.status is Status.ONE_GROUP
    assert {name for name, _ in found.parts} == {"olh"}
    assert found.text.startswith("prefix_extending: one user's whole transcript is eps-LDP: proved")


def test_prefix_cohorts_are_proved_as_far_as_their_randomizer() -> None:
    found = verify_protocol(load_protocol("prefix_cohorts"), 3, **QUICK)
    assert found.status is Status.ONE_GROUP
    assert {name for name, _ in found.parts} == {"grr"}


@pytest.mark.parametrize(
    ("name", "randomizers"),
    [("svim", {"grr", "olh"}), ("svsm", {"grr", "olh"}), ("ldp_miner", {"blh", "sue"})],
)
def test_mining_is_proved_as_far_as_its_randomizers(name: str, randomizers: set[str]) -> None:
    found = verify_protocol(load_protocol(name), 3, **QUICK)
    assert found.status is Status.ONE_GROUP
    assert {name for name, _ in found.parts} == randomizers


@pytest.mark.parametrize("name", UNDERPRICED)
def test_what_costs_more_than_declared_never_passes(name: str) -> None:
    found = verify_protocol(UNDERPRICED[name], 3, **QUICK)
    assert found.status in (Status.OPEN, Status.REFUTED)
    assert found.reason


def test_a_false_randomizer_makes_a_false_protocol() -> None:
    half, price = Rational(1, 2), real("price", above=0)
    wrong = Mechanism(
        "wrong",
        parameters=[price],
        table=Matrix([[1, 0], [half, half]]),
        claims=[LDP(price)],
    )
    declared = Protocol("made", [eps], 2, [Round([Sends(wrong, x, {price: eps})])], eps)
    assert verify_protocol(declared, 3, **QUICK).status is Status.REFUTED


def _reported_at(*randomizers: Mechanism, sizes: tuple[int, ...] = (4, 4)) -> Protocol:
    """One report by each on the value, at prices as they claim them."""
    rounds = []
    for each, size in zip(randomizers, sizes, strict=True):
        at = {p: eps if p.name == "eps" else size for p in each.parameters}
        rounds.append(Round([Sends(each, x, at)]))
    total = sum(each.sends[0].price for each in rounds)
    return Protocol("twice", [eps], 4, rounds, epsilon=total)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", ["grr", "other"])
def test_a_false_claim_under_the_name_of_a_true_one_is_looked_at(
    backwards: bool, name: str
) -> None:
    (grr,) = load("grr")
    cheap = grr.instance(name, {}, claims=[LDP(grr.parameters[0] / 10, tight=True)])
    both = (cheap, grr) if backwards else (grr, cheap)
    assert verify_protocol(_reported_at(*both), 3, **QUICK).status is Status.REFUTED


@pytest.mark.parametrize("claimed", ["eps", "eps/2"])
def test_instances_of_one_name_are_looked_at_each(claimed: str) -> None:
    (grr,) = load("grr")
    price, k = grr.parameters
    four = grr.instance("g", {k: 4})
    three = grr.instance("g", {k: 4}, claims=[LDP({"eps": price, "eps/2": price / 2}[claimed])])
    found = verify_protocol(_reported_at(four, three), 3, **QUICK)
    assert (found.status is Status.REFUTED) == (claimed == "eps/2")


def test_copies_of_one_file_s_mechanism_are_told_apart() -> None:
    """The loader gives each a file and its hash: what is added to the copy is no part of those."""
    (grr,) = load("grr")
    price, _ = grr.parameters
    assert grr.origin is not None
    cheap = grr.instance("grr", {}, claims=[LDP(price / 10)]).with_origin(grr.origin)
    assert verify_protocol(_reported_at(grr, cheap), 3, **QUICK).status is Status.REFUTED


def test_every_theorem_is_one_that_coq_has_to_prove() -> None:
    for theorem in THEOREMS:
        module, name = theorem.rsplit(".", 1)
        listed = (PROOFS / f"expected_theorems/{module}.txt").read_text(encoding="utf-8")
        assert f"\n{name} :" in f"\n{listed}"


def test_a_theorem_that_is_not_there_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "ENCODED", "LDP.Combine.nobody_proved_it")
    found = verify_protocol(protocol([Round([sends()])]), 3, **QUICK)
    assert found.status is Status.OPEN
    assert "nobody_proved_it" in found.reason
