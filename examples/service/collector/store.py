"""The registry and the states, in PostgreSQL.

Who reported and what was reported are written in one transaction, which is on the disk before the
client hears of it. A report that comes again is recognised by its keyed hash, and acknowledged.
"""

from __future__ import annotations

import hmac
import time
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import psycopg

from collector.migrations import check
from collector.records import Answer
from ldp_verified.deploy import Collector
from ldp_verified.deploy.registry import check_name, check_one_report_each, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.deploy import Deployment

    Base = psycopg.Connection[tuple[Any, ...]]
    R = TypeVar("R")

TAG_BYTES = 16
LONGEST_PAUSE = 0.5
_CONNECT_SECONDS = 2
# Read back from the server: what was acknowledged is on the disk.
_DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}


# An internal error is, for one, that a database which was written to can only be read since another
# took its place.
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError)


class UnavailableError(Exception):
    """The database could not be reached; nothing is known of the reports, so send them again."""


class Sent(NamedTuple):
    """A report as it came: of a user that the token names, for a period."""

    user: bytes
    period: str
    report: bytes


class Store:
    """One connection to the database, made anew where it breaks. One thread uses it at a time.

    Args:
        database: as libpq reads it. deployment: whose reports are counted.
        key: 32 secret bytes, the same each time, kept apart from the database.
        simulated: whether the reports are simulated ones; others are refused.
        patience: seconds to try again where the database is away.
        on_retry: called before each new try.

    Raises:
        ParameterError: the deployment's users do not send one report each.
    """

    def __init__(
        self,
        database: str,
        deployment: Deployment,
        key: bytes,
        *,
        simulated: bool = False,
        patience: float = 5.0,
        on_retry: Callable[[], None] = lambda: None,
    ) -> None:
        check_one_report_each(deployment)
        self.deployment, self.simulated = deployment, simulated
        self._database, self._key, self._patience = database, key, patience
        self._on_retry = on_retry
        self._base: Base | None = None

    def accept(self, sent: Sequence[Sent]) -> list[Answer]:
        """Count reports in one transaction; when this returns they are on the disk.

        Raises:
            ParameterError: a period's name is none; nothing is counted then.
            UnavailableError: the database was away for too long. Reports may have been counted.
        """
        for period in {e.period for e in sent}:
            check_name("period", period)
        checked = readable(self.deployment, [e.report for e in sent], simulated=self.simulated)
        places = [i for i, fine in enumerate(checked) if fine is True]
        found = self._tried(lambda base: self._entered(base, [sent[i] for i in places]))
        answers = [Answer.MALFORMED] * len(sent)
        for i, answer in zip(places, found, strict=True):
            answers[i] = answer
        return answers

    def _entered(self, base: Base, sent: list[Sent]) -> list[Answer]:
        if not sent:
            return []
        marks = [(e.period, self._hash(b"user", e.period, e.user)) for e in sent]
        hashes = [self._hash(b"report", e.period, e.report) for e in sent]
        first: dict[tuple[str, bytes], int] = {}
        for place, mark in enumerate(marks):
            first.setdefault(mark, place)
        with base.transaction():
            asked = sorted({e.period for e in sent})
            # Whoever ends a period waits for this lock, and whoever comes later finds it ended.
            query = "select period from periods where period = any(%s) and not closed for share"
            is_open = {row[0] for row in base.execute(query, (asked,))}
            # In one order, so that two workers never wait for each other.
            new = sorted((mark, place) for mark, place in first.items() if mark[0] in is_open)
            columns = (
                [mark[0] for mark, _ in new],
                [mark[1] for mark, _ in new],
                [hashes[place] for _, place in new],
            )
            query = (
                "insert into users select * from unnest(%b::text[], %b::bytea[], %b::bytea[]) "
                "on conflict do nothing returning period, tag"
            )
            entered = set(base.execute(query, columns, binary=True).fetchall()) if new else set()
            known: dict[tuple[str, bytes], bytes] = {}
            if len(entered) < len(sent):
                old = [mark for mark in first if mark not in entered]
                known = self._known(base, old)
            self._wait(base, [sent[first[mark]] for mark in entered])
        known.update((mark, hashes[first[mark]]) for mark in entered)
        answers = []
        for place, mark in enumerate(marks):
            if mark in entered and first[mark] == place:
                answers.append(Answer.COUNTED)
            elif mark not in known:
                answers.append(Answer.NOT_OPEN)
            elif hmac.compare_digest(known[mark], hashes[place]):
                answers.append(Answer.COUNTED_BEFORE)
            else:
                answers.append(Answer.ANOTHER)
        return answers

    def _known(self, base: Base, marks: list[tuple[str, bytes]]) -> dict[tuple[str, bytes], bytes]:
        if not marks:
            return {}
        query = (
            "select period, tag, report from users "
            "join unnest(%b::text[], %b::bytea[]) as asked (period, tag) using (period, tag)"
        )
        columns = ([mark[0] for mark in marks], [mark[1] for mark in marks])
        rows = base.execute(query, columns, binary=True)
        return {(period, tag): report for period, tag, report in rows}

    def _wait(self, base: Base, new: list[Sent]) -> None:
        """Keep reports, sorted, so that their order does not say whose they are."""
        by_period: dict[str, list[bytes]] = {}
        for each in new:
            by_period.setdefault(each.period, []).append(each.report)
        for period, reports in by_period.items():
            query = "insert into waiting (period, reports) values (%s, %b)"
            base.execute(query, (period, b"".join(sorted(reports))))

    def periods(self) -> list[tuple[str, bool]]:
        """All periods, the last one first, and whether they are closed.

        Raises:
            UnavailableError: the database was away for too long.
        """
        query = "select period, closed from periods order by period desc"
        return self._tried(lambda base: [(p, c) for p, c in base.execute(query)])

    def collector(self, period: str) -> Collector:
        """What the reports of a period add up to: every one that was acknowledged, once.

        Raises:
            ParameterError: no such name.
            UnavailableError: the database was away for too long.
        """
        check_name("period", period)
        return self._tried(lambda base: self._folded(base, period))

    def _folded(self, base: Base, period: str) -> Collector:
        """Add what waits to the state; one at a time."""
        with base.transaction():
            base.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", (period,))
            query = "select state from states where period = %s"
            row = base.execute(query, (period,), binary=True).fetchone()
            state = self.deployment.collector(simulated=self.simulated)
            if row is not None:
                state = Collector.from_bytes(row[0], self.deployment, implausible=True)
            query = "delete from waiting where period = %s returning reports"
            waiting = base.execute(query, (period,), binary=True).fetchall()
            if waiting:
                text = b"".join(reports for (reports,) in waiting)
                rows = np.frombuffer(text, np.uint8).reshape(-1, self.deployment.report_bytes)
                state.add_rows(rows)
                state = state.in_order()
                query = (
                    "insert into states values (%s, %b) "
                    "on conflict (period) do update set state = excluded.state"
                )
                base.execute(query, (period, state.to_bytes()))
        return state

    def roll(self, today: date, keep_open: int = 1) -> None:
        """Open the period of a day, and end those that are older than `keep_open` days.

        Raises:
            UnavailableError: the database was away for too long.
        """
        last = (today - timedelta(days=keep_open)).isoformat()

        def rolled(base: Base) -> None:
            query = "insert into periods (period) values (%s) on conflict do nothing"
            base.execute(query, (today.isoformat(),))
            query = "select period from periods where period < %s and not closed order by period"
            for (period,) in base.execute(query, (last,)).fetchall():
                self._end(base, period)

        self._tried(rolled)

    def _end(self, base: Base, period: str) -> None:
        with base.transaction():
            # Waits for the transactions that count reports of this period.
            base.execute("update periods set closed = true where period = %s", (period,))
            self._folded(base, period)

    def forget(self, before: date) -> None:
        """Delete the hashes of users of closed periods. Their reports are not recognised any more.

        Raises:
            UnavailableError: the database was away for too long.
        """

        def forgotten(base: Base) -> None:
            with base.transaction():
                query = "update periods set forgotten = true where closed and period < %s"
                base.execute(query, (before.isoformat(),))
                base.execute(
                    "delete from users where period in (select period from periods where forgotten)"
                )

        self._tried(forgotten)

    def close(self) -> None:
        """Close the connection."""
        if self._base is not None:
            self._base.close()
            self._base = None

    def _hash(self, what: bytes, period: str, data: bytes) -> bytes:
        name = period.encode()
        text = what + len(name).to_bytes(4, "big") + name + data
        return hmac.digest(self._key, self.deployment.digest + text, "sha256")[:TAG_BYTES]

    def _tried(self, work: Callable[[Base], R]) -> R:
        """Do work that may be done twice, and do it again where the connection breaks."""
        end, pause = time.monotonic() + self._patience, 0.02
        while True:
            try:
                if self._base is None:
                    self._base = self._connected()
                return work(self._base)
            except _AWAY as error:
                self.close()
                if time.monotonic() + pause > end:
                    # No cause: what PostgreSQL says of it may hold what was sent.
                    raise UnavailableError(type(error).__name__) from None
            self._on_retry()
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _connected(self) -> Base:
        # Of several hosts the one that can be written to; a copy that can only be read is away.
        base = psycopg.connect(
            self._database,
            autocommit=True,
            connect_timeout=_CONNECT_SECONDS,
            prepare_threshold=1,
            target_session_attrs="read-write",
        )
        try:
            base.execute("set synchronous_commit = on")
            for name, wanted in _DURABLE.items():
                if base.execute(f"show {name}").fetchone() != (wanted,):
                    raise ValueError(f"the database must have {name} = {wanted}")
            check(base)
            mine = (self.deployment.digest, self.simulated)
            query = (
                "insert into about (deployment, simulated) values (%s, %s) on conflict do nothing"
            )
            base.execute(query, mine)
            if base.execute("select deployment, simulated from about").fetchall() != [mine]:
                raise ValueError("the database is of another deployment or kind of reports")
        except BaseException:
            base.close()
            raise
        return base
