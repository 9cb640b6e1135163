"""A class shows what the transcript says of it, and nothing where files differ from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ldp_verified.run.carried import Installation, evidence_of
from ldp_verified.run.mechanisms import GRR, Laplace, Warner
from tests.recheck.copies import CERTIFICATE, NAME, SPEC, copied, transcribed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def at(tmp_path: Path) -> Installation:
    return copied(tmp_path)


def test_what_is_vouched_for(at: Installation) -> None:
    found = evidence_of(NAME, Warner.law_sha256, at)
    entry = transcribed().entries[NAME]
    assert found.problems == ()
    assert (found.status, found.verdicts) == (entry.status, entry.verdicts)
    assert set(found.files) >= {SPEC, CERTIFICATE}
    shown = str(found)
    assert shown.startswith("warner: proved by one group\n")
    assert "ldp-verified recheck warner" in shown
    assert f"sympy {transcribed().tools['sympy']}" in shown


@pytest.mark.parametrize("name", [SPEC, CERTIFICATE, "ldp_verified/prove/certificates/checker.py"])
def test_an_edited_file_leaves_nothing_vouched_for(at: Installation, name: str) -> None:
    at.path(name).write_text("", encoding="utf-8")
    found = evidence_of(NAME, Warner.law_sha256, at)
    assert found.status == "open"
    (problem,) = found.problems
    assert name in problem or "checkers here" in problem


def test_a_class_of_another_law(at: Installation) -> None:
    found = evidence_of(NAME, "0" * 64, at)
    assert found.status == "open"
    assert found.problems[0].startswith(f"the class names the law {'0' * 64}")


def test_what_no_transcript_names(at: Installation) -> None:
    found = evidence_of("mine", "0" * 64, at)
    assert (found.status, found.problems) == ("open", ("transcript.json says nothing of mine",))
    at.transcript.unlink()
    assert "no such file" in evidence_of(NAME, Warner.law_sha256, at).problems[0]


def test_a_refuted_entry_stays_refuted(at: Installation) -> None:
    entry = replace(transcribed().entries[NAME], status="refuted")
    at.transcript.write_text(transcribed().with_entry(entry).text, encoding="utf-8")
    assert evidence_of(NAME, Warner.law_sha256, at).status == "refuted"


@pytest.mark.parametrize("made", [GRR, Laplace])
def test_every_class_has_it(made: type[GRR] | type[Laplace]) -> None:
    found = made.evidence()
    assert (found.mechanism, found.law_sha256) == (made.name, made.law_sha256)
    assert "ldp-verified recheck" in str(made.evidence.__doc__)
