"""Small tables of exact probabilities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ldp_verified import GRR, OUE, BinaryRR
from ldp_verified.analysis.interaction import FiniteTable
from ldp_verified.errors import DomainError, ParameterError

HALF = Fraction(1, 2)
COIN = FiniteTable.of_laws({"a": {0: "3/4", 1: "1/4"}, "b": {0: "1/4", 1: "3/4"}})


def test_a_table_knows_its_rows_and_laws() -> None:
    assert COIN.outputs == (0, 1)
    assert COIN.row("b") == (Fraction(1, 4), Fraction(3, 4))
    assert COIN.law((HALF, HALF)) == (HALF, HALF)
    assert COIN.largest == (Fraction(3, 4), Fraction(3, 4))
    with pytest.raises(DomainError, match="one of the inputs") as error:
        COIN.row("secret")
    assert "secret" not in str(error.value)
    assert error.value.__context__ is None  # a KeyError would hold the input
    with pytest.raises(DomainError):
        COIN.row([])


def test_the_worst_ratio_is_found_and_may_be_infinite() -> None:
    worst = COIN.worst()
    assert (worst.x, worst.other, worst.y) == ("a", "b", 0)
    assert worst.ratio == 3
    assert worst.above(Fraction(2))
    assert not worst.above(Fraction(3))
    shown = FiniteTable.of_laws({0: {"y": 1}, 1: {"n": 1}}).worst()
    assert shown.ratio is None
    assert shown.above(Fraction(10**9))
    assert COIN.worst(lambda _, __: False).ratio == 1


@pytest.mark.parametrize(
    "made", [BinaryRR(1.0), GRR(2.0, 5), GRR(1.0, 3, categories=["x", "y", "z"])]
)
def test_the_table_of_a_mechanism_has_its_ratio(made: Any) -> None:
    table = FiniteTable.of_randomizer(made)
    assert table.inputs == tuple(made.labels)
    worst = table.worst()
    assert worst.ratio is not None
    # The promise is about the logarithm, rounded up.
    assert float(worst.ratio) == pytest.approx(2.718281828459045**made.realized_epsilon)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: FiniteTable((), (0,), ()), "inputs"),
        (lambda: FiniteTable((0, 0), (0,), ((Fraction(1),),) * 2), "inputs"),
        (lambda: FiniteTable((0,), (0, 1), ((Fraction(1),),)), "row of 0"),
        (lambda: FiniteTable((0, 1), (0,), ((Fraction(1),),)), "rows"),
        (lambda: FiniteTable.of_laws({0: {0: "1/2"}}), "sum to 1"),
        (lambda: FiniteTable.of_laws({0: {0: float("nan"), 1: 1}}), "row of 0: must be fractions"),  # type: ignore[dict-item]  # wrong on purpose
        (lambda: FiniteTable.of_laws({0: {0: "half", 1: 1}}), "row of 0: must be fractions"),
        (lambda: FiniteTable.of_laws({0: {0: "3/2", 1: "-1/2"}}), "fractions >= 0"),
        (lambda: FiniteTable((0,), (0,), ((1.0,),)), "fractions"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: FiniteTable.of_randomizer(OUE(1.0, 4)), "one of its values"),
        (lambda: FiniteTable.of_randomizer(GRR(1.0, 2000)), "cells"),
        (lambda: FiniteTable.of_randomizer(3), "one of its values"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
def test_bad_tables_are_named(make: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        make()
