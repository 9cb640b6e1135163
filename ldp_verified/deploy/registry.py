"""One report of each user and period, counted once: also after a crash, and by several processes.

What was accepted, and what it adds up to, are written in one transaction of SQLite and put on the
disk before the caller hears of it. So after a crash between the two the client sends its report
again, and is told that it was counted. The file names no user and keeps no report beside one: it
holds a keyed hash of user and period, and one of the report. Reports wait in batches that are put
in order until they are counted. Whoever has the key can ask whether somebody reported; whoever
reads the file or its log while reports come one by one can tell which came with which hash.
"""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Iterable
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified.deploy.collector import Collector
from ldp_verified.deploy.device_formats import Messages
from ldp_verified.deploy.protocol_formats import Placed, SignFormat
from ldp_verified.deploy.registry_file import database_at, make_file, remove_file
from ldp_verified.errors import ParameterError, ReplayError, ReportError, check_kind, size_or_type
from ldp_verified.run.aggregate.files import check_one_name, checked_path
from ldp_verified.run.aggregate.serial import plain_bytes
from ldp_verified.run.aggregate.shared import Turns
from ldp_verified.scalars import is_iterable, utf8_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from ldp_verified.deploy.deployment import Deployment

KEY_BYTES = 32
LONGEST_NAME = 256
MOST_WAITING = 256
"""Batches of reports of a period that wait before they are added to its state."""

_TABLES = """
create table if not exists meta (
    deployment blob not null, simulated integer not null, key blob
);
create table if not exists users (tag blob primary key, report blob not null) without rowid;
create table if not exists periods (
    period text primary key, state blob not null, closed integer not null
) without rowid;
create table if not exists waiting (id integer primary key, period text not null, rows blob);
"""


class Sent(NamedTuple):
    """A report as it came in.

    Attributes:
        user: any name under which the server tells its users apart, of 1 to 256 characters.
        period: of the report, "2026-11-24" say. data: its bytes, as `Deployment.to_bytes` gives it.
    """

    user: str
    period: str
    data: bytes


