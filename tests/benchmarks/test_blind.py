"""The page of false alarms is what the program measures, and a true alarm is counted."""

from __future__ import annotations

import pytest

from benchmarks import blind
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.run.mechanisms import GRR


def test_the_page_is_what_the_program_measures() -> None:
    """Two of its rows again, with the same seeds."""
    page = blind.PAGE.read_text(encoding="utf-8")
    for place in (1, 12):
        row = blind.measured(place)
        assert f"| {row.name} | {row.count(AuditVerdict.VIOLATED)} | " in page
        assert f" | {min(row.bounds):.3f} to {max(row.bounds):.3f} |" in page


def test_a_wrong_control_raises_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bound is above 1 in every run: at eps = 3 the fixed seeds leave nothing to chance."""
    monkeypatch.setattr(blind, "CONTROLS", (GRR(3.0, blind.K),))
    row = blind.measured(0, 2)
    assert row.count(AuditVerdict.VIOLATED) == 2
    assert "**Alarms: 2 of 2.**" in blind.page([row])


def test_controls_use_up_their_claim() -> None:
    assert len(blind.CONTROLS) * blind.ROUNDS == 114
    for control in blind.CONTROLS:
        assert control.realized_epsilon == pytest.approx(blind.EPSILON, abs=1e-6)
        assert control.realized_epsilon <= blind.EPSILON
