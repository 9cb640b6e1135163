"""Conformance runs as they are shown; nothing inconclusive looks like a pass."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ldp_verified.app.report.conformance import Replay, document, terminal
from ldp_verified.app.report.output import show
from ldp_verified.check.conformance.results import Comparison, ConformanceReport

if TYPE_CHECKING:
    import pytest

PASSED = Comparison(
    subject="GRR(epsilon=1.0, k=8)",
    name="single outputs",
    null="each of the 36 classes has the probability that the spec gives it",
    tests=36,
    level=4.2e-9,
    n=500_000,
    p_value=0.52,
    detectable=0.0077,
    unit="probability of a class",
    limit=0.02,
    miss=1e-8,
    observed=0.10395,
    expected=0.1029,
    worst="x = 4, report 1",
)
OTHER_SIZE = replace(
    PASSED,
    name="classes of pairs",
    tests=112,
    null="each of the 112 classes has the probability that the spec gives it",
)
REJECTED = replace(PASSED, subject="OUE(epsilon=1.0, k=8)", p_value=1e-12)
SMALL = replace(
    PASSED, name="variance", null="the variance is the spec's", tests=1, detectable=math.inf
)


def printed(capsys: pytest.CaptureFixture[str], *comparisons: Comparison) -> str:
    report = ConformanceReport(comparisons, 17, 1e-7, ("k = 2097152: not estimated",), 1.25)
    show(terminal(report, Replay(("grr", "oue"), 5000)))
    return capsys.readouterr().out


def test_a_line_for_each_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, PASSED, OTHER_SIZE, REJECTED, SMALL).splitlines()
    assert " ".join(lines[0].split()) == "test null m n level detects p-value verdict"
    assert lines[2] == "GRR(epsilon=1.0, k=8)"
    row = "A 36 500,000 4.2e-09 0.0077 0.52 not rejected"
    assert lines[3].split() == ["single", "outputs", *row.split()]
    assert lines[4].split()[3:5] == ["A", "112"]
    assert lines[6] == "OUE(epsilon=1.0, k=8)"
    assert lines[7].split()[-2:] == ["1e-12", "rejected"]
    assert lines[10].split()[1:] == ["B", "1", "500,000", "4.2e-09", "inf", "0.52", "inconclusive"]


def test_each_null_is_stated_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, PASSED, OTHER_SIZE, SMALL)
    assert (
        "A: each of the m classes has the probability that the spec gives it. "
        "Detects: probability of a class; above 0.02 it is inconclusive.\n"
        "B: the variance is the spec's. "
    ) in text
    assert "missed with probability <= 1e-08 in each test" in text


def test_what_a_rejection_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, PASSED, REJECTED)
    assert (
        """
Rejected: the running code does not follow the table
  OUE(epsilon=1.0, k=8), single outputs
    null: each of the 36 classes has the probability that the spec gives it
    observed 0.10395, expected 0.1029: x = 4, report 1
    p-value 1e-12, rejected at 4.2e-09 or less
"""
        in text
    )
    assert "2 comparisons of 72 tests: 1 not rejected, 1 rejected (1.2 s)" in text


def test_what_is_too_small_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, SMALL)
    assert "not rejected" not in text
    head = "Inconclusive: too small a sample\n  GRR(epsilon=1.0, k=8), variance: inf > 0.02"
    assert f"{head}; more reports are of no use\n" in text
    text = printed(capsys, replace(SMALL, needed=2_300_000))
    assert f"{head}; needs about 2,300,000 reports: --n 2300000\n" in text


def test_level_seed_and_replay(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, PASSED)
    assert "this run rejects anything with probability <= 1e-07" in text
    assert "one step of a 64-bit threshold" in text
    assert "Not looked at: k = 2097152: not estimated\n" in text
    assert "Seed 17; to replay: ldp-verified conform grr oue --seed 17 --n 5000 (" in text
    assert Replay().command(3) == "ldp-verified conform --seed 3"
    assert Replay(level=1e-9).command(3) == "ldp-verified conform --seed 3 --level 1e-09"


def test_nothing_compared_is_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert "0 comparisons of 0 tests: none" in printed(capsys)
    assert document(ConformanceReport((), 1, 1e-7), Replay())["outcome"] == "inconclusive"


def test_the_document() -> None:
    small = replace(SMALL, needed=2_300_000)
    body = document(ConformanceReport((REJECTED, small), 2**64 - 1, 1e-7), Replay(("oue",)))
    assert json.loads(json.dumps(body, allow_nan=False)) == body
    assert (body["outcome"], body["status"], body["level"]) == ("rejected", "refuted", 1e-7)
    assert body["seed"] == "18446744073709551615"  # as text: other readers of JSON round it
    assert body["replay"] == "ldp-verified conform oue --seed 18446744073709551615"
    comparisons = body["comparisons"]
    assert isinstance(comparisons, list)
    assert [c["outcome"] for c in comparisons if isinstance(c, dict)] == [
        "rejected",
        "inconclusive",
    ]
    assert [c["detectable"] for c in comparisons if isinstance(c, dict)] == [0.0077, None]
    assert [c["needed"] for c in comparisons if isinstance(c, dict)] == [None, 2_300_000]


def test_a_square_in_a_null_is_not_the_number_of_tests(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, replace(PASSED, tests=2, null="2 classes, with chance sum P(y|x)^2"))
    assert "A: m classes, with chance sum P(y|x)^2." in out


def test_the_values_that_were_asked_for_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    report = ConformanceReport((PASSED,), 17, 1e-7, asked=("GRR: asked 2 of 9 values (0, 8)",))
    show(terminal(report, Replay(("grr",))))
    assert "GRR: asked 2 of 9 values (0, 8)" in capsys.readouterr().out
    assert document(report, Replay(("grr",)))["asked"] == ["GRR: asked 2 of 9 values (0, 8)"]