class PeriodRegistry:
    """The registry of a deployment, in one file.

    Threads may share it; processes each open it themselves. It grows by some 70 bytes for each
    user and period.

    Args:
        path: of the file.
        deployment: whose reports are accepted.
        key: 32 secret bytes, the same each time, kept apart from the file. A file that an
            older version made does not know its key: it takes the first that it is opened with.
        new: True to start a registry where there is none. One that is lost is no empty one.
        simulated: whether the reports are simulated ones; others are refused.

    Raises:
        ParameterError: no path, key or flag; another key than the file's; a new registry where
            there is a file; a file with hard links; a deployment whose users have public numbers or
            send several messages.
        ReportError: there is no registry, or a damaged one, or it is of another deployment or kind
            of reports.
        OSError, sqlite3.Error: the file cannot be read or written; a new one is removed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        deployment: Deployment,
        key: bytes,
        *,
        new: bool = False,
        simulated: bool = False,
    ) -> None:
        # SQLite gives names such as :memory: another meaning; a path from the root is only a path.
        place = checked_path(path).absolute()
        if not isinstance(key, bytes) or len(key) != KEY_BYTES:
            raise ParameterError("key", f"must be {KEY_BYTES} bytes", size_or_type(key, bytes))
        check_kind("simulated", simulated, bool)
        check_one_report_each(deployment)
        self.deployment, self.simulated, self._key = deployment, simulated, key
        self._turns = Turns()
        check_one_name(place)
        with database_at(place), ExitStack() as undone:
            if new is True:
                make_file(place)
                undone.callback(remove_file, place)
            elif not place.is_file():
                rule = "must lead to a registry; new=True starts one"
                raise ReportError("path", rule, str(place))
            self._base = sqlite3.connect(
                place, timeout=60, isolation_level=None, check_same_thread=False
            )
            undone.callback(self._base.close)
            self._base.execute("pragma journal_mode = wal")
            # The default of WAL does not wait for the disk: what was acknowledged could be lost.
            self._base.execute("pragma synchronous = full")
            with self._alone() as base:
                self._begin(base, new=new is True)
            undone.pop_all()

    def _begin(self, base: sqlite3.Connection, *, new: bool) -> None:
        """Make the tables, or check that they are this deployment's."""
        wanted = (self.deployment.digest, int(self.simulated))
        if new:
            for statement in _TABLES.split(";"):
                base.execute(statement)
            base.execute("insert into meta (deployment, simulated) values (?, ?)", wanted)
        names = {row[1] for row in base.execute("pragma table_info(meta)")}
        found = []
        if {"deployment", "simulated"} <= names:
            found = base.execute("select deployment, simulated from meta").fetchall()
        if found != [wanted]:
            raise ReportError("path", "must be a registry of this deployment and kind of reports")
        self._check_key(base)

    def _check_key(self, base: sqlite3.Connection) -> None:
        """Refuse another key than the first: with it, everybody would count again."""
        mine = self._hash("key", "", b"")
        if "key" not in {row[1] for row in base.execute("pragma table_info(meta)")}:
            base.execute("alter table meta add column key blob")  # it was made before files had one
        (held,) = base.execute("select key from meta").fetchone()
        if held is None:
            base.execute("update meta set key = ?", (mine,))
        elif not hmac.compare_digest(held, mine):
            raise ParameterError("key", "must be the one that the registry was made with")

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def accept(self, user: str, period: str, data: bytes) -> bool:
        """Count one report; when this returns it is on the disk. `accept_all` is much faster.

        Args:
            user, period, data: as in `Sent`.

        Returns:
            Return whether it is counted now; False where this very report was counted before, and
            the client did not hear of it.

        Raises:
            ReplayError: another report of this user and period was counted, or the period is over.
            ReportError: as `Collector.add`. ParameterError: no such names.
        """
        check_name("user", user)
        check_name("period", period)
        (answer,) = self.accept_all([Sent(user, period, data)])
        if isinstance(answer, ReportError):
            raise answer
        return answer

    def accept_all(self, sent: Iterable[Sent | tuple[str, str, bytes]]) -> list[bool | ReportError]:
        """Count many reports in one transaction; when this returns they are on the disk.

        Args:
            sent: in the order in which they came; plain tuples of the same do, too.

        Returns:
            For each what `accept` returns, or the error that it would raise; a `ReportError` where
            a name is none. What is refused leaves the others as they are.

        Raises:
            ParameterError: something else was given than that; nothing is counted then.
            OSError, sqlite3.Error: nothing is counted then.
        """
        listed = _listed(sent)
        reports = [each.data for each in listed]
        answers = readable(self.deployment, reports, simulated=self.simulated)
        answers = [_misnamed(each) or answers[place] for place, each in enumerate(listed)]
        with self._alone() as base:
            new: dict[str, list[bytes]] = {}
            for place, each in enumerate(listed):
                if answers[place] is True:
                    answers[place] = self._entered(base, each)
                if answers[place] is True:
                    new.setdefault(each.period, []).append(each.data)
            for period, reports in new.items():
                self._wait(base, period, reports)
        return answers

    def _entered(self, base: sqlite3.Connection, each: Sent) -> bool | ReportError:
        """Enter a user's report, unless there is one."""
        tag = self._hash("user", each.period, each.user.encode())
        report = self._hash("report", each.period, each.data)
        row = base.execute("select report from users where tag = ?", (tag,)).fetchone()
        if row is not None:
            if hmac.compare_digest(row[0], report):
                return False
            return ReplayError("user", "has reported in this period already")
        closed = base.execute("select closed from periods where period = ?", (each.period,))
        if closed.fetchone() == (1,):
            return ReplayError("period", "is over", each.period)
        base.execute("insert into users values (?, ?)", (tag, report))
        return True

    def _wait(self, base: sqlite3.Connection, period: str, reports: list[bytes]) -> None:
        """Keep reports, sorted, so that their order does not say whose they are."""
        rows = b"".join(sorted(reports))
        base.execute("insert into waiting (period, rows) values (?, ?)", (period, rows))
        query = "select count(*) from waiting where period = ?"
        if base.execute(query, (period,)).fetchone()[0] > MOST_WAITING:
            self._fold(base, period)

    def _fold(self, base: sqlite3.Connection, period: str) -> Collector:
        """Add what waits to the state of a period."""
        row = base.execute("select state from periods where period = ?", (period,)).fetchone()
        state = self.deployment.collector(simulated=self.simulated)
        if row is not None:
            state = Collector.from_bytes(row[0], self.deployment, implausible=True)
        width = self.deployment.report_bytes
        waiting = base.execute("select rows from waiting where period = ?", (period,)).fetchall()
        for (rows,) in waiting:
            state.add_rows(np.frombuffer(rows, np.uint8).reshape(-1, width))
        if waiting:
            base.execute("delete from waiting where period = ?", (period,))
            state = state.in_order()
            base.execute(
                "insert into periods values (?, ?, 0) "
                "on conflict (period) do update set state = excluded.state",
                (period, state.to_bytes()),
            )
        return state

    def collector(self, period: str) -> Collector:
        """Add up the reports of a period so far: every one that was acknowledged, once.

        Raises:
            ParameterError: no such name. sqlite3.Error: the file cannot be read.
        """
        check_name("period", period)
        with self._alone() as base:
            return self._fold(base, period)

    def end(self, period: str) -> Collector:
        """Count a period for good: its later reports are refused, those counted acknowledged.

        Raises:
            ParameterError: no such name. sqlite3.Error: the file cannot be written.
        """
        check_name("period", period)
        with self._alone() as base:
            found = self._fold(base, period)
            base.execute(
                "insert into periods values (?, ?, 1) "
                "on conflict (period) do update set closed = 1",
                (period, found.to_bytes()),
            )
        return found

    def _hash(self, what: str, period: str, data: bytes) -> bytes:
        name = period.encode()
        text = what.encode() + len(name).to_bytes(4, "big") + name + data
        return hmac.digest(self._key, self.deployment.digest + text, "sha256")

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        """A transaction that no other thread or process is in; all of it or nothing."""
        with self._turns.taken():
            try:
                self._roll_back()  # what was interrupted while it was rolled back
                self._base.execute("begin immediate")  # an interrupt is raised when it has begun
                yield self._base
                self._base.execute("commit")
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        if self._base.in_transaction:  # a full disk ends one by itself
            self._base.execute("rollback")


