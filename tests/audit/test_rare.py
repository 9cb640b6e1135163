"""Rare outputs: what is told in one call of a thousand is seen by one event over all inputs.

Null of the clean twins: eps = 1, level 1e-9. A leak gives 50 such outputs on average to test with;
ten are enough, so that a test misses it with probability below 1e-9.
"""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.check.audit.events import rare
from ldp_verified.check.audit.events.events import PooledEvent
from ldp_verified.check.audit.events.readings import OutputReading, check
from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError

HOME = "tests.broken.audit.rare:"
INPUTS = (0, 1, 2, 3)


def audited(name: str, level: float) -> AuditResult:
    target = Target("callable", HOME + name, INPUTS)
    return audit_target(target, Claim(1.0, level=level, n=100_000), checks=False)


def of_rare(found: AuditResult) -> list[float]:
    """Bounds of the events about rare outputs."""
    events = [t for t in found.tested if isinstance(t.event, PooledEvent)]
    return [t.bound for t in events if t.event.document()["reading"].startswith("rare:")]


@pytest.mark.parametrize(
    "name", ["exits_with_it", "ends_with_it", "signals_it", "complains_about_it", "debugs_it"]
)
def test_the_truth_in_one_call_of_a_thousand_is_a_violation(name: str) -> None:
    found = audited(name, 0.01)
    assert found.verdict is AuditVerdict.VIOLATED
    assert max(of_rare(found)) > 1.0


def test_an_end_that_only_one_value_has_is_a_violation_and_is_shown_by_input() -> None:
    found = audited("exits_for_one", 0.01)
    assert found.verdict is AuditVerdict.VIOLATED
    (outcome,) = found.outcomes
    assert outcome.words == "raised SystemExit"
    assert [count > 0 for count in outcome.counts] == [False, False, True, False]
    assert sum(outcome.totals) == 100_000


@pytest.mark.parametrize("name", ["exits_at_random", "complains_at_random"])
def test_rare_outputs_that_tell_nothing_are_no_violation(name: str) -> None:
    found = audited(name, 1e-9)
    assert found.verdict is not AuditVerdict.VIOLATED
    assert of_rare(found)


def test_outcomes_are_read_by_what_was_learnt_and_by_their_text() -> None:
    outputs = [0, 1, Raised("SystemExit", "3"), Raised("SystemExit", "3"), Raised("E", "no 1, 2")]
    inputs = np.array([2, 0, 1, 1, 3], dtype=np.int64)
    text, known = rare.readings(Batch(inputs, outputs))
    for name, expected in ((text, [-1, -1, 3, 3, -1]), (known, [-1, -1, 1, 1, -1])):
        check(name)
        reading = OutputReading(name, INPUTS)
        assert reading.single
        assert reading.guesses(Batch(inputs, outputs)).tolist() == expected
    assert rare.readings(Batch(inputs[:2], outputs[:2])) == []
    assert rare.readings(Batch(inputs, np.arange(5))) == []
    with pytest.raises(ParameterError, match="must be one of"):
        check('rare:{"usual": []}')


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("2", 2),
        ("exit code 2", 2),
        ("value=2;", 2),
        ("2 or 3", -1),
        ("22", -1),
        ("x2", -1),
        ("", -1),
    ],
)
def test_a_text_names_an_input_where_it_names_one_only(message: str, found: int) -> None:
    positions = OutputReading("same", INPUTS).positions
    assert rare.named(Raised("E", message), positions) == found
    assert rare.named(f" {message} ", positions) == found
