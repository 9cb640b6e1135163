"""Streams that are closed, full, without a reader or of another encoding, as a shell makes them.

Exit code 1 means violated or refuted, so none of them may end with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.cli.running import ROOT

VERIFIED = "verify grr --no-coq --accept one-group"


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of bash in which `ldp` is the command; its exit code is that of `ldp`."""
    start = f'ldp() {{ "{sys.executable}" -m ldp_verified "$@"; }}\n'
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        ["bash", "-c", f"{start}{line}\nexit ${{PIPESTATUS[0]}}"],
        check=False,
        capture_output=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )


@pytest.mark.parametrize("place", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (VERIFIED, 0),
        ("verify nosuch", 2),
        ("verify --nosuch", 2),
        ("nosuch --json", 2),
        ("generate geometric --language c --set 'epsilon=1'", 0),
    ],
)
def test_what_cannot_be_said_changes_no_outcome(command: str, code: int, place: str) -> None:
    assert shell(f"ldp {command} {place}").returncode == code


@pytest.mark.parametrize("place", [">/dev/full", ">&-"])
@pytest.mark.parametrize(
    "command",
    [
        "--version",
        "--help",
        "list",
        "list --json",
        "verify nosuch --json",
        "verify --nosuch --json",
    ],
)
def test_results_that_cannot_be_written_are_bad_input(command: str, place: str) -> None:
    done = shell(f"ldp {command} {place}")
    assert done.returncode == 2
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("ldp-verified: the output: must be writable: ")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command", ["--help", "verify nosuch", "verify nosuch --json", "verify --nosuch", "list --json"]
)
def test_a_reader_who_went_away_is_neither(command: str) -> None:
    # The reader has gone before anything is written: the writer waits for its end.
    line = f"mkfifo p; {{ true <p; : >gone; }} & exec 3>p; wait; ldp {command} >&3 2>&3"
    done = shell(f"cd $(mktemp -d); {line}")
    assert done.returncode == 141, done.stderr


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1"}], ids=str
)
def test_characters_that_an_encoding_has_not_are_escaped(locale: dict[str, str]) -> None:
    done = shell(f"ldp {VERIFIED}", **locale)
    assert (done.returncode, b"\\u2500" in done.stdout) == (0, False)
    assert b"----" in done.stdout
    assert shell("ldp --help", **locale).returncode == 0
    document = shell("ldp derive grr --json", **locale).stdout
    assert json.loads(document) == json.loads(shell("ldp derive grr --json").stdout)


def test_children_have_a_stderr_where_ours_is_closed() -> None:
    code = "import os; from ldp_verified.app.report import streams; streams.prepare(); "
    code += "print(os.get_inheritable(2))"
    assert shell(f'"{sys.executable}" -c "{code}" 2>&-').stdout == b"True\n"
