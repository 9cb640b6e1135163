"""The file of a registry: made, removed, and named where it is no database of SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError, ReportError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NO_DATABASE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def make_file(place: Path) -> None:
    """Make an empty file where there is none.

    Raises:
        ParameterError: there is one.
    """
    try:
        place.touch(exist_ok=False)
    except FileExistsError:
        rule = "must lead to no file where a registry is new"
        raise ParameterError("path", rule, str(place)) from None


def remove_file(place: Path) -> None:
    """Remove a file of SQLite with those beside it."""
    for suffix in ("", "-wal", "-shm"):
        place.with_name(place.name + suffix).unlink(missing_ok=True)


@contextmanager
def database_at(place: Path) -> Iterator[None]:
    """Say which file it is where SQLite finds that one is no database, or a damaged one.

    Raises:
        ReportError: it is found inside. Other errors, such as those of a full disk, stay as they
            are.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says where it was found
        if code not in _NO_DATABASE:
            raise
        rule = "must lead to a registry, and this is no file of SQLite, or a damaged one"
        raise ReportError("path", rule, str(place)) from None
