"""A Python target in a process of its own: what it does to that process is an output like another.

An exit, a signal, a call that does not return and a broken channel all are outputs of the call that
caused them, with their probability by input. The process is started anew after each, so that calls
go on being independent of each other. A target that is too often at its end would take for ever:
sampling then stops early (`SpentError`), and what was seen is judged by bounds that hold at every
time.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import json
import os
import pickle
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ldp_verified.audit import server, wire, worker
from ldp_verified.audit.called import alone, batch_of
from ldp_verified.audit.outputs import Raised, call
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.audit.called import Called

TIMEOUT = 10.0
PATIENCE = 0.1
"""After the first call that did not return, the part of the timeout that later ones get."""

MOST_ENDS = 150
MOST_HANGS = 25
MOST_SECONDS = 10.0
"""Ends and hangs of one part of an audit; ends beyond `MOST_ENDS` go on for so many seconds."""

GRACE = 2.0
"""Seconds for a process to end by itself when the audit is done with it."""

SHOWN = 400
_START = """
import sys, json
sys.path[:] = json.loads(sys.argv[2])
from ldp_verified.audit.server import main
main(int(sys.argv[1]))
"""


class SpentError(Exception):
    """The target has ended its process too often to go on.

    Args:
        outputs: those of the calls that were made.
        why: in words.
    """

    def __init__(self, outputs: list[Any], why: str) -> None:
        super().__init__(why)
        self.outputs, self.why = outputs, why


class EndedError(Exception):
    """The process is gone, or has to go; its text is what an observer saw."""


class Maker(Protocol):
    """Makes processes for one target, one at a time."""

    again: bool

    def start(self, theirs: Sequence[int], ours: Sequence[int]) -> None:
        """A new process that has `theirs` (requests, answers, sink), and not our ends of them."""

    def poll(self) -> int:
        """Its wait status, or `server.ALIVE`."""

    def end(self) -> int:
        """Kill what is left of it; its wait status."""

    def close(self) -> None:
        """No more processes."""

    @property
    def watched(self) -> int | None:
        """A descriptor that becomes readable where the maker itself is gone."""


class Server:
    """Processes from the fork server."""

    again = True

    def __init__(self) -> None:
        if not hasattr(os, "fork"):
            rule = "must be given: this system cannot give a target a process of its own"
            raise ParameterError("--in-process", rule)
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-c", _START),
                    *(str(theirs.fileno()), json.dumps(sys.path)),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.control = ours

    @property
    def watched(self) -> int | None:
        """Its socket."""
        return self.control.fileno()

    def start(self, theirs: Sequence[int], ours: Sequence[int]) -> None:
        """See `Maker`."""
        del ours  # it was started before they were made
        self._asked(server.START, theirs)

    def poll(self) -> int:
        """See `Maker`."""
        return self._asked(server.POLL)

    def end(self) -> int:
        """See `Maker`."""
        return self._asked(server.END)

    def _asked(self, word: bytes, descriptors: Sequence[int] = ()) -> int:
        try:
            if descriptors:
                socket.send_fds(self.control, [word], list(descriptors))
            else:
                self.control.sendall(word)
            found = self.control.recv(server.STATUS.size, socket.MSG_WAITALL)
        except OSError:
            found = b""
        if len(found) != server.STATUS.size:
            raise gone()
        return int(server.STATUS.unpack(found)[0])

    def close(self) -> None:
        """See `Maker`."""
        self.control.close()
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Copy:
    """A copy of this process, for a function that has no name to import it by.

    There is one copy only: a second would have the same state, that of its generators included.
    """

    again = False
    watched = None

    def __init__(
        self, function: Callable[[Any], Any], labels: Sequence[Any], *, bulk: bool = False
    ) -> None:
        self.function, self.labels, self.bulk, self.pid = function, labels, bulk, 0
        self.started = False

    def start(self, theirs: Sequence[int], ours: Sequence[int]) -> None:
        """See `Maker`."""
        self.started = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads do not come along
            self.pid = os.fork()
        if self.pid:
            return
        code = 1
        try:
            for each in ours:
                os.close(each)
            worker.confine(theirs[2])
            whole = self.function if self.bulk else None
            function = partial(alone, self.function) if self.bulk else self.function
            worker.serve(worker.Channel(*theirs[:2]), function, whole, self.labels)
            code = 0
        finally:
            worker.end(code)

    def poll(self) -> int:
        """See `Maker`."""
        if not self.pid:
            return 0
        found, status = os.waitpid(self.pid, os.WNOHANG)
        if not found:
            return server.ALIVE
        self.pid = 0
        return status

    def end(self) -> int:
        """See `Maker`."""
        pid, status = self.pid, self.poll()
        if status == server.ALIVE:
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(pid, signal.SIGKILL)
            status, self.pid = os.waitpid(pid, 0)[1], 0
        return status

    def close(self) -> None:
        """See `Maker`."""
        self.end()


def gone() -> ParameterError:
    """The error where the process that starts targets was ended from outside."""
    rule = "must leave other processes alone: the one that watches it was ended"
    return ParameterError("TARGET", rule)


@dataclass(eq=False)
class Isolated:
    """A target behind a channel.

    Attributes:
        maker: of its processes.
        given: what it is told first: the target's name; None where the process has it.
        timeout: seconds for one call.
        file, line: where it is written, once it was loaded.
        ends: how often it ended its process, or hung, so far: words -> times.
        printed: bytes that it wrote to its standard streams. said: the first of them.
    """

    maker: Maker
    given: Called | None = None
    timeout: float = TIMEOUT
    file: str = ""
    line: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    printed: int = 0
    said: bytes = b""
    _lines: _Lines | None = None
    _labels: Sequence[Any] | None = None
    _left: tuple[int, int] = (MOST_ENDS, MOST_HANGS)
    _restarts: float = 0.0
    _hung: bool = False

    def part(self) -> None:
        """A new part of the audit begins: it may end and hang as often as the one before."""
        self._left, self._restarts = (MOST_ENDS, MOST_HANGS), 0.0

    def calls(self, labels: Sequence[Any], indices: Sequence[int]) -> list[Any]:
        """One output for each index.

        Raises:
            SpentError: it ended its process too often.
            ParameterError: it cannot be loaded, or has ended the process that watches it.
        """
        found: list[Any] = []
        while len(found) < len(indices):
            try:
                lines = self._ready(labels)
                lines.ask("calls", [*indices[len(found) :]])
                for value in lines.answers(len(indices) - len(found), self._patience()):
                    found += [value]
            except EndedError as error:
                found.append(self._end(error))
                self._check(found)
        return found

    def each(self, values: Sequence[Any]) -> list[Any]:
        """One output for each value."""
        return self.calls(values, range(len(values)))

    def bulk(self, labels: Sequence[Any], indices: Sequence[int]) -> Any:
        """What one call with many values gives; `Raised` where it did not come back."""
        try:
            lines = self._ready(labels)
            lines.ask("bulk", [*indices])
            (found,) = lines.answers(1, self._patience())
        except EndedError as error:
            return self._end(error)
        return found

    def job(self, module: str, name: str, *arguments: Any, seconds: float = 600.0) -> Any:
        """What one of our functions gives that runs beside the target, in its process.

        Raises:
            EndedError: it did not come back.
        """
        try:
            lines = self._ready(())
            lines.ask("job", module, name, arguments)
            (found,) = lines.answers(1, seconds)
        except EndedError as error:
            self._end(error)
            raise
        if type(found) is not tuple or len(found) != 2:
            raise EndedError("it answered for us")
        fault, value = found
        if fault:
            raise EndedError(str(fault))
        return value

    def fresh(self) -> None:
        """End the process as an orderly program ends; the next call starts another."""
        lines, self._lines = self._lines, None
        if lines is not None:
            lines.close()
            self._noted(lines)
            self._awaited(GRACE)
            self.maker.end()

    def close(self) -> None:
        """End everything.

        Raises:
            ParameterError: the process that watches the target was ended by it.
        """
        try:
            self.fresh()
        finally:
            self.maker.close()

    def _ready(self, labels: Sequence[Any]) -> _Lines:
        """A running process that has these labels."""
        if self._lines is None:
            if not self.maker.again and self.ends:
                raise SpentError([], self._ended())
            started = time.monotonic()
            self._lines = _Lines.opened(self.maker)
            self._labels = None
            if self.given is not None:
                self._load(self._lines)
            self._restarts += time.monotonic() - started
        if self._labels is not labels:
            self._lines.ask("take", list(labels))
            self._labels = labels
        return self._lines

    def _load(self, lines: _Lines) -> None:
        given = self.given
        assert given is not None
        lines.ask("load", {name: getattr(given, name) for name in given.__dataclass_fields__})
        try:
            (found,) = lines.answers(1, max(60.0, self.timeout))
            fault, file, line = found
            self.file, self.line = str(file), int(line)
        except EndedError as error:
            self._end(error)
            fault = f"must load ({error})"
        except (TypeError, ValueError):
            fault = "must load (it answered for us)"
        if fault:
            raise ParameterError("TARGET", str(fault), given.reference)

    def _patience(self) -> float:
        return max(PATIENCE * self.timeout, min(self.timeout, 1.0)) if self._hung else self.timeout

    def _end(self, error: EndedError) -> Raised:
        """What the call gets as its output whose process is gone."""
        started = time.monotonic()
        lines, self._lines = self._lines, None
        status = self.maker.poll()
        if status == server.ALIVE and not lines_hung(error):
            status = self._awaited(0.05)  # it may have closed its channel just before it ends
        if status == server.ALIVE:
            words = str(error)
            self.maker.end()
        else:
            words = _status(status)
            self.maker.end()
        if lines is not None:
            lines.close()
            self._noted(lines)
        self.ends[words] = self.ends.get(words, 0) + 1
        hung = lines_hung(error)
        self._hung |= hung
        ends, hangs = self._left
        self._left = (ends, hangs - 1) if hung else (ends - 1, hangs)
        self._restarts += time.monotonic() - started
        return Raised("NoAnswer", words)

    def _awaited(self, seconds: float) -> int:
        """The status of a process that should end by itself in so many seconds."""
        until, status = time.monotonic() + seconds, self.maker.poll()
        while status == server.ALIVE and time.monotonic() < until:
            time.sleep(0.001)
            status = self.maker.poll()
        return status

    def _noted(self, lines: _Lines) -> None:
        self.printed += lines.printed
        self.said = (self.said + lines.said)[:SHOWN]

    def _check(self, found: list[Any]) -> None:
        ends, hangs = self._left
        slow = ends <= 0 and self._restarts > MOST_SECONDS
        if not self.maker.again or hangs <= 0 or slow or ends <= -20 * MOST_ENDS:
            raise SpentError(found, self._ended())

    def _ended(self) -> str:
        return f"stopped early: {ended(self.ends)}"


def ended(ends: Mapping[str, int]) -> str:
    """How often a target ended its process, in words; empty where it did not."""
    times = ", ".join(f"{words} ({n:,} times)" for words, n in ends.items())
    return f"the target ended its process: {times}" if ends else ""


HUNG = "no answer in time"


def lines_hung(error: EndedError) -> bool:
    """Whether a process was given up because it did not answer."""
    return str(error) == HUNG


def _status(status: int) -> str:
    """A wait status in words."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


