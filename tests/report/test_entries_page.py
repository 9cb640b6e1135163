"""The page as Markdown and as HTML: well formed, offline, and the same formulas in both."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
import sympy

from ldp_verified.app.report.entries import CatalogueEntry, EntryGrid, Section, sections
from ldp_verified.app.report.entries_page import html, markdown
from ldp_verified.app.report.families import Family, families
from ldp_verified.app.report.sentences import Formula, Link
from ldp_verified.language import load

eps, p_star, heads, u4 = sympy.symbols("eps p_star heads u4", positive=True)
WORDS = "code `a|b`, [x] * <y> $"
SENTENCE = (WORDS, Formula(p_star + heads + sympy.log(eps)), Link("spec", "spec/a.py"))
TABLE = EntryGrid((("y",), (WORDS,)), ((SENTENCE, ("1",)),))
PAGE = [
    Family(
        "Categories",
        (
            Section(
                "a",
                "Lead <b>.",
                ("Note.",),
                "A (1999).",
                (
                    CatalogueEntry(
                        "a",
                        "Title",
                        EntryGrid((("y",), (WORDS,)), ((SENTENCE, ("1",)),)),
                        (("fact", SENTENCE),),
                    ),
                ),
            ),
        ),
    )
]


class Balanced(HTMLParser):
    """Complains where a tag is not closed, and collects what is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.loaded += [value or "" for name, value in attrs if name == "src"]
        self.loaded += [value or "" for name, value in attrs if tag == "link" and name == "href"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["grr", "duchi", "rappor", "olh", "two_coins"])
def test_html_is_balanced_and_loads_nothing(name: str) -> None:
    seen = Balanced()
    seen.feed(html(families(sections(load(name))), "../"))
    assert seen.open == []
    assert seen.loaded == []


def test_words_are_escaped_and_formulas_set() -> None:
    page = html(PAGE, "../")
    assert "code <code>a|b</code>, [x] * &lt;y&gt; $" in page
    assert "Lead &lt;b&gt;." in page
    assert "ε" in unescape(page)
    assert "<mi>ln</mi>" in page
    assert "p_star" not in page
    assert '<a href="../spec/a.py">spec</a>' in page
    page = markdown(PAGE, "../")
    assert r"\[x\] \* \<y\> \$" in page
    assert r"p^{*}" in page
    assert r"code `a\|b`, " in page
    assert r"\mathrm{heads}" in page
    assert r"\ln{\left(\varepsilon \right)}" in page
    assert "[spec](../spec/a.py)" in page


def test_outside_the_repository_links_are_names() -> None:
    assert 'href="../' not in html(PAGE)
    assert "<code>spec/a.py</code>" in html(PAGE)
    assert "`spec/a.py`" in markdown(PAGE)


def test_rows_of_a_markdown_table_have_equally_many_cells() -> None:
    page = markdown(
        families(sections([*load("grr"), *load("hybrid"), *load("subset_selection")])), "../"
    )
    tables = re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)
    assert len(tables) > 6
    for table in tables:
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(bars) == 1, table


def test_every_entry_is_in_the_contents() -> None:
    found = families(sections(load("rappor")))
    (family,) = found
    names = [entry.name for section in family.sections for entry in section.entries]
    assert all(f'<a href="#{name}">' in html(found) for name in names)
    anchors = re.findall(r"\]\(#([^)]+)\): `", markdown(found))
    heads = re.findall(r"^## (.+)$", markdown(found), re.MULTILINE)
    assert len(anchors) == len(heads) == len(names) == len(set(anchors))


def test_a_site_gets_formulas_that_markdown_leaves_alone() -> None:
    page = markdown(PAGE, "../", mathml=True)
    assert "$" not in page.replace(r"\$", "")
    formulas = re.findall(r"<math.*?</math>", page)
    assert len(formulas) == 2
    assert all("&#42;" in formula and not set("*|") & set(formula) for formula in formulas)
