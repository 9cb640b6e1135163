"""Specs as they are named on the command line, before anything is read of them.

A spec file is a program, and one that ends this process would end it without a verdict.
"""

from __future__ import annotations

import contextlib
import os
import signal
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ldp_verified.errors import SpecError
from ldp_verified.spec_files import catalogue, catalogue_folder, indexed
from ldp_verified.spellings import meant

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def spec_named(spec: str) -> str:
    """The catalogue's own name of a mechanism or protocol that is named as a class is.

    Args:
        spec: "GRR", "HadamardResponse"; what is no such name stays as it is, such as a path.
    """
    if Path(spec).suffix or Path(spec).is_file():
        return spec
    protocols = (path.stem for path in (catalogue_folder() / "protocols").glob("*.py"))
    listed = (entry["name"] for entry in indexed() or ())
    return meant(spec, dict.fromkeys([*catalogue(), *listed, *protocols])) or spec


def specs_named(specs: Sequence[str]) -> list[str]:
    """The specs by the catalogue's own names; spec files were run to their ends.

    Args and Raises: as `spec_named` and `refuse_ending`.
    """
    refuse_ending(specs)
    return [spec_named(spec) for spec in specs]


def refuse_ending(specs: Sequence[str]) -> None:
    """Run each spec file in a process of its own first, and refuse one that ends it.

    `os._exit(0)` in a file ends the command with 0 and without a word, which a build takes for
    "proved". What else is wrong with a file is left to whoever loads it.

    Args:
        specs: names, or paths of files.

    Raises:
        SpecError: a file did not run to its end.
    """
    files = [spec for spec in specs if Path(spec).is_file() and hasattr(os, "fork")]
    if not files:
        return
    from ldp_verified.language import load
    from ldp_verified.language.loader import is_protocol

    def run(spec: str) -> None:
        with contextlib.suppress(BaseException):
            is_protocol(spec) or load(spec)

    for spec in files:
        if not _ends(spec, run):
            rule = "must run to its end, and ended the process in which it ran: nothing was checked"
            raise SpecError(spec, rule)


def _ends(spec: str, run: Callable[[str], None]) -> bool:
    """Whether a process of its own comes to the end of running a spec."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, which wait
        child = os.fork()
    if child == 0:
        _child(spec, run, writing)
    os.close(writing)
    try:
        os.waitpid(child, 0)
        os.set_blocking(reading, False)
        with contextlib.suppress(BlockingIOError):  # a process that it left behind has the pipe
            return os.read(reading, 1) == b"."
        return False
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(reading)


def _child(spec: str, run: Callable[[str], None], writing: int) -> NoReturn:
    """Run a spec without a word, and say at the end that this is the end."""
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        with (
            Path(os.devnull).open("w", encoding="utf-8") as unread,
            contextlib.redirect_stdout(unread),
            contextlib.redirect_stderr(unread),
        ):
            run(spec)
        os.write(writing, b".")
    finally:
        os._exit(0)
