"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate import State
from ldp_verified.run.aggregate.files import replacing
from tests.aggregate.oracles import oracle

ORACLE = oracle()
OLD = State(ORACLE, 4, np.array([3, 0, 1]))
NEW = State(ORACLE, 9, np.array([4, 5, 0]), simulated=True)


def test_a_state_is_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "counts.state"
    OLD.save(path)
    assert State.load(path, ORACLE) == OLD
    NEW.save(str(path))
    assert State.load(str(path), ORACLE) == NEW
    assert path.read_bytes() == NEW.to_bytes()
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "counts.state"
    OLD.save(path)

    def fail_halfway() -> None:
        with replacing(path) as part:
            part.write_bytes(NEW.to_bytes()[:50])
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fail_halfway()
    assert State.load(path, ORACLE) == OLD
    assert list(tmp_path.iterdir()) == [path]


CRASHES = """
import os, sys
from pathlib import Path
from typing import Any
import numpy as np
from ldp_verified.run.aggregate import State
from tests.aggregate.oracles import oracle

path, how = sys.argv[1:]
state = State(oracle(), 9, np.array([4, 5, 0]))
if how == "writing":
    def write(self, data):
        with open(self, "wb") as file:
            file.write(data[: len(data) // 2])
            file.flush()
            os._exit(9)
    Path.write_bytes = write
else:
    os.fsync = lambda _: os._exit(9)
state.save(path)
"""


@pytest.mark.parametrize("how", ["writing", "syncing"])
@pytest.mark.parametrize("exists", [False, True])
def test_a_crash_leaves_what_there_was(how: str, exists: bool, tmp_path: Path) -> None:
    """The process ends at once: no handler runs, no buffer is flushed."""
    path = tmp_path / "counts.state"
    if exists:
        OLD.save(path)
    root = str(Path(__file__).resolve().parents[2])
    run = subprocess.run(
        [sys.executable, "-c", CRASHES, str(path), how],
        cwd=root,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert run.returncode == 9
    assert path.exists() == exists
    if exists:
        assert State.load(path, ORACLE) == OLD
    NEW.save(path)  # the stray file is in nobody's way
    assert State.load(path, ORACLE) == NEW


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.state"
    NEW.save(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ReportError, match="damaged or cut short"):
        State.load(path, ORACLE)


def test_a_missing_file_or_folder_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        State.load(tmp_path / "none", ORACLE)
    with pytest.raises(FileNotFoundError):
        NEW.save(tmp_path / "none" / "counts.state")


def test_the_mode_is_that_of_the_old_file_or_of_any_new_one(tmp_path: Path) -> None:
    path, plain = tmp_path / "counts.state", tmp_path / "plain"
    plain.touch()
    NEW.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o600)
    NEW.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_no_file_is_left_as_it_is(tmp_path: Path) -> None:
    """A pipe, a device, a folder, and links to them."""
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for name, target in (("a", pipe), ("b", Path(os.devnull)), ("c", folder)):
        (tmp_path / name).symlink_to(target)
    for path in (pipe, folder, Path(os.devnull), *(tmp_path / name for name in "abc")):
        before = path.lstat().st_mode
        with pytest.raises(ParameterError, match="must lead to a file"):
            NEW.save(path)
        assert path.lstat().st_mode == before


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "counts.state"
    for name, first in (("direct", target), ("twice", tmp_path / "direct")):
        (tmp_path / name).symlink_to(first)
        NEW.save(tmp_path / name)  # at first it leads to no file yet
        assert (tmp_path / name).is_symlink()
        assert not target.is_symlink()
        assert State.load(target, ORACLE) == NEW
        OLD.save(target)


def test_strays_of_the_dead_are_removed_and_parts_of_the_living_are_not(tmp_path: Path) -> None:
    path = tmp_path / "counts.state"
    strays = [tmp_path / f".counts.state.{name}.part" for name in ("0a1b2c3d", "_abcdefg")]
    others = [tmp_path / name for name in (".other.0a1b2c3d.part", ".counts.state.mine.part")]
    for each in (*strays, *others):
        each.touch()
    with replacing(path) as living:
        living.write_bytes(NEW.to_bytes())
        OLD.save(path)
        assert living.exists()
    assert State.load(path, ORACLE) == NEW
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])


@pytest.mark.parametrize("path", [None, 3, b"a", "", "a\0b", ["a"]])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(ParameterError, match="path: must be"):
        NEW.save(path)
    with pytest.raises(ParameterError, match="path: must be"):
        State.load(path, ORACLE)
