"""The committed modules are what their specs give now, and drift is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ldp_verified
from ldp_verified.errors import SpecError
from ldp_verified.generate import check, files, generate, write
from ldp_verified.generate.module import PROTOCOLS
from ldp_verified.language import load_catalogue
from ldp_verified.run import mechanisms

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """File name -> text, generated once."""
    return {path.name: text for path, text in files.catalogue_files().items()}


@pytest.fixture
def folder(tmp_path: Path, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every module, current."""

    def remembered(folder: Path) -> dict[Path, str]:
        return {folder / name: text for name, text in texts.items()}

    monkeypatch.setattr(files, "catalogue_files", remembered)
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_committed_modules_are_current(texts: dict[str, str]) -> None:
    assert check() == []
    assert {"__init__.py", "grr.py", "olh.py", "warner.py"} <= set(texts)


def test_current_files_are_left_alone(folder: Path) -> None:
    assert check(folder) == []
    assert write(folder) == []


@pytest.mark.parametrize("name", ["grr.py", "__init__.py"])
@pytest.mark.parametrize("change", [" ", "\n# a remark\n", "x = 1\n"])
def test_an_edited_file_has_drifted(folder: Path, name: str, change: str) -> None:
    path = folder / name
    path.write_text(path.read_text() + change)
    if change == " ":
        path.write_text(path.read_text().replace("(", "( ", 1))
    assert check(folder) == [f"{path}: is not what the spec gives now"]
    assert write(folder) == [path]
    assert check(folder) == []


def test_a_missing_and_a_stale_file_are_noticed(folder: Path) -> None:
    (folder / "sue.py").unlink()
    (folder / "old.py").write_text("")
    assert check(folder) == [
        f"{folder / 'sue.py'}: missing",
        f"{folder / 'old.py'}: belongs to no spec",
    ]
    assert write(folder) == [folder / "sue.py"]


def test_tool_versions_are_not_drift(folder: Path) -> None:
    path = folder / "grr.py"
    lines = path.read_text().splitlines(keepends=True)
    lines[3] = "# Tools: ldp-verified 99, sympy 98\n"
    path.write_text("".join(lines))
    assert check(folder) == []
    lines[2] = lines[2].replace("input: ", "input: 0")
    path.write_text("".join(lines))
    assert check(folder) == [f"{path}: is not what the spec gives now"]


def test_writing_leaves_nothing_else_behind(folder: Path, texts: dict[str, str]) -> None:
    for path in folder.iterdir():
        path.unlink()
    assert {path.name for path in write(folder)} == set(texts)
    assert {path.name for path in folder.iterdir()} == set(texts)


def test_a_folder_that_cannot_be_written_is_an_error(folder: Path) -> None:
    (folder / "file").write_text("")
    with pytest.raises(SpecError, match="cannot hold generated modules"):
        write(folder / "file")


def test_the_package_offers_every_class() -> None:
    assert sorted(ldp_verified.__all__) == sorted([*mechanisms.__all__, "verify"])
    for name in mechanisms.__all__:
        assert getattr(ldp_verified, name) is getattr(mechanisms, name)
    for name in ("Nothing", "Randomizer"):
        with pytest.raises(AttributeError, match=name):
            getattr(ldp_verified, name)


RUN = {m.sampler: m.name for m in load_catalogue() if m.sampler.startswith(PROTOCOLS)}
"""Module whose clients run a table -> one of the mechanisms."""


@pytest.mark.parametrize("sampler", sorted(RUN))
def test_what_protocols_run_has_no_class(sampler: str) -> None:
    module = sampler.removeprefix(PROTOCOLS)
    assert (files.CHECKOUT / "ldp_verified" / "protocols" / f"{module}.py").is_file()
    assert not (files.FOLDER / f"{module}.py").exists()
    with pytest.raises(SpecError, match=r"ldp_verified\.protocols runs"):
        generate(RUN[sampler])


def test_twelve_modules_of_protocols_run_tables_of_the_catalogue() -> None:
    assert len(RUN) == 12
