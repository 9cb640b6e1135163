"""One run of Coq for theorems and statement; what it refuses is asked apart."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, Matrix, Mechanism, exp, real
from ldp_verified.prove import Status, Verification, verify
from ldp_verified.prove.coq import coqc_available, kernel, reflection, shared_run
from ldp_verified.prove.coq.coqc import run_coqc
from ldp_verified.prove.coq.reflection import NAME
from ldp_verified.prove.coq.shared_run import SharedRun, placed

eps = real("eps", above=0)
u = exp(eps)
MINE = Mechanism(
    "mine",
    parameters=[eps],
    table=Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]]),
    claims=[LDP(eps, tight=True)],
)

CLASSICAL = """From Coq Require Import Classical.
Lemma one : True \\/ ~ True.
Proof. exact (classic True). Qed.
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool, int]]:
    """(file, whether the statement is in it, exit status) of each run of Coq."""
    found: list[tuple[str, bool, int]] = []

    def run(
        build: Path, file: str, limit: float, stop: threading.Event | None = None
    ) -> tuple[int, str]:
        text = (build / file).read_text(encoding="utf-8")
        said = run_coqc(build, file, limit, stop)
        found.append((file, "Definition bytes" in text, said[0]))
        return said

    monkeypatch.setattr(kernel, "run_coqc", run)
    monkeypatch.setattr(reflection, "run_coqc", run)
    return found


def decided() -> Verification | None:
    """What is decided about the table; None where coqc is missing, which is said."""
    if coqc_available():
        return verify(MINE, 2, coq=True)
    with pytest.raises(SpecError, match="not installed"):
        verify(MINE, 2, coq=True)
    return None


def checkers(found: Verification) -> dict[str, tuple[str, ...]]:
    """The checkers of each obligation that the checker inside the kernel is asked about."""
    of_table = ("nonnegative", "sums_to_one", "ratio", "tight")
    return {str(v.obligation): v.checkers for v in found.verdicts if v.obligation in of_table}


def test_both_are_asked_in_one_run(asked: list[tuple[str, bool, int]]) -> None:
    if (found := decided()) is None:
        return
    assert asked == [("generated/mine.v", True, 0)]
    assert {v.status for v in found.verdicts} == {Status.PROVED}
    for names in checkers(found).values():
        assert {"coq", NAME} <= {*names}


def test_a_statement_that_coq_refuses_does_not_take_the_theorems_with_it(
    asked: list[tuple[str, bool, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "Theorem false : True = False.\nProof. reflexivity. Qed.\n"
    monkeypatch.setattr(kernel, "placed", lambda text: placed(text) + wrong)
    if (found := decided()) is None:
        return
    both, apart = asked[0], sorted(asked[1:])
    assert both[1:] == (True, 1)
    assert apart == [("generated/mine.v", False, 0), ("generated/reflected.v", True, 0)]
    for names in checkers(found).values():
        assert {"coq", NAME} <= {*names}


@pytest.mark.parametrize(
    "wrong",
    [
        # It rests on an axiom: the planted proof is of what Coq did not show.
        CLASSICAL,
        # The scan refuses the word before Coq sees it.
        "Axiom one : False.\n",
    ],
)
def test_what_rests_on_more_is_not_believed(
    wrong: str, asked: list[tuple[str, bool, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def source(text: str, certificate: Mapping[str, Any]) -> str:
        made = genuine(text, certificate)
        rests = made.replace("exact (judge_sound", "pose proof one. exact (judge_sound")
        return rests.replace("(** The bytes", f"{wrong}\n(** The bytes")

    genuine = reflection.source
    monkeypatch.setattr(reflection, "source", source)
    if (found := decided()) is None:
        return
    for names in checkers(found).values():
        assert "coq" in names
        assert NAME not in names
    assert {v.status for v in found.verdicts} == {Status.PROVED}
    assert ("generated/mine.v", False, 0) in asked


def test_long_theorems_are_compiled_beside_it(
    asked: list[tuple[str, bool, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "MOST_TEXT", 10)
    if (found := decided()) is None:
        return
    assert sorted(asked) == [("generated/mine.v", False, 0), ("generated/reflected.v", True, 0)]
    assert all(NAME in names for names in checkers(found).values())


def test_nobody_waits_once_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = SharedRun()
    threading.Timer(0.3, meeting.stop.set).start()
    assert meeting.ask("text") is None
    assert meeting.text() == ""
    late = SharedRun()
    monkeypatch.setattr(shared_run, "PATIENCE_S", 0.2)
    assert late.text() == ""
    late.tell(None)
    late.tell("a second answer")
    assert late.ask("text") is None
