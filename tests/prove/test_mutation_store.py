"""A run that was stopped goes on: what was answered is not asked again, if nothing changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import load
from ldp_verified.prove.mutation import mutation_store
from ldp_verified.prove.mutation.mutate import matrix
from ldp_verified.prove.mutation.mutation_store import AnswerStore, open_store
from ldp_verified.prove.routes import Checker, Opinion, RouteSubject

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.language import Mechanism

KINDS = ["epsilon", "swap", "domain"]


class Counting:
    """A checker that rejects everything but the control, counts, and may stop the run."""

    def __init__(self, control: Mechanism, stop: int = 10**6) -> None:
        self.control, self.stop, self.asked = control.table, stop, 0

    def __call__(self, subject: RouteSubject) -> Opinion:
        self.asked += 1
        if self.asked > self.stop:
            raise KeyboardInterrupt
        return Opinion(subject.mechanism.claims is not None and self.asked == 1, "no")


def store(path: Path) -> AnswerStore:
    return open_store(path, ["counting"], None)


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    path, warner = tmp_path / "build" / "answers.jsonl", load("warner")[0]
    stopped = Counting(warner, 7)
    asked: dict[str, Checker] = {"counting": stopped}
    with pytest.raises(KeyboardInterrupt):
        matrix([warner], asked, kinds=KINDS, store=store(path))
    kept = len(store(path).known)
    assert 0 < kept < 7
    path.write_text(path.read_text() + '{"basis": "cut o')
    again = Counting(warner)
    report = matrix([warner], {"counting": again}, kinds=KINDS, store=store(path))
    assert report.recorded == kept
    assert len(report.results) == len(store(path).known)
    whole = Counting(warner)
    once = matrix([warner], {"counting": whole}, kinds=KINDS)
    assert [one.mutant.name for one in report.results] == [one.mutant.name for one in once.results]
    assert [one.rejected_by for one in report.results] == [one.rejected_by for one in once.results]
    nobody = Counting(warner, 0)
    report = matrix([warner], {"counting": nobody}, kinds=KINDS, store=store(path))
    assert (nobody.asked, report.recorded) == (0, len(report.results))
    assert report.rejections == once.rejections


def test_other_sources_other_checkers_and_other_declarations_are_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, warner = tmp_path / "answers.jsonl", load("warner")[0]
    matrix([warner], {"counting": Counting(warner)}, kinds=["swap"], store=store(path))
    assert store(path).known
    assert not open_store(path, ["counting", "coq"], None).known
    (tmp_path / "lib").mkdir()
    (tmp_path / "allowed_axioms.txt").write_text("")
    before = open_store(path, ["counting"], tmp_path).basis
    (tmp_path / "lib" / "A.v").write_text("Definition a := 0.\n")
    assert open_store(path, ["counting"], tmp_path).basis != before
    grr = load("grr")[0]
    report = matrix([grr], {"counting": Counting(grr)}, kinds=["swap"], store=store(path))
    assert report.recorded == 0
    monkeypatch.setattr(mutation_store, "SOURCES", ("derive",))
    assert not store(path).known


def test_what_time_does_not_suffice_for_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    both = [load("warner")[0], load("grr")[0]]
    matrix(both[:1], {"counting": Counting(both[0])}, kinds=["swap"], store=store(path))
    nobody = Counting(both[0], 0)
    report = matrix(both, {"counting": nobody}, kinds=["swap"], store=store(path), limit=-1)
    assert report.left == ("grr",)
    assert report.recorded == len(report.results) > 0
    assert not report.holds
    assert nobody.asked == 0


def test_a_file_that_is_something_else_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\nnothing happened\n")
    with pytest.raises(SpecError, match=r"notes.txt:1: is no answer about a variant"):
        store(path)
    assert path.read_text() == "dear diary\nnothing happened\n"
