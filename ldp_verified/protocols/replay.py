"""Old copies that can be seen: a counter beside the client's state, and one at the server.

A device that is set back to an older state (from a backup, say) draws the same permanent answers
again, so that alone tells nothing new about any value. What goes back with it is its count of what
it has spent. A state that was lost, not set back, is worse: a client that starts afresh draws
permanent answers anew, which is a second `epsilon_permanent`.
"""

from __future__ import annotations

import os
from typing import Any, Protocol

from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.protocols.keepsake import MOST_REPORTS
from ldp_verified.protocols.memo_client import check_said
from ldp_verified.run.aggregate.files import check_one_name, checked_path, replacing
from ldp_verified.run.aggregate.saved import Saved
from ldp_verified.run.aggregate.sealed import unseal
from ldp_verified.run.aggregate.serial import integers_of, unwrap, wrap
from ldp_verified.run.aggregate.shared import Turns
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.scalars import utf8_of

Known = dict[str, tuple[int, tuple[int, ...]]]
"""User -> (last number, choice)."""


class CounterFile:
    """A counter of a client's reports, in a file of its own that only ever counts up.

    It catches a state that is restored without this file, as from a backup of the state alone. Who
    sets back both files is not seen here; a counter in hardware, or the server's, sees that.
    Several threads and processes may count in one file. It is a state of kind "counter"
    (`run.aggregate.serial`) whose header holds `reports`.

    Args:
        path: of the file; none means that no report is known.
        unsealed: whether to read a file of version 0.1.0, too: nothing shows if that was damaged.

    Raises:
        ParameterError: `path` is no path.
    """

    def __init__(self, path: str | os.PathLike[str], *, unsealed: bool = False) -> None:
        self._path = checked_path(path)
        self._unsealed = unsealed is True

    def seen(self) -> int:
        """The highest count that was kept.

        Raises:
            ReportError: the file holds no count, or is damaged.
            ParameterError: it has hard links, each of which would count on its own.
            OSError: it cannot be read.
        """
        check_one_name(self._path)
        try:
            text = self._path.read_bytes()
        except FileNotFoundError:
            return 0
        if self._unsealed and text.isdigit() and len(text) < 20:
            return int(text)
        try:
            header, body = unwrap("counter", text)
            (reports,) = integers_of(header, "reports")
        except ReportError:
            reports, body = -1, b""
        if not 0 <= reports <= MOST_REPORTS or body:
            rule = "holds no count, or is damaged (one of version 0.1.0 is read with unsealed=True)"
            raise ReportError("path", rule, str(self._path))
        return reports

    def advance(self, reports: int) -> None:
        """Keep a count: after the client's state is saved, and before the report is sent.

        Raises:
            ParameterError: it is no count, or the path leads to what is no file or has hard links.
            ReplayError: a higher one was kept.
            OSError: the file cannot be written.
        """
        count = check_integer("reports", reports, 0, MOST_REPORTS)

        def refuse_to_fall() -> None:
            before = self.seen()
            if count < before:
                raise ReplayError("reports", f"must not fall: {before} were counted", count)

        refuse_to_fall()
        with replacing(self._path, refuse_to_fall) as part:
            part.write_bytes(wrap("counter", {"reports": count}))


class NumberedMessage(Protocol):
    """A report with its number and its client's public choice."""

    @property
    def number(self) -> int:
        """The number of the report, counted by the client from 1."""

    @property
    def choice(self) -> tuple[int, ...]:
        """Return the client's public choice, which is made once."""


