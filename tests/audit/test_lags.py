"""LDP013: reports that tell earlier inputs; level 1e-9 of the clean twins, power 1 but for 1e-12.

A report that only whoever knows the input before can read is known to them every time: eps is
infinite, at 560 pairs or more. The weakest of the others, three in four of another writing, is
e^eps >= 4 about the input before in any event of one value, against a claim of 1, at 1,500 pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.sources import from_bulk, from_callable
from tests.broken.audit.ending import told
from tests.broken.audit.late import half_again, late, masked, padded, remembering, sometimes

MASKED = (masked, padded, lambda: padded(1))
"""Reports that only whoever knows the input before can read."""


def audited(function: Callable[[int], Any], **options: Any) -> AuditResult:
    claim = Claim(1.0, n=6000, level=1e-9)
    return audit(from_callable(function, range(4), "target"), claim, seed=1, **options)


@pytest.mark.parametrize("make", [lambda: late(1), lambda: late(2), sometimes])
def test_what_is_told_a_report_late_is_a_violation(make: Callable[[], Any]) -> None:
    found = audited(make())
    assert found.verdict is AuditVerdict.VIOLATED
    assert [each.rule for each in found.findings] == ["LDP013"]


@pytest.mark.parametrize("make", MASKED)
def test_what_the_input_before_unmasks_is_a_violation(make: Callable[[], Any]) -> None:
    found = audited(make())
    assert found.verdict is AuditVerdict.VIOLATED
    assert [each.rule for each in found.findings] == ["LDP013"]
    assert "beside" in str(found.findings[0].replay["back"])


def test_noise_that_half_a_batch_shares_is_a_violation() -> None:
    claim = Claim(1.0, n=6000, level=1e-9)
    found = audit(from_bulk(half_again, range(2), "target"), claim, seed=1)
    assert [each.replay["back"] for each in found.findings] == ["half a batch before"]
    assert found.verdict is AuditVerdict.VIOLATED


def test_it_is_seen_beside_a_named_mechanism() -> None:
    found = audited(late(1), mechanism="grr")
    assert found.verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize("make", [lambda: told, remembering])
def test_reports_of_their_own_input_break_nothing(make: Callable[[], Any]) -> None:
    found = audited(make())
    assert "LDP013" not in [each.rule for each in found.findings]
    assert "LDP013" not in found.skipped
