"""What is no transcript of our format is refused, and the message names the fault."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.run.carried import Proven, Transcript, TranscriptEntry, read_transcript

if TYPE_CHECKING:
    from pathlib import Path

PROVEN = Proven(0, "ratio", "eps-LDP", "proved", ("certificate", "coq"), ("a_ldp",))
ENTRY = TranscriptEntry("a", "A", "proved", "00", {"spec/a.py": "11"}, "", (PROVEN,))
TRANSCRIPT = Transcript({"sympy": "1"}, {"c": "2"}, {"t": "3"}, {"a": ENTRY})


def read(folder: Path, text: str) -> Transcript:
    path = folder / "transcript.json"
    path.write_text(text, encoding="utf-8")
    return read_transcript(path)


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = read(tmp_path, TRANSCRIPT.text)
    assert found == TRANSCRIPT
    assert found.text == TRANSCRIPT.text


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["format"], "ldp-verified-transcript/2"),
        (["tools"], []),
        (["checkers", "c"], 1),
        (["mechanisms"], {}),
        (["mechanisms", 0, "status"], None),
        (["mechanisms", 0, "verdicts", 0, "claim"], True),
        (["mechanisms", 0, "verdicts", 0, "checkers"], "coq"),
    ],
)
def test_another_field_is_refused(tmp_path: Path, place: list[Any], value: object) -> None:
    found = json.loads(TRANSCRIPT.text)
    inner = found
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(SpecError, match="no transcript of the format"):
        read(tmp_path, json.dumps(found))


def test_a_mechanism_twice_is_refused(tmp_path: Path) -> None:
    found = json.loads(TRANSCRIPT.text)
    found["mechanisms"] *= 2
    with pytest.raises(SpecError, match="twice"):
        read(tmp_path, json.dumps(found))


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1, "format": 1}', "{}"])
def test_no_transcript(tmp_path: Path, text: str) -> None:
    with pytest.raises(SpecError, match=r"must be JSON|no transcript"):
        read(tmp_path, text)
