"""Escape hatches are found, whatever stands around them, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import catalogue_folder
from ldp_verified.prove.coq.expected import LISTS, read_assumptions, read_axioms, read_expected
from ldp_verified.prove.coq.scan import blanked, escapes, theorems
from tests.broken.coq.sources import ESCAPES, HEAD, HONEST, WRONG

PROOFS = catalogue_folder().parent / "proofs"
SEEN = {
    name: entry for name, entry in WRONG.items() if entry[2] and name not in {"false", "unlisted"}
}


def test_comments_and_strings_are_blanked() -> None:
    text = 'a (* b (* "*)" *) c *) d "e (* ""f" g (*\n h *) i'
    plain = blanked(text)
    assert len(plain) == len(text)
    assert plain.split() == ["a", "d", "g", "i"]
    assert plain.count("\n") == 1


@pytest.mark.parametrize("name", SEEN)
def test_an_escape_is_found_with_its_line(name: str, tmp_path: Path) -> None:
    source, message, line = SEEN[name]
    path = tmp_path / "Small.v"
    path.write_text(source)
    found = escapes(path, "lib/Small.v")
    assert any(message in str(f) and f.line in {line, line - 1} for f in found), found


@pytest.mark.parametrize("name", ESCAPES)
def test_what_is_not_on_the_list_is_found_with_its_line(name: str, tmp_path: Path) -> None:
    source, message, line = ESCAPES[name]
    path = tmp_path / "Small.v"
    path.write_text(source, encoding="utf-8", newline="\n")
    found = escapes(path, "lib/Small.v")
    assert any(message in f.message and f.line == line for f in found), found


def test_what_is_generated_opens_the_reals_only(tmp_path: Path) -> None:
    path = tmp_path / "own.v"
    path.write_text(HEAD.replace("\n", "\nOpen Scope nat_scope.\nOpen Scope R_scope.\n", 1))
    assert escapes(path, "lib/own.v") == []
    found = escapes(path, "generated/own.v")
    assert [f.line for f in found] == [2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "Section A.\nHypothesis h : False.\nContext (v : nat).\nEnd A.\n",
        (
            "Lemma l : 0 = 0 /\\ 0 = 0.\nProof.\n  split.\n  - { reflexivity. }\n"
            "  - all: now auto; [ idtac .. ].\nQed.\n"
        ),
        'Ltac t := let H := fresh "Axiom (*" in idtac.\n(* "*)" Axiom *)\n',
        "Record r := R { held : nat }.\nArguments held {_}.\nImplicit Types (n : nat).\n",
    ],
)
def test_what_is_on_the_list_is_none(text: str, tmp_path: Path) -> None:
    path = tmp_path / "Small.v"
    path.write_text(HONEST + text)
    assert escapes(path, "lib/Small.v") == []


def test_words_in_comments_are_no_escapes(tmp_path: Path) -> None:
    path = tmp_path / "Small.v"
    path.write_text(HONEST + "(* Axiom, Admitted (* Parameter *) *)\nDefinition Axiomatic := 0.\n")
    assert escapes(path, "lib/Small.v") == []


def test_the_proofs_have_none() -> None:
    files = [*PROOFS.glob("lib/*.v"), *PROOFS.glob("generated/*.v")]
    assert len(files) >= 20
    assert [f for path in files for f in escapes(path, path.name)] == []


def test_every_theorem_is_listed_and_every_listed_theorem_stated() -> None:
    stated = {
        (path.stem, name)
        for path in [*PROOFS.glob("lib/*.v"), *PROOFS.glob("generated/*.v")]
        for name in theorems(path)
    }
    entries = read_expected(PROOFS)
    listed = {(e.module.split(".")[1], e.name) for e in entries if e.kind == "theorem"}
    assert stated <= listed
    assert {name for _, name in listed - stated} == {"olh_algebra_optimal"}


def test_lists_are_read(tmp_path: Path) -> None:
    folder = tmp_path / LISTS
    folder.mkdir()
    (folder / "README.md").write_text("no list")
    (folder / "LDP.A.txt").write_text("# c\na : forall x,\n  x = x\nb := 1\n")
    (folder / "LDP.B.txt").write_text("\nc :: nat\n")
    entries = read_expected(tmp_path)
    assert [(e.qualified, e.text.split(), e.kind, e.file, e.line) for e in entries] == [
        ("LDP.A.a", ["forall", "x,", "x", "=", "x"], "theorem", f"{LISTS}/LDP.A.txt", 2),
        ("LDP.A.b", ["1"], "definition", f"{LISTS}/LDP.A.txt", 4),
        ("LDP.B.c", ["nat"], "type", f"{LISTS}/LDP.B.txt", 2),
    ]
    for name, text, message in (
        ("LDP.B", "  x = x\n", "continues no entry"),
        ("LDP.B", "[LDP.C]\n", "must be `name`"),
        ("LDP-B", "c :: nat\n", "named after a module"),
    ):
        wrong = folder / f"{name}.txt"
        wrong.write_text(text)
        with pytest.raises(SpecError, match=message):
            read_expected(tmp_path)
        wrong.unlink()
    with pytest.raises(SpecError, match="no such list"):
        read_expected(folder)
    path = tmp_path / "list.txt"
    path.write_text("one\ntwo : a, b # c\n\n")
    assert read_axioms(path) == {"one": None, "two": frozenset({"a", "b"})}


def test_printed_assumptions_are_read() -> None:
    assert read_assumptions("Closed under the global context\n") == []
    text = "Axioms:\nA.b : forall P,\n  P\nC.d\n  : nat\nf is assumed to be guarded.\n"
    assert read_assumptions(text) == ["A.b", "C.d", "f"]
