"""The pages of the site lead where those of the repository lead, and a broken link is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from release.build import ReleaseError
from release.licences import ROOT
from release.site import CODE, LINK, gather

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "[a](docs/a.md#x) [b](spec/b.py) [all](spec/) [out](https://example.org)\n"


def tree(folder: Path, **texts: str) -> Path:
    files = {"README.md": PAGE, "docs/a.md": "[up](../README.md)\n", "spec/b.py": "x = 1\n"}
    for name, text in {**files, **texts}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_pages_and_what_they_link_to_are_gathered(tmp_path: Path) -> None:
    root, out = tree(tmp_path / "root"), tmp_path / "out"
    (out / "old.md").parent.mkdir()
    (out / "old.md").write_text("old\n", encoding="utf-8")
    gather(root, out)
    found = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert found == {"README.md", "docs/a.md", "spec/b.py", "spec/index.md"}
    assert (out / "README.md").read_text() == PAGE.replace("(spec/)", "(spec/index.md)")
    assert "- [b.py](b.py)" in (out / "spec/index.md").read_text()


def test_what_a_linked_page_links_to_is_gathered_too(tmp_path: Path) -> None:
    more = {"other/d.md": "[e](notes)\n", "other/notes/f.md": "[g](g.txt)\n"}
    texts = {"docs/c.md": "[d](../other/d.md)\n", "other/notes/g.txt": "g\n", **more}
    gather(tree(tmp_path / "root", **texts), tmp_path / "out")
    assert (tmp_path / "out/other/d.md").read_text() == "[e](notes/index.md)\n"
    assert (tmp_path / "out/other/notes/g.txt").read_text() == "g\n"


def test_a_page_that_somebody_else_writes_is_left_out_and_its_links_are_not(tmp_path: Path) -> None:
    texts = {"docs/c.md": "[b](../other/b.md)\n", "docs/d.md": "[c](c.md)\n", "other/b.md": "b\n"}
    gather(tree(tmp_path / "root", **texts), tmp_path / "out", {"docs/c.md"})
    assert not (tmp_path / "out/docs/c.md").exists()
    assert (tmp_path / "out/docs/d.md").is_file()
    assert (tmp_path / "out/other/b.md").is_file()


@pytest.mark.parametrize("link", ["nowhere.md", "docs/nowhere.md#x", "../outside.md"])
def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path, link: str) -> None:
    (tmp_path / "outside.md").write_text("", encoding="utf-8")
    root = tree(tmp_path / "root", **{"docs/c.md": f"[c]({link})\n"})
    with pytest.raises(ReleaseError, match=r"docs/c\.md: leads nowhere"):
        gather(root, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_code_has_no_links(tmp_path: Path) -> None:
    gather(tree(tmp_path / "root", **{"docs/c.md": "```\na[i](j)\n```\n"}), tmp_path / "out")
    assert (tmp_path / "out/docs/c.md").is_file()


def test_our_own_pages_lead_somewhere_on_the_site(tmp_path: Path) -> None:
    gather(ROOT, tmp_path)
    pages = list(tmp_path.rglob("*.md"))
    assert len(pages) > 20
    for page in pages:
        for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"
