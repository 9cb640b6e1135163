"""The comparison of errors counts what it says; packages are stood in for here."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import numpy as np
import pytest

from benchmarks import accuracy
from benchmarks.environments import Package
from ldp_verified.run.mechanisms import GRR, OUE, SubsetSelection

EXACT = Package("exact", "")


def exact(_: Package, question: Any) -> dict[str, list[float]]:
    """A package without any error."""
    counts = np.bincount(question["values"], minlength=question["k"])
    sums = [float(counts[a : b + 1].sum()) for a, b in question.get("ranges", [])]
    return {"tree": sums} if sums else dict.fromkeys(accuracy.MAKERS, counts.tolist())


def test_a_package_without_error_has_none_and_papers_are_what_classes_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(accuracy, "asked", exact)
    rows = accuracy.measure_counts(2000, 8, [1.0], 2, [EXACT])
    assert {row.error for row in rows if row.who == "exact"} == {0}
    assert all(row.error > 0 for row in rows if row.who != "exact")
    ranges = accuracy.measure_ranges(2000, 64, [1.0], 2, [EXACT])
    assert [row.error == 0 for row in ranges] == [row.who == "exact" for row in ranges]
    for name, made in (("GRR", GRR), ("OUE", OUE), ("SubsetSelection", SubsetSelection)):
        assert accuracy.stated(name, 1.0, 64) == pytest.approx(made(1.0, 64).variance(1), rel=0.02)
    text = accuracy.page(rows, ranges, 2000, 2)
    assert text.count("| GRR | exact | 1 | 0 | - |") == 1
    assert text.count("| one-bit Haar wavelet | ours | 1 |") == 1


def test_what_a_package_prints_last_is_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(command: list[str], **given: Any) -> subprocess.CompletedProcess[str]:
        assert command[-1] == "exact"
        found = {"k": [json.loads(given["input"])["k"]]}
        return subprocess.CompletedProcess(command, 0, f"warning\n{json.dumps(found)}\n", "")

    monkeypatch.setattr(subprocess, "run", run)
    assert accuracy.asked(EXACT, {"k": 7}) == {"k": [7]}
    assert accuracy.users(50, 8, 3) == accuracy.users(50, 8, 3)
    assert {*accuracy.users(5000, 8, 1)} == {*range(8)}
