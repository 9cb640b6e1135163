"""Output appears whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ldp_verified.deploy.collect.files import check_place, write_text, written_whole
from ldp_verified.errors import ParameterError


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


def test_a_check_sees_what_would_be_replaced_and_may_refuse(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"

    def refuse() -> None:
        if path.exists():
            raise ParameterError("path", f"holds {path.read_text()}")

    write_text("--output", path, "old", refuse)
    with pytest.raises(ParameterError, match="path: holds old"):
        write_text("--output", path, "new", refuse)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["old"]


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


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("folder", "must be a file, not a folder, got"),
        ("", "must be a file, not a folder, got"),
        ("missing/a.txt", "must lie in an existing folder, got"),
        ("pipe", "must lead to a file, or to none yet, got"),
    ],
)
def test_a_place_for_no_file_is_refused_beforehand(tmp_path: Path, name: str, rule: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ParameterError, match=f"^--output: {rule}"):
        check_place("--output", tmp_path / name)
    with pytest.raises(ParameterError), written_whole(tmp_path / name, "--output"):
        pass


def test_a_folder_that_may_not_be_written_to_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_place("--output", tmp_path / "a.txt")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(ParameterError, match="--output: must lie in a folder that can be written"):
        check_place("--output", tmp_path / "a.txt")


def test_a_text_is_written_whole_and_its_place_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text("--output", path, "one\n\udc80\n")
    assert path.read_bytes() == b"one\n\\udc80\n"
    with pytest.raises(ParameterError, match=r"^--output: cannot be written: No such file .*, got"):
        write_text("--output", tmp_path / "missing" / "a.txt", "text")


def test_a_text_goes_to_a_pipe_or_a_descriptor_as_it_comes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        check_place("--sarif", pipe, text=True)
        write_text("--sarif", pipe, "found")
        assert os.read(reader, 100) == b"found"
    finally:
        os.close(reader)
    with (tmp_path / "log").open("wb") as log:
        log.write(b"before ")
        log.flush()
        write_text("--sarif", Path(f"/proc/self/fd/{log.fileno()}"), "found")
    assert (tmp_path / "log").read_text() == "before found"
    with pytest.raises(ParameterError, match="must lead to a file"):
        check_place("--save", pipe)
