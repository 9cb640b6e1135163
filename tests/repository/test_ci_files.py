"""The action and the hook for other people's repositories have the shape of their formats, and run.

The shapes are written here from GitHub's metadata syntax for actions and pre-commit's manifest.
Audited claims are true at level 1e-9, or far too small: eps = 0.1 of 1.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.report.json_schema import problems
from tests.repository import composite
from tests.repository.plain_yaml import read

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = {"type": "string"}
CLOSED: dict[str, Any] = {"type": "object", "additionalProperties": False}
NAME = "^[_a-zA-Z][a-zA-Z0-9_-]*$"
INPUT = {
    **CLOSED,
    "required": ["description"],
    "properties": {"description": TEXT, "required": {"type": "boolean"}, "default": TEXT},
}
STEP = {
    **CLOSED,
    "required": ["run", "shell"],
    "properties": {
        "name": TEXT,
        "id": TEXT,
        "if": TEXT,
        "run": TEXT,
        "shell": {"enum": ["bash"]},
        "env": {"type": "object", "patternProperties": {"^[A-Z_]+$": TEXT}},
    },
}
ACTION = {
    **CLOSED,
    "required": ["name", "description", "runs"],
    "properties": {
        "name": TEXT,
        "author": TEXT,
        "description": TEXT,
        "inputs": {**CLOSED, "patternProperties": {NAME: INPUT}},
        "outputs": {
            **CLOSED,
            "patternProperties": {
                NAME: {
                    **CLOSED,
                    "required": ["description", "value"],
                    "properties": {"description": TEXT, "value": TEXT},
                }
            },
        },
        "runs": {
            **CLOSED,
            "required": ["using", "steps"],
            "properties": {"using": {"const": "composite"}, "steps": {"items": STEP}},
        },
    },
}
HOOKS = {
    "type": "array",
    "items": {
        **CLOSED,
        "required": ["id", "name", "entry", "language"],
        "properties": {
            "id": TEXT,
            "name": TEXT,
            "description": TEXT,
            "entry": TEXT,
            "language": {"const": "python"},
            "additional_dependencies": {"type": "array", "items": TEXT},
            "pass_filenames": {"const": False},
            "minimum_pre_commit_version": TEXT,
        },
    },
}
CLIENT = """import random


def client(value):
    return value if random.random() < 0.731 else 1 - value
"""


def action() -> Any:
    return read((ROOT / "action.yml").read_text(encoding="utf-8"))


def hook() -> Any:
    (only,) = read((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return only


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Somebody's repository, and our command on the path."""
    (tmp_path / "client.py").write_text(CLIENT)
    tools = tmp_path / "tools"
    tools.mkdir()
    command = tools / "ldp-verified"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ldp_verified "$@"\n')
    command.chmod(0o755)
    return tmp_path


def environment(project: Path, **more: str) -> dict[str, str]:
    path = os.pathsep.join([str(project / "tools"), os.environ["PATH"]])
    places = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PATH": path, "PYTHONPATH": places, **more}


def test_the_files_have_the_shape_of_their_formats() -> None:
    assert problems(action(), ACTION) == []
    assert problems([hook()], HOOKS) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("using: composite", "using: python"),
        ("      shell: bash\n", ""),
        ("description: The claimed epsilon.", "about: The claimed epsilon."),
        ("steps:", "step:"),
        ("required: true", 'required: "yes"'),
    ],
)
def test_another_action_is_refused(old: str, new: str) -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert problems(read(text.replace(old, new, 1)), ACTION) != []


def test_what_the_caller_gives_reaches_the_shell_as_variables_only() -> None:
    found = action()
    for step in found["runs"]["steps"]:
        assert "${{" not in step["run"]
        for value in step.get("env", {}).values():
            (name,) = re.findall(r"\$\{\{ (?:inputs\.([\w-]+)|github\.action_path) \}\}", value)
            assert not name or name in found["inputs"]
    given = {value for step in found["runs"]["steps"] for value in step["env"].values()}
    assert {f"${{{{ inputs.{name} }}}}" for name in found["inputs"]} <= given


