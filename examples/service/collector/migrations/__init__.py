"""Schema migrations: numbered files of SQL, each applied once, in order, in one transaction."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import psycopg

    Base = psycopg.Connection[tuple[Any, ...]]

FOLDER = Path(__file__).parent
_LOCK = 0x6C64705F
"""Two that migrate at once wait for each other."""


class SchemaError(Exception):
    """The database has another schema than this program."""


class Migration(NamedTuple):
    """One file. `digest` is the SHA-256 of its text."""

    number: int
    text: str
    digest: bytes


def known(folder: Path = FOLDER) -> list[Migration]:
    """The migrations of a folder, in order.

    Raises:
        SchemaError: they are not numbered 1, 2, ...
    """
    found = []
    for path in sorted(folder.glob("*.sql")):
        text = path.read_text(encoding="utf-8")
        digest = hashlib.sha256(text.encode()).digest()
        found.append(Migration(int(path.name.partition("_")[0]), text, digest))
    if [each.number for each in found] != list(range(1, len(found) + 1)):
        raise SchemaError("migrations must be numbered 1, 2, ..., each once")
    return found


def migrate(base: Base, wanted: list[Migration] | None = None) -> int:
    """Bring a database to the schema of this program, all the way or not at all.

    Returns:
        How many migrations were applied; 0 where it was there already.

    Raises:
        SchemaError: the database went through a migration that is not known here, or a file was
            changed after it was applied.
    """
    migrations = known() if wanted is None else wanted
    with base.transaction():
        base.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        base.execute(
            "create table if not exists migrations (number integer primary key, digest bytea)"
        )
        done = _applied(base, migrations)
        for each in migrations[done:]:
            base.execute(each.text.encode())
            base.execute("insert into migrations values (%s, %s)", (each.number, each.digest))
    return len(migrations) - done


def check(base: Base) -> None:
    """Refuse a database that has not this program's schema.

    Raises:
        SchemaError: it has another one, or none.
    """
    if base.execute("select to_regclass('migrations')").fetchone() == (None,):
        raise SchemaError("the database has no schema: run `migrate`")
    migrations = known()
    done = _applied(base, migrations)
    if done < len(migrations):
        raise SchemaError(f"the database is at {done} of {len(migrations)}: run `migrate`")


def _applied(base: Base, migrations: list[Migration]) -> int:
    rows = base.execute("select number, digest from migrations order by number").fetchall()
    if len(rows) > len(migrations):
        raise SchemaError("the database is of a newer version of this program")
    for each, row in zip(migrations, rows, strict=False):
        if row != (each.number, each.digest):
            raise SchemaError(f"migration {each.number} was changed after it was applied")
    return len(rows)
