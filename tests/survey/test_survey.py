"""`examples/survey`: 200 people in a browser, bodies audited as they are sent, a wrong page."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.deploy import load_deployment
from tests.cli.running import document, run
from tests.program.node import node
from tests.survey.conftest import EXAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

RESPONDENTS = 200

# Fills in the survey in a frame again and again, with the keyboard's own events, as a new person.
DRIVER = """<!doctype html><p id="found"></p><script>
const found = [];
async function person(value) {
  localStorage.clear();
  const frame = document.createElement('iframe');
  frame.src = '/';
  document.body.append(frame);
  await new Promise((resolve) => { frame.onload = resolve; });
  const page = frame.contentDocument;
  const radio = page.querySelectorAll('input[name=answer]')[value];
  radio.focus();
  radio.click();
  page.getElementById('send').click();
  const status = page.getElementById('status');
  while (!status.textContent) await new Promise((resolve) => setTimeout(resolve, 5));
  const again = [...page.getElementById('form').elements].every((each) => each.disabled);
  const focused = page.activeElement === status;
  const kept = JSON.stringify({ ...localStorage });
  found.push([status.textContent, again, focused, kept, radio.checked]);
  frame.remove();
}
(async () => {
  for (let i = 0; i < COUNT; i++) await person(i % 4 ? 0 : 4);
  document.getElementById('found').textContent = JSON.stringify(found);
})();
</script>"""


@contextmanager
def serving(collector: Any, folder: Path) -> Iterator[tuple[str, Any]]:
    """(address, survey) of a collector that runs, with the driver at /drive."""
    server = collector.server_of(folder, 0)
    handler = server.RequestHandlerClass
    plain = handler.do_GET

    def get(self: Any) -> None:
        if self.path == "/drive":
            text = DRIVER.replace("COUNT", str(RESPONDENTS))
            self._answer(HTTPStatus.OK, text.encode())
        else:
            plain(self)

    handler.do_GET = get
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", handler.survey
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def browser() -> str | None:
    """The path of Chromium; None where it is missing, which fails with CI set."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found or "CI" not in os.environ, "chromium is not installed: no survey was filled in"
    return found


