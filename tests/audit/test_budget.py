"""One budget for a whole audit: split, kept, and said."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ldp_verified.app.report.audit import planned
from ldp_verified.check.audit.budget import Budget, Shares, SpentError, Want, shares
from ldp_verified.check.audit.results.results import AuditPlan
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.sources import DrawnSamples
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError

COUNTING = """
import random, time

def answer(value):
    with open({path!r}, "a") as file:
        file.write("x")
    {sleep}
    return value if random.random() < 0.7 else 1 - value

def columns(values):
    return [answer(value) for value in values]
"""


def counting(folder: Path, monkeypatch: pytest.MonkeyPatch, sleep: str = "pass") -> Path:
    """A module `counting` whose target writes one letter for each call."""
    path = folder / "calls"
    (folder / "counting.py").write_text(COUNTING.format(path=str(path), sleep=sleep))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(str(folder))
    path.write_text("")
    return path


@pytest.mark.parametrize(
    ("options", "most"),
    [({}, 1600), ({"calls": 1000}, 1000), ({"calls": 700}, 700), ({"calls": 100}, 100)],
)
def test_no_more_calls_are_made_than_said(
    options: dict[str, int], most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = counting(tmp_path, monkeypatch)
    told: list[AuditPlan] = []
    result = audit_target(
        Target("callable", "counting:answer", (0, 1)),
        Claim(1.0, n=800),
        **options,  # type: ignore[arg-type]  # one option per case
        told=told.append,
    )
    made = len(path.read_text())
    assert sum(result.samples) <= made <= result.calls <= most
    said = planned(told[0], 1.0)
    assert said.startswith("at most ")
    assert int(said.split()[2].replace(",", "")) <= most
    assert told[0].left_out == result.plan.left_out
    assert told[0].left_out.items() <= result.skipped.items()
    short = f"; too few calls are left for {', '.join(told[0].left_out)}\n"
    assert short in said


@pytest.mark.parametrize("target", [{"bulk": True}, {"repeat": 3}, {"fresh": True}])
def test_every_way_of_calling_is_counted(
    target: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = counting(tmp_path, monkeypatch)
    name = "counting:columns" if "bulk" in target else "counting:answer"
    opened = Target("callable", name, (0, 1), **target)  # type: ignore[arg-type]  # per case
    result = audit_target(opened, Claim(1.0, n=800), calls=1500)
    made = len(path.read_text())
    assert sum(result.samples) * opened.repeat <= made <= result.calls <= 1500


def test_a_program_is_counted_too(tmp_path: Path) -> None:
    program, calls = tmp_path / "program.py", tmp_path / "calls"
    program.write_text(
        "import random, sys\n"
        "for line in sys.stdin:\n"
        f"    open({str(calls)!r}, 'a').write('x')\n"
        "    print(random.randrange(2), flush=True)\n"
    )
    opened = Target("program", f"python3 {program}", (0, 1))
    result = audit_target(opened, Claim(1.0, n=200), calls=300)
    assert len(calls.read_text()) == result.calls == 200
    assert "LDP005" in result.skipped
    assert "see --calls" in result.skipped["LDP005"]


def test_time_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call takes 5 ms at least, so 200,000 of them would take a quarter of an hour."""
    path = counting(tmp_path, monkeypatch, "time.sleep(0.005)")
    opened = Target("callable", "counting:answer", (0, 1))
    result = audit_target(opened, Claim(1.0), seconds=8)
    assert 100 <= len(path.read_text()) <= result.calls <= 1600


