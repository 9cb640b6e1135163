"""The survey's page without a connection: the drawn number waits, and is sent once there is one."""

from __future__ import annotations

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
    """It forgets that it sent the number, and keeps the body: the number is sent once more."""
    if browser() is None:
        return
    page = folder / "index.html"
    text = page.read_text(encoding="utf-8")
    wrong = text.replace("if (!kept.sent) {", "if (true) {").replace(
        "JSON.stringify({ sent: true })", "JSON.stringify({ ...kept, sent: true })"
    )
    assert wrong != text
    page.write_text(wrong, encoding="utf-8")
    with pytest.raises(AssertionError):
        assert counted(example, folder) == [0, 1, 1]
