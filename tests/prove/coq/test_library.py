"""The compiled theory: made once, kept, and not believed where its bytes have changed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.prove.coq import coqc_available, library
from ldp_verified.prove.coq.coqc import compile_all, coq_version, run_coqc
from ldp_verified.prove.coq.library import cache_folder, proofs_folder, work_folder
from tests.broken.coq.sources import HONEST

USE = "From LDP Require Import Small.\nCheck small.\n"


@pytest.fixture
def proofs(tmp_path: Path) -> Path:
    """A proofs folder whose theory is one small file."""
    (tmp_path / "proofs" / "lib").mkdir(parents=True)
    (tmp_path / "proofs" / "lib" / "Small.v").write_text(HONEST)
    return tmp_path / "proofs"


def usable(proofs: Path, cache: Path) -> bool:
    """Return whether a file that needs the theory compiles; without coqc, that it is refused."""
    if not coqc_available():
        assert "CI" not in os.environ, "coqc is not installed: nothing was kernel-checked"
        with pytest.raises(SpecError, match="not installed"), work_folder(proofs, cache):
            pass
        return False
    with work_folder(proofs, cache) as build:
        (build / "generated" / "Use.v").write_text(USE)
        status, output = run_coqc(build, "generated/Use.v", 60)
        assert status == 0, output
    assert not build.exists()
    return True


def never(*_arguments: object) -> None:
    raise AssertionError("the theory was compiled again")


def test_it_is_compiled_once(proofs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    if not usable(proofs, cache):
        return
    (kept,) = cache.iterdir()
    assert {path.name for path in kept.iterdir()} == {"Small.vo", "compiled.json"}
    monkeypatch.setattr(library, "_compile", never)
    usable(proofs, cache)
    (proofs / "lib" / "Small.v").write_text(HONEST + "(* another *)\n")
    with pytest.raises(AssertionError, match="compiled again"):
        usable(proofs, cache)


def test_other_bytes_than_were_kept_are_not_used(proofs: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    if not usable(proofs, cache):
        return
    (kept,) = cache.iterdir()
    whole = (kept / "Small.vo").read_bytes()
    (kept / "Small.vo").write_bytes(whole[:-1])
    usable(proofs, cache)
    assert [path.name for path in cache.iterdir()] == [kept.name]
    assert len((kept / "Small.vo").read_bytes()) == len(whole)


def test_a_cache_that_cannot_be_written_is_done_without(proofs: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    usable(proofs, tmp_path / "cache")
    assert (tmp_path / "cache").read_text() == ""


def test_a_theory_that_does_not_compile_is_an_error(proofs: Path, tmp_path: Path) -> None:
    (proofs / "lib" / "Small.v").write_text(HONEST.replace("le_add_r", "le_add_q"))
    if coqc_available():
        with pytest.raises(SpecError, match="must compile"), work_folder(proofs, tmp_path / "c"):
            pass
        assert not (tmp_path / "c").exists()


def test_the_theory_of_this_checkout_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (proofs_folder() / "lib" / "Randomizer.v").is_file()
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/ldp_verified/coq")


def test_without_coqc_there_is_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SpecError, match="coqc"):
        coq_version()


@pytest.mark.parametrize("terminal", [False, True])
def test_a_terminal_is_told_how_far_it_is(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    tell = library._shown(2 * library.EVERY + 1)
    for done in range(2 * library.EVERY + 2):
        tell(done)
    said = [line.split(": ")[1] for line in capsys.readouterr().err.splitlines()]
    assert said == (
        ["0 of 17 files", "8 of 17 files", "16 of 17 files", "17 of 17 files"] if terminal else []
    )


def test_every_file_is_told(proofs: Path) -> None:
    if not coqc_available():
        assert "CI" not in os.environ, "coqc is not installed: nothing was compiled"
        return
    told = list[int]()
    assert compile_all(proofs, ["lib/Small.v"], 60, told.append)[1] == []
    assert told == [1]