class Registry(Saved):
    """The server's side, where it knows which reports come from the same user.

    A number that does not grow is a report sent twice, or one of a device that was set back. A
    public choice that changes is a client that started afresh. Of what has no public choice
    (`LGRR`, the unary ones), or chose the same again, starting afresh shows in the number only.
    The choice that counts is the one in the report's own data. Threads may share a registry: no
    number is accepted twice.

    Args:
        known: user -> (last number, choice), as `users` gives it.

    Raises:
        ParameterError: it is something else.
    """

    def __init__(self, known: Known | None = None) -> None:
        self._known = _checked_users({} if known is None else known)
        self._turns = Turns()

    @property
    def users(self) -> Known:
        """User -> (last number, choice)."""
        with self._turns.taken():
            return dict(self._known)

    def seen(self, user: str) -> int:
        """The number of the user's last report; 0 before the first.

        Raises:
            ParameterError: `user` is no string.
        """
        return self._known.get(_checked_user(user), (0, ()))[0]

    def accept(self, user: str, report: NumberedMessage) -> None:
        """Take note of a report before it is counted.

        Args:
            user: any name under which the server tells its users apart.
            report: the report.

        Raises:
            ParameterError: `user` is no string that UTF-8 can hold.
            ReportError: the report has no number and choice, or its own data says another choice.
                Nothing is noted then.
            ReplayError: its number is not above the last, or its choice is another one. Nothing is
                noted then.
        """
        name = _checked_user(user)
        if utf8_of(name) is None:  # users of registries that were saved before are read as ever
            raise ParameterError("user", "must be a string that UTF-8 can hold")
        number, choice = getattr(report, "number", None), getattr(report, "choice", None)
        if not isinstance(choice, tuple) or not all(type(each) is int for each in choice):
            raise ReportError("report", "must have a number and a choice", type(report))
        if hasattr(report, "reports"):
            check_said(report.reports, choice)
        if type(number) is not int or not 1 <= number <= MOST_REPORTS:
            raise ReplayError("number", "must be a whole number >= 1", number)
        with self._turns.taken():
            last, chosen = self._known.get(name, (0, choice))
            if choice != chosen:
                rule = "is not the one that this user had: the client started afresh, which costs"
                raise ReplayError("choice", f"{rule} another epsilon_permanent")
            if number <= last:
                rule = f"must be above {last}: a report sent twice, or a device set back"
                raise ReplayError("number", rule, number)
            self._known[name] = (number, choice)

    def merge(self, other: Registry) -> Registry:
        """A new registry that knows the users of both.

        Args:
            other: a state of the same deployment.

        Raises:
            ReportError: the other is none.
            ReplayError: both know a user: one report of theirs may have been accepted in both.
        """
        if not isinstance(other, Registry):
            raise ReportError("other", "must be a Registry", type(other))
        mine, theirs = self.users, other.users
        both = len(mine.keys() & theirs.keys())
        if both:
            rule = "must know other users, or a report may have been accepted in both; shared"
            raise ReplayError("other", rule, both)
        return Registry(mine | theirs)

    def to_bytes(self) -> bytes:
        """The registry as bytes: kind "registry", number and choice of each user in the header."""
        users = {user: [last, *choice] for user, (last, choice) in self.users.items()}
        return wrap("registry", {"users": users})

    @classmethod
    def from_bytes(
        cls, data: bytes, made: None = None, /, *, implausible: bool = False
    ) -> Registry:
        """The registry that `to_bytes` was called on.

        Args:
            data: what it gave. made: nothing. implausible: has no effect.

        Raises:
            ReportError: the bytes are none, or damaged, or hold numbers that no report has.
        """
        del made, implausible
        header, body = unwrap("registry", data)
        if body:
            raise ReportError("data", "must end after its header")
        return cls._of("data", header.get("users"))

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], made: None = None, /, *, implausible: bool = False
    ) -> Registry:
        """The registry in a file that `save` wrote: see `Saved.load`."""
        return super().load(path, made, implausible=implausible)

    @classmethod
    def from_json(cls, text: str | bytes, *, unsealed: bool = False) -> Registry:
        """The registry that version 0.1.0 wrote.

        Args:
            text: what it wrote.
            unsealed: must be True: nothing shows if the text was damaged.

        Raises:
            ReportError: the text is none.
        """
        return cls._of("text", unseal("registry", text, unsealed=unsealed))

    @classmethod
    def _of(cls, argument: str, users: Any) -> Registry:
        wrong = ReportError(argument, "is no saved registry")
        if not isinstance(users, dict):
            raise wrong
        if not all(isinstance(held, list) and held for held in users.values()):
            raise wrong
        try:
            return cls({user: (last, tuple(choice)) for user, (last, *choice) in users.items()})
        except ParameterError:
            raise wrong from None

    def __reduce__(self) -> tuple[type[Registry], tuple[Known]]:
        return Registry, (self.users,)


def _checked_user(user: object) -> str:
    if not isinstance(user, str):
        raise ParameterError("user", "must be a string", type(user))
    return str(user)


def _checked_users(known: object) -> Known:
    """A registry's users, copied.

    Raises:
        ParameterError: no strings with a number and a choice each.
    """
    if not isinstance(known, dict):
        raise ParameterError("known", "must be a dict of users", type(known))
    for user, held in known.items():
        _checked_user(user)
        match held:
            case (int(last), tuple(choice)) if isinstance(held, tuple):
                numbers = (last, *choice)
            case _:
                raise ParameterError("known", "must have a number and a choice of each user")
        whole = all(type(number) is int and number >= 0 for number in numbers)
        if not whole or not 1 <= last <= MOST_REPORTS:
            raise ParameterError("known", "must have a number >= 1 and a choice of each user")
    return dict(known)
