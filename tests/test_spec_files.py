"""The list of mechanisms is read from an index, unless a spec has changed since."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ldp_verified
from ldp_verified import spec_files
from ldp_verified.app.report.catalogue import entries
from ldp_verified.language import load_catalogue


def test_the_index_says_what_the_specs_declare() -> None:
    assert spec_files.indexed() == entries(load_catalogue())


def test_nothing_symbolic_is_loaded_for_the_list() -> None:
    text = "import sys; from ldp_verified.app.cli.application import app; "
    text += "app(['list'], standalone_mode=False); assert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True, capture_output=True)


@pytest.mark.parametrize(
    "change", ["edited", "new", "gone", "no index", "no JSON", "no file names"]
)
def test_an_index_of_other_specs_is_not_read(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.py").write_text("one")
    (tmp_path / "two.py").write_text("two")
    monkeypatch.setattr(spec_files, "catalogue_folder", lambda: tmp_path)
    index = tmp_path / spec_files.INDEX
    index.write_text(spec_files.index_text([{"name": "one"}]))
    assert spec_files.indexed() == [{"name": "one"}]
    match change:
        case "edited":
            (tmp_path / "one.py").write_text("another")
        case "new":
            (tmp_path / "three.py").write_text("three")
        case "gone":
            (tmp_path / "two.py").unlink()
        case "no index":
            index.unlink()
        case "no JSON":
            index.write_text("{")
        case _:
            index.write_text("[]")
    assert spec_files.indexed() is None


def test_public_names_are_listed_before_they_are_loaded() -> None:
    assert {"GRR", "OUE", "verify", "__version__"} <= set(dir(ldp_verified))
    assert ldp_verified.__version__[0].isdigit()
