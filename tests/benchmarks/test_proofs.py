"""The files whose proofs are timed: all that they claim is proved, and a failure is no time."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from benchmarks import proofs
from benchmarks.environments import ROOT
from ldp_verified.language import load
from ldp_verified.prove import Status, verify


@pytest.mark.parametrize("name", proofs.SPECS)
def test_each_file_is_proved_by_certificates(name: str) -> None:
    for mechanism in load(ROOT / "benchmarks" / "specs" / f"{name}.py"):
        assert verify(mechanism, coq=False).status is Status.ONE_GROUP


def test_the_times_are_shown_beside_their_aims(monkeypatch: pytest.MonkeyPatch) -> None:
    ways: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        ways.append(command[4:-1])
        return subprocess.CompletedProcess(command, 0, "", "")

    now = iter(range(10**6))
    monkeypatch.setattr("benchmarks.proofs.subprocess.run", run)
    monkeypatch.setattr("benchmarks.proofs.time.perf_counter", lambda: 4 * next(now))
    rows = proofs.of_files(lambda _: None)
    assert rows == [(name, "4.0", "3, above", "4.0", "10") for name in proofs.SPECS]
    once = [["--no-coq", "--accept", "one-group"]] * proofs.RUNS + [[]] * proofs.RUNS
    assert ways == once * len(proofs.SPECS)


def test_what_is_not_proved_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 3, "refuted", "")

    monkeypatch.setattr("benchmarks.proofs.subprocess.run", run)
    with pytest.raises(SystemExit, match="refuted"):
        proofs.of_files(lambda _: None)
