"""A recheck accepts what was proved, and refuses by name whatever differs from it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.recheck import recheck, rechecking
from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.prove import verify
from ldp_verified.run.carried import Installation, Proven, TranscriptEntry, read_transcript
from ldp_verified.run.carried.files import sha256
from tests.recheck.copies import CERTIFICATE, NAME, SPEC, copied, transcribed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHECKER = "ldp_verified/prove/certificates/checker.py"
THEORY = "proofs/allowed_axioms.txt"


@pytest.fixture
def at(tmp_path: Path) -> Installation:
    return copied(tmp_path)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def rewrite(at: Installation, change: Callable[[TranscriptEntry], TranscriptEntry]) -> None:
    """Put another entry into the transcript, as somebody would who can write there."""
    found = read_transcript(at.transcript)
    made = found.with_entry(change(found.entries[NAME]))
    at.transcript.write_text(made.text, encoding="utf-8")


def renamed_hashes(at: Installation) -> None:
    """Let the transcript name the hashes that the files have now."""
    rewrite(at, lambda e: replace(e, files={name: sha256(at.path(name)) for name in e.files}))


def test_what_was_proved_is_accepted(at: Installation) -> None:
    found = recheck(at)
    assert (found.refused, found.lacking) == ((), ())
    (each,) = found.mechanisms
    by_certificate = [
        v for v in transcribed().entries[NAME].verdicts if "certificate" in v.checkers
    ]
    assert each.repeated == len([v for v in by_certificate if v.obligation != "at_epsilon"]) > 5


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (SPEC, "Warner", "Wagner"),
        (CERTIFICATE, '"constant": 1', '"constant": 2'),
        (f"ldp_verified/run/mechanisms/{NAME}.py", "return", "return 2 *"),
        (CHECKER, "RejectedError", "AcceptedError"),
    ],
)
def test_an_edited_file_is_refused_by_name(at: Installation, name: str, old: str, new: str) -> None:
    edit(at.path(name), old, new)
    (line,) = recheck(at).refused
    assert f"{name}: has the sha256 {sha256(at.path(name))}, the transcript names" in line


@pytest.mark.parametrize("name", [SPEC, CERTIFICATE, CHECKER, THEORY])
def test_a_missing_file_is_refused_by_name(at: Installation, name: str) -> None:
    at.path(name).unlink()
    (line,) = recheck(at).refused
    assert line.endswith(f"{name}: is missing")


def test_a_transcript_that_names_another_hash_is_refused(at: Installation) -> None:
    rewrite(at, lambda e: replace(e, files={**e.files, SPEC: "0" * 64}))
    (line,) = recheck(at).refused
    assert f"{SPEC}: has the sha256" in line
    assert f"names {'0' * 64}" in line


def test_a_checker_that_nobody_names_is_refused(at: Installation) -> None:
    at.path("ldp_verified/prove/more.py").write_text("", encoding="utf-8")
    assert recheck(at).refused == ("ldp_verified/prove/more.py: the transcript does not name it",)


def test_a_certificate_that_shows_nothing_is_refused_whatever_the_hashes(at: Installation) -> None:
    path = at.path(CERTIFICATE)
    found = json.loads(path.read_text(encoding="utf-8"))
    name = next(name for name in found["table"]["proofs"] if name.startswith("ratio"))
    del found["table"]["proofs"][name]
    path.write_text(json.dumps(found), encoding="utf-8")
    renamed_hashes(at)
    (line,) = recheck(at).refused
    assert f"ratio: the certificate does not show it: {name}" in line


def test_a_spec_with_another_table_is_refused_whatever_the_hashes(at: Installation) -> None:
    edit(at.path(SPEC), "table=", "assuming=[],\n    table=")
    renamed_hashes(at)
    assert recheck(at).refused == ()  # the same table, in other words
    text = at.path(SPEC).read_text(encoding="utf-8")
    assert "tight=True" in text
    edit(at.path(SPEC), "tight=True", "tight=False")
    renamed_hashes(at)
    (line,) = recheck(at).refused
    assert f"{CERTIFICATE}: table: is about another statement than the spec makes" in line


def test_a_spec_of_another_hash_is_not_run(at: Installation) -> None:
    at.path(SPEC).write_text("raise SystemExit('was run')\n", encoding="utf-8")
    (line,) = recheck(at).refused
    assert "was run" not in line


def test_a_law_of_another_hash_is_refused(at: Installation) -> None:
    rewrite(at, lambda e: replace(e, law_sha256="0" * 64))
    (line,) = recheck(at).refused
    assert "its law is" in line


def test_what_no_entry_names_is_not_vouched_for(at: Installation) -> None:
    at.path("spec/new.py").write_text("", encoding="utf-8")
    found = recheck(at)
    assert (found.refused, found.lacking) == ((), ("spec/new.py: the transcript does not name it",))


def test_the_hash_that_is_expected(at: Installation) -> None:
    digest = sha256(at.transcript)
    assert recheck(at, expected=digest.upper()).refused == ()
    (line,) = recheck(at, expected="0" * 64).refused
    assert line.startswith(f"transcript.json: has the sha256 {digest}, not")


def test_a_name_that_the_transcript_lacks(at: Installation) -> None:
    with pytest.raises(ParameterError, match="olh"):
        recheck(at, ["olh"])


def test_no_transcript(at: Installation) -> None:
    at.transcript.unlink()
    with pytest.raises(SpecError, match=r"transcript\.json"):
        recheck(at)


def again(verdicts: Any, monkeypatch: pytest.MonkeyPatch, *, coq: bool) -> Any:
    """All routes, where the run here reached the verdicts of the transcript.

    Args:
        verdicts: what the transcript says. monkeypatch: of the test. coq: whether Coq is here.
    """

    class Ran:
        def __init__(self, _: object) -> None:
            self.verdicts = transcribed().entries[NAME].verdicts

    monkeypatch.setattr(rechecking, "verify", Ran)
    monkeypatch.setattr(rechecking, "proven", lambda verdict: verdict)
    monkeypatch.setattr(rechecking, "coqc_available", lambda: coq)
    entry = replace(transcribed().entries[NAME], verdicts=tuple(verdicts))
    return rechecking._again(entry, None)  # type: ignore[arg-type]  # nothing reads the mechanism


def test_all_routes_repeat_every_verdict(at: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rechecking, "coqc_available", lambda: False)
    monkeypatch.setattr(rechecking, "verify", partial(verify, coq=False))
    found = recheck(at, full=True)
    (each,) = found.mechanisms
    assert (found.refused, found.lacking) == ((), ())
    assert each.repeated == each.verdicts


def test_a_verdict_that_is_stronger_in_the_transcript_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, *rest = transcribed().entries[NAME].verdicts
    assert again([first, *rest], monkeypatch, coq=False) == (1 + len(rest), [], [])
    stronger = replace(first, status="proved", checkers=(*first.checkers, "smt2"))
    _, problems, left = again([stronger, *rest], monkeypatch, coq=False)
    assert left == []
    (problem,) = problems
    assert problem.startswith(f"{first.obligation}: is {first.status}")
    assert "the transcript says proved" in problem


def test_what_coq_proved_is_left_where_there_is_no_coq(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *rest = transcribed().entries[NAME].verdicts
    with_coq = replace(first, status="proved", checkers=(*first.checkers, "coq"))
    _, problems, left = again([with_coq, *rest], monkeypatch, coq=False)
    assert (problems, len(left)) == ([], 1)
    _, problems, left = again([with_coq, *rest], monkeypatch, coq=True)
    assert (len(problems), left) == (1, [])


def test_an_obligation_more_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    more = Proven(None, "ratio", "nobody said it", "proved", ())
    verdicts = [*transcribed().entries[NAME].verdicts, more]
    _, problems, _ = again(verdicts, monkeypatch, coq=False)
    assert problems == ["its obligations are not those of the transcript"]
