"""A server of PostgreSQL for all tests, emptied for each."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from collector.database import Database
from collector.migrations import migrate
from collector.records import token
from collector.settings import Keys, Settings, make_keys
from collector.store import Store

from ldp_verified.deploy import Deployment
from ldp_verified.run.mechanisms import GRR

if TYPE_CHECKING:
    from collections.abc import Iterator

CITY = Deployment(GRR(1.0, 3, categories=("Oslo", "Rome", "<b>Nice")))


@dataclass(frozen=True)
class Place:
    """What a test works with."""

    settings: Settings
    keys: Keys
    deployment: Deployment

    def store(self) -> Store:
        """A connection."""
        return Store(
            self.settings.database,
            self.deployment,
            self.keys.registry,
            patience=self.settings.patience,
        )

    def token(self, number: int) -> bytes:
        """The token of a user."""
        return token(self.keys.tokens, user(number))

    def reports(self, number: int) -> list[bytes]:
        """Fresh reports."""
        values = ["Rome", "Oslo", "Oslo"] * (number // 3 + 1)
        return self.deployment.to_bytes(self.deployment.mechanism.privatize(values[:number]))


def user(number: int) -> bytes:
    """The name of a user."""
    return number.to_bytes(16, "big")


@pytest.fixture(scope="session")
def server() -> Iterator[Database]:
    folder = Path(tempfile.mkdtemp(prefix="collector-"))
    folder.chmod(0o755)
    found = Database(folder / "data")
    found.start()
    yield found
    found.kill()  # nothing is kept, so nothing is written
    shutil.rmtree(folder)


@pytest.fixture
def empty(server: Database) -> str:
    """The address of a database without a schema."""
    with psycopg.connect(server.address, autocommit=True) as base:
        base.execute("drop schema public cascade")
        base.execute("create schema public")
    return server.address


@pytest.fixture
def place(empty: str, tmp_path: Path) -> Place:
    with psycopg.connect(empty, autocommit=True) as base:
        migrate(base)
    CITY.save(tmp_path / "city.json")
    make_keys(tmp_path / "keys.json")
    settings = Settings(
        database=empty,
        deployment=tmp_path / "city.json",
        keys=tmp_path / "keys.json",
        counters=tmp_path / "counters",
        clock="manual",
    )
    return Place(settings, Keys.read(settings.keys), CITY)
