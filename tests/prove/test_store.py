from __future__ import annotations

import json
from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import load
from ldp_verified.prove import (
    certificate_drift,
    recheck,
    smt_drift,
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
    assert certificate_drift(MECHANISMS, folder) == []
    for path in folder.iterdir():
        assert recheck(json.loads(path.read_text())) == []


def test_a_missing_a_stale_and_a_foreign_file_are_reported(folder: Path) -> None:
    (folder / "grr.json").unlink()
    document = json.loads((folder / "warner.json").read_text())
    document["table"]["spec_sha256"] = "0" * 64
    (folder / "warner.json").write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
    (folder / "old.json").write_text("{}")
    problems = "\n".join(certificate_drift(MECHANISMS, folder))
    assert "grr.json: missing" in problems
    assert "warner.json: is not what the spec gives now" in problems
    assert "old.json: belongs to no mechanism" in problems


def test_a_certificate_that_shows_less_is_named(folder: Path) -> None:
    document = json.loads((folder / "grr.json").read_text())
    name, proof = next((n, p) for n, p in document["table"]["proofs"].items() if p["factors"])
    proof["constant"] *= -1
    assert [line for line in recheck(document) if name in line]


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecError, match="cannot be written to"):
        write_certificates(MECHANISMS, tmp_path / "file")


def test_smt_files_are_written_and_drift_is_seen(tmp_path: Path) -> None:
    write_smt(MECHANISMS, tmp_path)
    assert smt_drift(MECHANISMS, tmp_path) == []
    file = tmp_path / "grr.smt2"
    file.write_text(file.read_text().replace("(distinct", "(=", 1))
    assert smt_drift(MECHANISMS, tmp_path) == [f"{file}: is not what the spec gives now"]
