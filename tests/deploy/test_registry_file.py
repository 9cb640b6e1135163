"""Files of registries: never another's, and named where SQLite cannot read them."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.deploy.registry_file import database_at, make_file, remove_file
from ldp_verified.errors import ParameterError, ReportError
from tests.deploy.test_registry import opened

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_made_where_there_is_none_and_removed_with_its_log(tmp_path: Path) -> None:
    place = tmp_path / "registry.db"
    make_file(place)
    with pytest.raises(ParameterError, match="path: must lead to no file"):
        make_file(place)
    (tmp_path / "registry.db-wal").touch()
    remove_file(place)
    remove_file(place)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("content", [b"hello", b"hello " * 1000, b"SQLite format 3\0" * 500])
def test_what_is_no_database_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "registry.db").write_bytes(content)
    with pytest.raises(ReportError, match=r"path: must lead to a registry, .*registry\.db'$"):
        opened(tmp_path, new=False)
    assert (tmp_path / "registry.db").read_bytes() == content


def test_a_damaged_registry_is_named(tmp_path: Path) -> None:
    opened(tmp_path).close()
    place = tmp_path / "registry.db"
    whole = place.read_bytes()
    place.write_bytes(whole[:200] + bytes(len(whole) - 200))
    with pytest.raises(ReportError, match=r"path: .* a damaged one, got '.*registry\.db'$"):
        opened(tmp_path, new=False)


def test_a_full_disk_is_no_damage(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "full.db")
    base.execute("pragma max_page_count = 1")
    with pytest.raises(sqlite3.OperationalError, match="full"), database_at(tmp_path / "full.db"):
        base.execute("create table a (b)")
    base.close()


def test_a_file_of_something_else_is_no_registry(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "registry.db")
    base.execute("create table meta (name text)")
    base.close()
    with pytest.raises(ReportError, match="must be a registry of this deployment"):
        opened(tmp_path, new=False)


def test_an_error_of_the_disk_does_not_blame_the_deployment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reading of what the registry is of fails as it does on a disk that cannot be read."""
    opened(tmp_path).close()

    class Failing(sqlite3.Connection):
        def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
            if sql.startswith("select deployment"):
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(sql, parameters)

    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *args, **more: connect(*args, **more, factory=Failing)
    )
    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        opened(tmp_path, new=False)
