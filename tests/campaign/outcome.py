"""Judge a campaign: nothing accepted, nothing lost, no error of another's."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import LdpError, chained

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN = 5


@dataclass
class Outcome:
    """Counts of one part of the campaign, and the first few failures in words.

    With `private`, what is handed over is private: no error may hold it.
    """

    name: str
    private: bool = False
    tried: int = 0
    refused: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def fail(self, kind: str, what: str) -> None:
        """Note a failure: accepted, lost, foreign or leaked."""
        self.failures[kind] += 1
        if self.failures[kind] <= SHOWN:
            self.shown.append(f"{self.name}: {kind}: {what[:600]}")

    def call(
        self,
        what: Callable[[], str],
        run: Callable[[], Any],
        allowed: tuple[type[Exception], ...] = (),
    ) -> tuple[bool, Any]:
        """Run a call: (whether it gave something, what); its error must be one of the package's."""
        self.tried += 1
        try:
            return True, run()
        except LdpError as error:
            self.refused += 1
            self._look_at(what, error)
            return False, error
        except allowed as error:
            self.refused += 1
            return False, error
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{last.filename.rsplit('/', 2)[-1]}:{last.lineno}"
            self.fail("foreign", f"{what()}: {type(error).__name__} at {place}: {error}")
            return False, error

    def undamaged(self, what: str, run: Callable[[], Any]) -> None:
        """Run a call that must succeed: what is never read is never read wrongly, either."""
        try:
            run()
        except Exception as error:
            self.fail("lost", f"{what}, undamaged: {error!r}")

    def _look_at(self, what: Callable[[], str], error: BaseException) -> None:
        for each in chained(error):
            if self.private and SECRET in held_in(each):
                self.fail("leaked", f"{what()}: {each!r}")

    def line(self) -> str:
        """One line of a report."""
        found = ", ".join(f"{count} {kind}" for kind, count in sorted(self.failures.items()))
        return f"{self.name}: {self.tried} tried, {self.refused} refused, {found or 'no failure'}"


SECRET = "918273645"
"""Private values that are refused have these digits, as a number or in a text."""


def held_in(error: BaseException) -> str:
    """Return the contents of an error as text."""
    notes = getattr(error, "__notes__", [])
    return f"{error} {error.args!r} {vars(error)!r} {notes!r}"
