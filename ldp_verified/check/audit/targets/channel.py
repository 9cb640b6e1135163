"""The audit's ends of a target's channel: requests out, answers in, and what it printed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import secrets
import select
import time
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.targets import wire, worker
from ldp_verified.check.audit.targets.makers import ProcessMaker, gone

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN = 400
"""Bytes of what a target printed that are kept."""


MOST_HELD = 1 << 29
"""Bytes of the answers that are held at once."""

TOO_MUCH = "stopped early: {} reports at once are more than can be held"


class EndedError(Exception):
    """The process is gone, or has to go; its text is what an observer saw."""


HUNG = "no answer in time"


def lines_hung(error: EndedError) -> bool:
    """Return whether a process was given up because it did not answer."""
    return str(error) == HUNG


class Lines:
    """Hold the audit's ends of the pipes to one process: for requests, and for answers.

    Attributes:
        taken: bytes of the answers that came; whoever asks may set it back.
    """

    def __init__(self, requests: int, answers: int, sink: int, watched: int | None) -> None:
        self.requests, self.reader, self.sink, self.watched = requests, answers, sink, watched
        self.token = secrets.token_bytes(worker.TOKEN)
        self.number = 0
        self.taken = 0
        self.printed, self.said = 0, b""
        self.buffer = bytearray()
        self.unsent = bytearray(self.token)
        self.poll = select.poll()
        for each in (answers, sink, *([] if watched is None else [watched])):
            self.poll.register(each, select.POLLIN)
        for each in (requests, sink):
            os.set_blocking(each, False)

    @classmethod
    def opened(cls, maker: ProcessMaker) -> Lines:
        """Start a new process, and return the channel to it."""
        (their_requests, requests), (answers, their_answers), (sink, their_sink) = (
            os.pipe() for _ in range(3)
        )
        theirs = (their_requests, their_answers, their_sink)
        with contextlib.suppress(OSError, AttributeError):  # Linux: fewer waits
            fcntl.fcntl(answers, fcntl.F_SETPIPE_SZ, 1 << 20)
        try:
            maker.start(theirs, (requests, answers, sink))
        finally:
            for each in theirs:
                os.close(each)
        return cls(requests, answers, sink, maker.watched)

    def ask(self, *request: Any) -> None:
        """Send a request; it is written while answers are read."""
        data = pickle.dumps(request, 4)
        self.unsent += worker.LENGTH.pack(len(data)) + data

    def answers(self, count: int, timeout: float) -> Iterable[Any]:
        """Yield `count` answers, each as soon as it comes.

        Raises:
            EndedError: one did not come, or was none.
        """
        until = time.monotonic() + timeout
        while count:
            progress = False
            for value in self._framed():
                yield value
                count -= 1
                progress = True
                if not count:
                    return
            now = time.monotonic()
            if progress:
                until = now + timeout
            if not self._read(until - now, many=count > 1):
                if time.monotonic() >= until:
                    raise EndedError(HUNG)
                continue

    def _framed(self) -> Iterable[Any]:
        at, buffer, head = 0, self.buffer, wire.HEAD
        try:
            while len(buffer) - at >= head.size:
                token, number, size = head.unpack_from(buffer, at)
                if token != self.token or number != self.number or size > wire.LARGEST:
                    raise EndedError("it wrote to the channel of its answers")
                if len(buffer) - at < head.size + size:
                    return
                at += head.size + size
                self.number += 1
                self.taken += size
                try:
                    value = wire.unpacked(bytes(buffer[at - size : at]))
                except wire.FrameError:
                    raise EndedError("it wrote to the channel of its answers") from None
                yield value
        finally:
            del self.buffer[:at]

    def _read(self, seconds: float, *, many: bool) -> bool:
        """Return whether anything was read in so many seconds."""
        if self.unsent:
            self._write()
            seconds = min(seconds, 0.01) if self.unsent else seconds
        ready = dict(self.poll.poll(max(seconds, 0.0) * 1000))
        if self.watched is not None and self.watched in ready:
            raise gone()
        if self.sink in ready:
            self._drain()
        if self.reader not in ready:
            return False
        if many:
            time.sleep(0.0005)  # so that many answers are read at once
        data = os.read(self.reader, 1 << 20)
        if not data:
            raise EndedError("it closed the channel of its answers")
        self.buffer += data
        return True

    def _write(self) -> None:
        try:
            while self.unsent:
                del self.unsent[: os.write(self.requests, self.unsent[: 1 << 16])]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.unsent.clear()  # the reader notices

    def _drain(self) -> None:
        try:
            data = os.read(self.sink, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self.poll.unregister(self.sink)
        self.printed += len(data)
        self.said = (self.said + data)[:SHOWN]

    def close(self) -> None:
        """Close our ends, what the target printed read before."""
        with contextlib.suppress(OSError, KeyError):
            self._drain()
        for each in (self.requests, self.reader, self.sink):
            os.close(each)
