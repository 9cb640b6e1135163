"""Serves the page, takes answers, and shows estimates with intervals. Only for one machine: no TLS.

    python collector.py FOLDER PORT

FOLDER is what `make_page.py` wrote. What was sent is kept in `answers.jsonl`, as it was sent, and
nothing else: no address, no time.
"""

import html
import json
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from make_page import ANSWERS

from ldp_verified.deploy import load_deployment

LONGEST = 200
"""Bytes of a request's body."""

RESULTS = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>What people answered</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 1.125rem/1.5 system-ui, sans-serif; }}
main {{ max-width: 40rem; margin: 0 auto; padding: 1rem; }}
h1 {{ font-size: 1.6rem; line-height: 1.25; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #555; }}
td {{ font-variant-numeric: tabular-nums; white-space: nowrap; }}
.bar {{ position: relative; width: min(10rem, 22vw); height: 1rem; background: #e6e6e6; }}
.bar span {{ position: absolute; height: 100%; background: #0b4f8a; opacity: .45; }}
.bar b {{ position: absolute; width: 3px; height: 100%; background: #0b4f8a; }}
</style></head><body><main>
<h1>What people answered</h1>
<p>{n} people sent a number. Each was changed by chance on their own device, so these are
estimates. All ranges together hold the true numbers in 95 of 100 such surveys.</p>
<table><caption>How often people skipped a meal in the last month</caption>
<thead><tr><th scope="col">Answer</th><th scope="col">People, about</th>
<th scope="col">Range</th><th scope="col" aria-hidden="true">0 to {n}</th></tr></thead>
<tbody>
{rows}
</tbody></table></main></body></html>
"""


class Survey:
    """What has been counted.

    Args:
        folder: with the page and the descriptor.
    """

    def __init__(self, folder: Path) -> None:
        self.page = (folder / "index.html").read_bytes()
        agreed = load_deployment(folder / "survey.json")
        self.made = agreed.mechanism
        self.name = agreed.digest.hex()[:16]
        self.state = self.made.empty()
        self._file = folder / "answers.jsonl"
        self._lock = threading.Lock()
        if self._file.exists():
            for line in self._file.read_bytes().splitlines():
                self._count(self.report_of(line))

    def report_of(self, body: bytes) -> int:
        """The report in a request's body.

        Raises:
            ValueError: it is none of this survey.
        """
        sent = json.loads(body)
        if not isinstance(sent, dict) or set(sent) != {"survey", "report"}:
            raise ValueError("it must have the members survey and report")
        if sent["survey"] != self.name:
            raise ValueError("it is of another survey")
        report = sent["report"]
        if type(report) is not int or not 0 <= report < self.made.k:
            raise ValueError(f"report must be an integer in 0..{self.made.k - 1}")
        return report

    def add(self, body: bytes) -> None:
        """Count one request's body, and keep it."""
        report = self.report_of(body)
        with self._lock:
            with self._file.open("ab") as stream:
                stream.write(json.dumps({"survey": self.name, "report": report}).encode() + b"\n")
            self._count(report)

    def _count(self, report: int) -> None:
        data = np.array([report], dtype=np.uint8)
        self.state.update(self.made.reports(data, simulated=False))

    def results(self) -> str:
        """The page of estimates."""
        with self._lock:
            estimate = self.state.estimate()
        n = estimate.n
        lows, highs = estimate.interval(simultaneous=True)
        rows = []
        for answer, count, low, high in zip(ANSWERS, estimate.counts, lows, highs, strict=True):
            at, left, wide = (100 * float(x) / max(n, 1) for x in (count, low, high - low))
            bar = f'<span style="left:{left:.1f}%;width:{wide:.1f}%"></span>'
            bar += f'<b style="left:{min(max(at, 0.0), 99.0):.1f}%"></b>'
            shown = f"{max(0, round(float(count)))}</td><td>{low:.0f} to {high:.0f}"
            rows.append(
                f'<tr><th scope="row">{html.escape(answer)}</th><td>{shown}</td>'
                f'<td aria-hidden="true"><div class="bar">{bar}</div></td></tr>'
            )
        return RESULTS.format(n=n, rows="\n".join(rows))


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
        if self.path != "/answers" or not size.isdecimal() or int(size) > LONGEST:
            self._answer(HTTPStatus.BAD_REQUEST, b"this is no answer")
            return
        try:
            self.survey.add(self.rfile.read(int(size)))
        except (ValueError, RecursionError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error).encode())
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


def server_of(folder: Path, port: int) -> ThreadingHTTPServer:
    """The collector on this machine's own address; port 0 for any that is free."""
    handler = type("SurveyHandler", (Handler,), {"survey": Survey(folder)})
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


if __name__ == "__main__":
    server_of(Path(sys.argv[1]), int(sys.argv[2])).serve_forever()
