"""The import contracts of pyproject.toml reject each import that the design forbids."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "language derive prove generate kernels aggregate realize mechanisms conformance collect report"
)
# The imports that the design allows, in a package of otherwise empty folders.
ALLOWED = {
    "derive": "import ldp_verified.language",
    "prove": "import ldp_verified.derive\nimport sympy",
    "generate": "import ldp_verified.derive",
    "aggregate": "import ldp_verified.kernels",
    "realize": "import ldp_verified.aggregate",
    "mechanisms": "import ldp_verified.realize",
    "conformance": "import ldp_verified.mechanisms\nimport ldp_verified.prove",
    "report": "import ldp_verified.conformance",
}
FORBIDDEN = {
    "language": "derive",
    "derive": "prove",
    "prove": "mechanisms",
    "generate": "kernels",
    "kernels": "aggregate",
    "aggregate": "realize",
    "realize": "mechanisms",
    "mechanisms": "language",
    "conformance": "report",
    "report": "cli",
}


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter with our contracts on the package below `root`."""
    shutil.copy(ROOT / "pyproject.toml", root)
    program = str(Path(sys.executable).with_name("lint-imports"))
    command = [program, "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def package(root: Path, *more: tuple[str, str]) -> Path:
    """A small package with the allowed imports, and lines added to some of its folders."""
    package = root / "ldp_verified"
    package.mkdir()
    for name in ("__init__", "errors"):
        (package / f"{name}.py").write_text("")
    (package / "cli.py").write_text("import ldp_verified.report\n")
    for name in FOLDERS.split():
        (package / name).mkdir()
        lines = [ALLOWED.get(name, ""), *(line for folder, line in more if folder == name)]
        (package / name / "__init__.py").write_text("\n".join(lines))
    return root


def test_the_allowed_imports_pass(tmp_path: Path) -> None:
    done = lint(package(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("folder", "target"), FORBIDDEN.items())
def test_an_import_against_the_layers_is_rejected(folder: str, target: str, tmp_path: Path) -> None:
    done = lint(package(tmp_path, (folder, f"import ldp_verified.{target}")))
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ldp_verified.{folder} -> ldp_verified.{target}" in done.stdout


@pytest.mark.parametrize("folder", ["kernels", "aggregate", "realize", "mechanisms"])
def test_sympy_on_the_numeric_side_is_rejected(folder: str, tmp_path: Path) -> None:
    done = lint(package(tmp_path, (folder, "def f():\n    import sympy")))
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ldp_verified.{folder} -> sympy" in done.stdout
