"""Rounding to a grid is exact in the mean."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.rounding import UNIT, round_to_grid, scaled
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


def test_a_large_batch_stays_on_the_grid() -> None:
    positions = np.random.default_rng(2).integers(0, UNIT + 1, 100_000)
    found = round_to_grid(positions, 1000, word_source(3, "test"))
    assert np.abs(found - positions * 1000 / UNIT).max() < 1 + 1e-9
