"""The checker inside the kernel reads bytes, shows what is true of them, and nothing else."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import ContradictionError, SpecError
from ldp_verified.kinds import Key
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.coq import coqc_available, reflection
from ldp_verified.prove.coq.coqc import run_coqc
from ldp_verified.prove.coq.library import proofs_folder, work_folder
from ldp_verified.prove.coq.reflection import (
    TABLE,
    Reflected,
    ask_reflection,
    canonical,
    disagreements,
    parts,
    source,
)
from ldp_verified.prove.coq.shared_run import SharedRun
from tests.broken.coq.statements import FALSE, UNREADABLE

Certificate = dict[str, Any]


def certificate(name: str) -> Certificate:
    """The certificate of a catalogue mechanism's table, as it is on disk."""
    text = (proofs_folder() / "certificates" / f"{name}.json").read_text(encoding="utf-8")
    found: Certificate = json.loads(text)["table"]
    return found


@pytest.fixture(scope="module")
def build() -> Iterator[Path | None]:
    """The compiled theory; None where coqc is missing."""
    if not coqc_available():
        with pytest.raises(SpecError, match="not installed"), work_folder():
            pass
        yield None
        return
    with work_folder() as folder:
        yield folder


def answers(build: Path, certificate: Certificate, texts: Sequence[str]) -> list[list[str] | None]:
    """Return the answers of `judge` to each text, with one certificate; None if unreadable."""
    head = source("", certificate).split("Definition answers")[0]
    lines = []
    for number, text in enumerate(texts):
        quoted = text.replace('"', '""')
        lines.append(f'Definition bytes_{number} : string := "{quoted}"%string.')
        asked = f"judge bytes_{number} table_certificate needs_certificate"
        lines.append(f"Definition said_{number} := Eval vm_compute in {asked}.")
        lines.append(f"Print said_{number}.")
    (build / "generated/many.v").write_text(head + "\n".join(lines), encoding="utf-8")
    status, output = run_coqc(build, "generated/many.v", 600)
    assert not status, output[-500:]
    found = re.split(r"said_\d+ =", output)[1:]
    assert len(found) == len(texts)
    return [
        None if "None" in said else re.findall(r"\b(Shown|NotShown|NotRead)\b", said)
        for said in found
    ]


def shown(statement: Mapping[str, Any], said: Sequence[str]) -> set[str]:
    """The kinds that are shown; a statement of Warner's has no kind twice."""
    asked = parts(statement)
    assert len(asked) == len(said)
    return {kind for (_, kind), answer in zip(asked, said, strict=True) if answer == "Shown"}


KINDS = {"stochastic", "defined", "ratio", "tight", "unbiased", "variance"}


def test_all_that_the_verifier_shows_is_shown_inside_the_kernel(build: Path | None) -> None:
    if build is None:
        return
    # One with estimator and variance, one of several inputs and no estimator, relations.
    for name, kinds in (
        ("warner", KINDS),
        ("fake", KINDS - {"unbiased", "variance"}),
        ("grades", (KINDS | {"holds"}) - {"variance"}),
    ):
        genuine = certificate(name)
        statement = genuine["statement"]
        said = ask_reflection(build, statement, genuine)
        assert {kind for _, kind in said.shown} == kinds, said
        assert {kind for _, kind in said.not_shown} <= {"tight"}
        outcomes = checker.check(statement, genuine)
        assert not disagreements(statement, outcomes, said)


def test_a_claim_that_is_not_read_is_neither_shown_nor_refused(build: Path | None) -> None:
    if build is None:
        return
    genuine = certificate("fair_coins")
    said = ask_reflection(build, genuine["statement"], genuine)
    (unread,) = set(parts(genuine["statement"])) - said.shown - said.not_shown
    assert unread[1] == "same_table"
    assert not said.shows(unread)


def test_what_has_several_pairs_and_is_no_table_is_not_read(build: Path | None) -> None:
    if build is None:
        return
    genuine = certificate("rappor")
    assert len(genuine["statement"]["pair_tables"]) == 6
    said = ask_reflection(build, genuine["statement"], genuine)
    assert not said.shown
    assert said.why == "it is no statement about an explicit table that Coq reads"


def test_bytes_that_are_no_statement_are_not_read(build: Path | None) -> None:
    if build is None:
        return
    genuine = certificate("warner")
    statement = genuine["statement"]
    texts = [canonical(statement), *(edit(statement) for edit in UNREADABLE.values())]
    first, *rest = answers(build, genuine, texts)
    assert first is not None
    assert shown(statement, first) == KINDS
    read = [name for name, said in zip(UNREADABLE, rest, strict=True) if said is not None]
    # A claim, a bound on epsilon or a weight may be unreadable alone: then it is not shown.
    assert not read


def test_what_is_not_true_is_not_shown(build: Path | None) -> None:
    if build is None:
        return
    genuine = certificate("warner")
    statement = genuine["statement"]
    texts = [edit(statement) for edit, _ in FALSE.values()]
    for (name, (_, false)), said in zip(FALSE.items(), answers(build, genuine, texts), strict=True):
        assert said is not None, name
        assert not shown(statement, said) & false, name


