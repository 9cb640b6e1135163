"""A Python target in a process of its own: what it does to that process is an output like another.

An exit, a signal, a call that does not return and a broken channel all are outputs of the call that
caused them, with their probability by input. The process is started anew after each, so that calls
go on being independent of each other. A target that is too often at its end would take for ever:
sampling then stops early (`SpentError`), and what was seen is judged by bounds that hold at every
time.
"""

from __future__ import annotations

import importlib
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.budget import Budget, SpentError
from ldp_verified.check.audit.targets import channel, server
from ldp_verified.check.audit.targets.channel import SHOWN, TOO_MUCH, EndedError, Lines, lines_hung
from ldp_verified.check.audit.targets.makers import GRACE, Copy, ProcessMaker, Server
from ldp_verified.check.audit.targets.many import alone, batch_of, several
from ldp_verified.check.audit.targets.outputs import call
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.errors import ParameterError, printable

if TYPE_CHECKING:
    from ldp_verified.check.audit.targets.called import Called

TIMEOUT = 10.0
PATIENCE = 0.1
"""After the first call that did not return, the part of the timeout that later ones get."""

JOB_SECONDS = 600.0
"""For what runs beside the target, at most."""

OWN_SECONDS, SLOWER = 30.0, 10.0
"""For a named check that runs beside the target: so much of ours, and so many times the seconds
that its calls took before. A target that hangs in it is ended then."""

MOST_ENDS = 150
MOST_HANGS = 25
MOST_SECONDS = 10.0
"""Ends and hangs of one part of an audit; ends beyond `MOST_ENDS` go on for so many seconds."""


@dataclass(eq=False)
class Isolated:
    """A target behind a channel.

    Attributes:
        maker: of its processes.
        given: what it is told first: the target's name; None where the process has it.
        timeout: seconds for one call.
        file, line: where it is written, once it was loaded.
        ends: how often it ended its process, or hung, so far: words -> times.
        stuck: it did not answer in time as often as one part of an audit allows; any other part
            may then wait for one answer.
        printed: bytes that it wrote to its standard streams. said: the first of them.
        budget: what may be asked of it.
    """

    maker: ProcessMaker
    given: Called | None = None
    timeout: float = TIMEOUT
    budget: Budget = field(default_factory=Budget)
    file: str = ""
    line: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    printed: int = 0
    said: bytes = b""
    stuck: bool = False
    _lines: Lines | None = None
    _labels: Sequence[Any] | None = None
    _left: tuple[int, int] = (MOST_ENDS, MOST_HANGS)
    _restarts: float = 0.0
    _hung: bool = False
    _pace: tuple[float, int] = (0.0, 0)

    def part(self) -> None:
        """A new part of the audit begins: it may end and hang as often as the one before."""
        self._left, self._restarts = (MOST_ENDS, 1 if self.stuck else MOST_HANGS), 0.0

    def timed(self, labels: Sequence[Any], indices: Sequence[int]) -> list[Any]:
        """The nanoseconds that each call took, in its process; as `calls`."""
        return self.calls(labels, indices, "timed")

    def calls(
        self, labels: Sequence[Any], indices: Sequence[int], request: str = "calls"
    ) -> list[Any]:
        """One output for each index; "timed": its nanoseconds; "beside": what it wrote.

        Raises:
            SpentError: it ended its process too often, or the budget is spent.
            ParameterError: it cannot be loaded, or has ended the process that watches it.
        """
        found: list[Any] = []
        while len(found) < len(indices):
            start = len(found)
            wanted = self.budget.take(len(indices) - start, found)
            began = time.monotonic()
            try:
                lines = self._ready(labels)
                lines.taken = 0 if start == 0 else lines.taken
                lines.ask(request, [*indices[start : start + wanted]])
                for value in lines.answers(wanted, self.budget.within(self._patience())):
                    found += [value]
                    if lines.taken > channel.MOST_HELD and len(found) < len(indices):
                        self.budget.returned(start + wanted - len(found))
                        self.fresh()
                        raise SpentError(found, TOO_MUCH.format(len(found)))
                seconds, answers = self._pace
                self._pace = (seconds + time.monotonic() - began, answers + wanted)
            except EndedError as error:
                lost = self._end(error)
                if lines_hung(error) and self.budget.left <= 0:  # it was not given its time
                    raise SpentError(found, self.budget.why) from None
                found.append(lost)
                self.budget.returned(start + wanted - len(found))
                self._check(found)
        return found

    def each(self, values: Sequence[Any]) -> list[Any]:
        """One output for each value."""
        return self.calls(values, range(len(values)))

    def bulk(self, labels: Sequence[Any], indices: Sequence[int]) -> Any:
        """Return the output of one call with many values; `Raised` if no answer came back.

        Raises:
            SpentError: the budget is spent.
        """
        self.budget.take_all(len(indices))
        try:
            lines = self._ready(labels)
            lines.ask("bulk", [*indices])
            (found,) = lines.answers(1, self.budget.within(self._patience()))
        except EndedError as error:
            return self._end(error)
        return found

    def job(
        self, module: str, name: str, *arguments: Any, calls: int = 0, named: bool = False
    ) -> Any:
        """Run a function of this package beside the target, in its process, and return its result.

        Args:
            module, name: of the function. arguments: of it, behind the target.
            calls: outputs that it asks the target for.
            named: it is a check of ours that runs nobody else's code but the target's.

        Raises:
            EndedError: it did not come back.
            SpentError: the budget is spent.
        """
        self.budget.take_all(calls)
        try:
            lines = self._ready(())
            lines.ask("job", module, name, arguments)
            most = self.enough(calls) if named else JOB_SECONDS
            (found,) = lines.answers(1, self.budget.within(most))
        except EndedError as error:
            self._end(error)
            raise
        if type(found) is not tuple or len(found) != 2:
            raise EndedError("it answered for us")
        fault, value = found
        if fault:
            raise EndedError(str(fault))
        return value

    def enough(self, calls: int) -> float:
        """Seconds in which a target that goes on as before has answered so many calls."""
        seconds, answers = self._pace
        slow = SLOWER * calls * seconds / max(answers, 1)
        return min(JOB_SECONDS, self._patience() + OWN_SECONDS + slow)

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

    def _ready(self, labels: Sequence[Any]) -> Lines:
        """A running process that has these labels."""
        if self._lines is None:
            if not self.maker.again and self.ends:
                raise SpentError([], self._ended())
            started = time.monotonic()
            self._lines = Lines.opened(self.maker)
            self._labels = None
            if self.given is not None:
                self._load(self._lines)
            self._restarts += time.monotonic() - started
        if self._labels is not labels:
            self._lines.ask("take", list(labels))
            self._labels = labels
        return self._lines

    def _load(self, lines: Lines) -> None:
        given = self.given
        assert given is not None
        lines.ask("load", {name: getattr(given, name) for name in given.__dataclass_fields__})
        argument = ""
        try:
            (found,) = lines.answers(1, max(60.0, self.timeout))
            fault, file, line, argument = found
            self.file, self.line = printable(str(file)), int(line)
        except EndedError as error:
            self._end(error)
            fault = f"must load ({error})"
        except (TypeError, ValueError):
            fault = "must load (it answered for us)"
        if fault:
            questions = argument == "--questions"  # no other name is taken from its process
            got = given.questions if questions else given.reference
            raise ParameterError("--questions" if questions else "TARGET", str(fault), got)

    def _patience(self) -> float:
        return max(PATIENCE * self.timeout, min(self.timeout, 1.0)) if self._hung else self.timeout

    def _end(self, error: EndedError) -> Raised:
        """End the target's process and return the exception that stands for the lost output."""
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

    def _noted(self, lines: Lines) -> None:
        self.printed += lines.printed
        self.said = (self.said + lines.said)[:SHOWN]

    def _check(self, found: list[Any]) -> None:
        ends, hangs = self._left
        slow = ends <= 0 and self._restarts > MOST_SECONDS
        self.stuck |= hangs <= 0
        if not self.maker.again or hangs <= 0 or slow or ends <= -20 * MOST_ENDS:
            raise SpentError(found, self._ended())

    def _ended(self) -> str:
        return f"stopped early: {ended(self.ends)}"


