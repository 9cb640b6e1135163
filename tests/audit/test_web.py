"""Services as targets: a local server, true and leaking; level 1e-9 of the clean one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

import numpy as np
import pytest

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.targets.things import Thing
from ldp_verified.check.audit.targets.web import from_http
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError
from tests.broken.audit.ending import told


class Handler(BaseHTTPRequestHandler):
    """/fair is private; /clear echoes; /status, /reason and /header tell beside the body.

    /broken never answers, but for a status.
    """

    def _answer(self, value: int) -> None:
        path = self.path.split("/")[1]
        refused = path == "broken" or (path == "status" and value == 2)
        self.send_response(503 if refused else 200, f"OK {value}" if path == "reason" else None)
        self.send_header("Content-Type", "application/json")
        if path == "header":
            self.send_header("X-Shard", f"s-{value}")
        self.end_headers()
        self.wfile.write(json.dumps({"broken": 0, "clear": value}.get(path, told(value))).encode())

    def do_GET(self) -> None:
        self._answer(int(unquote(self.path.split("/")[2])))

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["v"])

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def served() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


BODY = '{"v": {input}}'


def test_answers_come_to_the_places_of_their_questions() -> None:
    with served() as home:
        for url, body in ((f"{home}/clear", BODY), (f"{home}/clear/{{input}}", None)):
            source = from_http(url, (0, 1, 2, 3), body=body, concurrency=4)
            indices = np.arange(200) % 4
            assert source.ask(indices) == indices.tolist()
        odd = from_http(f"{home}/status", (0, 2), body=BODY).ask(np.array([1]))[0]
    assert isinstance(odd, Thing)
    assert odd.values[:2] == (503, "application/json")


@pytest.mark.parametrize(("path", "violated"), [("clear", True), ("status", True), ("fair", False)])
def test_a_service_is_audited(path: str, violated: bool) -> None:
    with served() as home:
        target = Target("http", f"{home}/{path}", (0, 1, 2, 3), body=BODY)
        found = audit_target(target, Claim(1.0, n=1200, level=1e-9), checks=False)
    assert (found.verdict is AuditVerdict.VIOLATED) is violated


def test_a_service_that_is_broken_is_not_called_private() -> None:
    with served() as home:
        target = Target("http", f"{home}/broken", (0, 1, 2, 3), body=BODY)
        found = audit_target(target, Claim(1.0, n=1200, level=1e-9), checks=False)
    assert found.verdict is AuditVerdict.INCONCLUSIVE
    (outcome,) = found.outcomes
    assert outcome.words == "no answer (HTTP status 503)"


def test_what_cannot_be_asked_is_refused() -> None:
    for url, body, said in (
        ("ftp://a/{input}", None, "--http"),
        ("http://a/", None, "--body"),
        ("http://a/", "{}", "--body"),
    ):
        with pytest.raises(ParameterError, match=said):
            from_http(url, (0, 1), body=body)
    with pytest.raises(ParameterError, match="--concurrency"):
        from_http("http://a/{input}", (0, 1), concurrency=0)
    with served() as home:
        pass
    with pytest.raises(ParameterError, match="must answer"):
        from_http(f"{home}/{{input}}", (0, 1), timeout=2).ask(np.zeros(16, dtype=np.int64))
