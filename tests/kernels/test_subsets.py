"""Subsets at full width: layout, limits, and machine code against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.subsets import subset, subset_sampler


@pytest.mark.parametrize(
    ("k", "omega"), [(2, 1), (64, 1), (64, 63), (65, 64), (100, 27), (200, 199), (1000, 5)]
)
def test_sets_have_their_size_and_truths_the_value(
    k: int, omega: int, rng: np.random.Generator
) -> None:
    """At the least threshold: the own value is left out with probability 2^-64 a report."""
    values = rng.integers(0, k, size=300)
    reports = subset(values, k, omega, 1, word_source(None, "test"))
    assert reports.shape == (300, -(-k // 64))
    assert reports.dtype == np.uint64
    bits = np.unpackbits(reports.view(np.uint8), axis=1, bitorder="little")
    assert (bits.sum(axis=1) == omega).all()
    assert not bits[:, k:].any()
    assert bits[np.arange(300), values].all()


@pytest.mark.parametrize(("k", "omega"), [(5, 2), (70, 69), (130, 40)])
def test_lies_leave_the_value_out(k: int, omega: int, rng: np.random.Generator) -> None:
    values = rng.integers(0, k, size=300)
    reports = subset(values, k, omega, 2**64 - 1, word_source(None, "test"))
    bits = np.unpackbits(reports.view(np.uint8), axis=1, bitorder="little")
    assert (bits.sum(axis=1) == omega).all()
    assert not bits[np.arange(300), values].any()


@pytest.mark.parametrize(("k", "omega"), [(2, 1), (65, 64), (100, 27)])
def test_machine_code_draws_what_python_draws(k: int, omega: int) -> None:
    values = np.arange(3000) % k
    many = subset(values, k, omega, 2**62, word_source(11, "test"))
    few = subset(values[:3], k, omega, 2**62, word_source(11, "test"))
    np.testing.assert_array_equal(many[:3], few)


@pytest.mark.parametrize(
    ("k", "omega", "deny", "width", "argument"),
    [
        (1, 1, 1, 64, "k"),
        (17, 1, 1, 4, "k"),
        (5, 0, 1, 64, "omega"),
        (5, 5, 1, 64, "omega"),
        (5, 2, 0, 64, "deny"),
        (5, 2, 16, 4, "deny"),
        (5, 2, 1, 65, "width"),
    ],
)
def test_numbers_out_of_range_are_refused(
    k: int, omega: int, deny: int, width: int, argument: str
) -> None:
    with pytest.raises(ParameterError, match=argument):
        subset_sampler(k, omega, deny, width)


def test_values_out_of_range_are_refused() -> None:
    with pytest.raises(DomainError):
        subset(np.array([5]), 5, 2, 1, word_source(1, "test"))


@pytest.mark.parametrize(("k", "omega"), [(1024, 275), (200, 150)])
def test_others_are_in_equally_often_and_with_the_spread_of_a_sample(
    k: int, omega: int, seed: int
) -> None:
    """Null: uniform sets that hold value 0; 20,000 reports, 8 standard deviations for each number.

    A value that is in a fifth more or less often is 17 of them off at these sizes or more.
    """
    n, others, drawn = 20_000, k - 1, omega - 1
    reports = subset(np.zeros(n, dtype=np.int64), k, omega, 1, word_source(seed, "test"))
    bits = np.unpackbits(reports.view(np.uint8), axis=1, bitorder="little")[:, 1:k]
    p = drawn / others
    assert np.all(abs(bits.sum(axis=0) - n * p) < 8 * np.sqrt(n * p * (1 - p)))
    half = others // 2
    share = half / others
    variance = drawn * share * (1 - share) * (others - drawn) / (others - 1)
    squares = (bits[:, :half].sum(axis=1, dtype=np.int64) - drawn * share) ** 2 / variance
    assert abs(float(squares.sum()) - n) < 8 * np.sqrt(2 * n)


@pytest.mark.parametrize("share", [(0, -1), (2, 1), (-1, 2), (1, 0)])
def test_shares_beyond_one_are_refused(share: tuple[int, int]) -> None:
    with pytest.raises(ParameterError, match="share"):
        subset_sampler(5, 2, 3, 3, share=share)


@pytest.mark.parametrize("lanes", [0, 3, 65, 128])
def test_lanes_are_powers_of_two(lanes: int) -> None:
    with pytest.raises(ParameterError, match="lanes"):
        subset_sampler(5, 2, 3, 3, lanes=lanes)
