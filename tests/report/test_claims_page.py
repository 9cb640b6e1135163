"""The register in a browser: every verdict is marked, nothing is loaded, no markup by accident."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from ldp_verified.app.report.claims_page import html
from ldp_verified.check.claims import Document, Entry, OpenReading, Part, Reading, decide, part
from tests.report.test_claims import FALSE, TRUE

VOID = {"meta", "br"}


class Balance(HTMLParser):
    """Elements that are open, and every attribute that could load something."""

    def __init__(self) -> None:
        """Nothing is open."""
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        if tag not in VOID:
            self.open.append(tag)
        self.loads += [f"{tag} {name}" for name, value in attrs if name in ("src", "data")]
        self.loads += [v or "" for name, v in attrs if name == "href" and (v or "")[:1] != "#"]

    def handle_endtag(self, tag: str) -> None:
        """It ends."""
        assert self.open.pop() == tag


def page() -> str:
    """A page of three entries, one with markup in its words."""
    entries = [
        Entry("X1", "a < b & c", part("<b>true</b>", TRUE, adds="a quantifier")),
        Entry("X2", "false", part("no", FALSE, correction=("yes", TRUE)), source="Author 1999"),
        Entry("X3", "both", Part(Reading("one", TRUE), Reading("two", OpenReading("nobody")))),
    ]
    document = Document("A document", entries)
    return html(decide([("file", document, entry) for entry in entries]))


def test_every_reading_has_its_verdict() -> None:
    found = re.findall(r'class="mark"[^>]*>([^<]*)<', page().split("<nav>")[1])
    assert found == ["proved", "corrected", "proved", "proved", "open"]


def test_counts_witnesses_and_sources() -> None:
    text = page()
    assert "3 claims, 3 parts." in text
    assert "at eps = 1" in text
    assert "(Author 1999)" in text
    assert "[added: a quantifier]" in text
    assert text.count("<article ") == 3


def test_it_is_well_formed_and_loads_nothing() -> None:
    parser = Balance()
    parser.feed(page().removeprefix("<!doctype html>"))
    assert parser.open == []
    assert parser.loads == []


def test_no_markup_by_accident() -> None:
    assert "<b>" not in page()
    assert "&lt;b&gt;true" in page()


def test_the_same_verdicts_give_the_same_page() -> None:
    assert page() == page()
