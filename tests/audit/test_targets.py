"""Targets as they are written down: opened, refused, saved and read again."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.results.findings import document, read, save
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.keys import Raised
from ldp_verified.check.audit.targets.sources import from_bulk, from_callable, resolve
from ldp_verified.check.audit.targets.targets import Target, parse_inputs, read_target
from ldp_verified.errors import ParameterError
from tests.broken.audit.targets import bulk

HOME = "tests.broken.audit.targets:"


@pytest.mark.parametrize(
    "text,expected",
    [
        ("0..3", (0, 1, 2, 3)),
        ("-1..1", (-1, 0, 1)),
        ("yes,no", ("yes", "no")),
        ("1, 2.5,true", (1, 2.5, True)),
        ('["a,b", [1, 2], null]', ("a,b", (1, 2), None)),
    ],
)
def test_inputs_on_a_command_line(text: str, expected: tuple[Any, ...]) -> None:
    found = parse_inputs(text)
    assert found == expected
    assert [*map(type, found)] == [*map(type, expected)]


@pytest.mark.parametrize("text", ["", "5", "3..3", "[1", "[1]"])
def test_fewer_than_two_inputs_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="inputs"):
        parse_inputs(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1..0", "must go from a whole number to a larger one, got '1..0'"),
        ("0..99999999999", "must be at most 1,000,000 values"),
        ("a..b", "must be at least two values: 0..9, or a,b,c, or a JSON list, got 'a..b'"),
    ],
)
def test_what_is_wrong_with_a_range_is_said(text: str, said: str) -> None:
    with pytest.raises(ParameterError) as found:
        parse_inputs(text)
    assert said in str(found.value)


def test_a_reference_is_evaluated_in_its_module() -> None:
    assert resolve("math:sqrt(16)") == 4.0
    assert resolve("ldp_verified:GRR(1.0, 4)").k == 4  # a name that the module makes when asked
    for wrong in ("math", "math:", "no.such:f", "math:nosuch", "math:sqrt(-1)"):
        with pytest.raises(ParameterError, match="TARGET"):
            resolve(wrong)


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "other"},
        {"repeat": 0},
        {"bulk": True, "repeat": 2},
        {"kind": "program", "fresh": True},
        {"timeout": 0.0},
    ],
)
def test_a_target_that_is_none_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Target(**{"kind": "callable", "reference": "math:sqrt", **options})


def test_a_fresh_target_is_made_anew_for_each_output() -> None:
    kept = Target("callable", f"{HOME}Memoised(1.0, 1000).privatise", (0, 1))
    once = kept.function()
    assert len({once(0) for _ in range(20)}) == 1
    fresh = Target("callable", f"{HOME}Memoised(1.0, 1000).privatise", (0, 1), fresh=True)
    again = fresh.function()
    # 20 fresh answers are equal with probability below (1/100)^19.
    assert len({again(0) for _ in range(20)}) > 1
    twice = Target("callable", f"{HOME}Memoised(1.0, 9).privatise", (0, 1), repeat=2)
    first, second = twice.function()(3)
    assert first == second


def test_an_exception_is_an_output() -> None:
    def fails(_: int) -> int:
        raise KeyError("x")

    (batch,) = from_callable(fails, [0, 1]).batches(5, np.random.default_rng(1), 0)
    assert [*batch.outputs] == [Raised("KeyError", "'x'", batch.outputs[0].place)] * 5
    assert batch.outputs[0].place.endswith("fails")


def test_a_bulk_target_must_answer_all() -> None:
    (batch,) = from_bulk(bulk, [0, 1]).batches(100, np.random.default_rng(1), 0)
    assert len(batch.outputs) == 100
    with pytest.raises(ParameterError, match="outputs"):
        next(from_bulk(lambda v: v[1:], [0, 1]).batches(10, np.random.default_rng(1), 0))


@pytest.mark.parametrize("inputs", [[], [1], [1, 1]])
def test_inputs_must_differ(inputs: list[int]) -> None:
    with pytest.raises(ParameterError, match="inputs"):
        from_callable(abs, inputs)
    assert from_callable(abs, [1, True, 1.0]).inputs == (1, True, 1.0)


def test_a_finding_can_be_saved_and_read(tmp_path: Path) -> None:
    target = Target("callable", f"{HOME}Client(2.0, 3).privatise", (0, 1, 2), timeout=5.0)
    result = audit(target.open(), Claim(1.0, n=2000), seed=1)
    path = tmp_path / "finding.json"
    save(path, result, target)
    found = read(path)
    assert found.target == target
    assert found.claim == Claim(1.0, n=2000)
    assert len(found.events) == len(result.tested)
    assert document(result, target)["verdict"] == str(result.verdict)
    assert read_target(json.loads(json.dumps(target.document()))) == target


def test_a_finding_that_the_disk_has_no_room_for_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Target("callable", f"{HOME}Client(2.0, 3).privatise", (0, 1, 2), timeout=5.0)
    result = audit(target.open(), Claim(1.0, n=2000), seed=1)
    path = tmp_path / "finding.json"
    save(path, result, target)
    before = path.read_bytes()

    def full(part: Path, text: str, **_: object) -> None:
        part.write_bytes(text[:20].encode())
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ParameterError, match=r"must be writable \(.*No space left on device\)"):
        save(path, result, target)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"schema": "ldp-verified/finding/1"}'])
def test_a_file_without_a_finding_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "finding.json"
    path.write_text(text)
    with pytest.raises(ParameterError):
        read(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "is no JSON: give a file that `audit --save` wrote"),
        ("[1, 2]", "is no saved finding: give a file that `audit --save` wrote"),
        ('{"schema": "ldp-verified/finding/1"}', "is no saved finding: give a file that"),
    ],
)
def test_a_file_that_holds_no_finding_is_refused_in_words(
    text: str, said: str, tmp_path: Path
) -> None:
    """Messages quoted Python: "Expecting value", "'list' object has no attribute 'get'"."""
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=said):
        read(path)