@pytest.mark.parametrize(
    ("epsilon", "more", "code"),
    [("1.0", {}, 0), ("0.1", {}, 1), ("-1", {}, 2), ("1.0", {"CALLS": "100"}, 3)],
)
def test_the_step_of_the_action(
    project: Path, epsilon: str, more: dict[str, str], code: int
) -> None:
    found = action()
    step = next(step for step in found["runs"]["steps"] if step.get("id") == "audit")
    given = {name: spec.get("default", "") for name, spec in found["inputs"].items()}
    given |= {"target": "client:client", "epsilon": epsilon, "inputs": "0..1"}
    given |= {"options": "--level 1e-9 --no-checks"}
    variables = {
        name: given[re.sub(r"\$\{\{ inputs\.|\ \}\}", "", value)]
        for name, value in step["env"].items()
    } | more
    files = {"GITHUB_OUTPUT": project / "output", "GITHUB_STEP_SUMMARY": project / "summary"}
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=project,
        env=environment(project, **variables, **{name: str(p) for name, p in files.items()}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, code) == (code, ran.returncode), ran.stderr
    assert files["GITHUB_OUTPUT"].read_text() == f"exit-code={code}\n"
    if code != 2:
        assert files["GITHUB_STEP_SUMMARY"].read_text() == ran.stdout
        suite = ET.parse(project / given["junit"]).getroot()
        assert suite.get("failures") == str(int(code == 1))
        assert (project / given["sarif"]).is_file()


def wheel(folder: Path) -> Path:
    """A package of one line, as pip installs it without a network."""
    path, info = folder / "tiny-1.0-py3-none-any.whl", "tiny-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("tiny.py", "INSTALLED = True\n")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def runner(project: Path) -> dict[str, str]:
    """Our interpreter as `python`; what its pip installs goes beside the project."""
    python = project / "tools" / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    target = str(project / "installed")
    return environment(project, PIP_TARGET=target, PIP_NO_INDEX="1", PIP_NO_DEPS="1")


@pytest.mark.parametrize(("epsilon", "code"), [("1.0", 0), ("0.1", 1)])
def test_all_steps_of_the_action(
    project: Path, runner: dict[str, str], epsilon: str, code: int
) -> None:
    """Pip really installs, here a package of one line; the audit runs; outputs are set."""
    given = {"target": "client:client", "epsilon": epsilon, "inputs": "0..1", "calls": "20000"}
    given |= {"options": "--level 1e-9 --no-checks", "package": str(wheel(project))}
    ran = composite.run(action(), given, project, runner)
    assert (ran.code, ran.outputs) == (code, {"exit-code": str(code)}), ran.said
    assert (project / "installed" / "tiny.py").is_file()
    assert "eps" in ran.summary


def test_an_action_that_cannot_install_does_not_audit(
    project: Path, runner: dict[str, str]
) -> None:
    given = {"target": "client:client", "epsilon": "1", "package": "no-such-package-at-all"}
    ran = composite.run(action(), given, project, runner)
    assert ran.code != 0
    assert (ran.outputs, ran.summary) == ({"exit-code": ""}, "")


def test_nothing_that_a_caller_gives_is_run_by_the_shell(
    project: Path, runner: dict[str, str]
) -> None:
    given = dict.fromkeys(("target", "inputs", "calls", "options"), "$(touch taken); touch taken")
    given |= {"epsilon": "1; touch taken", "package": str(wheel(project))}
    ran = composite.run(action(), given, project, runner)
    assert (ran.code, ran.outputs) == (2, {"exit-code": "2"}), ran.said
    assert not (project / "taken").exists()


def test_inputs_that_the_action_does_not_have_are_refused(
    project: Path, runner: dict[str, str]
) -> None:
    with pytest.raises(ValueError, match="no such inputs"):
        composite.run(action(), {"epsilon": "1", "eps": "1"}, project, runner)
    with pytest.raises(ValueError, match="without a value"):
        composite.run(action(), {"target": "client:client"}, project, runner)


@pytest.mark.parametrize(("epsilon", "code"), [("1.0", 0), ("0.1", 1)])
def test_the_entry_of_the_hook(project: Path, epsilon: str, code: int) -> None:
    words = ["client:client", "--epsilon", epsilon, "--inputs", "0..1", "--no-checks"]
    ran = subprocess.run(
        [*shlex.split(hook()["entry"]), *words, "--level", "1e-9"],
        cwd=project,
        env=environment(project),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code, ran.stderr


def test_what_the_reader_of_yaml_reads() -> None:
    text = (
        '# c\na: 1\nb:\n  - x: "y: z"\n    run: |\n      one\n\n        two\n  - plain\nc: true\n'
    )
    assert read(text) == {
        "a": 1,
        "b": [{"x": "y: z", "run": "one\n\n  two\n"}, "plain"],
        "c": True,
    }


@pytest.mark.parametrize("text", ["a: [1]", "a: b: c", "a: 1\na: 2", "a: 1\n  b: 2", "a: &x 1"])
def test_yaml_beyond_that_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"scalar|twice|deep"):
        read(text)
