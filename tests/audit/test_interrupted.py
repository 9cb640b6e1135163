"""Ctrl-C after the bounds: they are kept, and what was found, and never `consistent`.

The client has eps = ln 1.5 and claims 1: its audits call it violated with probability 1e-9 each.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from ldp_verified.app.report.audit import headline, terminal
from ldp_verified.check.audit import whole_audit
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.rules.checks import CheckedRule
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.isolated import Here
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target

if TYPE_CHECKING:
    import pytest

TARGET = Target("callable", "tests.audit.test_interrupted:client", (0, 1), in_process=True)
CLAIM = Claim(1.0, n=4000, level=1e-9)


def client(value: int) -> int:
    return value ^ (random.random() < 0.4)


def stopping(*_: object) -> None:
    raise KeyboardInterrupt


def test_the_bounds_are_kept_where_checks_are_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(*given: object) -> None:
        found = given[-1]
        assert isinstance(found, CheckedRule)
        found.findings.append(Finding("LDP006", "seen before", {}))
        raise KeyboardInterrupt

    monkeypatch.setattr(whole_audit, "checked", checked)
    result = audit_target(TARGET, CLAIM)
    assert result.interrupted
    assert result.samples[1] == 2000
    assert result.tested
    assert result.verdict is AuditVerdict.INCONCLUSIVE
    assert [f.message for f in result.findings] == ["seen before"]
    assert result.skipped["LDP005"] == "the audit was interrupted"
    assert "LDP006" not in result.skipped
    assert "interrupted after the bounds, which stand" in result.notes
    assert "however often" not in " ".join(str(part) for part in terminal(result, ""))


def test_a_finding_of_the_checks_is_kept_where_the_end_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Here, "close", stopping)
    result = audit_target(TARGET, CLAIM)
    assert result.interrupted
    assert "LDP008" not in result.skipped
    assert result.verdict is not AuditVerdict.CONSISTENT


def test_what_was_interrupted_before_any_test_says_so() -> None:
    told: list[str] = []

    def progress(what: str, *_: object) -> None:
        told.append(what)
        raise KeyboardInterrupt

    result = audit_target(TARGET, CLAIM, checks=False, progress=progress)
    assert told == ["learning events"]
    assert headline(result).endswith("interrupted before any sample was tested")
    assert any("interrupted before any sample" in note for note in result.notes)
