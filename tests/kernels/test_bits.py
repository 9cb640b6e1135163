"""One-hot bits: layout and limits; the distribution is tests/conformance's part."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.bits import one_hot_bits
from ldp_verified.run.kernels.seeds import word_source

ALMOST = 2**64 - 1


@pytest.mark.parametrize("k", [2, 63, 64, 65, 128, 1000])
def test_the_own_bit_is_where_it_should_be(k: int) -> None:
    """Nearly without noise: an own bit 0 or another bit 1 has probability k 2^-64 a report."""
    values = np.arange(k)
    reports = one_hot_bits(values, k, ALMOST, 1, word_source(None, "test"))
    assert reports.dtype == np.uint64
    assert reports.shape == (k, -(-k // 64))
    for v, report in enumerate(reports.tolist()):
        assert sum(word << (64 * i) for i, word in enumerate(report)) == 1 << v


@pytest.mark.parametrize("k", [2, 63, 65, 100])
def test_padding_bits_are_zero(k: int) -> None:
    """Nearly all noise: every bit but the own one is 1, the padding included if it were drawn."""
    reports = one_hot_bits(np.zeros(3000, dtype=int), k, 1, ALMOST, word_source(None, "test"))
    for report in reports.tolist():
        assert sum(word << (64 * i) for i, word in enumerate(report)) == (1 << k) - 2


@pytest.mark.parametrize(
    ("k", "one", "zero", "lanes", "message"),
    [
        (1, 1, 1, 64, "k: must be an integer >= 2, got 1"),
        (3, 0, 1, 64, "one: must be in 1..255, got 0"),
        (3, 256, 1, 64, "one: must be in 1..255, got 256"),
        (3, 1, 0, 64, "zero: must be in 1..255, got 0"),
        (3, 1, 256, 64, "zero: must be in 1..255, got 256"),
        (3, 1, 1, 0, "lanes: must be in 1..64, got 0"),
        (3, 1, 1, 65, "lanes: must be in 1..64, got 65"),
    ],
)
def test_parameters_out_of_range_are_refused(
    k: int, one: int, zero: int, lanes: int, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        one_hot_bits(np.array([0]), k, one, zero, word_source(1, "test"), 8, lanes)
