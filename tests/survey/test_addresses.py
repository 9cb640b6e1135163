"""`examples/survey`: the collector says nothing of its clients, whatever they send."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from tests.survey.test_kept import body_of
from tests.survey.test_survey import serving

if TYPE_CHECKING:
    from pathlib import Path


def asked(address: str, head: bytes, body: bytes) -> bytes:
    """What the collector says to a request; nothing where it closes the connection."""
    port = int(address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"POST /answers HTTP/1.1\r\n" + head + b"\r\n\r\n" + body)
        return connection.recv(1 << 16)


def test_an_error_of_a_connection_leaves_no_address(
    example: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as one that is reset: a traceback and the address were written to the terminal."""
    _, collector = example

    def failing(*_: object) -> None:
        raise RuntimeError("127.0.0.1")

    with serving(collector, folder) as (address, survey):
        survey.add = failing
        body = body_of(survey, 3)
        assert asked(address, b"content-length: %d" % len(body), body) == b""
    assert capsys.readouterr().err == "an error: RuntimeError\n"


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
