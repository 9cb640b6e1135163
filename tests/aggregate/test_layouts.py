"""Layouts accept exactly what a mechanism writes, and count what it supports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate import (
    BitLayout,
    BlockLayout,
    HashLayout,
    Layout,
    OutputLayout,
)

SIZES = st.sampled_from([2, 3, 63, 64, 65, 128, 300])


@given(st.data(), SIZES)
def test_values_support_themselves(data: st.DataObject, k: int) -> None:
    values = data.draw(st.lists(st.integers(0, k - 1), max_size=20))
    layout = OutputLayout(k, k)
    checked = layout.check(np.array(values, dtype=np.int64))
    assert checked.dtype == (np.uint8 if k <= 256 else np.uint16)
    assert layout.support_counts(checked).tolist() == [values.count(v) for v in range(k)]


@given(st.data(), SIZES)
def test_bits_support_the_values_that_are_set(data: st.DataObject, k: int) -> None:
    reports = data.draw(st.lists(st.sets(st.integers(0, k - 1)), max_size=8))
    words = -(-k // 64)
    packed = np.array(
        [
            [sum(1 << (v - 64 * w) for v in r if v // 64 == w) for w in range(words)]
            for r in reports
        ],
        dtype=np.uint64,
    ).reshape(len(reports), words)
    layout = BitLayout(k)
    counts = layout.support_counts(layout.check(packed))
    assert counts.tolist() == [sum(v in report for report in reports) for v in range(k)]


@given(st.data(), SIZES, st.sampled_from([2, 3, 4, 9, 257]))
def test_buckets_support_what_hashes_to_them(data: st.DataObject, k: int, g: int) -> None:
    base = next(d for d in range(2, g + 1) if g % d == 0)
    digits = next(m for m in range(1, 20) if base**m >= k)
    row = st.lists(st.integers(0, g - 1), min_size=digits + 1, max_size=digits + 1)
    rows = data.draw(st.lists(row, max_size=6))

    def bucket(function: list[int], value: int) -> int:
        powers = [int(base**i) for i in range(digits)]
        return sum(a * (value // b % base) for a, b in zip(function, powers, strict=True)) % g

    layout = HashLayout(k, g)
    checked = layout.check(np.array(rows, dtype=np.int64).reshape(len(rows), digits + 1))
    assert checked.dtype == (np.uint8 if g <= 256 else np.uint16)
    expected = [sum(bucket(r[:-1], v) == r[-1] for r in rows) for v in range(k)]
    assert layout.support_counts(checked).tolist() == expected


BAD: list[tuple[Layout, Any]] = [
    (OutputLayout(5, 5), [1, 2]),
    (OutputLayout(5, 5), np.array([1.0])),
    (OutputLayout(5, 5), np.array([True])),
    (OutputLayout(5, 5), np.array(["1"])),
    (OutputLayout(5, 5), np.array([1], dtype=object)),
    (OutputLayout(5, 5), np.array(1)),
    (OutputLayout(5, 5), np.array([[1]])),
    (OutputLayout(5, 5), np.array([5])),
    (OutputLayout(5, 5), np.array([-1])),
    (OutputLayout(5, 5), np.array([2**63], dtype=np.uint64)),
    (BitLayout(5), np.array([1], dtype=np.uint64)),
    (BitLayout(5), np.array([[1]], dtype=np.int64)),
    (BitLayout(5), np.array([[1]], dtype=np.uint32)),
    (BitLayout(5), np.array([[1, 0]], dtype=np.uint64)),
    (BitLayout(65), np.array([[1]], dtype=np.uint64)),
    (BitLayout(5), np.zeros((3, 0), dtype=np.uint64)),
    (BitLayout(5), np.array([[32]], dtype=np.uint64)),
    (BitLayout(63), np.array([[1 << 63]], dtype=np.uint64)),
    (BitLayout(65), np.array([[0, 2]], dtype=np.uint64)),
    (HashLayout(4, 2), np.array([1, 1, 1])),
    (HashLayout(4, 2), np.array([[1, 1]])),
    (HashLayout(4, 2), np.array([[1, 1, 1, 1]])),
    (HashLayout(4, 2), np.array([[1, 1, 2]])),
    (HashLayout(4, 2), np.array([[2, 1, 1]])),
    (HashLayout(4, 2), np.array([[-1, 1, 1]])),
    (HashLayout(4, 2), np.array([[1.0, 1, 1]])),
]


@pytest.mark.parametrize(("layout", "data"), BAD, ids=lambda x: repr(x)[:40])
def test_malformed_reports_are_refused(layout: Layout, data: Any) -> None:
    with pytest.raises(ReportError, match="reports"):
        layout.check(data)


def test_padding_may_end_at_the_last_bit_of_a_word() -> None:
    full = np.array([[2**64 - 1]], dtype=np.uint64)
    assert BitLayout(64).support_counts(BitLayout(64).check(full)).tolist() == [1] * 64
    BitLayout(65).check(np.array([[2**64 - 1, 1]], dtype=np.uint64))


def test_an_array_that_fits_is_not_copied() -> None:
    values = np.array([1, 2], dtype=np.uint8)
    assert OutputLayout(5, 5).check(values) is values


def test_a_foreign_byte_order_is_never_misread() -> None:
    values = np.array([1, 299], dtype=">u2")
    assert OutputLayout(300, 300).check(values).tolist() == [1, 299]
    with pytest.raises(ReportError, match="dtype"):
        BitLayout(5).check(np.array([[3]], dtype=">u8"))


def test_outputs_are_counted_each_by_itself() -> None:
    layout = OutputLayout(2, 300)
    assert layout.counters == 300
    checked = layout.check(np.array([0, 299, 299]))
    assert checked.dtype == np.uint16
    counted = layout.support_counts(checked)
    assert counted.shape == (300,)
    assert (counted[0], counted[299], counted.sum()) == (1, 2, 3)
    for wrong in ([300], [-1], [[0]], [0.0]):
        with pytest.raises(ReportError):
            layout.check(np.array(wrong))


def test_blocks_support_their_values() -> None:
    layout = BlockLayout(4, ((0, 1), (2, 3), (0, 2)))
    assert layout.counters == 3
    checked = layout.check(np.array([0, 0, 1, 2], dtype=np.int32))
    assert checked.dtype == np.uint8
    assert layout.count(checked).tolist() == [2, 1, 1]
    assert layout.support_counts(checked).tolist() == [3, 2, 2, 1]
    for wrong in ([3], [-1], [[0]], [0.0]):
        with pytest.raises(ReportError):
            layout.check(np.array(wrong))
