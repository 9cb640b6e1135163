"""Any program in any language: one input per line in, one report per line out.

An input is written as JSON, or as bare text where it is a string and `bare` is asked for. A report
is read as JSON where the line is JSON, else as text. The program must answer each line with one
line, flushed, before it is asked the next; a line `{"error": "..."}` counts as an exception. A
program that dies or does not answer in time is started again, and what it owed counts as an output
"no answer": that is what an observer would see.

Nothing may come before the first answer, between two, or after the last: a banner would be read as
an answer, and every answer after it one question late. It is asked one line at a time, surplus
lines are looked for while it is quiet, and at its end, when its input is closed, all that it has
written must have been read. With `echo` each question begins with a number and a tab, and so must
its answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from ldp_verified.check.audit.budget import Budget, SpentError
from ldp_verified.check.audit.targets.keys import Raised
from ldp_verified.check.audit.targets.sources import DrawnSamples, check_inputs
from ldp_verified.check.audit.targets.spelling import spelled
from ldp_verified.check.audit.targets.streams import opened, text_of
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 2048
TIMEOUT = 10.0
MOST_RESTARTS = 60

STARTING = 30.0
"""Seconds for the first answer of a process, its start included, at least."""

NEVER = 3
"""Questions without an answer in time after which a program that has not answered once is given up.
"""

PATIENCE = 0.1
"""After the first question without an answer in time, the part of the timeout that others get."""

QUIET = 0.25
"""Seconds without a line after the first answer before there is nothing before or beside it."""

LATE_ANSWER = "no line in time"

PAUSE = 0.01
EVERY = 256
"""Questions after which it is left in peace for so many seconds, to see whether it has more."""

GRACE = 2.0
"""Seconds for a program to end when its input is closed; those of its slowest answer if more."""

LATE = 0.001
"""Seconds after an answer in which what is written to stderr still belongs to it."""

LONGEST = 1 << 28
"""Bytes of a line; a longer one is no answer."""

PIPE = 1 << 15
"""A line longer than this may not fit into the pipe at once."""


@dataclass(eq=False)
class ProgramTarget:
    """A running program that is started again when it fails.

    Attributes:
        command: its words.
        timeout: seconds without a line before it is taken to hang.
        restarts: how often it may be started again.
        starting: seconds for the first answer of a process, where that is more.
        echo: questions and answers begin with one number.
        budget: what may be asked of it.
        heard: what it writes to stderr is kept.
    """

    command: tuple[str, ...]
    timeout: float = TIMEOUT
    restarts: int = MOST_RESTARTS
    starting: float = STARTING
    echo: bool = False
    budget: Budget = field(default_factory=Budget)
    heard: bool = False
    failures: int = 0
    size: int = 0
    """Bytes of the last answer."""

    _errors: IO[bytes] | None = None
    _answered: int = 0
    _asked: int = 0
    _slowest: float = 0.0
    _start_took: float = 0.0
    _process: subprocess.Popen[bytes] | None = None
    _buffer: bytearray = field(default_factory=bytearray)
    _ended: bool = False
    _hung: bool = False

    def answers(self, lines: Sequence[str]) -> list[Any]:
        """One output for each line.

        Raises:
            ParameterError: the program cannot be started, never answers, or answers otherwise than
                line by line.
            SpentError: it fails too often, or the budget is spent.
        """
        found: list[Any] = []
        for line in lines:
            self.budget.take(1, found)
            self._start()
            self._quiet(PAUSE if self._asked % EVERY == EVERY - 1 else 0.0)
            lost = self._answer(line)
            if lost == Raised("NoAnswer", LATE_ANSWER) and self.budget.left <= 0:
                raise SpentError(found, self.budget.why)  # it was not given its time
            found.append(lost)
            if isinstance(found[-1], Raised) and found[-1].type == "NoAnswer":
                self._check(found)
        return found

    def besides(self, lines: Sequence[str]) -> list[Any]:
        """Return what stood beside the answer to each line: its bytes, and the text on stderr.

        What is written before the next question belongs to the answer before.

        Raises:
            ParameterError, SpentError: as for `answers`.
        """
        self.heard = True
        self._kill()  # it is started anew, with a file behind its stderr
        found: list[Any] = []
        for line in lines:
            try:
                (answer,) = self.answers([line])
            except SpentError as spent:
                raise SpentError(found, spent.why) from None
            time.sleep(LATE)
            lost = isinstance(answer, Raised) and answer.type == "NoAnswer"
            text = "" if self._errors is None else text_of(self._errors.fileno())
            found.append(answer if lost else {"bytes": self.size, "stderr": text})
        return found

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._kill()
        if self.heard and self._errors is None:
            self._errors = opened()
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors or subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ParameterError("--command", f"must run ({error})", self.command) from None
        self._buffer, self._ended, self._asked = bytearray(), False, 0

    def _answer(self, line: str) -> Any:
        """Write one line to the program and return its answer, or what stands for a missing one."""
        token = str(secrets.randbelow(10**12)) + "\t" if self.echo else ""
        started = time.monotonic()
        self._write((token + line + "\n").encode("utf-8", "backslashreplace"))
        text = self._line(self.budget.within(self._patience()))
        if text is None:
            return self._failed()
        took = time.monotonic() - started
        if self._asked == 0:  # what it takes to start is no measure of its other answers
            self._start_took = max(self._start_took, took)
        else:
            self._slowest = max(self._slowest, took)
        self._asked += 1
        if self._asked == 1:
            self._quiet(QUIET)
        if not text.startswith(token):
            rule = "must begin each answer with the number of its question and a tab (--echo)"
            raise self._wrong(rule, text)
        self._answered += 1
        self.size = len(text) - len(token)
        return spelled(text[len(token) :])

    def _patience(self) -> float:
        """Seconds to wait for an answer; fewer once it has hung, never fewer than its slowest.

        The first answer of a process waits for its start too: once one is known to take long, all
        are given that time, however often it has hung.
        """
        short = max(PATIENCE * self.timeout, min(self.timeout, 1.0), 4 * self._slowest)
        usual = min(self.timeout, short) if self._hung else self.timeout
        if self._asked:
            return usual
        if self._answered:
            return max(usual, 4 * self._start_took)
        return self.timeout if self._hung else max(self.timeout, self.starting)

    def _quiet(self, seconds: float) -> None:
        """Refuse a program that has written more lines than it was asked."""
        if not self._buffer and not self._ended:
            self._fill(seconds)
        if self._buffer:
            rule = f"must write one line for each question and no other: of {self._asked} asked"
            raise self._wrong(f"{rule}, it wrote more", self._line(0.1) or "")

    def _wrong(self, rule: str, got: str) -> ParameterError:
        self._kill()
        return ParameterError("--command", rule, got)

    def _write(self, data: bytes) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        into = process.stdin

        def written() -> None:
            with contextlib.suppress(OSError, ValueError):  # it died: the reader notices
                into.write(data)
                into.flush()

        if len(data) < PIPE:
            written()
        else:
            threading.Thread(target=written, daemon=True).start()

    def _line(self, seconds: float) -> str | None:
        """The next line; None where the program has ended or does not answer in time."""
        until = time.monotonic() + seconds
        while (at := self._buffer.find(b"\n")) < 0:
            left = until - time.monotonic()
            if self._ended or left <= 0 or len(self._buffer) > LONGEST:
                break
            self._fill(left)
        if at < 0:
            if len(self._buffer) > LONGEST:
                return None
            if not self._ended or not self._buffer:
                return None
            at = len(self._buffer)
        line = bytes(self._buffer[:at])
        del self._buffer[: at + 1]
        return line.decode("utf-8", "surrogateescape")

    def _fill(self, seconds: float) -> None:
        """Read what comes in so many seconds."""
        process = self._process
        if process is None or process.stdout is None:
            return
        poll = select.poll()
        poll.register(process.stdout, select.POLLIN)
        if poll.poll(max(seconds, 0.0) * 1000):
            data = os.read(process.stdout.fileno(), 1 << 16)
            self._buffer += data
            self._ended |= not data

    def _failed(self) -> Raised:
        """Kill the process and return the exception that stands for the missing output."""
        process, code = self._process, None
        hung = False
        if process is not None:
            try:  # it may have closed its output just before it ends
                code = process.wait(1.0 if self._ended else 0.0)
            except subprocess.TimeoutExpired:
                hung = True
        self.failures += 1
        self._hung |= hung
        self._kill()
        return Raised("NoAnswer", LATE_ANSWER if hung else f"exit code {code}")

    def _check(self, found: list[Any]) -> None:
        most = self.restarts if self._answered or not self._hung else min(NEVER, self.restarts)
        if self.failures <= most:
            return
        rule = f"must answer every line, flushed: it failed more than {most} times"
        if not self._answered:
            raise ParameterError("--command", rule, self.command)
        raise SpentError(
            found, f"stopped early: the program failed more than {self.restarts} times"
        )

    def part(self) -> None:
        """A new part of the audit begins: it may fail as often as in the one before."""
        self.failures = 0

    def close(self) -> None:
        """End the program.

        Raises:
            ParameterError: it has written more lines than it was asked.
        """
        process = self._process
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.close()
        slowest = max(self._slowest, self._start_took)
        until = time.monotonic() + max(GRACE, min(2 * slowest, self.timeout))
        while not self._ended and not self._buffer and time.monotonic() < until:
            self._fill(until - time.monotonic())
        try:
            self._quiet(0.0)
        finally:
            self._kill()
            if self._errors is not None:
                self._errors.close()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # what it has started ends with it
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what it had not read any more
                    stream.close()


def from_program(
    command: Sequence[str],
    inputs: Sequence[Any],
    *,
    timeout: float = TIMEOUT,
    bare: bool = False,
    echo: bool = False,
    budget: Budget | None = None,
) -> DrawnSamples:
    """A program as a target; see the module for its protocol.

    Args:
        command: the program and its arguments. inputs: the private values.
        timeout: seconds to wait for an answer.
        bare: whether to write strings as they are, not as JSON.
        echo: whether questions and answers begin with a number and a tab.
        budget: calls and seconds that are left; None for no bound.

    Returns:
        A source of samples.

    Raises:
        ParameterError: `command` is empty, there are fewer than two inputs, or two are equal.
    """
    labels = check_inputs(inputs)
    if not command:
        raise ParameterError("--command", "must name a program", command)
    program = ProgramTarget(tuple(command), timeout, echo=echo, budget=budget or Budget())
    texts = [v if bare and isinstance(v, str) else json.dumps(v) for v in labels]

    def ask(indices: NDArray[np.int64]) -> list[Any]:
        return program.answers([texts[i] for i in indices.tolist()])

    def beside(indices: NDArray[np.int64]) -> list[Any]:
        return program.besides([texts[i] for i in indices.tolist()])

    name, close, part = " ".join(command), program.close, program.part
    return DrawnSamples(name, labels, ask, BATCH, on_close=close, on_part=part, beside=beside)
