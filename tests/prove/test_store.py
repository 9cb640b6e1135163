from __future__ import annotations

import json
from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import load
from ldp_verified.prove import (
    recheck,
    write_certificates,
    write_smt,
)

MECHANISMS = [*load("grr"), *load("warner")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_certificates(MECHANISMS, tmp_path / "certificates")
    return tmp_path / "certificates"


def test_what_is_written_is_current_and_shows_everything(folder: Path) -> None:
    assert sorted(p.name for p in folder.iterdir()) == ["grr.json", "warner.json"]
    for path in folder.iterdir():
        assert recheck(json.loads(path.read_text())) == []


def test_a_certificate_that_shows_less_is_named(folder: Path) -> None:
    document = json.loads((folder / "grr.json").read_text())
    name, proof = next((n, p) for n, p in document["table"]["proofs"].items() if p["factors"])
    proof["constant"] *= -1
    assert [line for line in recheck(document) if name in line]


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecError, match="cannot be written to"):
        write_certificates(MECHANISMS, tmp_path / "file")


def test_smt_files_ask_about_both_mechanisms(tmp_path: Path) -> None:
    paths = write_smt(MECHANISMS, tmp_path)
    assert [path.name for path in paths] == ["grr.smt2", "warner.smt2"]
    for mechanism, path in zip(MECHANISMS, paths, strict=True):
        assert mechanism.spec_hash in path.read_text()
        assert "(check-sat)" in path.read_text()
