"""A site with a dead link, a lost picture or a page that is too wide is refused."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from release.browsed import seen, unfit, wrong

if TYPE_CHECKING:
    from pathlib import Path

STYLE = "<style>@media (prefers-color-scheme: dark) { body { background: #111 } }</style>"
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'></svg>"
INDEX = (
    '<p id="top"><a href="docs/a.html#x">a</a> <a href="https://example.org/b">b</a>'
    '<img src="p.svg">'
)


def site(folder: Path, index: str = INDEX, page: str = '<h1 id="x">A</h1>') -> Path:
    (folder / "docs").mkdir()
    body = "<body style='background: #fff'>" if "dark" not in page else "<body>"
    (folder / "index.html").write_text(f"<!doctype html>{index}", encoding="utf-8")
    (folder / "docs" / "a.html").write_text(f"<!doctype html>{body}{page}", encoding="utf-8")
    (folder / "p.svg").write_text(PICTURE, encoding="utf-8")
    return folder


def test_a_site_that_is_fine(tmp_path: Path) -> None:
    assert wrong(site(tmp_path)) == []


@pytest.mark.parametrize(
    "more,said",
    [
        ('<a href="b.html">', "leads nowhere: b.html"),
        ('<a href="docs/a.html#y">', "no such anchor: docs/a.html#y"),
        ('<a href="#bottom">', "no such anchor: #bottom"),
        ('<a href="https:/example.org">', "no address"),
        ('<a href="javascript:x()">', "no address"),
        ('<img src="q.png">', "loads nothing: q.png"),
        ('<script src="https://example.org/x.js"></script>', "loads from elsewhere"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "loads from elsewhere"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, more: str, said: str) -> None:
    found = wrong(site(tmp_path, INDEX + more))
    assert len(found) == 1
    assert said in found[0]


def test_a_browser_sees_wide_pages_and_grounds(tmp_path: Path) -> None:
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        assert "CI" not in os.environ, "chromium is not installed: the site was NOT looked at"
        return
    wide = f'{STYLE}<h1 id="x">dark</h1><div style="width: 900px">wide</div><img src="lost.png">'
    folder = site(tmp_path, f"{STYLE}<body style='background: #eee'>light only", wide)
    (folder / "docs" / "b.html").write_text(
        f"<!doctype html><style>body {{ background: #fff }}</style>{STYLE}fine", encoding="utf-8"
    )
    pages = ["index.html", "docs/a.html", "docs/b.html"]
    for dark in (False, True):
        looked = seen(folder, pages, dark)
        assert [page for page, *_ in looked] == pages
        found = unfit(looked, dark)
        assert any("docs/a.html: 9" in line and "wide" in line for line in found)
        assert any("a broken picture" in line for line in found)
        assert not any(line.startswith("docs/b.html") for line in found)
        assert any(line.startswith("index.html: the ground") for line in found) == dark
