"""Numbered hash functions at full width: limits, and machine code against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.cohorts import cohort_hash, cohort_hash_sampler, coordinates, is_prime
from ldp_verified.run.kernels.family import evaluate
from ldp_verified.run.kernels.seeds import word_source

SIZES = [(2, 2), (1000, 3), (100, 23), (10**6, 5), (4000, 4093)]


@pytest.mark.parametrize(("k", "g"), SIZES)
@pytest.mark.parametrize("count", [3, 3000])
def test_without_lies_the_bucket_is_the_hash_of_the_digit_family(
    k: int, g: int, count: int, rng: np.random.Generator
) -> None:
    """The least threshold: a lie has probability g 2^-64 a report."""
    values = rng.integers(0, k, size=count)
    reports = cohort_hash(values, k, g, 1, word_source(None, "test")).astype(np.int64)
    m = coordinates(k, g)
    assert int(reports.max()) < g ** (m + 1)
    functions = reports[:, np.newaxis] // g // g ** np.arange(m) % g
    np.testing.assert_array_equal(evaluate(functions, values, g), reports % g)


@pytest.mark.parametrize(("k", "g"), SIZES)
def test_machine_code_draws_what_python_draws(k: int, g: int, rng: np.random.Generator) -> None:
    values = rng.integers(0, k, size=4000)
    lie = 2**63 // g
    many = cohort_hash(values, k, g, lie, word_source(4, "test"))
    np.testing.assert_array_equal(
        many[:5], cohort_hash(values[:5], k, g, lie, word_source(4, "test"))
    )


def test_primes() -> None:
    assert [p for p in range(-1, 30) if is_prime(p)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


@pytest.mark.parametrize(
    ("k", "g", "lie", "width", "argument"),
    [
        (1, 2, 1, 64, "k"),
        (5, 4, 1, 64, "g"),
        (10**6, 101, 1, 64, "k"),
        (5, 2, 0, 64, "lie"),
        (5, 2, 9, 4, "lie"),
        (100, 2, 1, 4, "functions"),
        (5, 2, 1, 65, "width"),
    ],
)
def test_numbers_out_of_range_are_refused(
    k: int, g: int, lie: int, width: int, argument: str
) -> None:
    with pytest.raises(ParameterError, match=argument):
        cohort_hash_sampler(k, g, lie, width)
