"""Bits of permanent answers: their exact law, and that they are what they always were."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.bernoulli import bernoulli_blocks, randomize_bits
from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.keyed import KeyedWords
from ldp_verified.run.kernels.permanent_bits import permanent_blocks, permanent_sampler
from tests.registry import SAMPLER, covers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.kernels.draw import Sampler

THRESHOLDS = (1, 3 << 30, 1 << 57, 12345678901234567890, 2**63, 2**64 - 1, 0x44DBE0EE94A5C1B7)
SIZES = (2, 63, 64, 65, 1000, 40000)
# Both digests were taken from the code of 0.2.0.dev3, which drew permanent answers as others.
ONE_HOT = "c42f53dea8e9a93d8640e28546f2d15580844ed419cad3544c19b5fdcbc44edf"
RANDOMIZED = "639c061f78f0924d94baf28cbbe5e2484f0400d9a48a3c3be053cc2a42ab0704"


def words(k: int, one: int, zero: int) -> KeyedWords:
    return KeyedWords(bytes(range(32)), f"{k}:{one}:{zero}".encode(), simulated=True)


def one_hot_digest(made: Callable[[int, int, int], Sampler]) -> str:
    found = hashlib.sha256()
    for k, one, zero in product(SIZES, THRESHOLDS, THRESHOLDS):
        report = made(k, one, zero).draw(np.array([k - 1]), words(k, one, zero))
        found.update(report.astype("<u8").tobytes())
    return found.hexdigest()


def randomized_digest(blocks_of: Callable[..., np.ndarray]) -> str:
    found = hashlib.sha256()
    levels = (0, *THRESHOLDS, 2**64)
    for k, one, zero in product(SIZES, levels, levels):
        encoded = np.zeros((1, -(-k // 64)), dtype=np.uint64)
        encoded[0, 0] = 1
        report = randomize_bits(encoded, k, one, zero, words(k, one, zero), 64, blocks_of)
        found.update(report.astype("<u8").tobytes())
    return found.hexdigest()


def test_the_same_key_gives_the_same_answer_forever() -> None:
    assert one_hot_digest(permanent_sampler) == ONE_HOT
    assert randomized_digest(permanent_blocks) == RANDOMIZED


def test_another_way_to_read_the_words_is_seen() -> None:
    """Other samplers have the same law, and would give each client a second answer."""
    assert one_hot_digest(one_hot_sampler) != ONE_HOT
    assert randomized_digest(bernoulli_blocks) != RANDOMIZED


@covers(SAMPLER, "LSUE", "LOSUE", "LOUE", "LSOUE", "DBitFlip", "Rappor")
@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize("width,lanes", [(1, 2), (3, 1), (3, 2), (4, 2)])
def test_every_block_has_its_probability(width: int, lanes: int, machine_code: bool) -> None:
    for threshold in range(1, 2**width):
        sampler = permanent_sampler(lanes, None, threshold, width, lanes)
        law = exact_distribution(sampler, 0, width, machine_code=machine_code)
        p = Fraction(threshold, 2**width)
        assert law.unresolved == 0
        for block in range(2**lanes):
            ones = block.bit_count()
            assert law.probabilities.get((block,), 0) == p**ones * (1 - p) ** (lanes - ones)


@covers(SAMPLER, "LSUE", "LOSUE", "LOUE", "LSOUE")
@pytest.mark.parametrize("machine_code", [False, True])
def test_the_own_bit_has_its_own_probability(machine_code: bool) -> None:
    for one, zero, value in product((1, 2, 3), (1, 2, 3), range(3)):
        sampler = permanent_sampler(3, one, zero, 2, 2)
        law = exact_distribution(sampler, value, 5, machine_code=machine_code)
        assert law.unresolved == 0
        for report in product((0, 1), repeat=3):
            expected = Fraction(1)
            for place, bit in enumerate(report):
                p = Fraction(one if place == value else zero, 4)
                expected *= p if bit else 1 - p
            cells = (report[0] | report[1] << 1, report[2])
            assert law.probabilities.get(cells, 0) == expected


def test_a_shifted_threshold_is_seen() -> None:
    law = exact_distribution(permanent_sampler(1, None, 4, 3, 1), 0, 3)
    assert law.probabilities[(1,)] != Fraction(5, 8)


@pytest.mark.parametrize(
    ("one", "zero", "width", "lanes"),
    [(0, 1, 3, 2), (8, 1, 3, 2), (1, 0, 3, 2), (1, 8, 3, 2), (1, 1, 65, 2), (1, 1, 3, 0)],
)
def test_numbers_out_of_range_are_refused(one: int, zero: int, width: int, lanes: int) -> None:
    with pytest.raises(ParameterError):
        permanent_sampler(3, one, zero, width, lanes)


@pytest.mark.parametrize("threshold", [-1, 9])
def test_a_threshold_out_of_range_is_refused(threshold: int) -> None:
    with pytest.raises(ParameterError):
        permanent_blocks(1, threshold, words(1, 1, 1), 3)


def test_certain_bits_need_no_words() -> None:
    source = words(1, 1, 1)
    assert permanent_blocks(2, 0, source).tolist() == [0, 0]
    assert permanent_blocks(2, 8, source, 3).tolist() == [2**64 - 1] * 2
    assert source.words(1).tolist() == words(1, 1, 1).words(1).tolist()
