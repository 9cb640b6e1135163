"""LDP017: durations that were recorded once stand for a clean target; no time is asserted here.

Recorded: 3,000 calls of randomized response on a busy machine, in microseconds, in their order.
Inputs are drawn beside them, so that they tell nothing: level 1e-6 for each repeat. Two
milliseconds for one input of four are far beyond all but a few of them: 700 calls on a side to test
with are missed with probability below 1e-9.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ldp_verified.check.audit.events.halves import FEWEST
from ldp_verified.check.audit.rules.timing import PAST, bounded, compared, judged
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.targets import Target
from tests.cli.running import document, run

RECORDED = np.array(json.loads(Path(__file__).with_name("durations.json").read_text())) * 1e-6
LABELS = (0, 1, 2, 3)
CLAIM = Claim(1.0)


def test_recorded_durations_of_a_clean_target_stay_clean() -> None:
    """Forty repeats with fixed seeds: at level 1e-6 each, fresh ones would alarm too often."""
    rng, bounds = np.random.default_rng(40), []
    for _ in range(40):
        found = bounded(rng.integers(0, 4, size=len(RECORDED)), RECORDED, LABELS, 0.0, rng)
        assert found is not None
        bounds.append(found.best.bound)
    assert max(bounds) == 0.0


@pytest.mark.parametrize("drift", [0.0, 1e-7])
def test_two_milliseconds_for_one_input_are_found(rng: np.random.Generator, drift: float) -> None:
    """Beside a machine that gets slower too: by a third of a millisecond over all."""
    inputs = rng.integers(0, 4, size=len(RECORDED))
    durations = RECORDED + drift * np.arange(len(RECORDED)) + 0.002 * (inputs == 2)
    findings, notes = judged(inputs, durations, LABELS, CLAIM, rng)
    assert [each.rule for each in findings] == ["LDP017"]
    assert notes == []
    assert "ms for 2" in findings[0].message


def test_a_slow_machine_alone_tells_nothing() -> None:
    """All later calls are slow, whatever their inputs. A fixed seed: the level is 1e-6."""
    rng = np.random.default_rng(41)
    inputs = rng.integers(0, 4, size=len(RECORDED))
    durations = RECORDED + 0.002 * (np.arange(len(RECORDED)) > 1500)
    findings, notes = judged(inputs, durations, LABELS, CLAIM, rng)
    assert findings == []
    assert "durations alone tell" in notes[0]


def test_few_durations_show_nothing_and_lost_answers_are_left_out(
    rng: np.random.Generator,
) -> None:
    inputs = rng.integers(0, 4, size=FEWEST)
    assert bounded(inputs[:-1], RECORDED[: FEWEST - 1], LABELS, 0.0, rng) is None
    lost = np.where(np.arange(FEWEST) == 7, np.nan, RECORDED[:FEWEST])
    assert "too few" in judged(inputs, lost, LABELS, CLAIM, rng)[1][0]
    beside = compared(np.full(PAST + 3, 0.5))
    assert beside.tolist() == [[0.0, 0.5]] * 3


def test_a_call_that_ends_the_process_has_no_duration() -> None:
    with closing(Target("callable", "tests.broken.audit.ending:ends").asked()) as asked:
        found = asked.timed((0, 1, 2, 3), [0, 2, 1])
    assert [isinstance(each, Raised) for each in found] == [False, True, False]
    assert type(found[0]) is int


def test_the_command_looks_at_durations_where_it_is_asked_to() -> None:
    options = ["--epsilon", 1, "--inputs", "0..3", "-n", 2000, "--level", 1e-9, "--no-checks"]
    for target in ("two_milliseconds", "prints_slowly"):
        found = document(run("audit", f"tests.broken.audit.slow:{target}", *options, "--json"))
        assert found["skipped"]["LDP017"] == "is asked for by --timing"
        options_here = [*options, "--timing", "--json"]
        found = document(run("audit", f"tests.broken.audit.slow:{target}", *options_here))
        assert (found["exit_code"], found["findings"][0]["rule"]) == (1, "LDP017")
    refused = document(run("audit", "a:b", "--bulk", *options, "--timing", "--json"))
    assert refused["error"]["argument"] == "--timing"
