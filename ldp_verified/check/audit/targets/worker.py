"""Run in a target's own process, and answer calls over a channel until there are no more.

Everything that the target does to its process is done here and nowhere else. Each answer is written
before the next call is made, so that a process that ends owes one answer at most, and it is known
which. The channel has high numbers, where a target that closes or replaces the standard streams
does not meet it. What an answer needs of the system is taken before a target loads, so that one
that puts something else in its place in `os` or `time` answers all the same.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import sys
from os import _exit, getpid, read, write
from pickle import loads
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, NoReturn

from ldp_verified.check.audit.targets import wire
from ldp_verified.check.audit.targets.forms import bare
from ldp_verified.check.audit.targets.many import batch_of, several
from ldp_verified.check.audit.targets.outputs import call, settle
from ldp_verified.check.audit.targets.raising import raised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MEMORY = 4 << 30
"""Bytes of data that a target may hold beyond what its process starts with."""

LENGTH = struct.Struct(">Q")
TOKEN = 8


class ClosedError(Exception):
    """The channel is closed: the audit has ended."""


class Channel:
    """Read requests and write answers, in the target's process.

    Args:
        requests, answers: descriptors of two pipes.
    """

    def __init__(self, requests: int, answers: int) -> None:
        self.requests, self.answers = _high(requests), _high(answers)
        self.token = self._read(TOKEN)
        self.number = 0

    def request(self) -> Any:
        """The next request; it comes from the audit and is believed."""
        (size,) = LENGTH.unpack(self._read(LENGTH.size))
        return loads(self._read(size))

    def answer(self, value: Any) -> None:
        """One output of the closed vocabulary."""
        data = wire.packed(value)
        head = wire.HEAD.pack(self.token, self.number, len(data))
        self.number += 1
        data = head + data
        while data:
            data = data[write(self.answers, data) :]

    def _read(self, size: int) -> bytes:
        parts = []
        while size:
            part = read(self.requests, min(size, 1 << 20))
            if not part:
                raise ClosedError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _high(descriptor: int) -> int:
    import fcntl
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    least = max(64, min(soft, 4096) - 32)
    found = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, least)
    os.close(descriptor)
    return found


def confine(sink: int) -> None:
    """A session, streams and limits of its own."""
    import resource

    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    for descriptor in (nothing, sink):
        if descriptor > 2:
            os.close(descriptor)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  (for the life of the process)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  (for the life of the process)
    sys.stderr = open(2, "w", closefd=False, buffering=1)  # noqa: SIM115  (for the life of the process)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        resource.setrlimit(resource.RLIMIT_DATA, (held + MEMORY, held + MEMORY))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123  (no more imports here)
        file.write("1000")


def serve(
    channel: Channel,
    function: Callable[[Any], Any] | None = None,
    whole: Callable[[Any], Any] | None = None,
    labels: Sequence[Any] = (),
) -> None:
    """Answer requests until the channel closes.

    Args:
        channel: to the audit.
        function: the target, where the process was made with it.
        whole: of many values, where it is one of those.
        labels: the inputs, likewise.
    """
    own = _Target(channel, function, whole, labels)
    with contextlib.suppress(ClosedError):
        while True:
            name, *arguments = channel.request()
            getattr(own, name)(*arguments)


class _Target:
    """The requests, one method for each."""

    def __init__(self, channel: Channel, function: Any, whole: Any, labels: Sequence[Any]) -> None:
        self.channel, self.function, self.whole = channel, function, whole
        self.labels = labels
        self.pid = getpid()

    def load(self, given: dict[str, Any]) -> None:
        """Import the target; answers (fault, file, line, argument at fault)."""
        from ldp_verified.check.audit.targets.called import Called, place

        called = Called(**given)
        fault, argument, where = "", "TARGET", ("", 0)
        try:
            self.whole = called.whole() if called.bulk else None
            self.function = called.function()
            where = place(called.reference, self.whole or self.function)
        except BaseException as error:
            rule = getattr(error, "rule", None)
            fault = str(rule) if rule else f"must load ({raised(error, settle)})"
            argument = str(getattr(error, "argument", argument))
        self._said((fault, *where, argument))

    def take(self, labels: Sequence[Any]) -> None:
        """The inputs of the next calls."""
        self.labels = labels

    def calls(self, indices: Sequence[int]) -> None:
        """One output for each, each written before the next call."""
        function, labels, said = self.function, self.labels, self._said
        for i in indices:
            try:
                found = call(function, labels[i])
            except KeyboardInterrupt as error:  # no person can send it here: the target did
                found = raised(error, settle)
            said(found)

    def timed(self, indices: Sequence[int]) -> None:
        """The nanoseconds of each call."""
        function, labels, said = self.function, self.labels, self._said
        for i in indices:
            started = perf_counter_ns()
            with contextlib.suppress(BaseException):
                call(function, labels[i])
            said(perf_counter_ns() - started)

    def beside(self, indices: Sequence[int]) -> None:
        """Return what each call wrote to the standard streams."""
        from ldp_verified.check.audit.targets.streams import Streams

        function, labels, said = self.function, self.labels, self._said
        with Streams() as streams:
            for i in indices:
                with contextlib.suppress(BaseException):
                    call(function, labels[i])
                said(streams.taken())

    def bulk(self, indices: Sequence[int]) -> None:
        """All outputs of one call with many values, or the exception."""
        given = batch_of([self.labels[i] for i in indices])
        try:
            found = several(self.whole, given)
        except KeyboardInterrupt as error:
            found = raised(error, settle)
        self._said(found)

    def job(self, module: str, name: str, arguments: Sequence[Any]) -> None:
        """Run a function of this package on the target, and send its result, of plain types."""
        import importlib

        try:
            found = getattr(importlib.import_module(module), name)(self.function, *arguments)
            self._said(("", bare(settle(found))))
        except BaseException as error:
            self._said((str(error) or type(error).__name__, None))

    def _said(self, value: Any) -> None:
        """Answer, unless this is a copy of the process that the target has made."""
        if getpid() != self.pid:
            _exit(0)
        self.channel.answer(value)


def end(code: int = 0) -> NoReturn:
    """End this process without what its parent has left to do at its own end."""
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
    _exit(code)
