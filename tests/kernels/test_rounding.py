"""Rounding to a grid is exact in the mean."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.run.kernels import rounding
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.rounding import (
    UNIT,
    outside,
    positions_between,
    round_to_grid,
    scaled,
)
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
    both = round_to_grid(np.array([position] * 2), m, ReplayWords([word] * 2)).tolist()
    assert both == [alone, alone]


def test_numbers_that_another_thread_puts_out_of_bounds_stay_on_the_grid() -> None:
    """Planted: what was looked at is not what is rounded."""
    for number in (-5.0, 7.0, 1e300, -1e300, np.inf, np.nan):
        numbers = np.full(rounding.PURE_NUMBERS + 1, number)
        found = rounding.numbers_to_grid(numbers, 0.0, 1.0, 10, word_source(3, "test"))
        assert 0 <= found.min() <= found.max() <= 10


def test_a_large_batch_stays_on_the_grid() -> None:
    positions = np.random.default_rng(2).integers(0, UNIT + 1, 100_000)
    found = round_to_grid(positions, 1000, word_source(3, "test"))
    assert np.abs(found - positions * 1000 / UNIT).max() < 1 + 1e-9


@pytest.mark.parametrize("m", [1, 512, 4096, 2**32])
def test_machine_code_rounds_as_numpy_does(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ties of the nearest position, both ends and more than one block among them."""
    low, high = -3.0, 10.0
    made = np.random.default_rng(4).uniform(low, high, 70_000)
    made[:4] = low, high, low + 2.0**-51, 0.0
    halves = (np.arange(3000) + 0.5) / UNIT
    for numbers, ends in ((made, (low, high)), (halves, (0.0, 1.0))):
        fast = rounding.numbers_to_grid(numbers, *ends, m, word_source(5, "test"))
        with monkeypatch.context() as patch:
            patch.setattr(rounding, "machine_code", lambda: False)
            plain = rounding.numbers_to_grid(numbers, *ends, m, word_source(5, "test"))
        assert fast.tolist() == plain.tolist()


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 1e-140), (-1e139, 3e139), (0.1, 0.3)])
def test_positions_are_the_nearest(low: float, high: float) -> None:
    """Half goes to even, as `np.rint` and Python have it."""
    numbers = np.random.default_rng(6).uniform(low, high, 2000)
    numbers[:2] = low, high
    numbers = np.clip(numbers, low, high)
    found = positions_between(numbers, low, high).tolist()
    assert found == [round((x - low) / (high - low) * UNIT) for x in numbers.tolist()]
    assert found[:2] == [0, UNIT]
    halves = (np.arange(100) + 0.5) / UNIT
    assert positions_between(halves, 0.0, 1.0).tolist() == [
        round(each + 0.5) for each in range(100)
    ]


def test_numbers_outside_are_found() -> None:
    numbers = np.array([0.0, 1.0, 0.5])
    assert outside(numbers, 0.0, 1.0) is None
    assert outside(numbers[:0], 0.0, 1.0) is None
    for wrong in (-1e-300, 1.0000000000000002, float("nan"), float("inf")):
        numbers[1] = wrong
        assert outside(numbers, 0.0, 1.0) == 1


def test_a_given_buffer_is_erased() -> None:
    buffer = np.ones(10, dtype=np.uint64)
    numbers = np.linspace(0, 1, 25)
    source = word_source(3, "test")
    found = rounding.numbers_to_grid(numbers, 0.0, 1.0, 7, source, buffer=buffer)
    again = rounding.numbers_to_grid(numbers, 0.0, 1.0, 7, word_source(3, "test"))
    assert found.tolist() == again.tolist()
    assert not buffer.any()