def check_one_report_each(deployment: Deployment) -> None:
    """Refuse a deployment whose users have public numbers or send several messages.

    Args:
        deployment: whose reports a registry is to accept.

    Raises:
        ParameterError: its users do not send one report each, or have public numbers.
    """
    if isinstance(deployment.format, SignFormat | Placed | Messages):
        rule = "must be one whose users send one report each, without public numbers"
        raise ParameterError("deployment", rule, type(deployment.mechanism))


def readable(
    deployment: Deployment, sent: Iterable[bytes], *, simulated: bool = False
) -> list[bool | ReportError]:
    """Tell which bytes are single reports of a deployment, quickly where all of them are.

    Args:
        deployment: whose reports they should be.
        sent: bytes that came in, of any length.
        simulated: whether the reports are simulated ones; others are refused.

    Returns:
        For each True, or the error that says why it is none.
    """
    width, collector = deployment.report_bytes, deployment.collector
    listed = [_as_bytes(data) for data in sent]
    if all(isinstance(data, bytes) and len(data) == width for data in listed):
        rows = np.frombuffer(b"".join(listed), np.uint8).reshape(-1, width)
        try:
            collector(simulated=simulated).add_rows(rows)
        except ReportError:
            pass  # one of them, or more
        else:
            return [True] * len(listed)
    answers: list[bool | ReportError] = []
    for data in listed:
        try:
            if not isinstance(data, bytes) or len(data) != width:
                raise ReportError("data", f"must be {width} bytes", size_or_type(data, bytes))
            answers.append(collector(simulated=simulated).add_report(data) == 1)
        except ReportError as error:
            answers.append(error)
    return answers


def check_name(argument: str, name: object) -> None:
    """Refuse what is no name of a user or a period.

    Raises:
        ParameterError: no text of 1 to 256 characters that UTF-8 can hold.
    """
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
        rule = f"must be a text of 1 to {LONGEST_NAME} characters"
        raise ParameterError(argument, rule, size_or_type(name, str))
    if utf8_of(name) is None:
        raise ParameterError(argument, "must be a text that UTF-8 can hold")


def _listed(sent: object) -> list[Sent]:
    """Return as a list what was sent, since a generator can be read only once."""
    rule = "must be reports: for each a user, a period and bytes"
    if not is_iterable(sent):
        raise ParameterError("sent", rule, type(sent))
    listed = []
    for place, each in enumerate(sent):
        if not isinstance(each, tuple | list) or len(each) != len(Sent._fields):
            raise ParameterError(f"sent[{place}]", rule, type(each))
        listed.append(Sent(each[0], each[1], _as_bytes(each[2])))
    return listed


def _as_bytes(data: Any) -> Any:
    """Return as bytes whatever `Collector.add` takes as bytes, and everything else as it is."""
    try:
        return plain_bytes(data)
    except ReportError:
        return data


def _misnamed(sent: Sent) -> ReportError | None:
    """The error of a report whose names are none."""
    try:
        check_name("user", sent.user)
        check_name("period", sent.period)
    except ParameterError as error:
        return ReportError(error.argument, error.rule, error.got)
    return None
