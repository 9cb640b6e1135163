"""Descriptors that say something else than what comes out of their arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.deploy import Deployment, load_deployment
from ldp_verified.deploy.descriptor import made_of, spelled
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import LOLOHA, RangeGrid, RangeHierarchy
from ldp_verified.run.mechanisms import GRR, HadamardResponse
from tests.deploy.deployed import DEPLOYMENTS, name_of

PLAIN = Deployment(GRR(1.0, 50))
RECORD: dict[str, Any] = json.loads(PLAIN.text)
TABLE: dict[str, Any] = RECORD["tables"][0]
ARGUMENTS: dict[str, Any] = RECORD["arguments"]


def test_the_planted_record_is_one() -> None:
    assert Deployment.from_text(spelled(RECORD)) == PLAIN


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tables": [TABLE | {"thresholds": ["356677434391466043"]}]}, "law or thresholds"),
        ({"tables": [TABLE | {"thresholds": [356677434391466044]}]}, "law or thresholds"),
        ({"tables": [TABLE | {"law": "0" * 64}]}, "law or thresholds"),
        ({"tables": []}, "law or thresholds"),
        ({"tables": None}, "law or thresholds"),
        ({"payload": [{"below": "64", "times": 1}]}, "another payload"),
        ({"payload_bits": 7}, "another payload_bits"),
        ({"payload_bits": 6.0}, "another payload_bits"),
        ({"mechanism": "KeepOrUniform"}, "law or thresholds"),
        ({"mechanism": "Nobody"}, "must name a mechanism"),
        ({"mechanism": ["GRR"]}, "must name a mechanism"),
        ({"mechanism": "grr"}, "must name a mechanism"),
        ({"arguments": ARGUMENTS | {"k": 51}}, "another payload"),
        ({"arguments": ARGUMENTS | {"epsilon": 1.1}}, "law or thresholds"),
        ({"arguments": ARGUMENTS | {"k": 50.0}}, "k: must be an integer"),
        ({"arguments": ARGUMENTS | {"k": "50"}}, "k: must be an integer"),
        ({"arguments": ARGUMENTS | {"epsilon": 1}}, "another arguments"),
        ({"arguments": ARGUMENTS | {"epsilon": 10**400}}, "epsilon"),
        ({"arguments": ARGUMENTS | {"epsilon": {"fraction": "1/0"}}}, "make no GRR"),
        ({"arguments": ARGUMENTS | {"epsilon": {"class": "Nobody"}}}, "make no GRR"),
        ({"arguments": ARGUMENTS | {"epsilon": {"class": []}}}, "make no GRR"),
        ({"arguments": ARGUMENTS | {"categories": ["a"] * 50}}, "categories"),
        ({"arguments": ARGUMENTS | {"more": 1}}, "all arguments"),
        ({"arguments": {"k": 50}}, "all arguments"),
        ({"arguments": []}, "all arguments"),
        ({"accepts": [4]}, "accepts"),
        ({"accepts": [3, 3]}, "another accepts"),
        ({"accepts": 1}, "accepts"),
        ({"program": 4, "accepts": [4]}, "is for program versions"),
        ({"program": 0}, "program"),
        ({"round": -1}, "round"),
        ({"round": 0.0}, "round"),
        ({"protocol": 7}, "protocol"),
        ({"version": 2}, "format version 1"),
        ({"version": True}, "another version"),
        ({"ldp_verified": "report"}, "no deployment"),
        ({"extra": 1}, "another extra"),
    ],
)
def test_what_a_descriptor_says_is_not_believed(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ReportError, match=message):
        Deployment.from_text(spelled(RECORD | change))


def test_deployments_for_programs_of_the_same_answers_are_read() -> None:
    """Version 1 read the words of a report otherwise; laws and permanent answers are later ones."""
    for versions in ([1], [1, 2], [1, 4]):
        earlier = RECORD | {"program": 1, "accepts": versions}
        assert Deployment.from_text(spelled(earlier)).mechanism == PLAIN.mechanism


@pytest.mark.parametrize("name", sorted(RECORD))
def test_every_key_is_needed(name: str) -> None:
    lacking = {key: value for key, value in RECORD.items() if key != name}
    with pytest.raises(ReportError):
        Deployment.from_text(spelled(lacking))


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "7", "[" * 100_000, '{"a":' * 100_000),
        json.dumps(RECORD, sort_keys=True),
        spelled(RECORD) + "\n",
        " " + spelled(RECORD),
        spelled(RECORD).replace('"round":0', '"round":0,"round":0'),
        spelled(RECORD).replace('"round":0', '"round":-0'),
        spelled(RECORD).replace("1.0", "1.00"),
        spelled(RECORD).replace("GRR", "\\u0047RR"),
        spelled(RECORD).replace("1.0", "NaN"),
        b"\xff",
        7,
        None,
    ],
)
def test_another_spelling_is_refused(text: Any) -> None:
    with pytest.raises(ReportError, match="descriptor"):
        Deployment.from_text(text)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_end_that_an_editor_added_is_named(end: str) -> None:
    with pytest.raises(ReportError, match=r"one spelling: .* no line end behind it"):
        Deployment.from_text(spelled(RECORD) + end)


@pytest.mark.parametrize("deployment", DEPLOYMENTS[::5], ids=name_of)
def test_no_changed_character_is_accepted(deployment: Deployment) -> None:
    """Every character replaced: what is read either is refused, or is that deployment."""
    text = deployment.text
    for place in range(len(text)):
        changed = text[:place] + ("1" if text[place] != "1" else "2") + text[place + 1 :]
        try:
            found = Deployment.from_text(changed)
        except ReportError:
            continue
        assert (found.text, found.digest != deployment.digest) == (changed, True)


def test_a_file_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "long.json"
    with file.open("wb") as out:
        out.truncate(1 << 25)
    with pytest.raises(ReportError, match="2\\^24"):
        load_deployment(file)


def test_objects_are_made_by_name() -> None:
    assert made_of("grr", {"k": 5, "epsilon": 1.0}) == GRR(1.0, 5)
    assert made_of("hadamard_response", {"k": 5, "epsilon": 1}) == HadamardResponse(1.0, 5)
    made = made_of("LOLOHA", {"k": 5, "epsilon_permanent": 4, "epsilon_report": 1})
    assert made == LOLOHA(4, 1, 5)
    assert made_of("range_hierarchy", {"k": 9, "epsilon": 1}) == RangeHierarchy(1.0, 9)
    grid = made_of("range_grid", {"epsilon": 1, "attributes": {"a": 4, "b": 3}, "fanout": 2})
    assert grid == RangeGrid(1.0, {"a": 4, "b": 3}, 2)
    views = {"attributes": {"a": ["x", "y"], "b": 3}, "views": [["a", "b"]], "epsilon": 1}
    assert made_of("joint_tables", views).listed == (("a", "b"),)
    with pytest.raises(ParameterError, match="must be deployed as its scheme"):
        Deployment(grid)
    for name, arguments, message in (
        ("grrr", {}, "name: must name a class .*, such as GRR or LGRR, got 'grrr'$"),
        ("nosuch", {}, "name: must name a class .*, which docs/catalogue.md lists, got 'nosuch'$"),
        ("grr", {"k": 5}, "epsilon: must be given for grr: its arguments are epsilon, k"),
        ("grr", {"k": 5, "epsilon": 1.0, "g": 2}, "g: is no argument of grr: it has epsilon, k"),
        ("grr", {"k": 5, "epsilon": {"a": 1}}, "epsilon: must be a number, .*, got {'a': 1}"),
    ):
        with pytest.raises(ParameterError, match=message):
            made_of(name, arguments)
