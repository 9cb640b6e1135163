"""Output appears whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.deploy.collect.files import written_whole
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_written_takes_the_place(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with written_whole(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_failure_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write() -> None:
        with written_whole(path) as temporary:
            temporary.write_text("half")
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        write()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_the_file_has_ordinary_permissions(tmp_path: Path) -> None:
    ordinary, path = tmp_path / "ordinary", tmp_path / "a.txt"
    ordinary.write_text("")
    with written_whole(path) as temporary:
        temporary.write_text("")
    assert path.stat().st_mode == ordinary.stat().st_mode


def test_a_missing_folder_is_an_error_that_names_the_path(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "a.txt"
    with (
        pytest.raises(ParameterError, match=r"a\.txt: cannot be written: No such file"),
        written_whole(path),
    ):
        pass
