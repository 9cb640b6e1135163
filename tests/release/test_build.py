"""Two builds of a small project have one hash, unless something in it depends on the moment."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from release.__main__ import check_tree, twice
from release.build import ReleaseError, differing, said

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "small"
version = "1"
requires-python = ">=3.11"

[tool.hatch.build.targets.wheel]
packages = ["small"]
"""
HOOK = "\n[tool.hatch.build.targets.wheel.hooks.custom]\n"
MOMENT = """import time
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Moment(BuildHookInterface):
    def initialize(self, version, build_data):
        (Path(self.root) / "small" / "moment.py").write_text(f"AT = {time.time_ns()}")
"""


def project(folder: Path, **files: str) -> Path:
    """A checkout of a project with these files besides its own."""
    (folder / "small").mkdir(parents=True)
    texts = {"pyproject.toml": PROJECT, "small/__init__.py": "", **files}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    return folder


def test_two_builds_have_one_hash(tmp_path: Path) -> None:
    sdist, wheel = twice(project(tmp_path / "project"), tmp_path / "builds")
    assert (sdist.name, wheel.name) == ("small-1.tar.gz", "small-1-py3-none-any.whl")


def test_a_build_that_depends_on_the_moment_is_refused(tmp_path: Path) -> None:
    files = {"pyproject.toml": PROJECT + HOOK, "hatch_build.py": MOMENT}
    with pytest.raises(ReleaseError, match=r"two builds differ:\nsmall-1-py3-none-any\.whl: "):
        twice(project(tmp_path / "project", **files), tmp_path / "builds")


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    files = {"pyproject.toml": PROJECT.replace('version = "1"\n', "")}
    with pytest.raises(ReleaseError, match="version"):
        twice(project(tmp_path / "project", **files), tmp_path / "builds")


def test_what_is_not_committed_is_not_released(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    check_tree(folder)
    (folder / "new.py").write_text("", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"new\.py"):
        check_tree(folder)


def test_files_are_compared_by_name_and_hash(tmp_path: Path) -> None:
    for name in ("a/one", "a/two", "b/one"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name[-3:], encoding="utf-8")
    first, second = [tmp_path / "a/one", tmp_path / "a/two"], [tmp_path / "b/one"]
    (line,) = differing(first, second)
    assert line.startswith("two: ")
    assert line.endswith("None")
    assert said(["git", "--version"], tmp_path).startswith("git")
