"""Independent bits: exact distributions at narrow widths, and the layout of packed bits."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.bernoulli import bernoulli_blocks, bernoulli_sampler, randomize_bits
from ldp_verified.run.kernels.seeds import word_source
from tests.registry import SAMPLER, covers


@covers(  # bit by bit, in both of their steps; which bits get which chance: `test_certain_answers`
    SAMPLER, "LSUE", "LOSUE", "LOUE", "LSOUE", "DBitFlip", "Rappor", "SampleAmongFakeBits"
)
@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize("width,lanes", [(1, 2), (3, 1), (3, 2), (4, 2)])
def test_every_block_has_its_probability(width: int, lanes: int, machine_code: bool) -> None:
    for threshold in range(1, 2**width):
        sampler = bernoulli_sampler(threshold, width, lanes)
        law = exact_distribution(sampler, 0, width, machine_code=machine_code)
        p = Fraction(threshold, 2**width)
        assert law.unresolved == 0
        for block in range(2**lanes):
            ones = block.bit_count()
            assert law.probabilities.get((block,), 0) == p**ones * (1 - p) ** (lanes - ones)


def test_a_shifted_threshold_is_seen() -> None:
    law = exact_distribution(bernoulli_sampler(4, 3, 1), 0, 3)
    assert law.probabilities[(1,)] != Fraction(5, 8)


@pytest.mark.parametrize("bits", [1, 63, 64, 65, 130])
def test_certain_answers(bits: int) -> None:
    blocks = -(-bits // 64)
    encoded = np.zeros((3, blocks), dtype=np.uint64)
    encoded[1, 0] = 1
    source = word_source(None, "test")
    assert np.array_equal(randomize_bits(encoded, bits, 2**64, 0, source), encoded)
    flipped = randomize_bits(encoded, bits, 0, 2**64, source)
    for row, answer in zip(encoded.tolist(), flipped.tolist(), strict=True):
        numbers = [sum(word << 64 * i for i, word in enumerate(each)) for each in (row, answer)]
        assert numbers[0] ^ numbers[1] == 2**bits - 1


def test_bits_are_randomized_by_what_they_were(seed: int) -> None:
    """Null: P(1|1) = 3/4 and P(1|0) = 1/8; 10 standard deviations of 64 x 20,000 bits each way."""
    ones = np.uint64(0x00FF00FF00FF00FF)
    encoded = np.full((20_000, 1), ones)
    answers = randomize_bits(encoded, 64, 3 << 62, 1 << 61, word_source(seed, "test"))[:, 0]
    for mask, p in ((ones, 0.75), (~ones, 0.125)):
        found = int(np.bitwise_count(answers & mask).sum())
        n = 20_000 * 32
        assert abs(found - n * p) < 10 * (n * p * (1 - p)) ** 0.5


def test_ends_need_no_words() -> None:
    assert bernoulli_blocks(2, 0, word_source(None, "test")).tolist() == [0, 0]
    assert bernoulli_blocks(2, 8, word_source(None, "test"), 3).tolist() == [2**64 - 1] * 2


@pytest.mark.parametrize("threshold", [-1, 9])
def test_thresholds_are_checked(threshold: int) -> None:
    with pytest.raises(ParameterError, match="threshold"):
        bernoulli_blocks(1, threshold, word_source(None, "test"), 3)


@pytest.mark.parametrize(
    "encoded",
    [np.zeros(2, np.uint64), np.zeros((2, 2), np.uint64), np.full((1, 1), 16, np.uint64)],
)
def test_what_is_no_encoding_is_refused(
    encoded: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
) -> None:
    with pytest.raises(DomainError, match="encoded"):
        randomize_bits(encoded, 4, 1, 1, word_source(None, "test"))


def test_lanes_are_independent() -> None:
    """Two lanes of one block: the joint law is the product of what each has."""
    law = exact_distribution(bernoulli_sampler(3, 3, 2), 0, 3)
    marginal = [
        sum(p for block, p in law.probabilities.items() if block[0] >> lane & 1)
        for lane in range(2)
    ]
    for bits in product((0, 1), repeat=2):
        chances = [m if bit else 1 - m for m, bit in zip(marginal, bits, strict=True)]
        assert law.probabilities[(bits[0] | bits[1] << 1,)] == chances[0] * chances[1]
