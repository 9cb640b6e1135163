"""Names of files are paths in a checkout, and lead nowhere else."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.run.carried import Installation
from ldp_verified.run.carried.files import sha256

if TYPE_CHECKING:
    from pathlib import Path


def test_the_running_copy_has_every_kind_of_file() -> None:
    here = Installation.here()
    assert "ldp_verified/prove/coq/printer.py" in here.checkers()
    assert "ldp_verified/errors.py" in here.checkers()
    assert "ldp_verified/run/mechanisms/grr.py" not in here.checkers()
    listed = {"proofs/allowed_axioms.txt", "proofs/expected_theorems/Mechanisms.grr.txt"}
    assert listed < set(here.theory())
    assert "spec/grr.py" in here.specs()
    assert "proofs/certificates/grr.json" in here.certificates()
    every = {**here.checkers(), **here.theory(), **here.specs(), **here.certificates()}
    assert all(sha256(here.path(name)) == digest for name, digest in every.items())


@pytest.mark.parametrize("name", ["spec", "spec/../pyproject.toml", "/etc/passwd", "tests/a.py"])
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="must be a path in"):
        Installation.here().path(name)


def test_the_ends_of_lines_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\r\ntwo\r\n")
    assert sha256(path) == hashlib.sha256(b"one\ntwo\n").hexdigest()
    with pytest.raises(SpecError, match="cannot be read"):
        sha256(tmp_path / "b")