class _Lines:
    """Both ends of one process's channel, as the audit holds them."""

    def __init__(self, requests: int, answers: int, sink: int, watched: int | None) -> None:
        self.requests, self.reader, self.sink, self.watched = requests, answers, sink, watched
        self.token = secrets.token_bytes(worker.TOKEN)
        self.number = 0
        self.printed, self.said = 0, b""
        self.buffer = bytearray()
        self.unsent = bytearray(self.token)
        self.poll = select.poll()
        for each in (answers, sink, *([] if watched is None else [watched])):
            self.poll.register(each, select.POLLIN)
        for each in (requests, sink):
            os.set_blocking(each, False)

    @classmethod
    def opened(cls, maker: Maker) -> _Lines:
        """A new process, and the channel to it."""
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
        """So many answers, as they come.

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
                try:
                    value = wire.unpacked(bytes(buffer[at - size : at]))
                except wire.FrameError:
                    raise EndedError("it wrote to the channel of its answers") from None
                yield value
        finally:
            del self.buffer[:at]

    def _read(self, seconds: float, *, many: bool) -> bool:
        """Whether anything was read in so many seconds."""
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


def from_name(called: Called, timeout: float = TIMEOUT) -> Isolated:
    """A target that can be imported by name."""
    return Isolated(Server(), called, timeout)


def from_copy(
    function: Callable[[Any], Any],
    labels: Sequence[Any],
    *,
    bulk: bool = False,
    timeout: float = TIMEOUT,
) -> Isolated:
    """A function that stands in this process only: a copy of the process runs it."""
    return Isolated(Copy(function, labels, bulk=bulk), None, timeout)


class Here:
    """A target in this process, on request: it can end, mute or fake the audit.

    Args:
        function: one value in, one output out.
        whole: of many values, where it is one of those.
        where: the file and line of the target.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        whole: Callable[[Any], Any] | None = None,
        where: tuple[str, int] = ("", 0),
    ) -> None:
        self.function, self.whole = function, whole
        self.file, self.line = where
        self.ends: dict[str, int] = {}
        self.printed, self.said = 0, b""

    def part(self) -> None:
        """See `Isolated`."""

    def calls(self, labels: Sequence[Any], indices: Sequence[int]) -> list[Any]:
        """See `Isolated`."""
        function = self.function
        return [call(function, labels[i]) for i in indices]

    def each(self, values: Sequence[Any]) -> list[Any]:
        """See `Isolated`."""
        return self.calls(values, range(len(values)))

    def bulk(self, labels: Sequence[Any], indices: Sequence[int]) -> Any:
        """See `Isolated`."""
        whole: Any = self.whole
        return call(
            lambda given: worker.reports(whole(given)), batch_of([labels[i] for i in indices])
        )

    def job(self, module: str, name: str, *arguments: Any) -> Any:
        """See `Isolated`."""
        return getattr(importlib.import_module(module), name)(self.function, *arguments)

    def fresh(self) -> None:
        """Nothing: there is one process."""

    def close(self) -> None:
        """Nothing is held."""


def asked_here(function: Callable[[Any], Any], *, bulk: bool = False) -> Here:
    """A function that is called in this process."""
    return Here(partial(alone, function), function) if bulk else Here(function)


IN_PROCESS = (
    "the target ran in the audit's own process, as was asked for: it could end, mute or fake the "
    "audit"
)

Asked = Isolated | Here
"""A Python target, wherever it runs."""
