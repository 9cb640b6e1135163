"""A program that is given lines and answers each with one: run to its end, or to one line too many.

What it writes is bounded by what can be right, so that no program fills this one's memory.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 1 << 26
"""Bytes of a line."""

SAID = 1 << 12
"""Bytes of stderr that are kept: the last ones."""

_PIECE = 1 << 16


@dataclass(frozen=True)
class Exchange:
    """The outcome of running a program: its exit code, its stdout and the end of its stderr."""

    code: int
    out: bytes
    said: bytes


def exchanged(command: Sequence[str], lines: Sequence[str], seconds: float) -> Exchange:
    """Give a program lines, and read what it answers until it ends.

    Args:
        command: the program and its arguments. lines: ASCII, without their ends.
        seconds: that it has, in all.

    Raises:
        OSError: it cannot be run.
        subprocess.TimeoutExpired: it has not ended in time.
        ParameterError: it writes more lines than it was given, or one that is too long.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        return _exchanged(process, lines, time.monotonic() + seconds)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # its children too, which may hold its pipes
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _exchanged(process: subprocess.Popen[bytes], lines: Sequence[str], until: float) -> Exchange:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    data = memoryview("".join(line + "\n" for line in lines).encode("ascii"))
    out, said, told, unended = bytearray(), b"", 0, 0
    with selectors.DefaultSelector() as waiting:
        os.set_blocking(process.stdin.fileno(), False)
        waiting.register(process.stdin, selectors.EVENT_WRITE)
        waiting.register(process.stdout, selectors.EVENT_READ)
        waiting.register(process.stderr, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select(_left(process, until)):
                if key.fileobj is process.stdin:
                    data = data[_sent(key.fd, data) :]
                    if not data:
                        waiting.unregister(process.stdin)
                        process.stdin.close()
                    continue
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    waiting.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    said = (said + piece)[-SAID:]
                else:
                    out += piece
                    told += piece.count(b"\n")
                    last = piece.rfind(b"\n")
                    unended = unended + len(piece) if last < 0 else len(piece) - last - 1
                    _check(told, unended, len(lines))
    return Exchange(process.wait(_left(process, until)), bytes(out), said)


def _left(process: subprocess.Popen[bytes], until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise subprocess.TimeoutExpired(process.args, 0)
    return left


def _sent(descriptor: int, data: memoryview) -> int:
    """Return how many bytes a program took; all where it takes no more."""
    try:
        return os.write(descriptor, data[:_PIECE])
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(data)


def _check(told: int, unended: int, asked: int) -> None:
    if told > asked:
        rule = f"must write one line for each of {asked} values"
        raise ParameterError("--client", rule, f"{told} or more")
    if unended > LONGEST:
        rule = f"must write lines of at most {LONGEST} bytes"
        raise ParameterError("--client", rule, f"{unended} or more")
