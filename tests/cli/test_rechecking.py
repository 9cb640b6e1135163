"""`recheck` on the command line: exit codes, documents, and the statement that it writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ldp_verified.run.carried import Installation
from tests.cli.running import document, run
from tests.recheck.copies import CERTIFICATE, NAME, copied

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """A copy that the command takes for the running one."""
    made = copied(tmp_path / "copy")
    monkeypatch.setattr(Installation, "here", classmethod(lambda _: made))
    return made


def test_the_same_hashes_and_verdicts(at: Installation) -> None:
    result = run("recheck")
    assert (result.exit_code, at.transcript.is_file()) == (0, True)
    assert "Same hashes, same verdicts." in result.stdout


def test_an_edited_certificate_is_named(at: Installation) -> None:
    at.path(CERTIFICATE).write_text("{}", encoding="utf-8")
    result = run("recheck", "--json")
    assert result.exit_code == 1
    (line,) = document(result)["refused"]
    assert line.startswith(f"{NAME}: {CERTIFICATE}: has the sha256")
    assert CERTIFICATE in run("recheck", NAME).stdout


def test_what_nobody_vouches_for_is_inconclusive(at: Installation) -> None:
    at.path("spec/new.py").write_text("", encoding="utf-8")
    assert run("recheck").exit_code == 3
    assert run("recheck", NAME).exit_code == 0


@pytest.mark.parametrize(
    "arguments", [["olh"], ["--expect", "abc"], ["--statement", "/nowhere/at/all"]], ids=str
)
def test_bad_usage(at: Installation, arguments: list[str]) -> None:
    assert at.transcript.is_file()
    assert run("recheck", *arguments).exit_code == 2


def test_the_hash_of_the_transcript_can_be_demanded(at: Installation) -> None:
    digest = document(run("recheck", "--json"))["transcript_sha256"]
    assert run("recheck", "--expect", digest).exit_code == 0
    assert at.transcript.is_file()
    assert run("recheck", "--expect", "0" * 64).exit_code == 1


def test_the_statement_says_what_was_found(at: Installation, tmp_path: Path) -> None:
    path = tmp_path / "recheck.json"
    at.path(CERTIFICATE).write_text("{}", encoding="utf-8")
    assert run("recheck", "--statement", path).exit_code == 1
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["predicate"]["exit_code"] == 1
    assert CERTIFICATE in found["predicate"]["refused"][0]
    names = {subject["name"] for subject in found["subject"]}
    assert {CERTIFICATE, "proofs/transcript.json", "spec/warner.py"} <= names
