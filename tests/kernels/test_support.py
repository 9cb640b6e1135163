"""Support counts of hashed reports, against the definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.kernels import support
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.hashing import support_counts
from tests.conformance import tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

# (k, g): tables smaller and larger than k, buckets that fill their dtype, primes, one digit.
SHAPES = [(2, 2), (5, 2), (64, 2), (65, 4), (200, 3), (130, 6), (300, 256), (90, 251), (70, 255)]
WIDE = [(300, 257), (70, 65536), (150, 65521), (100, 1024)]


def reports_for(k: int, g: int, count: int, rng: np.random.Generator) -> NDArray[Any]:
    reports = rng.integers(0, g, size=(count, tables.digit_count(k, g) + 1))
    reports[: count // 3] = rng.choice([0, 1, g - 1], size=reports[: count // 3].shape)
    return reports.astype(smallest_dtype(g))


def by_definition(reports: NDArray[Any], k: int, g: int) -> list[int]:
    rows = [tuple(row) for row in reports.tolist()]
    return [sum(tables.supports("hashed", row, v, g) for row in rows) for v in range(k)]


@pytest.mark.parametrize(("k", "g"), SHAPES + WIDE)
@pytest.mark.parametrize("machine_code", [False, True])
def test_counts_are_those_of_the_definition(
    k: int, g: int, machine_code: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(support, "PURE_HASHES", 0 if machine_code else 1 << 40)
    reports = reports_for(k, g, 40, rng)
    counts = support_counts(reports, k, g)
    assert counts.dtype == np.int64
    assert counts.tolist() == by_definition(reports, k, g)


@pytest.mark.parametrize("count", [2, 127, 128, 129, 256, 1000])
@pytest.mark.parametrize(("k", "g"), [(1000, 4), (77, 256), (500, 300)])
def test_machine_code_agrees_with_numpy(
    k: int, g: int, count: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups of reports that are full, short by one, and over by one."""
    reports = reports_for(k, g, count, rng)
    monkeypatch.setattr(support, "PURE_HASHES", 1 << 10)
    by_machine_code = support_counts(reports, k, g)
    in_parts = np.zeros(k, dtype=np.int64)
    support._count_with_numpy(reports, g, in_parts)
    np.testing.assert_array_equal(by_machine_code, in_parts)


def test_read_only_and_strided_reports_are_taken(rng: np.random.Generator) -> None:
    reports = reports_for(1000, 4, 1000, rng)
    expected = support_counts(reports[::2].copy(), 1000, 4)
    reports.flags.writeable = False
    np.testing.assert_array_equal(support_counts(reports[::2], 1000, 4), expected)


def test_no_reports_support_nothing() -> None:
    assert support_counts(np.empty((0, 3), dtype=np.uint8), 4, 4).tolist() == [0] * 4


@pytest.mark.parametrize(
    "reports",
    [
        np.zeros((2, 2), dtype=np.uint8),
        np.zeros((2, 4), dtype=np.uint8),
        np.zeros((2, 3), dtype=np.uint16),
        np.zeros(3, dtype=np.uint8),
        np.full((2, 3), 4, dtype=np.uint8),
    ],
)
def test_other_reports_are_refused(reports: NDArray[Any]) -> None:
    with pytest.raises(ReportError, match="reports: must"):
        support_counts(reports, 4, 4)


def test_parameters_out_of_range_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"g: must be in 2\.\.65536, got 1"):
        support_counts(np.zeros((2, 3), dtype=np.uint8), 4, 1)
