"""Progress is for people at a terminal, and only once it takes a while."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ldp_verified.app.cli import progress

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch, patience: float) -> Terminal:
    """Stands for stderr; called in the test, since capturing begins anew after its fixtures."""
    made = Terminal()
    monkeypatch.setattr("sys.stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", patience)
    return made


def work() -> None:
    with progress.spinner() as say:
        say("verifying grr")
    with progress.bar(counted=True) as tell:
        tell("checking rows", 5, None)
        tell("checking rows", 5, 10)
    with progress.bar(counted=False) as tell:
        tell("GRR frequencies", 0.5, 1.0)


def test_it_is_shown_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = terminal(monkeypatch, patience=-1.0)
    work()
    for text in ("verifying grr", "5/10", "checking rows", "GRR frequencies", "50%"):
        assert text in shown.getvalue()


def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = terminal(monkeypatch, patience=1e9)
    work()
    assert "rr" not in shown.getvalue()
    assert "%" not in shown.getvalue()


def test_a_pipe_gets_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    work()
    assert capsys.readouterr() == ("", "")
