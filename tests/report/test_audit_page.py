"""The page: one file, nothing fetched, and drawn by a real browser where there is one.

Where Chromium is missing the drawing is not looked at; in CI that fails.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import zlib
from html.parser import HTMLParser
from math import log
from pathlib import Path

import numpy as np
import pytest

from ldp_verified.app.report.audit_page import exact_page, page
from ldp_verified.check.audit.bounds.configurations import audit_configuration
from ldp_verified.check.audit.results.results import AuditResult
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.sources import from_callable
from tests.audit.test_configurations import PUBLISHED, values
from tests.broken.audit.randomizers import PLANTED, grr

VOID = {"meta", "line", "rect", "polyline"}


class Balance(HTMLParser):
    """Every element is closed, and nothing is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [str(value) for name, value in attrs if name in ("src", "href", "srcset")]
        if tag == "script":
            self.fetched.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def violated() -> AuditResult:
    rng = np.random.default_rng(3)
    names = {"<b>&": 0, "'b'": 1, "c": 2}
    source = from_callable(
        lambda x: [*names][grr(names[x], 3, 3.0, rng)], [*names], "<target> & co"
    )
    return audit(source, Claim(1.0, n=8000), seed=1)


def checked(text: str) -> Balance:
    parser = Balance()
    parser.feed(text)
    assert parser.open == []
    assert parser.fetched == []
    assert "http" not in re.sub(r"xmlns\S+", "", text)
    return parser


def test_the_page_is_one_well_formed_file(violated: AuditResult) -> None:
    text = page(violated, "ldp-verified replay 'x<y.json'")
    checked(text)
    assert "&lt;target&gt; &amp; co" in text
    assert "<b>&" not in text
    assert "violated: eps &gt;= " in text
    for title in ("Shares of samples on either side", "Probability of detection"):
        assert text.count(f'aria-label="{title}') == 1
    assert text.count("<svg") in (3, 4)  # with the map of all pairs, where each pair was tested


def test_the_page_of_an_exact_result() -> None:
    text = exact_page(audit_configuration(values(**PUBLISHED), "rappor.csv", epsilon=1.0))
    checked(text)
    assert "1.07429" in text
    assert "4.39445" in text


def test_a_witness_and_a_rule_are_shown() -> None:
    planted = next(p for p in PLANTED if p.rule == "LDP003")
    rng = np.random.default_rng(3)
    source = from_callable(planted.call(True, rng), planted.inputs)
    text = page(audit(source, Claim(0.5, n=8000), seed=1), "")
    checked(text)
    assert "LDP003" in text
    assert "Infinite: item 0 of the output is the input" in text


def pixels(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The RGB or RGBA pixels of a PNG of 8 bits, shape (height, width, channels)."""
    data, at, body = path.read_bytes(), 8, b""
    width = height = channels = 0
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        name, chunk = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if name == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8
            channels = {2: 3, 6: 4}[colour]
        body += chunk if name == b"IDAT" else b""
        at += size + 12
    rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 1 + width * channels)
    out = np.zeros((height, width * channels), np.uint8)
    before: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = np.zeros(width * channels, np.int64)
    for y, row in enumerate(rows):
        before = _unfiltered(int(row[0]), row[1:].astype(np.int64), before, channels)
        out[y] = before
    return out.reshape(height, width, channels)


def _unfiltered(
    kind: int,
    row: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    up: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    step: int,
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    if kind == 0:
        return row
    if kind == 2:
        return (row + up) % 256
    found = row.tolist()
    above = up.tolist()
    for i in range(len(found)):
        a = found[i - step] if i >= step else 0
        b, c = above[i], above[i - step] if i >= step else 0
        if kind == 1:
            guess = a
        elif kind == 3:
            guess = (a + b) // 2
        else:
            guess = min((a, b, c), key=lambda v: abs(a + b - c - v))
        found[i] = (found[i] + guess) % 256
    return np.array(found, dtype=np.int64)


def test_a_browser_draws_the_verdict_the_line_and_the_bars(
    violated: AuditResult, tmp_path: Path
) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        assert "CI" not in os.environ, "chromium is not installed: the page was NOT drawn"
        return
    source, shot = tmp_path / "page.html", tmp_path / "page.png"
    source.write_text(page(violated, "ldp-verified replay f.json"), encoding="utf-8")
    done = subprocess.run(
        [
            *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *(f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={shot}"),
            # A loaded machine takes the picture before everything is drawn, else.
            *("--run-all-compositor-stages-before-draw", "--virtual-time-budget=10000"),
            *("--window-size=1000,1600", source.as_uri()),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert shot.is_file(), done.stderr
    drawn = pixels(shot)[:, :, :3].reshape(-1, 3)
    for name, colour, least in (
        ("the verdict's ground", (0xFD, 0xEC, 0xEA), 20_000),
        ("the line of the bound", (0x0B, 0x57, 0xA4), 500),
        ("the bar above the claim", (0xB3, 0x26, 0x1E), 5_000),
        ("the bar of the claim", (0x8B, 0x94, 0x9E), 2_000),
    ):
        found = int(np.sum((drawn == colour).all(axis=1)))
        assert found >= least, (name, found)


def test_ticks_are_round() -> None:
    from ldp_verified.app.report.audit_page import _top

    for value in (0.07, 0.34, 1.0, 1.52, 9.99, log(3)):
        top = _top(value)
        assert value < top <= 2 * value
