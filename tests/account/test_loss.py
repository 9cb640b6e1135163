"""Exact losses against sums over written-out tables, for drawn tables."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.analysis.account import PrivacyLoss, dominating_pair, worst_delta
from ldp_verified.errors import ParameterError
from tests.strategies import channels

LEVELS = st.fractions(min_value=1, max_value=20, max_denominator=30)


def by_sets(row: list[Fraction], row2: list[Fraction], level: Fraction) -> Fraction:
    """The definition: the largest P(S|x) - level P(S|x') over all sets of outputs."""
    outputs = range(len(row))
    sets = chain.from_iterable(combinations(outputs, size) for size in range(len(row) + 1))
    return max(sum((row[y] - level * row2[y] for y in each), Fraction(0)) for each in sets)


@given(channels(), LEVELS)
def test_delta_is_that_of_the_worst_set(rows: list[list[Fraction]], level: Fraction) -> None:
    loss = PrivacyLoss(zip(rows[0], rows[1], strict=True))
    assert loss.delta(level) == by_sets(rows[0], rows[1], level)
    back = PrivacyLoss(zip(rows[1], rows[0], strict=True))
    assert loss.reversed == back


@given(channels(3, 3), channels(3, 3), LEVELS)
def test_two_reports_are_the_product_table(
    rows: list[list[Fraction]], more: list[list[Fraction]], level: Fraction
) -> None:
    both = PrivacyLoss(zip(rows[0], rows[1], strict=True)).together(
        PrivacyLoss(zip(more[0], more[1], strict=True))
    )
    pairs = [[a * b for a, b in product(rows[x], more[x])] for x in (0, 1)]
    assert both.delta(level) == sum(
        (max(Fraction(0), p - level * q) for p, q in zip(pairs[0], pairs[1], strict=True)),
        Fraction(0),
    )


@given(channels(), st.fractions(min_value=0, max_value=1, max_denominator=50))
def test_the_level_is_the_least_with_its_delta(rows: list[list[Fraction]], delta: Fraction) -> None:
    loss = PrivacyLoss(zip(rows[0], rows[1], strict=True))
    level = loss.level(delta)
    assert level is not None
    assert loss.delta(level) <= delta
    if level > 1:
        assert loss.delta(level - (level - 1) / 1000) > delta or loss.delta(Fraction(1)) == delta
    epsilon = loss.epsilon(delta)
    assert (
        loss.delta_at(math.nextafter(epsilon, math.inf))
        <= max(float(delta), 5e-324) * (1 + 1e-9) + 1e-15
    )


@given(channels(), st.floats(0, 5))
def test_delta_at_is_rounded_up(rows: list[list[Fraction]], epsilon: float) -> None:
    loss = PrivacyLoss(zip(rows[0], rows[1], strict=True))
    near = Fraction(math.exp(epsilon))
    found = loss.delta_at(epsilon)
    # e^epsilon is within 2 ulp of the double, and delta is 1-Lipschitz in it.
    assert abs(found - float(loss.delta(max(near, Fraction(1))))) <= float(near) * 1e-15
    assert Fraction(found) >= loss.delta(near * (1 + Fraction(1, 2**50)))


def test_an_output_that_one_input_alone_gives() -> None:
    half = Fraction(1, 2)
    loss = PrivacyLoss([(half, Fraction(0)), (half, Fraction(1))])
    assert loss.ratio is None
    assert loss.infinite == half
    assert loss.epsilon(Fraction(1, 4)) == math.inf
    assert loss.level(half) == 1
    assert loss.repeated(3).infinite == Fraction(7, 8)


def test_repeated_is_together_again_and_again() -> None:
    loss = PrivacyLoss([(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))])
    assert loss.repeated(5) == loss.together(loss).together(loss.together(loss)).together(loss)
    assert loss.repeated(5).ratio == 3**5


@pytest.mark.parametrize(
    "masses",
    [
        [(Fraction(1, 2), Fraction(1))],
        [(Fraction(3, 2), Fraction(1)), (Fraction(-1, 2), Fraction(0))],
        [],
        [("a", "b")],
        ["ab"],
        [(1, math.nan)],
        [(math.inf, 1)],
        [(1, 1, 1)],
        [1],
        3,
        None,
    ],
)
def test_what_is_no_pair_of_distributions_is_refused(masses: Any) -> None:
    with pytest.raises(ParameterError, match="masses"):
        PrivacyLoss(masses)


@pytest.mark.parametrize("level", [math.nan, math.inf, -math.inf, 0.5, True, "a", None, [2]])
def test_a_level_that_is_none_has_no_delta(level: Any) -> None:
    """NaN is below no number, so every term counted as 0: a delta of 0 for what costs more."""
    loss = dominating_pair(3)
    for ask in (loss.delta, lambda given: worst_delta([loss], given, 2)):
        with pytest.raises(ParameterError, match="level"):
            ask(level)


@pytest.mark.parametrize("level", [math.e, 1.0, 2, np.float64(1.5), np.float32(1.1), np.int8(2)])
def test_delta_is_exact_at_every_level(level: Any) -> None:
    loss = dominating_pair(3)
    found = loss.delta(level)
    assert type(found) is Fraction
    row, row2 = map(list, zip(*loss.atoms, strict=True))
    assert found == by_sets(row, row2, Fraction(float(level)))


def test_arguments_are_checked() -> None:
    loss = PrivacyLoss([(Fraction(1), Fraction(1))])
    with pytest.raises(ParameterError, match="level"):
        loss.delta(Fraction(1, 2))
    with pytest.raises(ParameterError, match="epsilon"):
        loss.delta_at(-1.0)
    with pytest.raises(ParameterError, match="delta"):
        loss.epsilon(2)
    with pytest.raises(ParameterError, match="times"):
        loss.repeated(0)
