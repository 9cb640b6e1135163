"""Registries that lose a report, or count one twice, where a server is killed between two steps."""

from __future__ import annotations

import sqlite3

from ldp_verified.deploy.registry import PeriodRegistry


class UserFirst(PeriodRegistry):
    """Enters the users in a transaction of their own: a crash after it loses their reports."""

    def _wait(self, base: sqlite3.Connection, period: str, reports: list[bytes]) -> None:
        base.execute("commit")
        base.execute("begin immediate")
        super()._wait(base, period, reports)


class ReportFirst(PeriodRegistry):
    """Forgets who has reported until the reports are counted: a retry counts twice."""

    def _wait(self, base: sqlite3.Connection, period: str, reports: list[bytes]) -> None:
        users = base.execute("select * from users").fetchall()
        base.execute("delete from users")
        super()._wait(base, period, reports)
        base.execute("commit")
        base.execute("begin immediate")
        base.executemany("insert into users values (?, ?)", users)
