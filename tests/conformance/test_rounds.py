"""Prefix rounds are held to their box; wrong rounds are rejected. See `test_grouped` for power."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified.check.conformance import conform
from ldp_verified.check.conformance.rounds import declared_shares, rounds_subject
from ldp_verified.protocols import PrefixRounds
from tests.broken.grouped import GROUPED


@pytest.mark.parametrize(
    "what", ["all rounds ask as many users", *(what for what in GROUPED if "not listed" in what)]
)
def test_a_wrong_round_is_rejected(what: str) -> None:
    make, shows = GROUPED[what]
    report = conform(make(), n=400_000)
    found = [c for c in report.rejected if c.name.startswith(shows)]
    assert found, f"seed {report.seed}: {[c.name for c in report.rejected]}"


def test_shares_are_those_of_the_declaration() -> None:
    made = PrefixRounds(2.0, 40, first=8, step=16, cohorts=8)
    found = declared_shares(made)
    assert sum(found) == 1
    assert [float(share) for share in found] == pytest.approx(
        [made.share(number) for number in range(made.rounds)]
    )
    assert found[-1] == Fraction(1, 10)


def test_every_round_is_looked_at() -> None:
    made = PrefixRounds(2.0, 40, first=8, step=16, cohorts=8)
    assert len(rounds_subject(made).scenes) == 1 + made.rounds
