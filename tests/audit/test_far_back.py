"""Inputs told in clear three to eight reports later; the level, exactly, for one that tells none.

Power: a value in clear among four is missed with probability 4^-1000 or less.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.rules.far_back import BACK, FarBack
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.sources import from_callable
from tests.broken.audit.ending import told
from tests.broken.audit.late import late

if TYPE_CHECKING:
    import numpy as np


def audited(function: Callable[[int], Any]) -> AuditResult:
    claim = Claim(1.0, n=1000, level=1e-9)
    return audit(from_callable(function, range(4), "target"), claim)


@pytest.mark.parametrize("back", [3, 8])
def test_what_is_told_far_later_is_a_violation(back: int) -> None:
    found = audited(late(back))
    assert found.verdict is AuditVerdict.VIOLATED
    assert [(f.rule, f.replay["back"]) for f in found.findings] == [("LDP013", back)]


def test_it_is_found_in_a_slot_beside_the_report() -> None:
    before = late(5)
    found = audited(lambda value: [told(value), before(value)])
    assert [f.replay["back"] for f in found.findings] == [5]


def test_reports_of_their_own_input_break_nothing() -> None:
    assert audited(told).findings == ()
    assert audited(lambda value: [told(value), told(value)]).findings == ()


def test_hits_are_independent_where_reports_tell_their_own_input_only(
    rng: np.random.Generator,
) -> None:
    """Even the input itself, in clear, hits earlier ones as often as chance has it.

    Null: of 20,000 samples a quarter; two-sided at 7 standard errors, 2.6e-12.
    """
    inputs = rng.integers(0, 4, size=20_000)
    seen = FarBack(range(4))
    seen.see(Batch(inputs, inputs))
    for back in BACK:
        tally = seen.tallies[back, "same"]
        assert tally.plus + tally.minus == tally.n == 20_000 - back
        assert abs(tally.plus - tally.n / 4) < 7 * (tally.n * 3 / 16) ** 0.5
    assert seen.findings(log(2), 1e-9, 0.0, sequential=False) == []
    assert seen.findings(log(2), 1e-9, 0.0, sequential=True) == []
