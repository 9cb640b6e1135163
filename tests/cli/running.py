"""The command line in this process, and as a user starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

from ldp_verified.app.cli import app

if TYPE_CHECKING:
    from typer.testing import Result

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*arguments: object) -> Result:
    """In this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def document(result: Result) -> dict[str, Any]:
    """The one JSON document on stdout."""
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    assert found["exit_code"] == result.exit_code
    return found


def process(
    *arguments: object, code: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """In a process of its own: `python -m ldp_verified ...`, or `python -c code ...`."""
    start = ["-m", "ldp_verified"] if code is None else ["-c", code]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *start, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
