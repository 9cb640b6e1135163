"""Read what a call writes to the standard streams of its process, one call at a time.

This runs in a target's own process, so nothing heavy stands here.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

LARGEST = 1 << 16
"""Bytes of one call's text that are kept of a stream."""

STREAMS = ("stdout", "stderr")


class Streams:
    """The standard streams go to two files while this is open."""

    def __init__(self) -> None:
        self.files: list[Any] = []
        self.kept: list[int] = []

    def __enter__(self) -> Streams:
        for descriptor in (1, 2):
            file = opened()
            self.files.append(file)
            self.kept.append(os.dup(descriptor))
            os.dup2(file.fileno(), descriptor)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for descriptor, kept, file in zip((1, 2), self.kept, self.files, strict=True):
            os.dup2(kept, descriptor)
            os.close(kept)
            file.close()

    def taken(self) -> dict[str, Any]:
        """Return what was written since this was last asked, by stream."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):  # the target may have put its own there
                stream.flush()
        with contextlib.suppress(OSError, AttributeError):  # what C libraries hold back
            ctypes.CDLL(None).fflush(None)
        return {
            name: text_of(file.fileno()) for name, file in zip(STREAMS, self.files, strict=True)
        }


def opened() -> IO[bytes]:
    """Return a nameless file that is always written at its end, so that it may be emptied."""
    import fcntl

    # The mode "a" alone only seeks to the end once, where the file has no name.
    file = tempfile.TemporaryFile("a+b", buffering=0)  # noqa: SIM115  (whoever asks closes it)
    flags = fcntl.fcntl(file.fileno(), fcntl.F_GETFL)
    fcntl.fcntl(file.fileno(), fcntl.F_SETFL, flags | os.O_APPEND)
    return file


def text_of(descriptor: int) -> str:
    """Return what a file opened for appending holds, and empty it."""
    data = os.pread(descriptor, LARGEST, 0)
    os.ftruncate(descriptor, 0)
    return data.decode("utf-8", "backslashreplace")
