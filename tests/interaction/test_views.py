"""Laws of conversations: every strategy written out, against the search over transcripts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from ldp_verified.analysis.interaction import (
    Curator,
    FiniteTable,
    Offer,
    Remembering,
    Strategy,
    strategies,
    view_table,
    worst_view,
)
from ldp_verified.errors import ParameterError
from tests.interaction.test_curator import PAIR, SHOWN, response


class Permanent(Curator):
    """Draw a noisy bit once and forever, and answer with noise on it: memory that is not said."""

    inputs = (0, 1)

    def queries(self, past: Any) -> tuple[str]:
        del past
        return ("again",)

    def start(self, x: int) -> Mapping[int, Fraction]:
        return {x: Fraction(3, 4), 1 - x: Fraction(1, 4)}

    def reply(self, x: int, memory: int, query: str) -> Mapping[tuple[int, int], Fraction]:
        del x, query
        return {(memory, memory): Fraction(2, 3), (1 - memory, memory): Fraction(1, 3)}


UNEVEN = {"a": response("3/4", "1/2"), "b": response("1/5", "2/5")}
CURATORS: dict[str, tuple[Curator, int]] = {
    "two responses": (Offer(PAIR), 2),
    "uneven ones": (Offer(UNEVEN), 2),
    "within a budget": (Offer(PAIR, Fraction(6)), 3),
    "remembering": (Remembering(UNEVEN), 2),
    "permanent": (Permanent(), 4),
    "shown": (Offer({"a": SHOWN, "b": PAIR["b"]}), 2),
}


def largest(curator: Curator, rounds: int) -> Fraction | None:
    """Over all strategies, each written out as a table."""
    found = [view_table(curator, each).worst().ratio for each in strategies(curator, rounds)]
    known = [each for each in found if each is not None]
    return None if len(known) < len(found) else max(known)


@pytest.mark.parametrize("name", CURATORS)
def test_the_search_finds_what_all_strategies_show(name: str) -> None:
    curator, rounds = CURATORS[name]
    worst = worst_view(curator, rounds)
    assert worst.ratio == largest(curator, rounds)
    assert len(worst.y) <= rounds


@pytest.mark.parametrize("name", CURATORS)
def test_fixed_queries_are_as_bad_as_any_strategy(name: str) -> None:
    """Where the promise is pure: a transcript is as likely under the fixed queries it holds."""
    curator, rounds = CURATORS[name]
    worst = worst_view(curator, rounds)
    queries = [query for query, _ in worst.y]

    def fixed(left: list[Any]) -> Strategy:
        return Strategy(left[0], {y: fixed(left[1:]) for y in (0, 1)} if left[1:] else {})

    assert view_table(curator, fixed(queries)).worst().ratio == worst.ratio


def test_a_view_is_a_law_and_its_answers_lead_on() -> None:
    table = view_table(Offer(PAIR), Strategy("a", {1: Strategy("b")}))
    assert set(table.outputs) == {
        (("a", 0),),
        (("a", 1), ("b", 0)),
        (("a", 1), ("b", 1)),
    }
    row = dict(zip(table.outputs, table.row(1), strict=True))
    assert row[(("a", 1), ("b", 1))] == Fraction(3, 4) * Fraction(2, 3)
    assert row[(("a", 0),)] == Fraction(1, 4)


def test_single_answers_do_not_bound_the_view() -> None:
    offer = Offer({"a": PAIR["a"]})
    assert worst_view(offer, 1).ratio == 3
    assert worst_view(offer, 2).ratio == 9


def test_what_is_drawn_once_bounds_all_answers() -> None:
    """Views approach the ratio 3 of the permanent bit, which they do not exceed."""
    found = [worst_view(Permanent(), rounds).ratio for rounds in (1, 2, 4, 8)]
    ratios = [each for each in found if each is not None]
    assert ratios == sorted(ratios)
    assert Fraction(29, 10) < ratios[-1] < 3


def test_only_neighbours_count() -> None:
    table = FiniteTable.of_laws(
        {
            n: {
                y: Fraction(1, 2 ** abs(n - y))
                / sum(Fraction(1, 2 ** abs(n - z)) for z in range(4))
                for y in range(4)
            }
            for n in range(4)
        }
    )
    offer = Offer({"count": table})
    near = worst_view(offer, 2, near=lambda n, m: abs(n - m) == 1).ratio
    every = worst_view(offer, 2).ratio
    assert near is not None
    assert every is not None
    assert near < every


def test_ratios_multiply_where_the_same_pair_is_worst() -> None:
    for names in product(PAIR, repeat=2):
        table = view_table(Offer(PAIR), Strategy(names[0], {y: Strategy(names[1]) for y in (0, 1)}))
        prices = [PAIR[name].worst().ratio for name in names]
        assert table.worst().ratio == (prices[0] or 0) * (prices[1] or 0)


def test_bad_strategies_and_sizes_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="strategy"):
        view_table(Offer(PAIR), Strategy("c"))
    with pytest.raises(ParameterError, match="strategy"):
        view_table(Offer(PAIR, Fraction(2)), Strategy("a"))
    with pytest.raises(ParameterError, match="rounds"):
        worst_view(Offer(PAIR), 0)
    monkeypatch.setattr("ldp_verified.analysis.interaction.views.MOST_TRANSCRIPTS", 100)
    with pytest.raises(ParameterError, match="at most 100 transcripts"):
        worst_view(Offer(PAIR), 4)
