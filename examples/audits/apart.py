"""One audit in a process of its own, whose descendants are counted and always ended.

A target may start processes, and go on after its audit. Descendants are looked for in /proc
(Linux), whatever session they have made themselves. What goes wrong on this machine is a
`LocalError`: it ends the run, and is never written down as something that a package does.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MOST = 64
"""Processes that one audit may have at a time: an interpreter, a client, and what these start."""

EVERY = 0.1
"""Seconds between two counts."""

SECONDS = 1800.0
"""For one audit."""

_ADOPT = 36  # PR_SET_CHILD_SUBREAPER of Linux's prctl


class LocalError(Exception):
    """This machine, not a package, is why there is no row."""


def descendants() -> dict[int, bool]:
    """Return the processes below this one, with whether each has ended and waits to be buried.

    Raises:
        LocalError: there is no /proc to read.
    """
    read: dict[int, tuple[int, bool]] = {}
    try:
        for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 (ten times a second)
            with suppress(OSError):
                told = Path("/proc", name, "stat").read_text(encoding="utf-8", errors="replace")
                state, parent = told.rpartition(")")[2].split()[:2]
                read[int(name)] = (int(parent), state in "ZX")
    except OSError as error:
        raise LocalError(f"/proc must be there to count processes ({error})") from None
    found: dict[int, bool] = {}
    new = [os.getpid()]
    while new:
        new = [pid for pid, (parent, _) in read.items() if parent in new]
        found |= {pid: read[pid][1] for pid in new}
    return found


def end_all(spared: Collection[int]) -> int:
    """End the descendants of this process.

    They are stopped first, so that none starts another meanwhile.

    Args:
        spared: those that are not ended.

    Returns:
        How many were ended.
    """
    ended: set[int] = set()
    while now := [pid for pid, over in descendants().items() if pid not in spared and not over]:
        for sent in (signal.SIGSTOP, signal.SIGKILL):
            for pid in now:
                with suppress(ProcessLookupError):
                    os.kill(pid, sent)
        ended.update(now)
    bury(spared)
    return len(ended)


def bury(spared: Collection[int]) -> None:
    """Wait for the children that have ended and that this process has inherited: they hold ids."""
    for pid, over in descendants().items():
        if over and pid not in spared:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def apart(words: Sequence[str], seconds: float = SECONDS, most: int = MOST) -> str:
    """Run a program and return what it wrote.

    Args:
        words: the program and its arguments.
        seconds: that it may take. most: processes that it may have at a time.

    Returns:
        Its standard output.

    Raises:
        LocalError: it ended otherwise than with 0, took longer, or had more processes.
    """
    ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)  # orphans come to this process, to be ended
    until, spared = time.monotonic() + seconds, set(descendants())
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        except OSError as error:
            raise LocalError(f"no process could be started ({error})") from None
        try:
            while process.poll() is None:
                count = len(descendants().keys() - spared)
                if count > most:
                    raise LocalError(f"more than {most} processes at a time: {count}")
                if time.monotonic() > until:
                    raise LocalError(f"no end after {seconds:g} s")
                bury({*spared, process.pid})
                time.sleep(EVERY)
        finally:
            process.kill()
            process.wait()
            end_all(spared)
        if process.returncode:
            errors.seek(0)
            told = errors.read().strip()[-2000:]
            raise LocalError(f"the auditor ended with {process.returncode}: {told}")
        out.seek(0)
        return out.read()
