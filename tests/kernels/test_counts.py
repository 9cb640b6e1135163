"""Counts of values and of bits, against counting one by one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.kernels import counts
from ldp_verified.run.kernels.counts import bit_counts, ones, value_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray


@pytest.mark.parametrize("pure", [0, 1 << 40])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 4099])
@pytest.mark.parametrize(
    ("k", "dtype"), [(1, "u1"), (256, "u1"), (300, "u2"), (300, "i8"), (20_000, "u4")]
)
def test_value_counts(
    k: int,
    dtype: str,
    count: int,
    pure: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counts, "PURE_REPORTS", pure)
    outputs = rng.integers(0, k, size=count).astype(dtype)
    expected = Counter(outputs.tolist())
    found = value_counts(outputs, k)
    assert found.dtype == np.int64
    assert found.tolist() == [expected[v] for v in range(k)]


def by_lanes(packed: NDArray[np.uint64], k: int) -> list[int]:
    totals = [0] * k
    for row in packed.tolist():
        report = sum(word << (64 * i) for i, word in enumerate(row))
        for v in range(k):
            totals[v] += report >> v & 1
    return totals


@pytest.mark.parametrize("pure", [0, 1 << 40])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 100])
@pytest.mark.parametrize("k", [1, 63, 64, 65, 200, 1100])
def test_bit_counts(
    k: int, count: int, pure: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "PURE_BLOCKS", pure)
    shape = (count, -(-k // 64))
    packed = rng.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)
    found = bit_counts(packed, k)
    assert found.dtype == np.int64
    assert found.tolist() == by_lanes(packed, k)


@pytest.mark.parametrize("count", [2039, 2040, 2041, 2047, 2048, 2049, 4080, 4088, 6000])
@pytest.mark.parametrize(("blocks", "beside"), [(1, 16), (3, 5), (17, 1)])
def test_full_counters_do_not_overflow(count: int, blocks: int, beside: int) -> None:
    """All bits set, around the numbers of rows after which the planes are read out.

    Several short reports are one row; of the last reports there may be too few for one.
    """
    for more in {0, beside - 1}:
        packed = np.full((count * beside + more, blocks), 2**64 - 1, dtype=np.uint64)
        bits = 64 * blocks
        assert bit_counts(packed, bits).tolist() == [len(packed)] * bits


def test_read_only_and_strided_reports_are_taken(rng: np.random.Generator) -> None:
    packed = rng.integers(0, 2**63, size=(9000, 2), dtype=np.uint64)
    expected = bit_counts(packed[::2].copy(), 128)
    packed.flags.writeable = False
    np.testing.assert_array_equal(bit_counts(packed[::2], 128), expected)
    outputs = packed[:, 0].astype(np.uint8)
    outputs.flags.writeable = False
    np.testing.assert_array_equal(value_counts(outputs[::2], 256), np.bincount(outputs[::2]))


@pytest.mark.parametrize(
    "outputs",
    [np.zeros((2, 2), dtype=int), np.zeros(3), np.array([0, 5]), np.array([-1, 0])],
)
def test_other_outputs_are_refused(outputs: NDArray[Any]) -> None:
    with pytest.raises(ReportError, match="outputs: must be"):
        value_counts(outputs, 5)


@pytest.mark.parametrize("pure", [0, 1 << 40])
@pytest.mark.parametrize("k", [5, 100, 20_000])
@pytest.mark.parametrize("dtype", ["i2", "u2", "i4", "i8", "u8"])
@pytest.mark.parametrize("place", [0, 1, 2, 3, 4, 6])
def test_an_output_out_of_range_is_found_wherever_it_is(
    place: int, dtype: str, k: int, pure: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "PURE_REPORTS", pure)
    outputs = np.full(7, k - 1, dtype=dtype)
    assert value_counts(outputs, k).tolist() == [0] * (k - 1) + [7]
    for wrong in (k, np.iinfo(dtype).max, np.iinfo(dtype).min):
        outputs[place] = wrong
        if wrong == 0:
            continue
        with pytest.raises(ReportError, match=f"outputs: must be integers in 0..{k - 1}"):
            value_counts(outputs, k)


@pytest.mark.parametrize(
    "packed",
    [np.zeros((3, 1), dtype=np.uint64), np.zeros((3, 2), dtype=np.int64), np.zeros(2, dtype="u8")],
)
def test_other_bits_are_refused(packed: NDArray[Any]) -> None:
    with pytest.raises(ReportError, match="packed: must be uint64 of shape"):
        bit_counts(packed, 65)


def test_k_must_be_positive() -> None:
    with pytest.raises(ParameterError, match="k: must be an integer >= 1, got 0"):
        value_counts(np.zeros(0, dtype=int), 0)
    with pytest.raises(ParameterError, match="k: must be an integer >= 1, got 0"):
        bit_counts(np.zeros((0, 0), dtype=np.uint64), 0)


@pytest.mark.parametrize("rows", [0, 1, 255, 5000])
@pytest.mark.parametrize("words", [1, 3, 16])
def test_ones_of_each_report(rows: int, words: int, rng: np.random.Generator) -> None:
    packed = rng.integers(0, 2**64, (rows, words), dtype=np.uint64)
    packed[: rows // 2] = rng.choice(np.array([0, 1 << 63, 2**64 - 1], dtype=np.uint64), words)
    expected = [sum(int(word).bit_count() for word in row) for row in packed]
    assert ones(packed).tolist() == expected
    assert ones(packed[::2]).tolist() == expected[::2]
