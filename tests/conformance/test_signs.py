"""The sign-matrix oracle is held to its box: see `test_grouped` for level and power."""

from __future__ import annotations

from ldp_verified.check.conformance import ConformanceOutcome, conform
from ldp_verified.check.conformance.signs import signs_subject
from ldp_verified.protocols import SignMatrix
from tests.broken.grouped import GROUPED


def test_a_column_for_all_users_is_rejected() -> None:
    make, shows = GROUPED["one column for all users"]
    report = conform(make(), n=400_000)
    assert [c for c in report.rejected if c.name.startswith(shows)], f"seed {report.seed}"


def test_too_few_users_are_no_pass() -> None:
    report = conform(signs_subject(SignMatrix(3.0, 16)), n=2_000)
    assert report.outcome is ConformanceOutcome.INCONCLUSIVE
    assert not report.rejected
