"""Settings, keys, tokens, counters, clients and the page, without a database."""

from __future__ import annotations

import http.client
import http.server
import threading
import urllib.error
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from collector.__main__ import main
from collector.client import NotSentError, send
from collector.counters import Counters
from collector.pages import page
from collector.records import Answer, records_of, token, user_of
from collector.settings import Keys, Settings, make_keys

from .conftest import CITY, user

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = bytes(range(32))
NEEDED = {
    "COLLECTOR_DATABASE": "dbname=x",
    "COLLECTOR_DEPLOYMENT": "city.json",
    "COLLECTOR_KEYS": "keys.json",
    "COLLECTOR_COUNTERS": "counters",
}


def test_settings_are_read() -> None:
    found = Settings.read({**NEEDED, "COLLECTOR_SIMULATED": "1", "COLLECTOR_RATE": "5", "X": "y"})
    assert (found.simulated, found.rate, found.keys) == (True, 5.0, Path("keys.json"))
    assert Settings.read(found.to_environment()) == found


@pytest.mark.parametrize(
    "more",
    [
        {"COLLECTOR_RATES": "5"},
        {"COLLECTOR_RATE": "fast"},
        {"COLLECTOR_RATE": "0"},
        {"COLLECTOR_RATE": "nan"},
        {"COLLECTOR_SIMULATED": "yes"},
        {"COLLECTOR_CLOCK": "sun"},
        {"COLLECTOR_KEEP_OPEN": "-1"},
    ],
)
def test_wrong_settings_are_named(more: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(more))):
        Settings.read({**NEEDED, **more})
    with pytest.raises(ValueError, match="COLLECTOR_KEYS must be set"):
        Settings.read({name: text for name, text in NEEDED.items() if name != "COLLECTOR_KEYS"})


def test_keys_are_made_once(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    make_keys(path)
    keys = Keys.read(path)
    assert len(keys.registry) == len(keys.tokens) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        make_keys(path)
    for text in ("", "[]", '{"registry": "00", "tokens": "01"}', "{}"):
        path.write_text(text)
        with pytest.raises(ValueError, match="make-keys") as refused:
            Keys.read(path)
        assert "00" not in str(refused.value)


def test_a_command_without_settings_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLLECTOR_DATABASE", raising=False)
    with pytest.raises(SystemExit, match="COLLECTOR_DATABASE must be set"):
        main(["token"])


def test_nobody_makes_up_a_user() -> None:
    mine = token(KEY, user(1))
    assert user_of(KEY, mine) == user(1)
    assert user_of(bytes(32), mine) is None
    for place in range(len(mine)):
        forged = bytearray(mine)
        forged[place] ^= 1
        assert user_of(KEY, bytes(forged)) is None
    with pytest.raises(ValueError, match="16 bytes"):
        token(KEY, b"ann")
    assert records_of(mine + b"abc", 3, KEY) == [(user(1), b"abc")]


def test_counters_outlive_their_worker(tmp_path: Path) -> None:
    first, second = Counters(tmp_path), Counters(tmp_path)
    first.answered([Answer.COUNTED, Answer.COUNTED, Answer.TOKEN])
    first.status(418)
    second.answered([Answer.COUNTED])
    del first
    text = Counters(tmp_path).text()
    assert 'collector_reports_total{answer="counted"} 3\n' in text
    assert 'collector_reports_total{answer="token"} 1\n' in text
    assert 'collector_requests_total{status="other"} 1\n' in text
    assert text.count("# TYPE collector_reports_total counter\n") == 1
    assert second.mine() == {'reports_total{answer="counted"}': 1}


class _Server(http.server.BaseHTTPRequestHandler):
    answers: ClassVar[list[int | bytes]]
    bodies: ClassVar[list[bytes]]

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        self.bodies.append(self.rfile.read(length))
        status = self.answers.pop(0)
        if isinstance(status, bytes):
            self.wfile.write(status)
            self.close_connection = True
            return
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"=" if status == 200 else b"")

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[tuple[str, type[_Server]]]:
    class Handler(_Server):
        answers: ClassVar[list[int | bytes]] = []
        bodies: ClassVar[list[bytes]] = []

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}", Handler
        found.shutdown()
        thread.join()


def test_a_client_sends_the_same_bytes_again(server: tuple[str, type[_Server]]) -> None:
    url, handler = server
    handler.answers += [503, b"", 429, 200]
    waited: list[float] = []
    answer = send(url, "2026-11-24", token(KEY, user(1)), b"report", pause=waited.append)
    assert answer is Answer.COUNTED_BEFORE
    assert answer.acknowledged
    assert handler.bodies == [token(KEY, user(1)) + b"report"] * 4
    assert len(waited) == 3
    handler.answers += [503, 503]
    with pytest.raises(NotSentError, match="2 tries"):
        send(url, "2026-11-24", b"", b"", tries=2, pause=waited.append)
    handler.answers += [400]
    with pytest.raises(urllib.error.HTTPError) as refused:
        send(url, "2026-11-24", b"", b"", pause=waited.append)
    refused.value.close()


@pytest.mark.parametrize(
    "broken",
    [
        408,
        502,
        504,
        599,
        204,
        b"HTT",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n<html></html>",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n++",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n+",
    ],
)
def test_what_is_no_answer_of_the_service_means_later(
    broken: int | bytes, server: tuple[str, type[_Server]]
) -> None:
    """A proxy without its service, a process that was killed between head and body, a portal."""
    url, handler = server
    handler.answers += [broken, 200]
    waited: list[float] = []
    assert send(url, "2026-11-24", b"t" * 32, b"r", pause=waited.append) is Answer.COUNTED_BEFORE
    assert len(waited) == 1
    assert handler.bodies == [b"t" * 32 + b"r"] * 2
    handler.answers += [broken] * 2
    with pytest.raises(NotSentError, match="2 tries"):
        send(url, "2026-11-24", b"t", b"r", tries=2, pause=waited.append)


def test_an_address_that_is_none_is_not_tried_again(server: tuple[str, type[_Server]]) -> None:
    url, handler = server
    waited: list[float] = []
    with pytest.raises(http.client.InvalidURL):
        send(url, "24 November", b"t", b"r", pause=waited.append)
    assert (waited, handler.bodies) == ([], [])


def test_hex_digits_are_no_token_and_no_report(server: tuple[str, type[_Server]]) -> None:
    """The command prints a token in hex. What is wrong of it is said, and not the token."""
    url, handler = server
    good, text = token(KEY, user(1)), token(KEY, user(1)).hex()
    wrong: Any
    for wrong in ((text, b"report"), (text, "report"), (good, "report")):
        with pytest.raises(TypeError, match=r"^(token|report) must be bytes, .*, not str$"):
            send(url, "2026-11-24", *wrong)
    assert handler.bodies == []


def test_the_page_says_when_reports_are_hardly_honest() -> None:
    assert "No report has come yet" in page(CITY, [])
    honest, crude = CITY.collector(), CITY.collector()
    mechanism = CITY.mechanism
    honest.add_rows(CITY.to_rows(mechanism.privatize(["Oslo", "Rome"] * 3000)))
    crude.add_rows(CITY.to_rows(mechanism.reports(np.zeros(6000, dtype=np.uint8), False)))
    said = page(CITY, [("2026-11-24", True, honest)])
    assert "6,000 reports, counted for good" in said
    assert "hardly honest" not in said
    assert "hardly honest" in page(CITY, [("2026-11-24", True, crude)])
    assert "0 reports" in page(CITY, [("2026-11-24", False, CITY.collector())])