def forged(genuine: Certificate) -> Iterator[tuple[str, Certificate]]:
    """Certificates with other factors than those of their products."""
    for name, factors in {
        "no factors": [],
        "another factor": [["gamma+1", 1]],
        "another power": [["2*gamma+1", 3]],
        "a factor that may be 0": [["4*gamma-1", 2]],
        "a factor of no sign": [["3*gamma-1", 1]],
    }.items():
        copied = copy.deepcopy(genuine)
        for proof in copied["proofs"].values():
            proof["factors"] = factors
        for place in copied["denominators"].values():
            for proof in place.values():
                proof["factors"] = factors
        yield name, copied


def test_a_forged_certificate_shows_nothing_that_is_not_true(build: Path | None) -> None:
    if build is None:
        return
    genuine = certificate("warner")
    statement = genuine["statement"]
    for name, other in forged(genuine):
        texts = [edit(statement) for edit, _ in FALSE.values()]
        for (what, (_, false)), said in zip(
            FALSE.items(), answers(build, other, texts), strict=True
        ):
            assert said is not None, what
            assert not shown(statement, said) & false, (name, what)


def test_a_certificate_that_is_needed_and_missing_shows_less(build: Path | None) -> None:
    if build is None:
        return
    genuine = certificate("grades")
    statement = genuine["statement"]
    copied = {**genuine, "proofs": {}, "denominators": {}}
    whole, less = (answers(build, each, [canonical(statement)])[0] for each in (genuine, copied))
    assert whole is not None
    assert less is not None
    assert less.count("Shown") <= whole.count("Shown")
    assert "NotShown" in whole or less == whole


def test_statements_without_pair_tables_are_left_alone() -> None:
    statement: dict[str, Any] = {"matrix": {}, "pair_tables": [], "variables": [], "claims": []}
    assert ask_reflection(Path("nowhere"), statement, {}) == Reflected(why=reflection.TABLES_ONLY)


def test_bytes_are_those_of_the_statement() -> None:
    statement = certificate("warner")["statement"]
    assert json.loads(canonical(statement)) == statement
    with pytest.raises(ValueError, match="not what its JSON text says"):
        canonical({"pair_tables": (1, 2)})


EVERY: frozenset[Key] = frozenset(
    {TABLE, (None, "defined"), (0, "ratio"), (0, "tight"), (1, "unbiased"), (2, "variance")}
)


def test_a_difference_is_said_in_both_directions() -> None:
    genuine = certificate("warner")
    statement = genuine["statement"]
    outcomes = checker.check(statement, genuine)
    assert not disagreements(statement, outcomes, Reflected(EVERY))
    for part in EVERY:
        (line,) = disagreements(statement, outcomes, Reflected(EVERY - {part}, frozenset({part})))
        assert line.endswith("shown by the verifier, not by the kernel checker")
    lost = {**genuine, "proofs": {}}
    fewer = checker.check(statement, lost)
    lines = disagreements(statement, fewer, Reflected(EVERY))
    assert "ratio of claim 0: shown by the kernel checker, not by the verifier" in lines


def test_a_difference_ends_the_run_as_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = certificate("warner")
    statement = genuine["statement"]
    outcomes = checker.check(statement, genuine)
    said = Reflected(EVERY - {TABLE}, frozenset({TABLE}))

    class Folder:
        def __enter__(self) -> Path:
            return Path("nowhere")

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(reflection, "work_folder", Folder)
    monkeypatch.setattr(reflection, "ask_reflection", lambda *_, **__: said)
    with pytest.raises(ContradictionError, match="this package is wrong") as caught:
        reflection.reflection("warner", statement, genuine, outcomes)
    assert "stochastic of the table: shown by the verifier" in caught.value.details


def test_without_coq_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = certificate("warner")

    def missing() -> None:
        raise SpecError("coqc", "is not installed")

    monkeypatch.setattr(reflection, "work_folder", missing)
    said = reflection.reflection("warner", genuine["statement"], genuine, [])
    assert said == Reflected(why=said.why)
    assert "not installed" in said.why


@pytest.mark.parametrize("shared", [False, True])
def test_the_question_is_printed_once_also_where_it_is_asked_apart(
    shared: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    genuine = certificate("warner")
    printed, compiled = [], []
    right = reflection.source

    def source(*arguments: Any) -> str:
        printed.append(right(*arguments))
        return printed[-1]

    def coqc(build: Path, file: str, *_: object) -> tuple[int, str]:
        compiled.append((build / file).read_text(encoding="utf-8"))
        return 1, ""

    monkeypatch.setattr(reflection, "source", source)
    monkeypatch.setattr(reflection, "run_coqc", coqc)
    monkeypatch.setattr(reflection, "work_folder", lambda: contextlib.nullcontext(tmp_path))
    (tmp_path / "generated").mkdir()
    run = SharedRun() if shared else None
    if run is not None:
        run.tell(None)
    reflection.reflection("warner", genuine["statement"], genuine, [], run)
    assert len(printed) == 1
    assert compiled == [printed[0] + reflection.PRINTS]
