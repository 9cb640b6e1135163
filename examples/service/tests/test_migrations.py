"""A database of an older version keeps what it counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from collector.migrations import Migration, SchemaError, check, known, migrate

from .conftest import Place

if TYPE_CHECKING:
    from pathlib import Path


def test_an_old_database_is_brought_up(empty: str) -> None:
    with psycopg.connect(empty, autocommit=True) as base:
        with pytest.raises(SchemaError, match="no schema"):
            check(base)
        assert migrate(base, known()[:1]) == 1
        base.execute("insert into periods values ('2026-11-01', true)")
        base.execute("insert into states values ('2026-11-01', 'kept')")
        with pytest.raises(SchemaError, match="at 1 of 2"):
            check(base)
        assert migrate(base) == 1
        check(base)
        assert migrate(base) == 0
        assert base.execute("select period, forgotten from periods").fetchall() == [
            ("2026-11-01", False)
        ]
        assert base.execute("select state from states").fetchall() == [(b"kept",)]


def test_all_or_nothing(empty: str) -> None:
    broken = [*known(), Migration(3, "create table more (); select 1 / 0;", b"")]
    with psycopg.connect(empty, autocommit=True) as base:
        with pytest.raises(psycopg.errors.DivisionByZero):
            migrate(base, broken)
        assert base.execute("select to_regclass('periods')").fetchone() == (None,)


def test_other_histories_are_refused(place: Place) -> None:
    with psycopg.connect(place.settings.database, autocommit=True) as base:
        with pytest.raises(SchemaError, match="newer"):
            migrate(base, known()[:1])
        changed = [known()[0], known()[1]._replace(digest=b"other")]
        with pytest.raises(SchemaError, match="migration 2 was changed"):
            migrate(base, changed)


def test_numbers_have_no_gap(tmp_path: Path) -> None:
    (tmp_path / "0001_a.sql").write_text("select 1")
    (tmp_path / "0003_b.sql").write_text("select 1")
    with pytest.raises(SchemaError, match="numbered"):
        known(tmp_path)
