"""Reports as bits: every width, no reports, numbers out of range."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate.packing import Field, PackedShape, numbers_shape

WORDS = np.dtype(np.uint64)


@pytest.mark.parametrize("below", [1, 2, 3, 256, 257, 2**32, 2**62, 2**64 - 1, 2**64])
def test_numbers_of_every_width_come_back(below: int) -> None:
    shape = numbers_shape(below, WORDS)
    numbers = np.array(sorted({0, below // 2, below - 1}), np.uint64)
    bits = shape.to_bits(numbers)
    assert bits.shape == (len(numbers), (below - 1).bit_length())
    assert [sum(int(b) << i for i, b in enumerate(row)) for row in bits] == numbers.tolist()
    assert shape.of_bits(bits).tolist() == numbers.tolist()


@pytest.mark.parametrize("times", [1, 63, 64, 65, 130])
def test_packed_words_come_back(times: int, seed: int) -> None:
    shape = PackedShape((Field(1, 5), Field(times, 2, packed=True), Field(2, 1000)), WORDS)
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (7, shape.bits)).astype(np.uint8)
    bits[:, 2] = 0  # a number below 4
    bits[:, -1] = bits[:, -11] = 0  # numbers below 512
    data = shape.of_bits(bits)
    assert data.shape == (7, 1 + -(-times // 64) + 2)
    assert np.array_equal(shape.to_bits(data), bits)


def test_no_reports_are_no_bits() -> None:
    for shape in (
        numbers_shape(50, WORDS),
        PackedShape((Field(3, 1), Field(70, 2, packed=True)), WORDS),
    ):
        nothing = shape.of_bits(np.empty((0, shape.bits), np.uint8))
        assert len(nothing) == 0
        assert shape.to_bits(nothing).shape == (0, shape.bits)


def test_numbers_out_of_range_are_refused() -> None:
    shape = PackedShape((Field(2, 5),), WORDS)
    bits = np.zeros((1, 6), np.uint8)
    assert shape.of_bits(bits).tolist() == [[0, 0]]
    bits[0, 3], bits[0, 5] = 1, 1
    with pytest.raises(ReportError, match="below 5"):
        shape.of_bits(bits)
