"""Somebody's own client of a mechanism: what it answers, compared with the mechanism's table.

The client is asked one value after the other and answers with the numbers of a report, as programs
(`ldp_verified.program`) have them. What it draws comes from its own source: no seed replays it.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.conformance.run import Subject
from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.expectation import expectation, spec_of
from ldp_verified.realize.randomizer import Randomizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ask = Callable[[Sequence[str]], Sequence[Any]]
"""Lines that go in, one for each value, to what came out for each: a number or a list of them."""

REPORTS = 400_000
"""Reports that a client is asked for unless it is said otherwise."""

SECONDS = 600
"""Time that a client has for a lot of values."""

_DIGITS = re.compile(r"[0-9]{1,20}")


def asked(command: Sequence[str]) -> Ask:
    """A program that reads one value per line and answers each with one line, as JSON.

    It is started for each lot of values and ends with its input.

    Args:
        command: the program and its arguments.

    Raises:
        ParameterError: when it is asked: it cannot be run, does not end well or in time, or does
            not answer each line with one.
    """
    if not command:
        raise ParameterError("--client", "must name a program", command)

    def ask(lines: Sequence[str]) -> list[Any]:
        text = "".join(line + "\n" for line in lines)
        try:
            done = subprocess.run(
                command,
                input=text.encode("ascii"),
                capture_output=True,
                check=True,
                timeout=SECONDS,
            )
        except OSError as error:
            raise ParameterError("--client", f"must run ({error})", command) from None
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode("utf-8", "replace").strip()[-200:]
            rule = f"must end with 0 when its input ends, not with {error.returncode}: {said}"
            raise ParameterError("--client", rule, command) from None
        except subprocess.TimeoutExpired:
            rule = f"must answer {len(lines)} values in {SECONDS} seconds, and end"
            raise ParameterError("--client", rule, command) from None
        answers = done.stdout.decode("utf-8", "replace").splitlines()
        if len(answers) != len(lines):
            rule = f"must write one line for each of {len(lines)} values"
            raise ParameterError("--client", rule, len(answers))
        try:
            return [json.loads(answer) for answer in answers]
        except json.JSONDecodeError as error:
            raise ParameterError("--client", f"must answer in JSON ({error})", command) from None

    return ask


def client_subject(made: object, ask: Ask, name: str) -> Subject:
    """Return the subject that `conform` runs to check a client.

    Args:
        made: the mechanism that the client is said to draw.
        ask: how it is asked.
        name: of the client, for the report.

    Raises:
        ParameterError: the mechanism has no table of values.
    """
    if not isinstance(made, Randomizer):
        raise ParameterError("NAME", "must be a mechanism with a table of values", type(made))
    sampler = made.sampler()

    def draw(values: NDArray[np.int64], rng: np.random.Generator | None) -> NDArray[Any]:
        del rng  # the client has a source of its own
        answers = ask([str(value) for value in values.tolist()])
        rows = [_numbers(answer, sampler.columns, sampler.dtype) for answer in answers]
        data = np.array(rows, dtype=sampler.dtype).reshape(len(rows), *sampler.shape)
        try:
            return made.reports(data, False).data
        except LdpError as error:
            raise ParameterError("--client", f"must answer with reports: {error}") from None

    return Subject(f"{name} ({made!r})", draw, expectation(made, spec_of(made)))


def _numbers(answer: Any, count: int, dtype: np.dtype[Any]) -> list[int]:
    """The numbers of a report from what JSON gave: integers, or their digits as text."""
    given = answer if isinstance(answer, list) else [answer]
    most = int(np.iinfo(dtype).max)
    found = [int(n) if isinstance(n, str) and _DIGITS.fullmatch(n) else n for n in given]
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in found)
    if len(found) != count or not whole or not all(0 <= n <= most for n in found):
        rule = f"must answer each value with {count} number(s) in 0..{most}, as JSON"
        raise ParameterError("--client", rule, str(answer)[:80])
    return found