def test_a_call_that_hangs_does_not_outlive_the_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the 300th call on none returns; none of them counts as an answer that was not given."""
    path = tmp_path / "calls"
    hangs = f"time.sleep(1e6 if len(open({str(path)!r}).read()) > 300 else 0)"
    counting(tmp_path, monkeypatch, hangs)
    opened = Target("callable", "counting:answer", (0, 1), timeout=1e6)
    result = audit_target(opened, Claim(1.0), seconds=8)
    assert result.outcomes == ()
    assert any("--seconds are over" in note for note in result.notes)
    assert sum(result.samples) <= len(path.read_text()) <= 301
    words = f"{sys.executable} -c 'import time; time.sleep(1e6)'"
    program = Target("program", words, (0, 1), timeout=1e6)
    with pytest.raises(ParameterError, match="--seconds: must suffice"):
        audit_target(program, Claim(1.0), seconds=1)


def test_a_budget_that_no_audit_can_keep_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Target("callable", "counting:answer", (0, 1))
    claim = Claim(1.0, n=800)
    for options in ({"calls": 99}, {"calls": True}, {"seconds": 0.0}, {"seconds": float("nan")}):
        with pytest.raises(ParameterError, match=f"--{next(iter(options))}: must be"):
            audit_target(opened, claim, **options)
    path = counting(tmp_path, monkeypatch, "time.sleep(0.05)")
    with pytest.raises(ParameterError, match="--seconds: must suffice"):
        audit_target(opened, claim, seconds=1.0)
    assert len(path.read_text()) < 100
    table = tmp_path / "reports.csv"
    table.write_text("input,output\n0,0\n1,1\n")
    with pytest.raises(ParameterError, match="--calls: must be left out: a file is not asked"):
        audit_target(Target("file", str(table)), claim, calls=1000)


WANTS = [Want("A", 10, 10), Want("B", 100, 1000), Want("C", 2000, 9000)]


def test_checks_get_what_the_bounds_leave() -> None:
    assert shares(Budget(), 100_000, WANTS) == Shares(100_000, {"A": 10, "B": 1000, "C": 9000}, {})
    small = shares(Budget(), 300, WANTS)
    assert (small.samples, small.checks) == (300, {"A": 10, "B": 290})
    assert small.short == {
        "C": "needs at least 2,000 calls, and the budget leaves 190: see --calls"
    }
    for calls in (100, 150, 1000, 5000, 9999, 10_000, 30_000):
        for each in (1, 3):
            if calls < 100 * each:
                continue
            found = shares(Budget(calls, each=each), 7000, WANTS)
            assert found.samples * each + sum(found.checks.values()) <= calls
            assert found.samples >= min(7000, 2 * calls // (3 * each) - 1)


def test_what_was_taken_can_be_given_back() -> None:
    budget = Budget(calls=200, each=2)
    assert budget.take(60) == 60
    budget.returned(10)
    assert budget.take(60) == 50
    with pytest.raises(SpentError, match="the 200 calls of --calls are made") as spent:
        budget.take(1, ["kept"])
    assert spent.value.outputs == ["kept"]
    with pytest.raises(SpentError):
        budget.take_all(1)
    assert budget.made == 200


class Clock:
    """A clock that goes on only where a test says so; in the place of the module `time`."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def spend(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in ("budget", "targets.sources"):
        monkeypatch.setattr(f"ldp_verified.check.audit.{module}.time", made)
    return made


def test_what_reading_an_output_takes_is_planned_for(clock: Clock) -> None:
    """Reading takes 2 ms: 6 s allow some 340 outputs, where asking alone allows thousands."""
    budget = Budget(seconds=6.0)
    budget.measured(lambda outputs: [0] * outputs, lambda told: clock.spend(0.002 * len(told)))
    assert budget.calls is not None
    assert 300 <= budget.calls <= 350
    assert " ms of ours" in budget.words
    assert Budget().words == ""


def test_no_more_is_drawn_at_once_than_there_is_time_to_judge(clock: Clock, seed: int) -> None:
    """Judging takes 1 ms a sample: batches that only grow would take half a minute."""
    source = DrawnSamples("", (0, 1), list, left=lambda: 2.0 - clock.now)
    for batch in source.batches(30_000, np.random.default_rng(seed), 0):
        clock.spend(0.001 * len(batch))
        if clock.now >= 2.0:
            break
    assert 2.0 <= clock.now < 2.1


DEEP = """
import random

def answer(value):
    held = {"value": value if random.random() < 0.6 else 1 - value, "mark": random.random()}
    for level in range(12):
        held = {f"level {level}": held, "number": random.randrange(50)}
    return held
"""


def test_time_is_kept_where_outputs_hold_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours is milliseconds for a sample: plans for 30 microseconds drew all, and tested nothing."""
    counting(tmp_path, monkeypatch)
    (tmp_path / "counting.py").write_text(DEEP)
    opened = Target("callable", "counting:answer", (0, 1))
    result = audit_target(opened, Claim(3.0), seconds=8, checks=False)
    assert sum(result.samples) < 8000
    assert result.samples[1] > 0
