"""A transcript holds what was verified, and keeps of a former one only what still holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ldp_verified.check.recheck import transcribe, transcribing
from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.language import load, load_file
from ldp_verified.run.carried import Installation, read_transcript
from ldp_verified.run.carried.files import sha256
from tests.recheck.copies import CERTIFICATE, NAME, SPEC, copied, transcribed

if TYPE_CHECKING:
    from pathlib import Path


def test_an_entry_says_who_decided_what_over_which_files() -> None:
    found = transcribed()
    entry = found.entries[NAME]
    here = Installation.here()
    assert {SPEC, CERTIFICATE, f"ldp_verified/run/mechanisms/{NAME}.py"} == set(entry.files)
    assert all(sha256(here.path(name)) == digest for name, digest in entry.files.items())
    assert entry.status == "proved by one group"
    assert all({"certificate", "smt"} & set(v.checkers) for v in entry.verdicts if v.claim == 0)
    assert found.tools["coq"] == "none"
    assert {"python", "sympy", "z3-solver"} <= set(found.tools)
    assert "ldp_verified/prove/certificates/checker.py" in found.checkers


def test_a_transcript_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "transcript.json"
    path.write_text(transcribed().text, encoding="utf-8")
    assert read_transcript(path) == transcribed()


def test_what_still_holds_is_kept(tmp_path: Path) -> None:
    at = copied(tmp_path)
    known = transcribed()
    assert set(transcribing.begun(at, known.tools, known).entries) == {NAME}
    asked: list[str] = []
    (only,) = transcribe(load(NAME), at, known=known, coq=False, tell=asked.append)
    assert (only, asked) == (known, [])


def test_processes_find_what_one_after_another_find() -> None:
    asked: list[str] = []
    here, chosen = Installation.here(), [*load("grr"), *load(NAME), *load("two_coins")]
    several = list(transcribe(chosen, here, coq=False, jobs=2, tell=asked.append))
    *_, one = transcribe(chosen, here, coq=False)
    assert [len(each.entries) for each in several] == list(range(len(chosen) + 1))
    assert asked == [mechanism.name for mechanism in chosen]
    # The points at which a table is looked at are drawn anew each time.
    found = {name: replace(each, drawn="") for name, each in several[-1].entries.items()}
    assert found == {name: replace(each, drawn="") for name, each in one.entries.items()}


def test_a_file_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    at = copied(tmp_path)
    files = {SPEC: "0" * 64}
    with pytest.raises(SpecError, match=f"{NAME}: has files that changed while it was verified"):
        transcribing._entry_of(NAME, files, at, {NAME: NAME}, coq=False)


def test_no_job_is_refused() -> None:
    with pytest.raises(ParameterError, match="jobs: must be at least 1, got 0"):
        next(transcribe(load(NAME), Installation.here(), coq=False, jobs=0))


@pytest.mark.parametrize("what", ["tool", "spec", "certificate", "checker", "theory"])
def test_what_no_longer_holds_is_dropped(tmp_path: Path, what: str) -> None:
    at = copied(tmp_path)
    known = transcribed()
    tools = dict(known.tools)
    changed = {
        "spec": SPEC,
        "certificate": CERTIFICATE,
        "checker": "ldp_verified/prove/certificates/checker.py",
        "theory": "proofs/allowed_axioms.txt",
    }
    if what == "tool":
        tools["sympy"] = "0"
    else:
        with at.path(changed[what]).open("a", encoding="utf-8") as file:
            file.write("\n")
    assert transcribing.begun(at, tools, known).entries == {}


def test_a_stale_certificate_is_refused(tmp_path: Path) -> None:
    at = copied(tmp_path)
    at.path(CERTIFICATE).write_text("{}", encoding="utf-8")
    empty = replace(transcribed(), entries={})
    steps = transcribe(load(NAME), at, known=empty, coq=False)
    next(steps)
    with pytest.raises(SpecError, match=r"warner\.json: is not what the spec gives now"):
        next(steps)


def test_a_mechanism_of_ones_own_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    here = Installation.here()
    path.write_text(here.path(SPEC).read_text(encoding="utf-8"), encoding="utf-8")
    (mine,) = load_file(path)
    with pytest.raises(SpecError, match="must be of the catalogue"):
        transcribing.own_files(mine, here, {})


def test_a_spec_that_names_another_depends_on_it() -> None:
    here = Installation.here()
    declared = {"sue": "sue", "histogram_rr": "histogram_rr", "olh": "olh"}
    (mechanism,) = load("histogram_rr")
    found = transcribing.own_files(mechanism, here, declared)
    assert {"spec/histogram_rr.py", "spec/sue.py"} == {n for n in found if n.startswith("spec/")}
