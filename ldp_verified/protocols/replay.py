"""Old copies that can be seen: a counter beside the client's state, and one at the server.

A device that is set back to an older state (from a backup, say) draws the same permanent answers
again, so that alone tells nothing new about any value. What goes back with it is its count of what
it has spent. A state that was lost, not set back, is worse: a client that starts afresh draws
permanent answers anew, which is a second `epsilon_permanent`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Protocol

from ldp_verified.aggregate.files import replacing
from ldp_verified.errors import ReplayError, ReportError


class CounterFile:
    """How many reports a client has made, in a file of its own that only ever counts up.

    It catches a state that is restored without this file, as from a backup of the state alone. Who
    sets back both files is not seen here; a counter in hardware, or the server's, sees that.

    Args:
        path: of the file; none means that no report is known.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def seen(self) -> int:
        """The highest count that was kept.

        Raises:
            ReportError: the file holds no count.
            OSError: it cannot be read.
        """
        try:
            text = self._path.read_text(encoding="ascii")
        except FileNotFoundError:
            return 0
        except UnicodeDecodeError:
            text = ""
        if not text.isdecimal():
            raise ReportError("path", "holds no count", str(self._path))
        return int(text)

    def advance(self, reports: int) -> None:
        """Keep a count: after the client's state is saved, and before the report is sent.

        Raises:
            ReplayError: a higher one was kept.
            OSError: the file cannot be written.
        """
        before = self.seen()
        if reports < before:
            raise ReplayError("reports", f"must not fall: {before} were counted", reports)
        with replacing(self._path) as part:
            part.write_text(str(reports), encoding="ascii")


class Numbered(Protocol):
    """A report with its number and its client's public choice."""

    @property
    def number(self) -> int:
        """From 1, counted by the client."""

    @property
    def choice(self) -> tuple[int, ...]:
        """What the client chose publicly, once."""


class Registry:
    """The server's side, where it knows which reports come from the same user.

    A number that does not grow is a report sent twice, or one of a device that was set back. A
    public choice that changes is a client that started afresh. Of what has no public choice
    (`LGRR`, the unary ones), or chose the same again, starting afresh shows in the number only.

    Args:
        known: user -> (last number, choice), as `users` gives it.
    """

    def __init__(self, known: dict[str, tuple[int, tuple[int, ...]]] | None = None) -> None:
        self._known = dict(known or {})

    @property
    def users(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """User -> (last number, choice)."""
        return dict(self._known)

    def seen(self, user: str) -> int:
        """The number of the user's last report; 0 before the first."""
        return self._known.get(user, (0, ()))[0]

    def accept(self, user: str, report: Numbered) -> None:
        """Take note of a report before it is counted.

        Args:
            user: any name under which the server tells its users apart.
            report: the report.

        Raises:
            ReplayError: its number is not above the last, or its choice is another one. Nothing is
                noted then.
        """
        number, choice = report.number, tuple(report.choice)
        if type(number) is not int or number < 1:
            raise ReplayError("number", "must be a whole number >= 1", number)
        last, chosen = self._known.get(user, (0, choice))
        if choice != chosen:
            rule = "is not the one that this user had: the client started afresh, which costs"
            raise ReplayError("choice", f"{rule} another epsilon_permanent")
        if number <= last:
            rule = f"must be above {last}: a report sent twice, or a device set back"
            raise ReplayError("number", rule, number)
        self._known[user] = (number, choice)

    def to_json(self) -> str:
        """The registry as JSON text."""
        return json.dumps({user: [last, *choice] for user, (last, choice) in self._known.items()})

    @classmethod
    def from_json(cls, text: str) -> Registry:
        """The registry that `to_json` was called on.

        Raises:
            ReportError: the text is none.
        """
        try:
            read = json.loads(text)
            known = {user: (last, tuple(choice)) for user, (last, *choice) in read.items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise ReportError("text", f"is no registry: {type(error).__name__}") from None
        if not all(type(x) is int for last, choice in known.values() for x in (last, *choice)):
            raise ReportError("text", "is no registry")
        return cls(known)
