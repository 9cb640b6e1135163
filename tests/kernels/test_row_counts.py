"""Bits by row, against counting one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.run.kernels import row_counts
from ldp_verified.run.kernels.row_counts import row_bit_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray


def drawn(n: int, height: int, k: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    shape = (n, 1 + -(-k // 64))
    data = rng.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)
    data[:, 0] %= np.uint64(height)
    return data


def one_by_one(data: NDArray[np.uint64], height: int, k: int) -> list[list[int]]:
    counts = [[0] * k for _ in range(height)]
    for row, *words in data.tolist():
        for v in range(k):
            counts[row][v] += words[v // 64] >> (v % 64) & 1
    return counts


@pytest.mark.parametrize("pure", [0, 1 << 40])
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 9, 300])
@pytest.mark.parametrize(("height", "k"), [(1, 1), (2, 64), (5, 130), (40, 70)])
def test_bits_by_row(
    pure: int,
    n: int,
    height: int,
    k: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(row_counts, "PURE_BLOCKS", pure)
    monkeypatch.setattr(row_counts, "CHUNK", 100)
    data = drawn(n, height, k, rng)
    found = row_bit_counts(data, height, k)
    assert found.dtype == np.int64
    assert found.tolist() == one_by_one(data, height, k)


@pytest.mark.parametrize("n", [251, 252, 253, 255, 256, 257, 504, 1000])
def test_full_counters_do_not_overflow(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All bits set, around the numbers of reports after which the planes are read out."""
    monkeypatch.setattr(row_counts, "PURE_BLOCKS", 0)
    data = np.full((2 * n, 3), 2**64 - 1, dtype=np.uint64)
    data[:, 0] = np.arange(2 * n) % 2
    assert row_bit_counts(data, 3, 128).tolist() == [[n] * 128, [n] * 128, [0] * 128]


def test_strided_and_read_only_reports_are_taken(rng: np.random.Generator) -> None:
    data = drawn(10_000, 8, 128, rng)
    expected = row_bit_counts(data[::2].copy(), 8, 128)
    data.flags.writeable = False
    np.testing.assert_array_equal(row_bit_counts(data[::2], 8, 128), expected)
