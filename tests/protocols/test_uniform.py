"""Uniform numbers and subsets: every word at a small range, rejection at the end of it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ldp_verified.protocols.uniform import distinct_numbers, uniform_below, uniform_numbers
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.seeds import word_source
from tests.registry import SAMPLER, covers


# Who is asked and what is faked; answers are drawn by `GRR` and whatever else `make` gives.
@covers(SAMPLER, "Split", "SampleOne", "SampleAmongFakes")
def test_words_beyond_the_last_multiple_are_left_out() -> None:
    """2^64 = 1 mod 3, so the last word alone is rejected."""
    last = (1 << 64) - 1
    words = ReplayWords([last, 5, last - 1, 3, 9])
    assert uniform_numbers(3, 3, words).tolist() == [2, (last - 1) % 3, 0]


@pytest.mark.parametrize("below", [1, 2, 64, 1 << 63])
def test_no_word_is_left_out_of_powers_of_two(below: int) -> None:
    words = [0, 7, (1 << 64) - 1]
    assert uniform_numbers(3, below, ReplayWords(words)).tolist() == [w % below for w in words]


def test_one_number_is_a_number() -> None:
    assert type(uniform_below(5, word_source(None, "test"))) is int


def test_subsets_are_uniform(seed: int) -> None:
    """Null: each of the 10 subsets with probability 1/10; 20,000 draws, 8 sd each."""
    source, draws = word_source(seed, "test"), 20_000
    found = [distinct_numbers(2, 5, source) for _ in range(draws)]
    for subset in combinations(range(5), 2):
        assert abs(found.count(subset) - draws / 10) < 8 * (draws * 0.09) ** 0.5
    assert set(found) == set(combinations(range(5), 2))
    assert distinct_numbers(5, 5, source) == (0, 1, 2, 3, 4)


def test_every_path_of_a_subset_counts_once() -> None:
    """For 2 of 3 numbers the words choose among 2, then among 3: six ways, each subset twice."""
    ways = [distinct_numbers(2, 3, ReplayWords([a, b])) for a in (0, 1) for b in (0, 1, 2)]
    assert sorted(ways) == sorted([(0, 1), (0, 2), (1, 2)] * 2)
    assert np.all(np.diff(ways, axis=1) > 0)