def shown(program: str, folder: Path, address: str) -> str:
    """The page as it is after all that it does."""
    done = subprocess.run(
        [
            *(program, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *(f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=600000", address),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=400,
    )
    return done.stdout


def mark() -> str:
    """What a page draws for its report."""
    return secrets.token_hex(16)


def post(address: str, body: bytes, drawn: str | None = None) -> int:
    headers = {"idempotency-key": mark() if drawn is None else drawn}
    request = urllib.request.Request(f"{address}/answers", body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_two_hundred_people_answer_in_a_browser(example: Any, folder: Path) -> None:
    """Each is counted once, the answer itself is kept nowhere, and estimates have intervals."""
    program = browser()
    if program is None:
        return
    _, collector = example
    with serving(collector, folder) as (address, survey):
        page = shown(program, folder, f"{address}/drive")
        results = shown(program, folder, f"{address}/results")
    text = re.search(r'<p id="found">(.*?)</p>', page, re.DOTALL)
    assert text is not None, page[-500:]
    found = json.loads(text[1].replace("&quot;", '"'))
    assert len(found) == RESPONDENTS
    for status, disabled, focused, kept, checked in found:
        assert status == "Thank you. The changed number was sent."
        assert disabled
        assert focused
        assert not checked
        assert [json.loads(each) for each in json.loads(kept).values()] == [{"sent": True}]
    assert survey.counted.n == RESPONDENTS
    lines = (folder / "answers.jsonl").read_text().splitlines()
    assert len(lines) == RESPONDENTS
    assert collector.Survey(folder).counted.n == RESPONDENTS
    assert f"{RESPONDENTS} reports, not ended yet" in results
    row = r'<th scope="row">(.*?)</th><td>(-?[\d.]+)%</td><td>([\d.]+)% to ([\d.]+)%</td>'
    rows = re.findall(row, results)
    assert [row[0] for row in rows] == [*example[0].ANSWERS]
    for _, share, low, high in rows:
        # A share is unbiased, and may be below 0 or above 100; its interval is cut off there.
        assert 0 <= float(low) <= min(100.0, max(0.0, float(share))) <= float(high) <= 100
    assert sum(float(row[1]) for row in rows) == pytest.approx(100, abs=0.5)


def test_results_are_the_page_of_the_service(example: Any, folder: Path) -> None:
    """The page of `examples/service`, with its doubt: all say the same, more often than they can.

    Honest answers are doubted with a chance of at most 1e-9.
    """
    _, collector = example
    made = load_deployment(folder / "survey.json").mechanism
    survey = collector.Survey(folder)
    assert survey.results().count("0 reports, not ended yet") == 1
    for report in made.privatize([0, 1, 2, 3, 4] * 40).data.tolist():
        survey.add(json.dumps({"survey": survey.name, "report": report}).encode(), mark())
    assert "hardly honest" not in survey.results()
    own = collector.page_of_estimates()
    assert Path(own.__file__) == EXAMPLE.parent / "service" / "collector" / "pages.py"
    shown = [("All answers", False, survey.counted)]
    title = "What people answered"
    again = own.page(
        survey.agreed, shown, title=title, said=collector.SAID, labels=example[0].ANSWERS
    )
    assert survey.results() == again
    for _ in range(600):
        survey.add(json.dumps({"survey": survey.name, "report": 4}).encode(), mark())
    assert "These are hardly honest reports: support of each value." in survey.results()


def bodies(page: Path, into: Path, each: int) -> Path:
    """A CSV of bodies that the page's code makes for the first and the last answer."""
    program = node()
    assert program is not None
    command = [program, str(EXAMPLE / "bodies.mjs"), str(page), str(each)]
    with into.open("w") as stream:
        subprocess.run(command, check=True, stdout=stream)
    return into


def verdict(csv: Path) -> str:
    """The audit's; level 1e-7, n = 200,000 bodies: a real eps of 1.65 is seen."""
    asked = ("--epsilon", "1.5", "--input", "value", "--output", "body", "--level", "1e-7")
    found: str = document(run("audit", csv, *asked, "--json"))["verdict"]
    return found


def test_bodies_are_consistent_as_sent_and_a_wrong_page_is_refuted(folder: Path) -> None:
    """The wrong page sends every fourth answer as it is: eps is 2.0 instead of 1.5."""
    if node() is None:
        return
    page = folder / "index.html"
    assert verdict(bodies(page, folder / "bodies.csv", 100_000)) == "consistent"
    text = page.read_text(encoding="utf-8")
    wrong = text.replace("report: report(value)", "report: ++turn % 4 ? report(value) : value")
    assert wrong != text
    wrong = wrong.replace("function requestBody", "let turn = 0;\nfunction requestBody")
    planted = folder / "planted.html"
    planted.write_text(wrong, encoding="utf-8")
    assert verdict(bodies(planted, folder / "planted.csv", 100_000)) == "violated"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b"1",
        b'{"survey": "x", "report": 1}',
        b'{"survey": "NAME", "report": 5}',
        b'{"survey": "NAME", "report": -1}',
        b'{"survey": "NAME", "report": true}',
        b'{"survey": "NAME", "report": 1.0}',
        b'{"survey": "NAME", "report": 1, "name": "x"}',
        b"[" * 190,
        b" " * 201,
        b"\xff",
    ],
)
def test_what_is_no_answer_is_refused_and_not_counted(
    example: Any, folder: Path, body: bytes
) -> None:
    _, collector = example
    with serving(collector, folder) as (address, survey):
        name = survey.name.encode()
        assert post(address, body.replace(b"NAME", name)) == HTTPStatus.BAD_REQUEST
        assert survey.counted.n == 0
        assert post(address, b'{"survey": "%s", "report": 4}' % name) == HTTPStatus.OK
        assert survey.counted.n == 1


def test_the_page_has_a_language_and_loads_nothing(folder: Path) -> None:
    """What is read aloud, and the keyboard: `test_keyboard.py`."""
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert '<html lang="en">' in text
    assert ":focus-visible" in text
    assert not re.search(r"""(?:src|href)=|url\(|@import|https?:""", text)
    assert "Math.random" not in text
    assert "@" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
