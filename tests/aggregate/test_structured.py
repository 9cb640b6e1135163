"""Layouts of structures: which values a report supports, written out, and what is refused."""

from __future__ import annotations

from itertools import count, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate import (
    CohortLayout,
    ColumnLayout,
    PointLayout,
    SignLayout,
    SubsetLayout,
)

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.layouts import SupportLayout


def sign(a: int, b: int) -> int:
    """Sylvester's matrix: H[a, b]."""
    return -1 if (a & b).bit_count() % 2 else 1


def points(k: int, q: int) -> list[tuple[int, ...]]:
    for t in count(2):
        found = [v for v in product(range(q), repeat=t) if next((c for c in v if c), 0) == 1]
        if len(found) >= k:
            return found
    raise AssertionError


def inner(a: tuple[int, ...], b: tuple[int, ...], q: int) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True)) % q


def supports(layout: SupportLayout, report: int, v: int) -> bool:
    """Return whether the report supports v, by the definitions in the layouts' docstrings."""
    if isinstance(layout, ColumnLayout):
        return sign(v + 1, report) == 1
    if isinstance(layout, SignLayout):
        return sign(v, report // 2) == (-1 if report % 2 else 1)
    if isinstance(layout, PointLayout):
        everything = points(layout.k, layout.prime)
        return inner(everything[report], everything[v], layout.prime) == 0
    assert isinstance(layout, CohortLayout)
    digits = [[number // layout.g**i % layout.g for i in range(20)] for number in (report, v)]
    return inner(tuple(digits[0][1:]), tuple(digits[1][:-1]), layout.g) == report % layout.g


LAYOUTS = [
    *((ColumnLayout(k), outputs) for k, outputs in [(2, 4), (3, 4), (4, 8), (7, 8), (20, 32)]),
    *((SignLayout(k), outputs) for k, outputs in [(2, 4), (3, 8), (4, 8), (5, 16), (20, 64)]),
    *(
        (PointLayout(k, q), outputs)
        for k, q, outputs in [(2, 2, 3), (7, 2, 7), (8, 2, 15), (40, 2, 63), (5, 3, 13), (9, 7, 57)]
    ),
    *(
        (CohortLayout(k, g), outputs)
        for k, g, outputs in [(2, 2, 4), (5, 2, 16), (3, 3, 9), (30, 3, 243), (4, 5, 25)]
    ),
]


@pytest.mark.parametrize(("layout", "outputs"), LAYOUTS, ids=str)
def test_reports_support_what_the_structure_says(
    layout: SupportLayout, outputs: int, rng: np.random.Generator
) -> None:
    assert layout.counters == outputs
    reports = rng.integers(0, outputs, size=200)
    checked = layout.check(reports)
    assert checked.dtype == np.uint8
    values = range(layout.k)
    wanted = [sum(supports(layout, int(y), v) for y in reports) for v in values]
    assert layout.support_counts(checked).tolist() == wanted
    assert layout.count(checked).tolist() == np.bincount(reports, minlength=outputs).tolist()
    for v in values:
        one_by_one = [supports(layout, int(y), v) for y in reports[:10]]
        assert layout.holds(checked[:10], v).tolist() == one_by_one
    for wrong in ([outputs], [-1], [[0]], [0.0]):
        with pytest.raises(ReportError):
            layout.check(np.array(wrong))


@pytest.mark.parametrize(
    ("layout", "outputs"),
    LAYOUTS,
    ids=str,
)
def test_weights_of_the_values_that_an_output_supports(
    layout: Any, outputs: int, rng: np.random.Generator
) -> None:
    weights = rng.integers(-(1 << 40), 1 << 40, size=layout.k)
    weights[rng.integers(0, layout.k)] = 0
    wanted = [
        sum(int(weights[v]) for v in range(layout.k) if supports(layout, y, v))
        for y in range(outputs)
    ]
    assert layout.held(weights).tolist() == wanted


@pytest.mark.parametrize(
    "layout", [PointLayout(400, 5), PointLayout(60, 3), CohortLayout(400, 3), CohortLayout(90, 11)]
)
def test_few_values_and_many_are_counted_alike(
    layout: PointLayout | CohortLayout, rng: np.random.Generator
) -> None:
    """One after the other, or by one transform: which one depends on the sizes alone."""
    reports = rng.integers(0, layout.counters, size=50)
    checked = layout.check(reports)
    found = layout.support_counts(checked)
    values = [int(v) for v in rng.integers(0, layout.k, size=20)]
    wanted = [int(layout.holds(checked, v).sum()) for v in values]
    assert found[values].tolist() == wanted


def test_subsets_have_their_size() -> None:
    layout = SubsetLayout(70, 3)
    good = np.array([[0b111, 0], [0b1, 0b11]], dtype=np.uint64)
    assert layout.counters == 70
    found = layout.support_counts(layout.check(good))
    assert np.flatnonzero(found).tolist() == [0, 1, 2, 64, 65]
    assert found.sum() == 6
    for wrong in ([[0b11, 0]], [[0b1111, 0]], [[0b11, 1 << 6]], [[7]]):
        with pytest.raises(ReportError):
            layout.check(np.array(wrong, dtype=np.uint64))
