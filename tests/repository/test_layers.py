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
WINGS = {
    "language": (),
    "derive": (),
    "prove": (),
    "generate": (),
    "run": ("kernels", "program", "aggregate", "realize", "mechanisms", "carried"),
    "protocols": (),
    "deploy": ("collect", "engines"),
    "analysis": ("account", "central", "curves", "interaction", "utility"),
    "check": ("audit", "claims", "conformance", "recheck"),
    "app": ("cli", "explained", "report"),
}
"""Wing -> its rooms: packages with a purpose of their own."""
ROOMS = {room: f"{wing}.{room}" for wing, rooms in WINGS.items() for room in rooms}
# The imports that the design allows, in a package of otherwise empty folders.
ALLOWED = {
    "derive": "import ldp_verified.language",
    "prove": "import ldp_verified.derive\nimport sympy",
    "generate": "import ldp_verified.derive",
    "run.aggregate": "import ldp_verified.run.kernels",
    "run.realize": "import ldp_verified.run.aggregate\nimport ldp_verified.run.carried",
    "run.mechanisms": "import ldp_verified.run.realize",
    "check.conformance": "import ldp_verified.protocols\nimport ldp_verified.prove",
    "check.audit": "import ldp_verified.run.mechanisms",
    "analysis.account": "import ldp_verified.analysis.curves\nimport ldp_verified.derive",
    "analysis.utility": "import ldp_verified.analysis.account\nimport ldp_verified.prove",
    "analysis.central": "import ldp_verified.analysis.account\nimport ldp_verified.run.mechanisms",
    "analysis.interaction": "from ldp_verified.analysis import central, utility",
    "check.claims": "from ldp_verified.analysis import account, interaction",
    "check.recheck": "import ldp_verified.run.carried\nimport ldp_verified.prove",
    "deploy.collect": "import ldp_verified.run.mechanisms",
    "protocols": "import ldp_verified.run.mechanisms",
    "analysis.curves": "import ldp_verified.derive",
    "deploy": "import ldp_verified.protocols",
    "deploy.engines": "import ldp_verified.deploy",
    "app.report": "import ldp_verified.check.claims\nimport ldp_verified.check.conformance",
    "app.cli": "import ldp_verified.app.report",
}
FORBIDDEN = (
    ("language", "derive"),
    ("language", "check.conformance"),
    ("derive", "prove"),
    ("derive", "run.aggregate"),
    ("prove", "generate"),
    ("prove", "run.mechanisms"),
    ("generate", "prove"),
    ("generate", "run.kernels"),
    ("generate", "run.realize"),
    ("run.kernels", "run.aggregate"),
    ("run.kernels", "run.program"),
    ("run.program", "run.kernels"),
    ("run.program", "run.realize"),
    ("run.kernels", "deploy.collect"),
    ("run.aggregate", "run.realize"),
    ("run.aggregate", "app.report"),
    ("run.realize", "run.mechanisms"),
    ("run.mechanisms", "language"),
    ("run.mechanisms", "app.cli"),
    ("check.conformance", "analysis.account"),
    ("analysis.account", "check.conformance"),
    ("check.conformance", "deploy.collect"),
    ("check.conformance", "check.audit"),
    ("check.audit", "check.conformance"),
    ("check.audit", "language"),
    ("check.audit", "derive"),
    ("check.audit", "prove"),
    ("check.audit", "deploy.collect"),
    ("check.audit", "app.report"),
    ("deploy.collect", "check.audit"),
    ("run.mechanisms", "check.audit"),
    ("check.conformance", "app.report"),
    ("deploy.collect", "language"),
    ("deploy.collect", "check.conformance"),
    ("deploy.collect", "app.report"),
    ("run.mechanisms", "protocols"),
    ("protocols", "deploy"),
    ("deploy", "language"),
    ("deploy", "deploy.collect"),
    ("deploy", "deploy.engines"),
    ("deploy.engines", "language"),
    ("deploy.engines", "app.report"),
    ("protocols", "analysis.account"),
    ("protocols", "check.conformance"),
    ("protocols", "derive"),
    ("analysis.account", "analysis.central"),
    ("analysis.account", "analysis.utility"),
    ("analysis.central", "analysis.utility"),
    ("analysis.central", "check.claims"),
    ("analysis.utility", "check.claims"),
    ("analysis.central", "analysis.interaction"),
    ("analysis.interaction", "check.claims"),
    ("check.claims", "app.report"),
    ("language", "check.claims"),
    ("app.report", "app.cli"),
    ("run.carried", "prove"),
    ("run.carried", "check.recheck"),
    ("prove", "check.recheck"),
    ("check.recheck", "app.report"),
    ("check.recheck", "check.claims"),
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
                write(root, f"{name}.__init__", "")
    write(root, "ldp_verified.errors", "")
    write(root, "ldp_verified.__init__", "")
    for folder in [*WINGS, *ROOMS.values()]:
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
    package = ROOT / "ldp_verified"
    assert {path.parent.name for path in package.glob("*/*.py")} == set(WINGS)
    below = (path.parent.relative_to(package).parts for path in package.glob("*/*/*.py"))
    assert {".".join(parts) for parts in below if WINGS[parts[0]]} == set(ROOMS.values())


@pytest.mark.parametrize(("folder", "target"), FORBIDDEN)
def test_an_import_against_the_layers_is_rejected(folder: str, target: str, tmp_path: Path) -> None:
    done = lint(package(tmp_path, **{folder: f"import ldp_verified.{target}"}))
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ldp_verified.{folder} -> ldp_verified.{target}" in done.stdout


@pytest.mark.parametrize(
    "folder",
    [
        *(ROOMS[name] for name in ("kernels", "program", "aggregate", "realize", "mechanisms")),
        *("deploy.collect", "protocols", "deploy"),
    ],
)
def test_sympy_on_the_numeric_side_is_rejected(folder: str, tmp_path: Path) -> None:
    done = lint(package(tmp_path, **{folder: "def f():\n    import sympy"}))
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ldp_verified.{folder} -> sympy" in done.stdout


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("prove.certificates.checker", "sympy"),
        ("prove.certificates.obligations", "ldp_verified.derive"),
        ("prove.certificates.polynomials", "ldp_verified.prove.statements.certificate"),
        ("prove.enumeration.expand", "ldp_verified.language.pair_table"),
        ("prove.enumeration.enumeration", "ldp_verified.derive"),
        ("prove.enumeration.table_checks", "ldp_verified.prove.certificates.obligations"),
        ("prove.added", "ldp_verified.prove.statements.certificate"),
    ],
)
def test_a_checker_that_shares_code_with_what_it_checks_is_rejected(
    module: str, target: str, tmp_path: Path
) -> None:
    package(tmp_path)
    if target != "sympy":
        write(tmp_path, f"{target}.__init__", "")
    write(tmp_path, f"ldp_verified.{module}.__init__", f"import {target}")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"ldp_verified.{module} -> {target}" in " ".join(done.stdout.split())


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
