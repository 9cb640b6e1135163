"""Standard streams that are closed, full, without a reader, or of another encoding than UTF-8.

Results that cannot be written are remembered: then the command has not told what it found, whatever
that is. What is said on stderr beside them is lost where it cannot be written, and changes nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO

STDOUT, STDERR = 1, 2

_failures: list[OSError] = []
_kept: list[TextIO] = []
"""The stream that results go to, once other people's code runs in this process."""


class _Written(io.FileIO):
    """A file descriptor that fails once, which is remembered, and takes everything afterwards."""

    _over = False

    def write(self, data: Any, /) -> int:
        """Write bytes, or what holds some.

        Raises:
            OSError: they cannot be written.
        """
        if self._over:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            self._over = True
            if self._told(error):
                _failures.append(error)
                raise
            return memoryview(data).nbytes

    def _told(self, _: OSError) -> bool:
        return True


class _Said(_Written):
    """A descriptor for diagnostics, whose failures are ignored unless the reader went away."""

    def _told(self, error: OSError) -> bool:
        return isinstance(error, BrokenPipeError)


def prepare() -> None:
    """Make stdout and stderr what the rest of the program may write to, and forget failures.

    Streams that somebody else holds, a test runner say, stay as they are.
    """
    _failures.clear()
    for number in (0, STDOUT, STDERR):
        _occupy(number)
    if sys.stdin is None:
        _put("stdin", Path(os.devnull).open(encoding="utf-8"))  # noqa: SIM115  open to the end
    if sys.stdout is sys.__stdout__:
        _put("stdout", _made(sys.stdout, _Written(STDOUT, "w", closefd=False)))
    if sys.stderr is sys.__stderr__:
        _put("stderr", _made(sys.stderr, _Said(STDERR, "w", closefd=False)))


def _put(name: str, stream: TextIO) -> None:
    """Make this the process's stream of a name, and the one that it began with."""
    for each in (name, f"__{name}__"):
        setattr(sys, each, stream)


def failure() -> OSError | None:
    """Return why results could not be written, or that nobody reads any more; None if all went."""
    return _failures[0] if _failures else None


def flush() -> None:
    """Write what is left; a failure is remembered."""
    for stream in (stdout(), sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def holds(text: str) -> bool:
    """Return whether stdout's encoding has these characters."""
    try:
        text.encode(stdout().encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def stdout() -> TextIO:
    """Return the stream that results are written to."""
    return _kept[0] if _kept else sys.stdout


def keep_stdout() -> bool:
    """Keep the process's standard output for results, until it ends.

    Whatever else writes to it from now on, at the end of the process too, writes to nowhere: code
    that shares our process, its threads and its children. Results go to a descriptor that children
    do not get.

    Returns:
        Whether it could be done: not where somebody else holds `sys.stdout`, a test runner say.
    """
    held = sys.__stdout__
    if _kept or held is None or sys.stdout is not held:
        return bool(_kept)
    try:
        held.flush()
        own = fcntl.fcntl(STDOUT, fcntl.F_DUPFD_CLOEXEC, 64)
    except (OSError, ValueError):
        return False
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), STDOUT)
    _kept.append(_made(held, _Written(own, "w")))
    return True


def _occupy(number: int) -> None:
    """Open a standard descriptor that is closed, so that no file of ours gets its number.

    Results written to it fail, as to the closed one; what is said on stderr goes nowhere.
    """
    try:
        os.fstat(number)
    except OSError:
        opened = os.open(os.devnull, os.O_WRONLY if number == STDERR else os.O_RDONLY)
        os.set_inheritable(opened, True)  # children have it as they have any other
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)


def _made(old: TextIO | None, raw: io.FileIO) -> TextIO:
    """A text stream like the old one, in which characters that it does not have are escaped."""
    if old is not None:
        with contextlib.suppress(OSError, ValueError):
            old.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding="utf-8" if old is None else old.encoding,
        errors="backslashreplace",
        line_buffering=raw.fileno() == STDERR or raw.isatty(),
    )
