"""What the core does without, and the one line that says how to install what is missing."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ldp_verified
from ldp_verified.extras import EXTRAS, PARTS, MissingPackageError, missing_package, needs

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = {"flint": "python-flint", "sklearn": "scikit-learn"}
OPTIONAL = {package for package, extra in EXTRAS.items() if extra}

IMPORT = """
import importlib, importlib.abc, importlib.util, sys

missing, names = set(sys.argv[1].split()), sys.argv[2:]

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
there = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in missing else there(name, *more)
for name in names:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, type(error).__name__, error, sep="|")
"""


def failures(missing: set[str], *names: str) -> list[list[str]]:
    """The modules that cannot be imported where some packages are missing, with the error."""
    command = [sys.executable, "-c", IMPORT, " ".join(sorted(missing)), *names]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    return [line.split("|") for line in run.stdout.splitlines()]


def covered(name: str) -> bool:
    """Whether a module belongs to a part that needs more, or to the auditor."""
    parts = (*PARTS, "check.audit", "check.conformance")
    return any(f"{name}.".startswith(f"ldp_verified.{part}.") for part in parts)


def test_everything_else_imports_with_the_core_alone() -> None:
    names = [
        found.name
        for found in pkgutil.walk_packages(ldp_verified.__path__, "ldp_verified.")
        if not covered(found.name) and not found.name.startswith("ldp_verified._")
    ]
    assert len(names) > 150
    assert failures(OPTIONAL, *names) == []


def test_a_part_needs_what_the_table_says_and_no_more() -> None:
    for packages in set(PARTS.values()):
        parts = [f"ldp_verified.{name}" for name, needed in PARTS.items() if needed == packages]
        more = {"matplotlib", "numba", "pandas", "polars", "sklearn", "pyarrow", "sympy", "scipy"}
        assert failures(more - set(packages), *parts) == []


def test_a_missing_package_is_named_in_one_line_with_the_extra() -> None:
    for package in {package for packages in PARTS.values() for package in packages}:
        parts = [f"ldp_verified.{name}" for name, needed in PARTS.items() if package in needed]
        found = failures({package}, *parts)
        assert [line[0] for line in found] == parts
        for name, kind, message in found:
            assert kind == "MissingPackageError"
            assert message.endswith(
                f" needs {package}: pip install 'ldp-verified[{EXTRAS[package]}]'"
            ), name


def test_the_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    offered = project["optional-dependencies"]
    for package, extra in EXTRAS.items():
        name = DISTRIBUTIONS.get(package, package)
        lines = offered[extra] if extra else project["dependencies"]
        assert any(line.startswith(name) for line in lines), package
    guide = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert [extra for extra in offered if f"`[{extra}]`" not in guide] == []


def test_the_error_is_an_import_error_and_names_the_package() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"a part needs .*\[audit\]") as caught:
        needs("a part", "numpy", "no_such_package", extra="audit")
    assert isinstance(caught.value, MissingPackageError)
    assert caught.value.name == "no_such_package"
    assert missing_package(caught.value, "x") is caught.value
    assert missing_package(ValueError("x"), "x") is None
    assert missing_package(ModuleNotFoundError("x", name="somebody_elses"), "x") is None
    said = missing_package(ModuleNotFoundError("x", name="scipy.stats"), "this command")
    assert str(said) == "this command needs scipy: pip install 'ldp-verified[verify]'"


@pytest.mark.parametrize(
    ("package", "arguments"), [("typer", ["list"]), ("sympy", ["derive", "grr"])]
)
def test_the_command_line_says_it_in_one_line(package: str, arguments: list[str]) -> None:
    script = IMPORT + "sys.argv = ['ldp-verified', *names]; import ldp_verified.__main__ as m\n"
    script = script.replace("for name in names:", "for name in []:") + "m.main()\n"
    command = [sys.executable, "-c", script, package, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("ldp-verified: ")
    assert run.stderr.endswith(f" needs {package}: pip install 'ldp-verified[{EXTRAS[package]}]'\n")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize("stderr", ["there", "None", "closed"])
def test_a_command_line_without_its_packages_ends_with_2(stderr: str) -> None:
    """Without a stderr it ended with a traceback that nobody saw, and with 1: refuted."""
    lines = [IMPORT, "sys.argv = ['ldp-verified', 'list']"]
    if stderr == "None":
        lines.append("sys.stderr = sys.__stderr__ = None")
    if stderr == "closed":
        lines.append("sys.stderr.close()")
    lines += ["from ldp_verified.__main__ import main", "main()"]
    command = [sys.executable, "-c", "\n".join(lines), "typer"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 2
    assert ("needs typer" in run.stderr) == (stderr == "there")