def ended(ends: Mapping[str, int]) -> str:
    """Return how often a target ended its process, in words; empty where it did not."""
    times = ", ".join(f"{words} ({n:,} times)" for words, n in ends.items())
    return f"the target ended its process: {times}" if ends else ""


def _status(status: int) -> str:
    """A wait status in words."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def from_name(called: Called, timeout: float = TIMEOUT, budget: Budget | None = None) -> Isolated:
    """A target that can be imported by name."""
    return Isolated(Server(), called, timeout, Budget() if budget is None else budget)


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
        budget: what may be asked of it.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        whole: Callable[[Any], Any] | None = None,
        where: tuple[str, int] = ("", 0),
        budget: Budget | None = None,
    ) -> None:
        self.function, self.whole = function, whole
        self.budget = Budget() if budget is None else budget
        self.file, self.line = where
        self.ends: dict[str, int] = {}
        self.printed, self.said = 0, b""
        self.stuck = False

    def part(self) -> None:
        """See `Isolated`."""

    def calls(
        self, labels: Sequence[Any], indices: Sequence[int], request: str = "calls"
    ) -> list[Any]:
        """See `Isolated`; whoever calls has refused what cannot be heard in this process."""
        del request
        function, found = self.function, list[Any]()
        while len(found) < len(indices):
            start = len(found)
            wanted = self.budget.take(len(indices) - start, found)
            found += [call(function, labels[i]) for i in indices[start : start + wanted]]
        return found

    def timed(self, labels: Sequence[Any], indices: Sequence[int]) -> list[Any]:
        """See `Isolated`."""
        found = []
        for i in indices:
            started = time.perf_counter_ns()
            self.calls(labels, [i])
            found.append(time.perf_counter_ns() - started)
        return found

    def each(self, values: Sequence[Any]) -> list[Any]:
        """See `Isolated`."""
        return self.calls(values, range(len(values)))

    def bulk(self, labels: Sequence[Any], indices: Sequence[int]) -> Any:
        """See `Isolated`."""
        self.budget.take_all(len(indices))
        whole: Any = self.whole
        return several(whole, batch_of([labels[i] for i in indices]))

    def job(
        self, module: str, name: str, *arguments: Any, calls: int = 0, named: bool = False
    ) -> Any:
        """See `Isolated`."""
        del named
        self.budget.take_all(calls)
        return getattr(importlib.import_module(module), name)(self.function, *arguments)

    def fresh(self) -> None:
        """Do nothing, as there is one process."""

    def close(self) -> None:
        """Do nothing, as nothing is held."""


def asked_here(function: Callable[[Any], Any], *, bulk: bool = False) -> Here:
    """A function that is called in this process."""
    return Here(partial(alone, function), function) if bulk else Here(function)


Asked = Isolated | Here
"""A Python target, wherever it runs."""
