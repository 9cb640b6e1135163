"""What the demo says of earlier runs is what the transcript says, also where nothing is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.app.cli.demo import recorded
from ldp_verified.errors import SpecError
from ldp_verified.run.carried.files import Installation
from ldp_verified.run.carried.transcript import Proven, Transcript, TranscriptEntry, read_transcript


def entry(name: str, *verdicts: Proven, certificate: bool = True) -> TranscriptEntry:
    files = {f"proofs/certificates/{name}.json": "00"} if certificate else {}
    return TranscriptEntry(
        name, name, "proved", "00", {f"spec/{name}.py": "00", **files}, "", verdicts
    )


def test_mechanisms_verdicts_and_theorems_are_counted(tmp_path: Path) -> None:
    both = Proven(0, "ratio", "s", "proved", ("z3", "coq"), ("t1", "t2"))
    again = Proven(1, "unbiased", "s", "proved", ("z3", "coq"), ("t2",))
    assumed = Proven(0, "ratio", "s", "assumed", (), (), ("normal",))
    entries = [entry("a", both, again), entry("b", assumed, certificate=False)]
    file = tmp_path / "transcript.json"
    file.write_text(Transcript({}, {}, {}, {each.name: each for each in entries}).text)
    lines = [" ".join(line.split()) for line in recorded(file).splitlines()]
    assert "2 mechanisms, 1 of them with a certificate" in lines
    assert "3 verdicts on their claims: 2 proved, 1 assumed" in lines
    assert "2 theorems that Coq's kernel accepted for them" in lines


def test_it_needs_only_the_transcript_of_the_repository() -> None:
    file = Installation.here().transcript
    assert f" {len(read_transcript(file).entries)} mechanisms" in recorded(file)


def test_without_a_transcript_nothing_is_said(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no such file"):
        recorded(tmp_path / "transcript.json")
