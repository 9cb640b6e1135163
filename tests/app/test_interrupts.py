"""Ctrl-C at the moment when a module is imported, and what it must not be taken for."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ldp_verified.app import interrupts
from ldp_verified.app.interrupts import interrupted, listen, note
from ldp_verified.errors import ParameterError

ROOT = Path(__file__).parents[2]

SCRIPT = """
import os, signal, sys, time

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
at, how, *sys.argv[1:] = sys.argv[1:]

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name != at:
            return
        if how == "fault":
            raise ImportError("a fault")
        if how == "bare":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        except KeyboardInterrupt as error:
            if how == "from":
                raise ImportError("while it was initialised") from error
        raise ImportError("while it was initialised")

sys.meta_path.insert(0, Interrupted())
from ldp_verified.__main__ import main
main()
"""
SPEC = "import tests.no_such_module\n"


def ended(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process that is interrupted when it imports a module."""
    command = [sys.executable, "-c", SCRIPT, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT
    )


@pytest.mark.parametrize("how", ["bare", "from", "lost"])
@pytest.mark.parametrize("at", ["typer", "ldp_verified.app.cli.specs", "sympy"])
def test_an_interrupt_while_a_module_is_loaded_is_one(at: str, how: str) -> None:
    """One that came out as an ImportError was shown as a fault of the program, or as bad input."""
    done = ended(at, how, "derive", "grr")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("how", ["bare", "from", "lost"])
def test_an_interrupt_in_a_spec_file_is_no_error_of_the_file(how: str, tmp_path: Path) -> None:
    spec = tmp_path / "mine.py"
    spec.write_text(SPEC, encoding="utf-8")
    done = ended("tests.no_such_module", how, "derive", str(spec))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_import_that_fails_by_itself_is_none() -> None:
    done = ended("sympy", "fault", "derive", "grr")
    assert done.returncode == 70
    assert "a fault" in done.stderr


def test_what_is_refused_after_a_signal_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted audit shows what it knows; that its file cannot be written is news."""
    refused = ParameterError("--save", "must be writable")
    assert not interrupted(refused)
    assert not interrupted(ValueError())
    monkeypatch.setattr(interrupts, "_seen", [signal.SIGINT])
    assert not interrupted(refused)
    assert interrupted(ValueError())
    refused.__cause__ = ImportError()
    assert interrupted(refused)


def test_the_chain_of_an_error_is_followed_and_ends() -> None:
    first, last = ValueError(), TypeError()
    first.__context__, last.__context__ = last, first
    assert not interrupted(first)
    last.__cause__ = KeyboardInterrupt()
    assert interrupted(first)


def test_a_signal_that_somebody_waits_for_is_left_to_them() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        for own in (signal.SIG_IGN, lambda *_: None):
            signal.signal(signal.SIGINT, own)
            listen()
            assert signal.getsignal(signal.SIGINT) is own
        signal.signal(signal.SIGINT, signal.default_int_handler)
        listen()
        assert signal.getsignal(signal.SIGINT) is note
    finally:
        signal.signal(signal.SIGINT, before)
