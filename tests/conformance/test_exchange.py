"""Programs that answer lines, and those that write more than can be right."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ldp_verified.check.conformance import exchange
from ldp_verified.check.conformance.exchange import SAID, exchanged
from ldp_verified.check.conformance.foreign import asked
from ldp_verified.errors import ParameterError

COPY = [sys.executable, "-c", "import sys\nfor line in sys.stdin: print(line, end='')"]


def test_a_program_answers_more_than_a_pipe_holds() -> None:
    lines = [str(i) for i in range(200_000)]
    done = exchanged(COPY, lines, 60)
    assert (done.code, done.said) == (0, b"")
    assert done.out.decode().split() == lines


def test_a_program_that_never_stops_is_ended() -> None:
    """Its first line too many ends it: so nothing but time or memory would."""
    with pytest.raises(ParameterError, match="--client: must write one line for each of 3 values"):
        asked(["yes"])(["0", "1", "2"])


def test_a_line_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "LONGEST", 1 << 20)
    with pytest.raises(ParameterError, match="--client: must write lines of at most 1048576 bytes"):
        exchanged(["cat", "/dev/zero"], ["0"], 60)


def test_the_end_of_stderr_is_kept_and_the_code() -> None:
    text = "import sys; sys.stderr.write('a' * 100_000 + 'b'); sys.exit(7)"
    done = exchanged([sys.executable, "-c", text], ["0"] * 100_000, 60)
    assert (done.code, len(done.said), done.said[-2:]) == (7, SAID, b"ab")


def test_a_program_that_does_not_end_is_ended_in_time() -> None:
    """Its child too, which holds its pipes."""
    with pytest.raises(subprocess.TimeoutExpired):
        exchanged(["sh", "-c", "sleep 1000 & sleep 1000"], ["0"], 0.5)
