"""Rounding to a grid is exact in the mean."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.rounding import UNIT, positions_between, round_to_grid, scaled
from ldp_verified.run.kernels.seeds import word_source


@given(st.integers(0, UNIT), st.integers(1, 2**32))
def test_quotient_and_remainder_are_exact(position: int, m: int) -> None:
    whole, rest = scaled(np.array([position]), m)
    assert int(whole[0]) * UNIT + int(rest[0]) == position * m
    assert 0 <= rest[0] < UNIT


@pytest.mark.parametrize("m", [1, 3, 7, 2**32])
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 3), Fraction(5, 8), Fraction(1)])
def test_the_next_step_is_taken_on_exactly_the_right_share_of_words(
    share: Fraction, m: int
) -> None:
    position = round(share * UNIT)
    whole, rest = divmod(position * m, UNIT)
    # Words are compared by their top 52 bits: the last one that goes up, and the first that stays.
    below = (max(rest - 1, 0) << 12) | 0xFFF
    found = round_to_grid(np.array([position] * 2), m, ReplayWords([below, rest << 12]))
    assert found.tolist() == [whole + (rest > 0), whole]


@given(st.integers(0, UNIT), st.integers(1, 2**32), st.integers(0, 2**64 - 1))
def test_one_position_goes_where_it_goes_among_others(position: int, m: int, word: int) -> None:
    (alone,) = round_to_grid(np.array([position]), m, ReplayWords([word])).tolist()
    assert round_to_grid(np.array([position] * 2), m, ReplayWords([word] * 2)).tolist() == [
        alone,
        alone,
    ]


ENDS = st.tuples(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100)).filter(lambda e: e[0] < e[1])


@given(ENDS, st.floats(0, 1))
def test_positions_are_shares_of_the_interval(ends: tuple[float, float], share: float) -> None:
    """Ends included: no rounding leads beyond them."""
    low, high = ends
    number = min(max(low + share * (high - low), low), high)
    found = positions_between(np.array([low, number, high]), low, high).tolist()
    assert found[0] == 0
    assert 0 <= found[1] <= UNIT
    assert found[2] == UNIT
    exact = (Fraction(number) - Fraction(low)) / (Fraction(high) - Fraction(low)) * UNIT
    assert abs(found[1] - exact) <= 4


def test_a_large_batch_stays_on_the_grid() -> None:
    positions = np.random.default_rng(2).integers(0, UNIT + 1, 100_000)
    found = round_to_grid(positions, 1000, word_source(3, "test"))
    assert np.abs(found - positions * 1000 / UNIT).max() < 1 + 1e-9
