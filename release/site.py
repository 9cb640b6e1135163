"""Gather the pages of the site: `make docs`.

The pages keep their places in the repository, so the links between them are those that the
repository has. What a page links to is gathered too: Markdown is a page like the others, and a
folder becomes a page that lists its files.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.app.report.entries import sections
from ldp_verified.app.report.entries_page import markdown
from ldp_verified.app.report.families import families
from ldp_verified.app.report.protocol_entries import protocol_sections
from ldp_verified.language import load_catalogue
from release import lessons, reference
from release.build import ReleaseError
from release.figures import with_figures
from release.licences import ROOT

if TYPE_CHECKING:
    from collections.abc import Collection

PAGES = ("*.md", "docs/*.md", "ldp_verified/app/explained/*.md", "benchmarks/*.md")
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
"""The file that a link leads to, where it is not somebody else's."""
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
"""A block of code, in which brackets mean something else."""

FOLDER = ROOT / "build" / "site" / "pages"
LIST = "index.md"
CATALOGUE = "docs/catalogue.md"
"""In the repository it has LaTeX, on the site MathML and figures."""


def linked(page: Path, root: Path) -> dict[str, Path]:
    """What a page links to in the repository: the text of the link -> file or folder.

    Raises:
        ReleaseError: a link leads nowhere, or out of the repository; it is named with its page.
    """
    found = {}
    for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        file = (page.parent / target).resolve()
        if not file.is_relative_to(root.resolve()) or not file.exists():
            raise ReleaseError(f"{page.relative_to(root.resolve())}: leads nowhere: {target}")
        found[target] = file
    return found


def gather(root: Path, folder: Path, without: Collection[str] = ()) -> None:
    """Write the pages and what they link to into a folder, which is emptied before.

    Args:
        root: of the checkout. folder: where the pages go.
        without: pages that somebody else writes; what they link to is gathered all the same.

    Raises:
        ReleaseError: as in `linked`.
    """
    waiting = [path.resolve() for pattern in PAGES for path in sorted(root.glob(pattern))]
    links: dict[Path, dict[str, Path]] = {}
    while waiting:
        page = waiting.pop()
        if page not in links:
            links[page] = linked(page, root)
            found = links[page].values()
            files = [
                each for file in found for each in (file.iterdir() if file.is_dir() else [file])
            ]
            waiting += [file for file in files if file.suffix == ".md"]
    if folder.exists():
        shutil.rmtree(folder)
    others = {root.resolve() / page for page in without}
    for page, targets in links.items():
        for file in targets.values():
            if file not in others:
                put(file, folder / file.relative_to(root.resolve()))
        if page in others:
            continue
        folders = {target for target, file in targets.items() if file.is_dir()}
        text = page.read_text(encoding="utf-8")
        for target in sorted(folders):
            text = text.replace(f"]({target})", f"]({target.rstrip('/')}/{LIST})")
        place = folder / page.relative_to(root.resolve())
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def put(file: Path, place: Path) -> None:
    """Copy a file, or the files of a folder with a page that lists them.

    Args:
        file: what is copied. place: where it goes; a page that is there stays as it is.
    """
    if not file.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            shutil.copyfile(file, place)
        return
    names = [each.name for each in sorted(file.iterdir()) if each.is_file()]
    for name in names:
        put(file / name, place / name)
    lines = [f"# {file.name}", "", *(f"- [{name}]({name})" for name in names)]
    (place / LIST).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Gather them for `mkdocs build`, set the catalogue, and make the reference and the lessons."""
    try:
        gather(ROOT, FOLDER, {CATALOGUE})
    except ReleaseError as error:
        sys.exit(f"no site: {error}")
    page, found = FOLDER / CATALOGUE, load_catalogue()
    text = markdown(families(sections(found), protocol_sections()), "../", mathml=True)
    page.write_text(with_figures(text, found, page.parent / "figures"), encoding="utf-8")
    reference.write(FOLDER / reference.FOLDER)
    lessons.write(FOLDER / lessons.FOLDER)


if __name__ == "__main__":
    main()
