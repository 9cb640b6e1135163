"""Make processes for a target, by the fork server or by a copy of this process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ldp_verified.check.audit.targets import server, worker
from ldp_verified.check.audit.targets.many import alone
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GRACE = 2.0
"""Seconds for a process to end by itself when the audit is done with it."""

_START = """
import sys, json
sys.path[:] = json.loads(sys.argv[2])
from ldp_verified.check.audit.targets.server import main
main(int(sys.argv[1]))
"""


class ProcessMaker(Protocol):
    """Makes processes for one target, one at a time."""

    again: bool

    def start(self, theirs: Sequence[int], ours: Sequence[int]) -> None:
        """A new process that has `theirs` (requests, answers, sink), and not our ends of them."""

    def poll(self) -> int:
        """Return the process's wait status, or `server.ALIVE`."""

    def end(self) -> int:
        """Kill what is left of the process, and return its wait status."""

    def close(self) -> None:
        """Make no more processes."""

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
        """The socket of the fork server."""
        return self.control.fileno()

    def start(self, theirs: Sequence[int], ours: Sequence[int]) -> None:
        """See `ProcessMaker`."""
        del ours  # it was started before they were made
        self._asked(server.START, theirs)

    def poll(self) -> int:
        """See `ProcessMaker`."""
        return self._asked(server.POLL)

    def end(self) -> int:
        """See `ProcessMaker`."""
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
        """See `ProcessMaker`."""
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
        """See `ProcessMaker`."""
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
        """See `ProcessMaker`."""
        if not self.pid:
            return 0
        found, status = os.waitpid(self.pid, os.WNOHANG)
        if not found:
            return server.ALIVE
        self.pid = 0
        return status

    def end(self) -> int:
        """See `ProcessMaker`."""
        pid, status = self.pid, self.poll()
        if status == server.ALIVE:
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(pid, signal.SIGKILL)
            status, self.pid = os.waitpid(pid, 0)[1], 0
        return status

    def close(self) -> None:
        """See `ProcessMaker`."""
        self.end()


def gone() -> ParameterError:
    """The error where the process that starts targets was ended from outside."""
    rule = "must leave other processes alone: the one that watches it was ended"
    return ParameterError("TARGET", rule)
