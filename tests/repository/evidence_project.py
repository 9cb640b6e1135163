"""A small project with a checker, run with the plugin that believes recorded results."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.evidence import in_sample
from tests.inputs import OWN

HERE = Path(__file__).resolve().parents[1]
CHECKER = '''"""It tells right from wrong."""


def accepts(claim):
    return claim == "right"
'''
TEST = """import pytest

from checked.checker import accepts


@pytest.mark.parametrize("claim", ["wrong", "worse"])
def test_it_rejects(claim):
    assert not accepts(claim)


def test_it_accepts():
    assert accepts("right")
"""
OTHER = "def test_of_nothing():\n    assert 1 + 1 == 2\n"
SETTINGS = """[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
addopts = ["--import-mode=importlib", "--strict-markers"]
"""
NAMES = (
    "tests/test_checker.py::test_it_accepts",
    "tests/test_checker.py::test_it_rejects[worse]",
    "tests/test_checker.py::test_it_rejects[wrong]",
    "tests/test_other.py::test_of_nothing",
)
MODULES = ("tests/test_checker.py", "tests/test_other.py")
QUIET = next(str(s) for s in range(1000) if not any(in_sample(str(s), name) for name in NAMES))
"""A seed with which nothing of this project is in the random sample."""
DRAWS = next(str(s) for s in range(1000) if in_sample(str(s), NAMES[0]))


@dataclass(frozen=True)
class Run:
    """How a run ended, and what it printed."""

    status: int
    said: str


class Project:
    """The project in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in OWN:
            self.write(name, (HERE.parent / name).read_text(encoding="utf-8"))
        self.write("tests/__init__.py", "")
        self.write("tests/conftest.py", 'pytest_plugins = ["tests.evidence"]\n')
        self.write("tests/test_checker.py", TEST)
        self.write("tests/test_other.py", OTHER)
        self.write("checked/__init__.py", "")
        self.write("checked/checker.py", CHECKER)
        self.write("pyproject.toml", SETTINGS)

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    @property
    def manifest(self) -> dict[str, dict[str, str]]:
        """Return the recorded manifest."""
        found = json.loads((self.root / "tests/evidence.json").read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        return found

    def record(self, results: dict[str, str]) -> None:
        """Write other results into the manifest, as by hand."""
        self.write("tests/evidence.json", json.dumps({**self.manifest, "results": results}))

    def run(self, mode: str, *arguments: str, seed: str = QUIET, **environment: str) -> Run:
        """Run the tests in a process of their own."""
        kept = {k: v for k, v in os.environ.items() if k not in {"CI", "LDP_VERIFIED_BASE"}}
        plugins = ["cacheprovider", "hypothesispytest", "ldp-verified"]
        plugins += [] if "-n2" in arguments else ["xdist"]
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", f"--evidence={mode}", "--evidence-slow=0", "-v"),
                *(word for name in plugins for word in ("-p", f"no:{name}")),
                *arguments,
            ],
            cwd=self.root,
            env={**kept, "LDP_VERIFIED_SEED": seed, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return Run(done.returncode, done.stdout + done.stderr)

    def git(self, *arguments: str) -> None:
        """Run git in the project."""
        who = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        git = shutil.which("git")
        assert git is not None
        command = [git, *who, *arguments]
        subprocess.run(command, cwd=self.root, check=True, capture_output=True)

    def commit(self) -> None:
        """Commit everything that there is."""
        self.git("add", "--all", "--force", ".")
        self.git("commit", "--quiet", "--message", "a state")
