"""The survey's page by keyboard alone, and as assistive technology is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.survey.devtools import Page, opened
from tests.survey.test_survey import browser, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUESTION = "In the last month, how often did you skip a meal to save money?"
TITLE = "A survey that does not learn your answer"
POINTS = 5
"""Items of what leaves the device."""

SAID = "document.querySelector('#status').textContent"
THANKS = "Thank you. The changed number was sent."
ASKED = "Please choose one of the answers first."


def read_in_order(page: Page, answers: tuple[str, ...]) -> list[str]:
    """What is wrong with what is read aloud: roles, names, their order, the place of the result."""
    nodes = page.read()
    told = [(each.role, each.name) for each in nodes]
    wanted = [
        ("heading", TITLE),
        ("heading", "What leaves this device"),
        *[("listitem", "")] * POINTS,
        ("group", QUESTION),
        *(("radio", each) for each in answers),
        ("button", "Send"),
        ("status", ""),
    ]
    roles = {role for role, _ in wanted}
    wrong = [] if [each for each in told if each[0] in roles] == wanted else ["order"]
    items = [each.text for each in nodes if each.role == "listitem"]
    if not all(len(text.split()) > 5 for text in items):
        wrong.append("items")
    live = [each.states for each in nodes if each.role == "status"]
    if not live or live[0].get("live") != "polite" or not live[0].get("atomic"):
        wrong.append("live")
    return wrong


def answered_by_keys(page: Page, answers: tuple[str, ...]) -> list[str]:
    """What a person with a keyboard cannot do: send nothing, choose the third answer, send it."""
    wrong = []

    def at(role: str, name: str) -> bool:
        found = page.focused()
        return (found.role, found.name) == (role, name)

    def told(text: str) -> bool:
        try:
            page.wait(f"{SAID} === {text!r}")
        except AssertionError:
            return False
        focused = page.focused()
        status = [each.text for each in page.read() if each.role == "status"]
        return focused.role == "status" and focused.text == text and status == [text]

    page.press("Tab")
    if not at("radio", answers[0]):
        wrong.append("first stop")
    page.press("Tab")
    if not at("button", "Send"):
        return [*wrong, "second stop"]
    page.press("Enter")
    if not told(ASKED):
        wrong.append("asked to choose")
    page.press("Shift+Tab", "Shift+Tab", " ", "ArrowDown", "ArrowDown")
    if not at("radio", answers[2]) or page.focused().states.get("checked") != "true":
        wrong.append("choice")
    page.press("Tab", " ")
    if not told(THANKS):
        wrong.append("result")
    controls = [each for each in page.read() if each.role in ("radio", "button")]
    if not all(each.states.get("disabled") for each in controls):
        wrong.append("disabled")
    return wrong


def faults(example: Any, folder: Path) -> tuple[list[str], int]:
    """What is wrong with the folder's page, and how many answers the collector counted."""
    making, collector = example
    program = browser()
    assert program is not None
    with (
        serving(collector, folder) as (address, survey),
        opened(program, folder / "profile", address) as page,
    ):
        found = read_in_order(page, making.ANSWERS)
        return [*found, *answered_by_keys(page, making.ANSWERS)], survey.counted.n


def test_the_page_is_read_in_order_and_answered_by_keyboard_alone(
    example: Any, folder: Path
) -> None:
    """Headings, the question as the name of its group, each answer; the result where focus goes."""
    if browser() is not None:
        assert faults(example, folder) == ([], 1)


PLANTED: dict[str, tuple[Callable[[str], str], set[str]]] = {
    "answers without names": (
        lambda text: text.replace("<label><input", "<input").replace("</label>", ""),
        {"order", "first stop", "choice"},
    ),
    "a button that is none": (
        lambda text: text.replace('<button type="submit" id="send">Send</button>', "<b>Send</b>"),
        {"order", "second stop"},
    ),
    "a result that nothing announces": (
        lambda text: text.replace('role="status" ', ""),
        {"order", "live", "asked to choose", "result"},
    ),
    "a result that does not get the focus": (
        lambda text: text.replace("status.focus();", ""),
        {"asked to choose", "choice", "result", "disabled"},
    ),
    "a question that is outside of its group": (
        lambda text: text.replace("legend>", "p>"),
        {"order"},
    ),
}
"""Pages with one fault, and what sees it."""


@pytest.mark.parametrize("what", PLANTED)
def test_a_page_with_a_fault_is_seen(what: str, example: Any, folder: Path) -> None:
    if browser() is None:
        return
    page = folder / "index.html"
    text = page.read_text(encoding="utf-8")
    change, seen = PLANTED[what]
    assert change(text) != text
    page.write_text(change(text), encoding="utf-8")
    assert set(faults(example, folder)[0]) == seen
