"""The import contracts of pyproject.toml reject each import that the design forbids."""

from __future__ import annotations

import graphlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    *("language", "derive", "prove", "generate"),
    *("kernels", "program", "aggregate", "realize", "mechanisms"),
    *("conformance", "account", "audit", "collect", "curves", "deploy", "protocols"),
    *("central", "utility", "engines", "interaction", "claims", "report", "cli"),
    *("carried", "explained", "recheck"),
)
# The imports that the design allows, in a package of otherwise empty folders.
ALLOWED = {
    "derive": "import ldp_verified.language",
    "prove": "import ldp_verified.derive\nimport sympy",
    "generate": "import ldp_verified.derive",
    "aggregate": "import ldp_verified.kernels",
    "realize": "import ldp_verified.aggregate\nimport ldp_verified.carried",
    "mechanisms": "import ldp_verified.realize",
    "conformance": "import ldp_verified.protocols\nimport ldp_verified.prove",
    "audit": "import ldp_verified.mechanisms",
    "account": "import ldp_verified.curves\nimport ldp_verified.derive",
    "utility": "import ldp_verified.account\nimport ldp_verified.prove",
    "central": "import ldp_verified.account\nimport ldp_verified.mechanisms",
    "interaction": "import ldp_verified.central\nimport ldp_verified.utility",
    "claims": "import ldp_verified.interaction\nimport ldp_verified.account",
    "recheck": "import ldp_verified.carried\nimport ldp_verified.prove",
    "collect": "import ldp_verified.mechanisms",
    "protocols": "import ldp_verified.mechanisms",
    "curves": "import ldp_verified.derive",
    "deploy": "import ldp_verified.protocols",
    "engines": "import ldp_verified.deploy",
    "report": "import ldp_verified.claims\nimport ldp_verified.conformance",
    "cli": "import ldp_verified.report",
}
FORBIDDEN = (
    ("language", "derive"),
    ("language", "conformance"),
    ("derive", "prove"),
    ("derive", "aggregate"),
    ("prove", "generate"),
    ("prove", "mechanisms"),
    ("generate", "prove"),
    ("generate", "kernels"),
    ("generate", "realize"),
    ("kernels", "aggregate"),
    ("kernels", "program"),
    ("program", "kernels"),
    ("program", "realize"),
    ("kernels", "collect"),
    ("aggregate", "realize"),
    ("aggregate", "report"),
    ("realize", "mechanisms"),
    ("mechanisms", "language"),
    ("mechanisms", "cli"),
    ("conformance", "account"),
    ("account", "conformance"),
    ("conformance", "collect"),
    ("conformance", "audit"),
    ("audit", "conformance"),
    ("audit", "language"),
    ("audit", "derive"),
    ("audit", "prove"),
    ("audit", "collect"),
    ("audit", "report"),
    ("collect", "audit"),
    ("mechanisms", "audit"),
    ("conformance", "report"),
    ("collect", "language"),
    ("collect", "conformance"),
    ("collect", "report"),
    ("mechanisms", "protocols"),
    ("protocols", "deploy"),
    ("deploy", "language"),
    ("deploy", "collect"),
    ("deploy", "engines"),
    ("engines", "language"),
    ("engines", "report"),
    ("protocols", "account"),
    ("protocols", "conformance"),
    ("protocols", "derive"),
    ("account", "central"),
    ("account", "utility"),
    ("central", "utility"),
    ("central", "claims"),
    ("utility", "claims"),
    ("central", "interaction"),
    ("interaction", "claims"),
    ("claims", "report"),
    ("language", "claims"),
    ("report", "cli"),
    ("carried", "prove"),
    ("carried", "recheck"),
    ("prove", "recheck"),
    ("recheck", "report"),
    ("recheck", "claims"),
)


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter with our contracts on the package below `root`."""
    shutil.copy(ROOT / "pyproject.toml", root)
    program = str(Path(sys.executable).with_name("lint-imports"))
    command = [program, "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def package(root: Path, **more: str) -> Path:
    """A small package with the allowed imports, and a line added to some of its folders.

    It has an empty module wherever a contract names one.
    """
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        for name in contract.get("source_modules", []) + contract.get("forbidden_modules", []):
            if name.count(".") > 1:
                write(root, name, "")
    write(root, "ldp_verified.errors", "")
    write(root, "ldp_verified.__init__", "")
    for folder in FOLDERS:
        lines = (ALLOWED.get(folder, ""), more.get(folder, ""))
        write(root, f"ldp_verified.{folder}.__init__", "\n".join(lines))
    return root


def write(root: Path, module: str, text: str) -> None:
    """Write one module of the small package."""
    path = root / (module.replace(".", "/") + ".py")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_allowed_imports_pass(tmp_path: Path) -> None:
    done = lint(package(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_folder_of_the_package_has_its_place() -> None:
    found = {path.parent.name for path in (ROOT / "ldp_verified").glob("*/*.py")}
    assert found == set(FOLDERS)


@pytest.mark.parametrize(("folder", "target"), FORBIDDEN)
def test_an_import_against_the_layers_is_rejected(folder: str, target: str, tmp_path: Path) -> None:
    done = lint(package(tmp_path, **{folder: f"import ldp_verified.{target}"}))
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ldp_verified.{folder} -> ldp_verified.{target}" in done.stdout


@pytest.mark.parametrize(
    "folder",
    [
        *("kernels", "program", "aggregate", "realize", "mechanisms"),
        *("collect", "protocols", "deploy"),
    ],
)
def test_sympy_on_the_numeric_side_is_rejected(folder: str, tmp_path: Path) -> None:
    done = lint(package(tmp_path, **{folder: "def f():\n    import sympy"}))
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ldp_verified.{folder} -> sympy" in done.stdout


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("prove.checker", "sympy"),
        ("prove.obligations", "ldp_verified.derive"),
        ("prove.polynomials", "ldp_verified.prove.certificate"),
        ("prove.expand", "ldp_verified.language.pair_table"),
        ("prove.enumeration", "ldp_verified.derive"),
        ("prove.table_checks", "ldp_verified.prove.obligations"),
        ("prove.added", "ldp_verified.prove.certificate"),
    ],
)
def test_a_checker_that_shares_code_with_what_it_checks_is_rejected(
    module: str, target: str, tmp_path: Path
) -> None:
    package(tmp_path)
    write(tmp_path, f"ldp_verified.{module}", f"import {target}")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ldp_verified.{module} -> {target}" in done.stdout


def circle(package: str) -> list[str]:
    """Modules of which each imports the next and the last is the first; empty where none do.

    Imports inside functions count; those for type checkers alone do not.
    """
    graph = grimp.build_graph(package, exclude_type_checking_imports=True, cache_dir=None)
    order = graphlib.TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    )
    try:
        order.prepare()
    except graphlib.CycleError as error:
        return [str(module) for module in error.args[1]]
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle("ldp_verified") == []


@pytest.mark.parametrize(
    "back", ["from circling import first", "def later():\n    import circling.first"]
)
def test_a_circle_is_found_inside_functions_too(
    back: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "circling"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "first.py").write_text("import circling.second\n")
    (folder / "second.py").write_text("import circling.third\n")
    (folder / "third.py").write_text(back + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = circle("circling")
    assert {f"circling.{name}" for name in ("first", "second", "third")} == set(found)
