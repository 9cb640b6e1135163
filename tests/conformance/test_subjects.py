"""Which values of a mechanism are asked for."""

from __future__ import annotations

from ldp_verified import GRR
from ldp_verified.check.conformance.subjects import plan, subject_of


def test_the_ends_and_two_others_are_asked_for_whatever_the_seed(seed: int) -> None:
    """All values where there are four or fewer: the two in the middle are never one."""
    for k, count in ((2, 2), (3, 3), (4, 4), (5, 4), (100, 4)):
        subject = subject_of(GRR(1.0, k))
        for turn in range(20):
            (asked,) = plan(subject, 4_000, seed + turn).asked
            assert f"asked {count} of {k:,} values" in asked
