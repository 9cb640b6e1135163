"""The kernels in NumPy: the words, the reports and the number of words read of the Python ones."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.run.kernels.bernoulli import bernoulli_sampler
from ldp_verified.run.kernels.bits import bits_sampler, one_hot_sampler
from ldp_verified.run.kernels.grr import grr_sampler
from ldp_verified.run.kernels.sketch_reports import coefficients, sketch_bits_sampler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.kernels.draw import Sampler

MOST_WORDS = 1 << 12

SMALL = {
    "grr": grr_sampler(3, 1, 2),
    "grr, all words lie": grr_sampler(4, 1, 2),
    "one block": one_hot_sampler(2, 3, 1, width=2, lanes=2),
    "a block that is not full": one_hot_sampler(3, 3, 1, width=2, lanes=2),
    "three blocks": one_hot_sampler(3, 1, 3, width=2, lanes=1),
    "a threshold that ends early": one_hot_sampler(3, 1, 2, width=2, lanes=2),
    "three lanes": one_hot_sampler(4, 3, 1, width=2, lanes=3),
    "a sketch": sketch_bits_sampler(3, 3, coefficients(3, 3, None, 0), 3, 1, 2, 2),
    "bernoulli": bernoulli_sampler(1, width=2, lanes=2),
    "bernoulli of one lane": bernoulli_sampler(3, width=3, lanes=1),
}

LARGE = {
    "grr": grr_sampler(1000, 2**64 // 1100),
    "grr at its limit": grr_sampler(2, 2**63),
    "64 bits": one_hot_sampler(64, 1 << 62, 12345678901234567),
    "65 bits": one_hot_sampler(65, 7, 2**64 - 1),
    "200 bits": one_hot_sampler(200, 1 << 62, 1 << 50),
    "blocks": bits_sampler(64, 12345 << 40),
    "a sketch": sketch_bits_sampler(
        200, 256, coefficients(200, 256, 5, 1), 1 << 63, 0x44DBE0EE94A5C1B7
    ),
    "narrow words": one_hot_sampler(130, 1 << 9, 123, width=10, lanes=16),
    "bernoulli": bernoulli_sampler(12345 << 40),
}


def assert_same(sampler: Sampler, values: Sequence[int], words: Sequence[int]) -> None:
    """Run both forms; what is not done may hold anything."""
    assert sampler.vectorised is not None
    slots = [0] * (len(values) * sampler.columns)
    done, used = sampler.fill(list(values), slots, list(words), *sampler.constants)
    out = np.zeros(len(slots), dtype=sampler.dtype)
    found = sampler.vectorised(
        np.array(values, dtype=np.int64), out, np.array(words, dtype=np.uint64), *sampler.arrays
    )
    assert found == (done, used)
    assert out[: done * sampler.columns].tolist() == slots[: done * sampler.columns]


@pytest.mark.parametrize("name", SMALL)
def test_all_words_at_small_widths(name: str) -> None:
    sampler = SMALL[name]
    every = range(1 << sampler.word_bits)
    lengths = [m for m in range(9) if len(every) ** m <= MOST_WORDS]
    assert lengths[-1] >= 4
    for length in lengths:
        for words in product(every, repeat=length):
            for values in ([0], [sampler.inputs - 1, 0, sampler.inputs // 2]):
                assert_same(sampler, values, words)


@pytest.mark.parametrize("name", LARGE)
def test_drawn_words_at_full_width(name: str, seed: int) -> None:
    sampler, rng = LARGE[name], np.random.default_rng(seed)
    shift = np.uint64(64 - sampler.word_bits)
    for users, words in product((1, 3, 50, 999), (0, 1, 20, 500, 9000)):
        read = rng.integers(0, 2**64, words, dtype=np.uint64) >> shift
        assert_same(sampler, rng.integers(0, sampler.inputs, users).tolist(), read.tolist())


@pytest.mark.parametrize("name", LARGE)
def test_words_at_the_thresholds(name: str) -> None:
    sampler = LARGE[name]
    ends = [cut + more for cut in sampler.cuts for more in (-1, 0, 1)]
    words = [word for word in ends if 0 <= word < 1 << sampler.word_bits] * 20
    assert_same(sampler, [0, sampler.inputs - 1] * 30, words)
