"""`examples/survey`: the collector says nothing of its clients, whatever they send."""

from __future__ import annotations

import socket
import struct
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.survey.test_kept import body_of
from tests.survey.test_survey import serving

if TYPE_CHECKING:
    from pathlib import Path


def asked(address: str, head: bytes, body: bytes, *, reset: bool = False) -> bytes:
    """What the collector says to a request; nothing where the connection is reset at once."""
    port = int(address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"POST /answers HTTP/1.1\r\n" + head + b"\r\n\r\n" + body)
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return b""
        return connection.recv(1 << 16)


def test_a_connection_that_is_reset_leaves_no_address(
    example: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was written to the terminal, with the port and a traceback."""
    _, collector = example
    with serving(collector, folder) as (address, survey):
        asked(address, b"content-length: 60", body_of(survey, 3)[:10], reset=True)
        said, end = "", time.monotonic() + 20
        while not said and time.monotonic() < end:
            said += capsys.readouterr().err
    said += capsys.readouterr().err
    assert said.startswith("an error: ")
    assert "127.0.0.1" not in said
    assert len(said.splitlines()) == 1
    assert (folder / "answers.jsonl").read_bytes() == b""


@pytest.mark.parametrize("length", [b"9" * 5000, b"0" * 5000, b"201", b"0060", b"-1", b"", b"\xb2"])
def test_a_length_that_is_none_is_refused_in_words(
    length: bytes, example: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of 5,000 digits was an error that the terminal told of, with the address."""
    _, collector = example
    with serving(collector, folder) as (address, survey):
        answer = asked(address, b"content-length: " + length, body_of(survey, 3))
        assert answer.startswith(b"HTTP/1.0 400 ")
    assert capsys.readouterr().err == ""
