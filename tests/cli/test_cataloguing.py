"""`catalogue` writes pages, says which are not current, and replaces nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import document, run


@pytest.mark.parametrize("kind", [".md", ".html"])
def test_a_page_of_ones_own_is_written_and_checked(kind: str, tmp_path: Path) -> None:
    page = tmp_path / f"mine{kind}"
    arguments = ("catalogue", "warner", "-o", page)
    found = document(run(*arguments, "--json"))
    assert found["files"][0]["state"] == "written"
    assert "Warner" in page.read_text()
    assert run(*arguments, "--check").exit_code == 0
    page.write_text(page.read_text().replace("gamma", "delta"))
    result = run(*arguments, "--check")
    assert result.exit_code == 1
    assert f"to mend: ldp-verified catalogue warner -o {page}" in result.output
    page.unlink()
    assert "missing" in run(*arguments, "--check").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("warner",), "--output: must be given with a SPEC"),
        (("warner", "-o", "page.pdf"), "--output: must end in .md or .html"),
        (("warner", "-o", "nowhere/page.md"), "--output: must lie in an existing folder"),
        (("nosuch", "-o", "page.md"), "SPEC: must be a file, or a name of the catalogue"),
    ],
)
def test_bad_input(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("catalogue", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert list(tmp_path.iterdir()) == []


def test_what_it_did_not_write_is_not_replaced(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("mine")
    result = run("catalogue", "warner", "-o", page)
    assert result.exit_code == 2
    assert "must be a new file or one that catalogue wrote" in result.output
    assert page.read_text() == "mine"
