"""Every notebook of the lessons runs from top to bottom, in a kernel of the checkout's Python.

Runs in the site's environment, after `make docs`: `make test-site`.
"""

from __future__ import annotations

import json
import os
import sysconfig
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

nbformat: Any = import_module("nbformat")
nbclient: Any = import_module("nbclient")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "build/site/html/docs/lessons").glob("*.ipynb"))
PYTHON = ROOT / ".venv" / "bin" / "python"
VERDICTS = ("proved", "holds iff", "refuted", "checked", "open")


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel of the Python that has this package, which borrows ipykernel from this one."""
    folder = tmp_path / "kernels" / "checkout"
    folder.mkdir(parents=True)
    start = [str(PYTHON), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    named = {"argv": start, "display_name": "checkout", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(named), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", sysconfig.get_path("purelib"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    assert os.environ["JUPYTER_PATH"]
    return "checkout"


def run(path: Path, kernel: str) -> Any:
    """The notebook with its outputs."""
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, kernel_name=kernel, timeout=600).execute()
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_decides_every_claim(path: Path, kernel: str) -> None:
    claims = [cell for cell in run(path, kernel).cells if cell.source.startswith("show(")]
    assert claims
    for cell in claims:
        said = "".join(output.get("text", "") for output in cell.outputs)
        assert any(line.strip().startswith(VERDICTS) for line in said.splitlines()), cell.source


def test_there_is_one_for_every_document() -> None:
    files = {path.stem for path in (ROOT / "spec" / "claims").glob("*.py")}
    assert {path.stem for path in NOTEBOOKS} == files


def test_a_notebook_with_a_fault_fails(tmp_path: Path, kernel: str) -> None:
    """Planted: the first cell divides by zero."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    nbformat.write(notebook, tmp_path / "broken.ipynb")
    with pytest.raises(nbclient.exceptions.CellExecutionError):
        run(tmp_path / "broken.ipynb", kernel)
