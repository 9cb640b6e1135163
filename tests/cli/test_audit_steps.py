"""A verdict is shown whatever becomes of the files that it is written to."""

from __future__ import annotations

import errno
import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ldp_verified.app.report.audit_schema import schema
from ldp_verified.check.audit.results import findings
from tests.cli.running import document, run
from tests.report.json_schema import problems

if TYPE_CHECKING:
    from collections.abc import Iterator

FULL = Path("/dev/full")
WORDS = ("audit", "builtins:int", "--epsilon", 1, "--inputs", "0,1", "-n", 400, "--no-checks")
"""The identity: a report in clear, violated with probability above 1 - 2^-100."""


@contextmanager
def _full(path: Path) -> Iterator[Path]:
    raise OSError(errno.ENOSPC, "No space left on device", str(path))
    yield path


def test_a_finding_that_cannot_be_saved_takes_no_verdict_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "replacing", _full)
    saved, page = tmp_path / "leak.json", tmp_path / "page.html"
    result = run(*WORDS, "--save", saved, "--html", page)
    assert result.exit_code == 2
    assert "violated: eps >= " in result.stdout
    assert "No space left" in result.stderr
    assert "violated" in page.read_text()
    assert not saved.exists()


@pytest.mark.parametrize("option", ["--junit", "--sarif", "--html"])
def test_a_full_disk_takes_no_verdict_along(option: str, tmp_path: Path) -> None:
    saved = tmp_path / "leak.json"
    result = run(*WORDS, option, FULL, "--save", saved)
    assert result.exit_code == 2
    assert "violated: eps >= " in result.stdout
    assert f"{option}: cannot be written: No space left" in result.stderr
    assert json.loads(saved.read_text())["verdict"] == "violated"
    found = document(run(*WORDS, option, FULL, "--json"))
    assert (found["exit_code"], found["verdict"]) == (2, "violated")
    assert (problems(found, schema()), found["error"]["argument"]) == ([], option)


def test_a_full_disk_takes_no_exact_verdict_along(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("x,a,b\n0,2/3,1/3\n1,1/3,2/3\n")
    words = ("audit", "--table", table, "--epsilon", 0.5, "--junit", FULL)
    result = run(*words)
    assert (result.exit_code, "violated" in result.stdout) == (2, True)
    found = document(run(*words, "--json"))
    assert (found["exit_code"], found["verdict"]) == (2, "violated")
    assert (problems(found, schema()), found["error"]["argument"]) == ([], "--junit")


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "ImportError() from KeyboardInterrupt()"])
def test_ctrl_c_while_the_target_is_opened_is_said_in_a_line(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended without a word."""
    (tmp_path / "interrupted_client.py").write_text(f"raise {error}\n")
    monkeypatch.syspath_prepend(tmp_path)
    done = run(*WORDS[:1], "interrupted_client:f", *WORDS[2:], "--in-process", "--json")
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr == "ldp-verified: interrupted before any sample was tested\n"
