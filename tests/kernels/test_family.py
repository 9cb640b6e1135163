"""The hash family is exactly balanced: proved by listing all its functions, for small g and k."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.family import digit_base, digit_count, evaluate
from tests.conformance import tables

SMALL = range(2, 9)


def all_functions(g: int, digits: int) -> list[tuple[int, ...]]:
    return list(itertools.product(range(g), repeat=digits))


@pytest.mark.parametrize("g", SMALL)
@pytest.mark.parametrize("k", SMALL)
def test_two_values_collide_in_exactly_one_function_of_g(k: int, g: int) -> None:
    """And a value other than 0 is in each bucket equally often (0 is always in bucket 0)."""
    functions = all_functions(g, digit_count(k, g))
    buckets = evaluate(np.array(functions)[:, None, :], np.arange(k), g)
    assert buckets.shape == (len(functions), k)
    for x, other in itertools.combinations(range(k), 2):
        collisions = int(np.count_nonzero(buckets[:, x] == buckets[:, other]))
        assert collisions * g == len(functions)
    for x in range(1, k):
        counts = Counter(buckets[:, x].tolist())
        assert counts == dict.fromkeys(range(g), len(functions) // g)
    assert not buckets[:, 0].any()


@pytest.mark.parametrize("g", SMALL)
@pytest.mark.parametrize("k", SMALL)
def test_buckets_are_those_of_the_definition(k: int, g: int) -> None:
    digits = tables.digit_count(k, g)
    assert digit_count(k, g) == digits
    for function in all_functions(g, digits):
        expected = [tables.bucket(function, x, g) for x in range(k)]
        assert evaluate(np.array(function), np.arange(k), g).tolist() == expected


def test_a_composite_base_would_not_be_balanced() -> None:
    """The base must be the smallest prime factor: with another one the check above fails."""
    functions = all_functions(4, 2)
    collisions = sum(tables.bucket(a, 0, 4, 4) == tables.bucket(a, 2, 4, 4) for a in functions)
    assert collisions * 4 != len(functions)


def test_the_base_is_the_smallest_prime_factor() -> None:
    for g in [*range(2, 2000), 65521, 65535, 65536, 251**2]:
        assert digit_base(g) == tables.smallest_prime_factor(g)


@pytest.mark.parametrize(
    ("k", "g", "digits"), [(2, 2, 1), (3, 2, 2), (4, 4, 2), (1024, 4, 10), (2**31, 2, 31)]
)
def test_digit_counts(k: int, g: int, digits: int) -> None:
    assert digit_count(k, g) == digits


def test_evaluation_broadcasts() -> None:
    functions = np.array([[1, 2], [0, 3]], dtype=np.uint8)
    assert evaluate(functions, np.array([3, 1]), 4).tolist() == [3, 0]
    assert evaluate(functions, np.array(2), 4).tolist() == [2, 3]
    assert evaluate(functions[:, None], np.arange(4), 4).tolist() == [[0, 1, 2, 3], [0, 0, 3, 3]]


@pytest.mark.parametrize(("k", "g"), [(1, 2), (2**31 + 1, 2), (2, 1), (2, 65537)])
def test_parameters_out_of_range_are_refused(k: int, g: int) -> None:
    with pytest.raises(ParameterError, match="must be in 2"):
        digit_count(k, g)
