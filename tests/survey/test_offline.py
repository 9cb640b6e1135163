"""The survey's page without a connection: the drawn number waits, and is sent once there is one."""

from __future__ import annotations

import threading
from time import sleep
from typing import TYPE_CHECKING, Any

import pytest

from tests.survey.devtools import opened
from tests.survey.test_keyboard import SAID, THANKS
from tests.survey.test_survey import browser, serving

if TYPE_CHECKING:
    from pathlib import Path

WAITS = "There is no connection now. The changed number waits here, and is sent when there is one."
STORED = "JSON.parse(Object.values(localStorage)[0])"


def counted(example: Any, folder: Path) -> list[int]:
    """How many answers were counted: offline, online again, and after the page was reloaded."""
    _, collector = example
    program = browser()
    assert program is not None
    found = []
    with (
        serving(collector, folder) as (address, survey),
        opened(program, folder / "profile", address) as page,
    ):
        page.connect(False)
        page.press("Tab", " ", "Tab", "Enter")
        page.wait(f"{SAID} === {WAITS!r}")
        kept = f"{STORED}.sent === false && Object.keys(JSON.parse({STORED}.body)).length === 2"
        page.wait(f"{kept} && document.querySelector('input:checked') === null")
        found.append(survey.counted.n)
        page.connect(True)
        page.wait(f"{SAID} === {THANKS!r} && {STORED}.sent && !('body' in {STORED})")
        found.append(survey.counted.n)
        page.wait("window.before = true")
        page.wait("(location.reload(), true)")
        page.wait(f"!window.before && {SAID} === {THANKS!r}")
        found.append(survey.counted.n)
    return found


def test_an_answer_without_a_connection_waits_and_is_sent_once(example: Any, folder: Path) -> None:
    if browser() is not None:
        assert counted(example, folder) == [0, 1, 1]


def test_a_page_that_sends_what_was_sent_is_seen(example: Any, folder: Path) -> None:
    """It forgets that it sent the number, and draws another mark: the number counts once more."""
    if browser() is None:
        return
    page = folder / "index.html"
    text = page.read_text(encoding="utf-8")
    stored = "...JSON.parse(localStorage.getItem(KEPT))"
    for right, wrong in (
        ("if (!kept.sent) {", "if (true) {"),
        ("JSON.stringify({ sent: true })", "JSON.stringify({ ...kept, sent: true })"),
        (f"{{ mark: randomMark(), {stored} }}", f"{{ {stored}, mark: randomMark() }}"),
    ):
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    page.write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        assert counted(example, folder) == [0, 1, 1]


def test_an_answer_of_which_the_page_does_not_hear_counts_once(example: Any, folder: Path) -> None:
    """The connection breaks after the number was counted; it is sent again, one try at a time.

    While the first try is held back the browser says three times that there is a connection.
    """
    program = browser()
    if program is None:
        return
    _, collector = example
    tries, together = [0], [0]
    with (
        serving(collector, folder) as (address, survey),
        opened(program, folder / "profile", address) as page,
        pytest.MonkeyPatch.context() as patched,
    ):
        told, held = survey.add, threading.Event()

        def losing(body: bytes, mark: str) -> None:
            tries[0] += 1
            together.append(together[-1] + 1)
            told(body, mark)
            if tries[0] == 1:
                held.wait(60)
            together.append(together[-1] - 1)
            if tries[0] == 1:
                raise RuntimeError  # the connection is closed without an answer

        patched.setattr(survey, "add", losing)
        page.press("Tab", " ", "Tab", "Enter")
        page.wait(f"{STORED}.mark.length === 32 && {STORED}.sent === false")
        page.wait("window.dispatchEvent(new Event('online'))")
        page.wait("window.dispatchEvent(new Event('online'))")
        sleep(0.3)
        held.set()
        page.wait(f"{SAID} === {THANKS!r} && Object.keys({STORED}).join() === 'sent'")
    assert (tries, max(together), survey.counted.n) == ([2], 1, 1)
