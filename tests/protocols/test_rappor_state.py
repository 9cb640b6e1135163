"""The server's counts: all or nothing, mergeable, of one deployment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.protocols import Rappor, RapporClient, RapporState

DEPLOYMENT = Rappor(0.5, 0.25, 0.75, 70, 2, cohorts=3)


def some(count: int, seed: int) -> list[RapporClient]:
    return [RapporClient(DEPLOYMENT, new_user=True, rng=seed + i) for i in range(count)]


def test_counting_is_counting(seed: int) -> None:
    reports = [client.report("a") for client in some(50, seed)]
    state = RapporState(DEPLOYMENT, simulated=True).update(reports)
    assert state.simulated
    for cohort in range(3):
        own = [r.bits for r in reports if r.cohort == cohort]
        assert state.reports[cohort] == len(own)
        for bit in range(70):
            ones = sum(int(bits[bit // 64]) >> bit % 64 & 1 for bits in own)
            assert state.ones[cohort, bit] == ones
    halves = [
        RapporState(DEPLOYMENT, simulated=True).update(part)
        for part in (reports[:20], reports[20:])
    ]
    merged = halves[0].merge(halves[1])
    assert np.array_equal(merged.ones, state.ones)
    assert np.array_equal(merged.reports, state.reports)


def test_one_foreign_report_and_nothing_is_counted(seed: int) -> None:
    state = RapporState(DEPLOYMENT)
    mine = some(1, seed)[0].report("a")
    other = replace(DEPLOYMENT, high=0.7)
    theirs = RapporClient(other, new_user=True).report("a")
    with pytest.raises(ReportError, match="deployment"):
        state.update([mine, theirs])
    assert state.reports.sum() == 0
    with pytest.raises(ReportError, match="deployment"):
        state.merge(RapporState(other))


@pytest.mark.parametrize(
    "cohort,bits,message",
    [(3, [0, 0], "cohorts"), (-1, [0, 0], "cohorts"), (0, [0, 64], "packed"), (0, [0], "packed")],
)
def test_malformed_reports_are_refused(cohort: int, bits: list[int], message: str) -> None:
    with pytest.raises(ReportError, match=message):
        RapporState(DEPLOYMENT).update_packed(
            np.array([cohort], dtype=np.int64), np.array([bits], dtype=np.uint64), simulated=False
        )


def test_nothing_is_a_state() -> None:
    state = RapporState(DEPLOYMENT).update([])
    assert state.set_bits().shape == (3, 70)
    assert not state.set_bits().any()
