"""Curators who are asked again and again: budgets, and answers that are remembered."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ldp_verified.analysis.interaction import FiniteTable, Offer, Remembering, worst_view
from ldp_verified.errors import ParameterError
from tests.broken.interaction import Overspending, Unlucky

SHOWN = FiniteTable.of_laws({0: {0: 1}, 1: {1: 1}})


def response(truth: str, lie: str = "") -> FiniteTable:
    """Randomized response on a bit; with two probabilities, one that treats 0 and 1 apart."""
    p = Fraction(truth)
    q = Fraction(lie) if lie else 1 - p
    return FiniteTable.of_laws({0: {0: p, 1: 1 - p}, 1: {0: q, 1: 1 - q}})


PAIR = {"a": response("3/4"), "b": response("2/3")}


def test_prices_multiply_along_a_transcript() -> None:
    offer = Offer(PAIR)
    assert offer.price("a") == 3
    assert offer.price("b") == 2
    assert offer.paid((("a", 0), ("b", 1), ("a", 1))) == 18
    assert Remembering(PAIR).paid((("a", 0), ("b", 1), ("a", 0))) == 6
    assert Offer({"s": SHOWN}).paid((("s", 0),)) is None


def test_what_is_offered_is_within_the_budget() -> None:
    offer = Offer(PAIR, Fraction(6))
    assert offer.queries(()) == ("a", "b")
    assert offer.queries((("b", 0), ("b", 0))) == ()
    assert offer.queries((("a", 0),)) == ("b",)
    remembering = Remembering(PAIR, Fraction(3))
    assert remembering.queries((("a", 1),)) == ("a",)


@pytest.mark.parametrize("level", [Fraction(1), Fraction(2), Fraction(5), Fraction(13)])
@pytest.mark.parametrize("kind", [Offer, Remembering])
def test_no_view_exceeds_the_budget(kind: type[Offer], level: Fraction) -> None:
    made = kind({**PAIR, "c": response("3/4", "1/2")}, level)
    assert not worst_view(made, 4).above(level)


def test_a_budget_that_is_overspent_is_seen() -> None:
    """Planted: one answer more than there is budget for."""
    assert worst_view(Overspending(PAIR, Fraction(2)), 3).above(Fraction(2))


def test_remembered_answers_cost_once() -> None:
    assert worst_view(Remembering({"a": PAIR["a"]}), 5).ratio == 3
    assert worst_view(Offer({"a": PAIR["a"]}), 5).ratio == 3**5


def test_replies_must_be_laws() -> None:
    """Planted: half of the probability is missing."""
    with pytest.raises(ParameterError, match="must reply by a law"):
        worst_view(Unlucky(PAIR), 1)


@pytest.mark.parametrize(
    ("tables", "level", "match"),
    [
        ({}, None, "one or more"),
        ({**PAIR, "c": FiniteTable.of_laws({5: {0: 1}})}, None, "same inputs"),
        ({"s": SHOWN}, Fraction(3), "finite ratios"),
        (PAIR, Fraction(1, 2), "level"),
        (PAIR, 2.5, "level"),
        (PAIR, True, "level"),
    ],
)
def test_bad_offers_are_named(tables: Any, level: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        Offer(tables, level)
