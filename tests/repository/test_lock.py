"""Development is done with the versions in constraints.txt, each of them fixed."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.on_engines.__main__ import ENGINES

ROOT = Path(__file__).resolve().parents[2]
ALONE = {"beam", "duckdb", "spark"}
"""Extras that this environment does not have: each has one of its own (`tests/on_engines`)."""


def locked(name: str = "constraints.txt") -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): number for name, number in pairs}


def unlocked(project: dict[str, Any], lock: dict[str, str]) -> list[str]:
    """Requirements of a pyproject.toml that the lock does not fix, or not as it asks."""
    parts = [project["project"].get("dependencies", [])]
    extras = project["project"].get("optional-dependencies", {})
    parts += [each for name, each in extras.items() if name not in ALONE]
    parts += project.get("dependency-groups", {}).values()
    found = []
    for text in (text for part in parts for text in part):
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        if name == project["project"]["name"]:
            continue
        if name not in lock or not requirement.specifier.contains(lock[name]):
            found.append(text)
    return found


def test_whatever_is_required_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "z3-solver" in locked()
    assert unlocked(project, locked()) == []


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_each_engine_has_a_lock_of_its_own(engine: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = project["dependencies"] + project["optional-dependencies"][engine]
    alone = {"project": {"name": project["name"], "dependencies": [*needed, *ENGINES[engine]]}}
    lock = locked(f"tests/on_engines/locks/{engine}.txt")
    assert unlocked(alone, lock) == []
    assert unlocked({"project": {"name": "x", "dependencies": [*needed, "absent"]}}, lock)


def test_every_engine_is_an_extra_with_tests() -> None:
    folder = ROOT / "tests" / "on_engines"
    assert {path.stem for path in (folder / "locks").glob("*.txt")} == set(ENGINES)
    assert {path.stem[5:] for path in folder.glob("test_*.py")} == set(ENGINES)
    assert set(ENGINES) >= ALONE


def test_what_is_not_locked_is_noticed() -> None:
    project = {
        "project": {
            "name": "ours",
            "dependencies": ["numpy>=2", "absent"],
            "optional-dependencies": {"all": ["ours[plot]", "z3-solver>=9"]},
        },
        "dependency-groups": {"dev": ["ruff>=0.9", "Not_There"]},
    }
    lock = {"numpy": "2.4", "z3-solver": "5.4.1.0", "ruff": "0.17.6"}
    assert unlocked(project, lock) == ["absent", "z3-solver>=9", "Not_There"]


def test_what_is_installed_here_is_what_is_locked() -> None:
    other = {}
    for name, number in locked().items():
        try:
            if version(name) != number:
                other[name] = version(name)
        except PackageNotFoundError:  # a requirement of another system or Python
            continue
    assert other == {}


def test_the_makefile_installs_nothing_without_the_lock() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = re.findall(r"^\t.*\$\(PIP\) install.*$", text, re.MULTILINE)
    assert len(installs) == 3
    assert [line for line in installs if "--constraint $(LOCK)" not in line] == []
