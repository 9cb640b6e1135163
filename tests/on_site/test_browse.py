"""What clicks through the site finds each fault of a small site, and nothing in a sound one.

Runs in the site's environment: `make test-site`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from release.browse import browser, served, themes, visit, walk

PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
SOUND = {
    "index.html": f"<article><h1>Start</h1><a href='a.html#x'>A</a><img src='{PIXEL}'></article>",
    "a.html": "<article><h1>Page A</h1><p id='x'>text</p><a href='index.html'>Start</a></article>",
}
FAULTS = {
    "picture does not load": "<img src='nothing.png'>",
    "leads nowhere: b.html": "<a href='b.html'>B</a>",
    "no such heading: index.html#y": "<a href='index.html#y'>Y</a>",
    "pixels wider than a phone": "<div style='width: 900px'>wide</div>",
    "link of an unknown form": "<a href='javascript:void(0)'>J</a>",
    "console:": "<script>throw new Error('planted')</script>",
}
DARK = (
    "<style>body { background: white } @media (prefers-color-scheme: dark) "
    "{ body { background: black } }</style>"
)


def site(folder: Path, **pages: str) -> Path:
    """A folder of pages with the head that a phone needs."""
    head = '<!doctype html><meta name="viewport" content="width=device-width">'
    head += '<link rel="icon" href="data:,">'
    for name, body in {**SOUND, **pages}.items():
        (folder / name).write_text(head + body, encoding="utf-8")
    return folder


def test_a_sound_site_has_no_faults(tmp_path: Path) -> None:
    with served(site(tmp_path)) as base, browser() as driver:
        assert list(visit(driver, base, tmp_path)) == []
        assert walk(driver, base, "Page A", ("A",)) is None


@pytest.mark.parametrize("said", FAULTS)
def test_each_fault_is_found(tmp_path: Path, said: str) -> None:
    body = SOUND["a.html"] + FAULTS[said]
    with served(site(tmp_path, **{"a.html": body})) as base, browser() as driver:
        found = list(visit(driver, base, tmp_path))
    assert any(each.startswith("a.html: ") and said in each for each in found), found


def test_a_walk_that_ends_elsewhere_or_is_long_is_found(tmp_path: Path) -> None:
    with served(site(tmp_path)) as base, browser() as driver:
        assert "ends at" in str(walk(driver, base, "Page B", ("A",)))
        assert "there is no link" in str(walk(driver, base, "Page A", ("B",)))
        assert "takes 4 clicks" in str(walk(driver, base, "Page A", ("A", "Start", "A", "Start")))


def test_a_site_with_one_theme_is_found(tmp_path: Path) -> None:
    with served(site(tmp_path)) as base, browser() as driver:
        driver.get(base)
        assert "look the same" in str(themes(driver, base))
        site(tmp_path, **{"index.html": DARK})
        assert themes(driver, base) is None
