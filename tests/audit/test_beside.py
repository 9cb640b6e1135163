"""LDP018: what is written or sent beside an answer.

Planted values stand in every text of one input, so that 400 calls on a side cannot miss them. Clean
twins are tested at level 1e-6 with fixed seeds of ours, and their own noise.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ldp_verified.check.audit.events.halves import FEWEST
from ldp_verified.check.audit.rules.beside import judged, laid_out, recurring
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.process import from_program
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.targets.web import from_http
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError
from tests.audit.test_web import BODY, served

LABELS = (0, 1, 2, 3)
CLAIM = Claim(1.0, n=1000, level=1e-9)
HOME = "tests.broken.audit.beside:"

PROGRAM = """
import json, random, sys
for line in sys.stdin:
    value = json.loads(line)
    report = value if random.random() < 0.475 else (value + random.randrange(1, 4)) % 4
    print("sent", {told}, file=sys.stderr, flush=True)
    print({shown}, flush=True)
"""


def found(name: str) -> list[str]:
    target = Target("callable", HOME + name, LABELS, beside=True)
    result = audit_target(target, CLAIM, checks=False, calls=1800)
    rules = [each.rule for each in result.findings]
    assert ("LDP018" in result.skipped) is False
    assert rules or any("beside the answers" in note for note in result.notes)
    return rules


@pytest.mark.parametrize("name", ["logs", "writes"])
def test_a_value_on_a_stream_is_found(name: str) -> None:
    assert found(name) == ["LDP018"]


@pytest.mark.parametrize("name", ["logs_reports", "silent"])
def test_what_a_report_tells_already_may_be_written(name: str) -> None:
    assert found(name) == []


def asked(source_sides: list[object], inputs: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bool:
    rng = np.random.default_rng(3)
    findings, _ = judged(inputs, source_sides, LABELS, CLAIM, rng)
    return [each.rule for each in findings] == ["LDP018"]


@pytest.mark.parametrize(
    ("told", "shown", "broken"),
    [
        ("value", "json.dumps(report)", True),
        ("report", "json.dumps(report) + ' ' * value", True),
        ("report", "json.dumps(report)", False),
    ],
)
def test_a_program_is_heard(tmp_path: Path, told: str, shown: str, broken: bool) -> None:
    """Its stderr, and the bytes of its line where JSON does not show them."""
    path = tmp_path / "client.py"
    path.write_text(PROGRAM.format(told=told, shown=shown), encoding="utf-8")
    source = from_program((sys.executable, str(path)), LABELS)
    assert source.beside is not None
    inputs = np.random.default_rng(2).integers(0, 4, size=2 * FEWEST)
    sides = source.beside(inputs)
    source.close()
    assert all(set(side) == {"bytes", "stderr"} for side in sides)
    assert asked(sides, inputs) is broken


@pytest.mark.parametrize(("path", "broken"), [("header", True), ("reason", True), ("fair", False)])
def test_headers_of_a_service_are_looked_at(path: str, broken: bool) -> None:
    """A header or the words of the status name the input; in a clean service they do not."""
    inputs = np.random.default_rng(2).integers(0, 4, size=2 * FEWEST)
    with served() as home:
        source = from_http(f"{home}/{path}", LABELS, body=BODY)
        assert source.beside is not None
        sides = source.beside(inputs)
    assert "header date" not in sides[0]
    assert "header content-type" in sides[0]
    assert asked(sides, inputs) is broken


def test_texts_are_read_whole_by_length_and_by_word() -> None:
    side = {"a": "at 12:03 value=7 (7)", "b": 5}
    words = recurring([side] * 8 + [{"a": f"call {n}"} for n in range(7)])
    assert words == {"a: 03", "a: 12", "a: 7", "a: at", "a: value"}
    assert laid_out(side, ["a", "b", "c"], words - {"a: at"}) == (
        *("at 12:03 value=7 (7)", 20, 5, None, None, None),
        *("a: 03", "a: 12", "a: 7", "a: value"),
    )


def test_lost_answers_are_left_out_and_few_show_nothing() -> None:
    inputs = np.zeros(FEWEST, dtype=np.int64)
    sides: list[object] = [{"stderr": ""}] * (FEWEST - 1) + [Raised("NoAnswer", "exit code 0")]
    findings, notes = judged(inputs, sides, LABELS, CLAIM, np.random.default_rng(1))
    assert findings == []
    assert "too few" in notes[0]


def test_what_cannot_be_heard_is_refused() -> None:
    with pytest.raises(ParameterError, match="--beside"):
        Target("callable", "a:b", LABELS, beside=True, bulk=True)
    with pytest.raises(ParameterError, match="--beside"):
        Target("callable", "a:b", LABELS, beside=True, in_process=True)
    with pytest.raises(ParameterError, match="--beside"):
        Target("file", "a.csv", beside=True)
