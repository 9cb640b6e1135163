"""Division by estimate and correction: exact for each word that it is meant for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.division import MOST_QUOTIENTS, reciprocal


def two_steps(word: int, divisor: int, quotients: int) -> int:
    inverse, fine, shift = reciprocal(divisor, quotients)
    product = (word >> fine) * inverse
    assert product < 1 << 64
    estimate = product >> shift
    assert estimate * divisor <= word, "unsigned words cannot hold what is below zero"
    return estimate + (word - estimate * divisor >= divisor)


def test_all_small_words() -> None:
    for divisor in range(1, 40):
        for quotients in range(1, 40):
            for word in range(divisor * quotients):
                assert two_steps(word, divisor, quotients) == word // divisor


@given(st.data())
def test_words_next_to_a_multiple(data: st.DataObject) -> None:
    quotients = data.draw(st.one_of(st.integers(1, MOST_QUOTIENTS), st.just(MOST_QUOTIENTS)))
    largest = (1 << 64) // quotients
    divisor = data.draw(
        st.one_of(st.just(largest), st.integers(0, 64).map(lambda i: max(1, largest >> i)))
        | st.integers(1, largest)
    )
    quotient = data.draw(st.one_of(st.just(quotients - 1), st.integers(0, quotients - 1)))
    rest = data.draw(st.one_of(st.sampled_from([0, divisor - 1]), st.integers(0, divisor - 1)))
    word = quotient * divisor + rest
    assert two_steps(word, divisor, quotients) == quotient


@pytest.mark.parametrize(
    ("divisor", "quotients", "message"),
    [
        (0, 5, "divisor: must be in 1"),
        (5, 0, "quotients: must be in 1..268435456, got 0"),
        (5, MOST_QUOTIENTS + 1, "quotients: must be in 1..268435456, got 268435457"),
    ],
)
def test_constants_out_of_range_are_refused(divisor: int, quotients: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        reciprocal(divisor, quotients)
