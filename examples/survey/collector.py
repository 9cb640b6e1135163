"""Serves the page, takes answers, and shows estimates with intervals. Only for one machine: no TLS.

    python collector.py FOLDER PORT

FOLDER is what `make_page.py` wrote. What was sent is kept in `answers.jsonl`, with the random mark
by which it counts once, and nothing else: no address, no time.
"""

import errno
import importlib.util
import json
import os
import re
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import numpy as np
from make_page import ANSWERS

from ldp_verified.deploy import load_deployment

LONGEST = 200
"""Bytes of a request's body."""

MARK = re.compile(r"[0-9a-f]{32}")
"""What a page draws once for its report, and sends as the header idempotency-key."""

PAGES = Path(__file__).parents[1] / "service" / "collector" / "pages.py"
"""The page of estimates of the other example."""

SAID = """How often people skipped a meal in the last month. Each number was changed by chance on
the device of who sent it, so these are estimates."""


def page_of_estimates() -> ModuleType:
    """The module that `examples/service` shows its estimates by.

    By its path, as its package has the name of this file.
    """
    found = importlib.util.spec_from_file_location("page_of_estimates", PAGES)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class Survey:
    """What has been counted.

    Args:
        folder: with the page and the descriptor.
    """

    def __init__(self, folder: Path) -> None:
        self.page = (folder / "index.html").read_bytes()
        self.agreed = load_deployment(folder / "survey.json")
        self.made = self.agreed.mechanism
        self.name = self.agreed.digest.hex()[:16]
        self.counted = self.agreed.collector()
        self._pages = page_of_estimates()
        self._file = folder / "answers.jsonl"
        self._lock = threading.Lock()
        self._marks = set[str]()
        self._file.touch()
        whole, ended, _ = self._file.read_bytes().rpartition(b"\n")
        # What a crash left behind the last whole line was never acknowledged.
        os.truncate(self._file, len(whole + ended))
        for line in whole.splitlines():
            kept = json.loads(line)
            self._marks.add(kept.pop("mark", ""))  # older lines have none
            self._count(self._report_in(kept))

    def report_of(self, body: bytes) -> int:
        """The report in a request's body.

        Raises:
            ValueError: it is none of this survey.
        """
        return self._report_in(json.loads(body))

    def _report_in(self, sent: object) -> int:
        if not isinstance(sent, dict) or set(sent) != {"survey", "report"}:
            raise ValueError("it must have the members survey and report")
        if sent["survey"] != self.name:
            raise ValueError("it is of another survey")
        report = sent["report"]
        if type(report) is not int or not 0 <= report < self.made.k:
            raise ValueError(f"report must be an integer in 0..{self.made.k - 1}")
        return report

    def add(self, body: bytes, mark: str) -> None:
        """Count one request's body, and keep it; nothing where its mark was counted before.

        Args:
            body: of the request.
            mark: what the page drew for this report, 32 hexadecimal digits.

        Raises:
            ValueError: it is no answer to this survey, or has no mark.
            OSError: it is not on the disk, and not counted.
        """
        report = self.report_of(body)
        if not MARK.fullmatch(mark):
            raise ValueError("the header idempotency-key must have 32 hexadecimal digits")
        line = json.dumps({"survey": self.name, "report": report, "mark": mark})
        with self._lock:
            if mark not in self._marks:
                self._keep(line.encode() + b"\n")
                self._count(report)
                self._marks.add(mark)

    def _keep(self, line: bytes) -> None:
        """Put a line on the disk, all of it or nothing, before anybody is told that it counts."""
        with self._file.open("ab", buffering=0) as stream:
            size = stream.tell()
            try:
                if stream.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(stream.fileno())
            except BaseException:
                stream.truncate(size)
                raise

    def _count(self, report: int) -> None:
        data = np.array([report], dtype=np.uint8)
        self.counted.add_rows(self.agreed.to_rows(self.made.reports(data, simulated=False)))

    def results(self) -> str:
        """The page of estimates."""
        with self._lock:
            counted = [("All answers", False, self.counted)]
            text: str = self._pages.page(
                self.agreed, counted, title="What people answered", said=SAID, labels=ANSWERS
            )
        return text


class Handler(BaseHTTPRequestHandler):
    """Two pages, and a place to send answers to."""

    survey: Survey

    def do_GET(self) -> None:
        """The page of the survey, or of the results."""
        if self.path == "/":
            self._answer(HTTPStatus.OK, self.survey.page)
        elif self.path == "/results":
            self._answer(HTTPStatus.OK, self.survey.results().encode())
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"there is no such page")

    def do_POST(self) -> None:
        """One answer."""
        size = self.headers.get("content-length", "")
        short = size.isdecimal() and len(size) <= len(str(LONGEST)) and int(size) <= LONGEST
        if self.path != "/answers" or not short:
            self._answer(HTTPStatus.BAD_REQUEST, b"this is no answer")
            return
        try:
            body = self.rfile.read(int(size))
            self.survey.add(body, self.headers.get("idempotency-key", ""))
        except (ValueError, RecursionError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error).encode())
            return
        except OSError:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, b"not counted: send it again")
            return
        self._answer(HTTPStatus.OK, b"counted")

    def _answer(self, status: HTTPStatus, body: bytes) -> None:
        kind = "text/html" if body.startswith(b"<!doctype") else "text/plain"
        self.send_response(status)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.send_header("cache-control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep no addresses and no times."""


class Server(ThreadingHTTPServer):
    """A server that says nothing of its clients, whatever goes wrong with them."""

    def handle_error(self, *_: object) -> None:
        """Say the class of an error alone: its text and its traceback may hold an address."""
        sys.stderr.write(f"an error: {getattr(sys.exc_info()[0], '__name__', '')}\n")


def server_of(folder: Path, port: int) -> Server:
    """The collector on this machine's own address; port 0 for any that is free."""
    handler = type("SurveyHandler", (Handler,), {"survey": Survey(folder)})
    return Server(("127.0.0.1", port), handler)


if __name__ == "__main__":
    server_of(Path(sys.argv[1]), int(sys.argv[2])).serve_forever()
