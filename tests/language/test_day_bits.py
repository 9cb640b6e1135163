"""Protocols on values that change: their prices hold whatever the server publishes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import Round, Sends, turn, x
from ldp_verified.protocols import VotedMean
from ldp_verified.prove import Status, verify_protocol
from ldp_verified.prove.transcripts import enumerate_transcripts
from tests.broken.protocols import GRR, GRR_EPS, GRR_K, eps, protocol
from tests.prove.test_protocols import QUICK

TREE = {"eps": sympy.log(4), "k": 1}
VOTES = {"a": sympy.log(2), "b": sympy.log(3), "margin": sympy.Rational(1, 4), "d": 1, "R": 1}


@pytest.mark.parametrize("name", ["change_tree", "voted_mean"])
def test_the_ledger_proves_the_price(name: str) -> None:
    found = verify_protocol(load_protocol(name), 3, **QUICK)
    assert found.status is Status.ONE_GROUP, found.reason


@pytest.mark.parametrize(
    "days, levels, changes, ratio",
    [
        # A coin against a lie, of 1/5: on one day there is one change or none.
        (1, 1, 1, Fraction(5, 2)),
        (2, 2, 1, Fraction(4)),
        (3, 2, 1, Fraction(4)),
        # One of two changes is kept: the truth or a coin, (4/5 + 1/2)/2, against a lie.
        (2, 2, 2, Fraction(13, 4)),
    ],
)
def test_all_days_of_a_tree_of_changes_cost_epsilon_at_most(
    days: int, levels: int, changes: int, ratio: Fraction
) -> None:
    at = {**TREE, "T": days, "L": levels, "k": changes}
    found = enumerate_transcripts(load_protocol("change_tree"), at)
    assert found.status is Status.ENUMERATED
    assert found.allowed == 4
    assert found.ratio == ratio


@pytest.mark.parametrize("epochs, votes, updates", [(2, 1, 1), (3, 1, 1), (3, 2, 1), (2, 1, 2)])
def test_votes_and_answers_cost_what_is_declared(epochs: int, votes: int, updates: int) -> None:
    at = {**VOTES, "T": epochs, "v": votes, "w": updates}
    found = enumerate_transcripts(load_protocol("voted_mean"), at)
    assert found.status is Status.ENUMERATED
    assert found.allowed == 2 ** min(2 * votes, epochs) * 3 ** min(updates, epochs)
    # Nobody votes before anything is published.
    assert found.ratio == 2 ** min(2 * votes, epochs - 1) * 3 ** min(updates, epochs)


def test_the_class_pays_what_is_declared() -> None:
    declared = load_protocol("voted_mean")
    for epochs, votes, updates in ((5, 2, 1), (3, 2, 4), (2, 1, 2)):
        made = VotedMean(1.0, epochs=epochs, days=2, updates=updates, votes=votes)
        assert made.apart == min(2 * votes, epochs)
        names = {p.name: p for p in declared.parameters}
        sizes = {names["T"]: epochs, names["v"]: votes, names["w"]: updates}
        price = declared.epsilon.subs(sizes)
        assert price.coeff(names["a"]) == made.apart
        assert price.coeff(names["b"]) == min(updates, epochs)


def voted(**changed: Any) -> Any:
    """The votes with another price, or other reports."""
    return replace(load_protocol("voted_mean"), **changed)


def test_a_price_for_the_votes_of_one_value_only_is_refuted() -> None:
    """Of two values each leaves its rest v times, so that they differ 2 v times."""
    own = {p.name: p for p in load_protocol("voted_mean").parameters}
    cheap = voted(epsilon=own["v"] * own["a"] + sympy.Min(own["w"], own["T"]) * own["b"])
    at = {**VOTES, "T": 3, "v": 1, "w": 1}
    found = enumerate_transcripts(cheap, at)
    assert found.status is Status.REFUTED
    assert found.ratio == 12
    assert found.witness is not None
    verdict = verify_protocol(cheap, 3, points=[at], **QUICK)
    assert verdict.status is Status.REFUTED


def test_votes_without_an_end_are_not_proved_at_the_price_of_a_few() -> None:
    declared = load_protocol("voted_mean")
    (this,) = declared.rounds
    vote, _ = this.sends
    endless = voted(rounds=[replace(this, sends=[replace(vote, rest=None, leaves=None)])])
    found = enumerate_transcripts(endless, {**VOTES, "T": 4, "v": 1, "w": 1, "b": sympy.log(1)})
    assert found.status is Status.REFUTED


def made(**more: Any) -> Sends:
    return Sends(GRR, x, {GRR_EPS: eps, GRR_K: 4}, **more)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"rest": 0}, "leaves: must be given where `rest` is"),
        ({"leaves": 1}, "leaves: must be given where `rest` is"),
        ({"rest": 0, "leaves": 1, "draws": 2}, "rest: must be None for a report that a coin"),
        ({"rest": 0, "leaves": 1, "asked": 1}, "rest: must be None for a report that a coin"),
    ],
)
def test_a_rest_that_no_theorem_covers_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        made(**given)


def test_a_round_has_one_report_that_rests_and_one_that_is_asked_for() -> None:
    rests, asked = made(rest=0, leaves=1), made(asked=1)
    for sends in ([rests, rests], [asked, asked], [rests, made()], [rests, asked, made()]):
        with pytest.raises(SpecError, match="must have one report that rests"):
            protocol([Round(sends, times=2)])
    priced = Sends(GRR, x, {GRR_EPS: eps * (1 + turn), GRR_K: 4}, asked=1)
    with pytest.raises(SpecError, match="must have one report that rests"):
        protocol([Round([priced], times=2)])
    with pytest.raises(SpecError, match="rest"):
        protocol([Round([made(rest=x, leaves=1)], times=2)])


def test_a_rest_outside_the_inputs_is_open() -> None:
    wrong = protocol([Round([made(rest=4, leaves=1)], times=1)])
    found = verify_protocol(wrong, 3, **QUICK)
    assert found.status is Status.OPEN
