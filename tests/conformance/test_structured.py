"""Decoders of structured reports against the server's layouts, and planted-wrong code rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified import HRR, PGR, HadamardResponse, HashCohorts, SubsetSelection
from ldp_verified.analysis.expectation import expectation
from ldp_verified.check.conformance.decode import decoder
from ldp_verified.check.conformance.run import conform
from ldp_verified.check.conformance.subjects import Subject

if TYPE_CHECKING:
    from ldp_verified.run.realize import RoundedTable

MECHANISMS = [
    SubsetSelection(1.0, 8),
    SubsetSelection(1.0, 100),
    HadamardResponse(1.0, 20),
    HRR(1.0, 20),
    PGR(1.0, 20),
    PGR(1.0, 30, 2),
    HashCohorts(1.0, 20),
    HashCohorts(1.0, 6, 7),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_both_sides_read_reports_alike(mechanism: RoundedTable, rng: np.random.Generator) -> None:
    reports = mechanism.privatize(rng.integers(0, mechanism.k, size=500), rng)
    read = decoder(expectation(mechanism))
    everything = tuple(range(mechanism.k))
    counted = read.support_counts(reports.data, everything)
    assert counted.tolist() == mechanism.layout.support_counts(reports.data).tolist()
    assert read.valid(reports.data).all()
    known = read.every_report(512)
    if known is not None:
        assert (known[read.codes(reports.data)] == reports.data).all()


def test_no_set_has_another_size() -> None:
    read = decoder(expectation(SubsetSelection(1.0, 8, 2)))
    wrong = np.array([[0b1], [0b111], [0b11], [1 | 1 << 8]], dtype=np.uint64)
    assert read.valid(wrong).tolist() == [False, False, True, False]
    assert (read.codes(wrong) >= 0).tolist() == [False, False, True, False]


PAIRS = [
    (SubsetSelection(1.0, 8), SubsetSelection(1.25, 8, 2)),
    (HadamardResponse(1.0, 8), HadamardResponse(1.25, 8)),
    (HRR(1.0, 8), HRR(1.25, 8)),
    (PGR(1.0, 8, 3), PGR(1.25, 8, 3)),
    (HashCohorts(1.0, 8, 3), HashCohorts(1.25, 8, 3)),
]


@pytest.mark.parametrize(("claimed", "running"), PAIRS, ids=lambda made: type(made).__name__)
def test_another_epsilon_is_rejected(claimed: RoundedTable, running: RoundedTable) -> None:
    def draw(values: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        return running.privatize(values, rng).data

    report = conform(Subject("planted", draw, expectation(claimed)), n=200_000)
    assert any(each.p_value < each.level for each in report.comparisons)
