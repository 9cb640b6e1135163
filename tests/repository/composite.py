"""Run a composite action's steps here, as GitHub's runner does: `bash -eo pipefail`, one by one."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What the steps left.

    Attributes:
        code: of the first step that failed, else 0.
        outputs: of the action. summary: of the step. said: both streams, all steps.
    """

    code: int
    outputs: dict[str, str]
    summary: str
    said: str


def run(
    action: dict[str, Any], given: dict[str, str], place: Path, environment: dict[str, str]
) -> Ran:
    """Run the steps until one fails.

    Args:
        action: as read from `action.yml`.
        given: inputs by name; the others have their defaults.
        place: where the caller's repository is checked out, and the action in `action`.
        environment: of the shell.

    Raises:
        ValueError: an input that the action does not have, or a required one is missing.
    """
    if unknown := given.keys() - action["inputs"].keys():
        raise ValueError(f"no such inputs: {sorted(unknown)}")
    inputs = {name: given.get(name, spec.get("default")) for name, spec in action["inputs"].items()}
    if missing := sorted(name for name, value in inputs.items() if value is None):
        raise ValueError(f"inputs without a value: {missing}")
    context = {f"inputs.{name}": str(value) for name, value in inputs.items()}
    context["github.action_path"] = str(place / "action")
    summary, said, code = place / "summary", "", 0
    summary.touch()
    for number, step in enumerate(action["runs"]["steps"]):
        output = place / f"output-{number}"
        output.touch()
        own = {name: _filled(value, context) for name, value in step.get("env", {}).items()}
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=place,
            env={**environment, **own, **files},
            capture_output=True,
            text=True,
            check=False,
        )
        said += done.stdout + done.stderr
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            context[f"steps.{step.get('id', number)}.outputs.{name}"] = value
        code = done.returncode
        if code:
            break
    outputs = {n: _filled(o["value"], context) for n, o in action.get("outputs", {}).items()}
    return Ran(code, outputs, summary.read_text(), said)


def _filled(text: str, context: dict[str, str]) -> str:
    """With the expressions replaced; one that the context lacks is empty, as GitHub has it."""
    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: context.get(found[1], ""), text)
