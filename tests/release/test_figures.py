"""Figures of the catalogue's page: one under each heading whose mechanism has a variance in k."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.language import load
from release.figures import with_figures

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """# Catalogue

- [k-ary](#k-ary): `grr`
- [Warner](#warner): `warner`

## k-ary

text

## Warner

text
"""


def test_a_figure_stands_under_the_heading_of_its_mechanism(tmp_path: Path) -> None:
    found = [*load("grr"), *load("warner"), *load("oue")]
    page = with_figures(PAGE, found, tmp_path / "figures")
    pictures = {path.name for path in (tmp_path / "figures").iterdir()}
    assert pictures == {"grr.png"}  # Warner's has no k, and OUE stands not on the page
    head, _, rest = page.partition("## k-ary\n\n")
    assert rest.startswith(
        "![Standard error of a share by epsilon and by k: k-ary](figures/grr.png)"
    )
    assert head + "## k-ary\n\n" + rest.partition("\n\n")[2] == PAGE


def test_a_picture_is_a_picture(tmp_path: Path) -> None:
    with_figures(PAGE, load("grr"), tmp_path / "figures")
    assert (tmp_path / "figures/grr.png").read_bytes().startswith(b"\x89PNG")
