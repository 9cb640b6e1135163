"""The page of the register: counts, verdicts, witnesses; no markup gets in by accident."""

from __future__ import annotations

from sympy import exp

from ldp_verified.app.report import claims
from ldp_verified.check.claims import (
    Document,
    Entry,
    Ladder,
    OpenReading,
    Part,
    Reading,
    decide,
    part,
)
from ldp_verified.language import real

eps = real("eps", above=0)
TRUE = Ladder(exp(eps) >= 1 + eps, eps)
FALSE = Ladder(exp(eps) <= 1 + eps, eps)


def page() -> str:
    """A page of three entries."""
    entries = [
        Entry("X1", "a * b | c", part("true_thing", TRUE, adds="a quantifier")),
        Entry("X2", "false", part("no", FALSE, correction=("yes", TRUE)), source="Author 1999"),
        Entry("X3", "both", Part(Reading("one", TRUE), Reading("two", OpenReading("nobody")))),
    ]
    document = Document("A document", entries)
    return claims.page(decide([("file", document, entry) for entry in entries]))


def test_counts_and_verdicts() -> None:
    text = page()
    assert "3 claims, 3 parts." in text
    assert "| corrected | 1 |" in text
    assert "| depends on the reading | 1 |" in text
    assert "**proved by ladder, balls**" in text
    assert "**refuted by balls, series**" in text
    assert "at eps = 1" in text
    assert "**open**. nobody" in text


def test_what_a_reading_adds_and_where_it_is_from() -> None:
    text = page()
    assert "[added: a quantifier]" in text
    assert "**X2** false (Author 1999)" in text


def test_no_markup_by_accident() -> None:
    assert "a \\* b \\| c" in page()
    assert "true\\_thing" in page()


def test_the_same_verdicts_give_the_same_page() -> None:
    assert page() == page()
