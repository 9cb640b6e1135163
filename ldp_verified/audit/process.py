"""Any program in any language: one input per line in, one report per line out.

An input is written as JSON, or as bare text where it is a string and `bare` is asked for. A report
is read as JSON where the line is JSON, else as text. The program must answer each line, in order,
and flush; a line `{"error": "..."}` counts as an exception. A program that dies or does not answer
in time is started again, and what it owed counts as an output "no answer": that is what an observer
would see.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from ldp_verified.audit.keys import Raised
from ldp_verified.audit.sources import Drawn, check_inputs
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 2048
TIMEOUT = 10.0
MOST_RESTARTS = 20


@dataclass(eq=False)
class Program:
    """A running program that is started again when it fails.

    Attributes:
        command: its words.
        timeout: seconds without a line before it is taken to hang.
        restarts: how often it may be started again.
    """

    command: tuple[str, ...]
    timeout: float = TIMEOUT
    restarts: int = MOST_RESTARTS
    failures: int = 0
    _waited: bool = False
    _process: subprocess.Popen[str] | None = None
    _lines: queue.Queue[str | None] = field(default_factory=queue.Queue)

    def answers(self, lines: Sequence[str]) -> list[Any]:
        """One output for each line.

        Raises:
            ParameterError: the program cannot be started, or fails too often.
        """
        found: list[Any] = []
        while len(found) < len(lines):
            self._start()
            rest = lines[len(found) :]
            writer = threading.Thread(target=self._write, args=(rest,), daemon=True)
            writer.start()
            got = self._read(len(rest))
            found += got
            if len(got) < len(rest):
                found.append(self._failed())
            writer.join(self.timeout)
        return found

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="backslashreplace",
            )
        except OSError as error:
            raise ParameterError("--command", f"must run ({error})", self.command) from None
        self._lines = queue.Queue()
        reader = threading.Thread(
            target=_pump, args=(self._process.stdout, self._lines), daemon=True
        )
        reader.start()

    def _write(self, lines: Sequence[str]) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        try:
            for line in lines:
                process.stdin.write(line + "\n")
            process.stdin.flush()
        except (OSError, ValueError):
            return  # it died: the reader notices

    def _read(self, count: int) -> list[Any]:
        found: list[Any] = []
        self._waited = False
        while len(found) < count:
            try:
                line = self._lines.get(timeout=self.timeout)
            except queue.Empty:
                self._waited = True
                return found
            if line is None:
                return found
            found.append(parsed(line))
        return found

    def _failed(self) -> Raised:
        """What the input that was not answered gets as its output."""
        process, code = self._process, None
        hung = False
        if process is not None:
            try:  # it may have closed its output just before it ends
                code = process.wait(0.0 if self._waited else 1.0)
            except subprocess.TimeoutExpired:
                hung = True
                process.kill()
                process.wait()
        self.failures += 1
        if self.failures > self.restarts:
            raise ParameterError(
                "--command",
                f"must answer every line, flushed: it failed more than {self.restarts} times",
                self.command,
            )
        self.close()
        return Raised("NoAnswer", "no line in time" if hung else f"exit code {code}")

    def close(self) -> None:
        """End the program."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue  # what it had not read any more


def _pump(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    try:
        for line in stream or ():
            lines.put(line.rstrip("\r\n"))
    except ValueError:  # closed while reading
        pass
    lines.put(None)


def parsed(line: str) -> Any:
    """A report: JSON where it is JSON, else the text itself."""
    try:
        found = json.loads(line)
    except ValueError:
        return line
    if isinstance(found, dict) and set(found) == {"error"}:
        return Raised("error", str(found["error"]))
    return found


def from_program(
    command: Sequence[str],
    inputs: Sequence[Any],
    *,
    timeout: float = TIMEOUT,
    bare: bool = False,
) -> Drawn:
    """A program as a target; see the module for its protocol."""
    labels = check_inputs(inputs)
    if not command:
        raise ParameterError("--command", "must name a program", command)
    program = Program(tuple(command), timeout)
    texts = [v if bare and isinstance(v, str) else json.dumps(v) for v in labels]

    def ask(indices: NDArray[np.int64]) -> list[Any]:
        return program.answers([texts[i] for i in indices.tolist()])

    return Drawn(" ".join(command), labels, ask, BATCH, on_close=program.close)
