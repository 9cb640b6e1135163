"""The vocabulary of a file of claims: documents, entries, parts, readings.

A file says what a document claims, what that means, and how it is decided; never what the answer
is. The answer is computed when somebody asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ldp_verified.check.claims.rulings import Ruling
from ldp_verified.errors import SpecError

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context


class Check(Protocol):
    """A formal statement and the way in which it is decided."""

    def says(self) -> str:
        """The formal statement as text, rendered from what is decided."""

    def announce(self, context: Context) -> None:
        """Tell what will be asked, so that questions about one mechanism are asked together."""

    def decide(self, context: Context) -> Ruling:
        """Decide the statement now."""


@dataclass(frozen=True)
class Reading:
    """One way to understand a part of a claim, exactly.

    The verdict is on `statement`, which the check renders; `words` and `adds` are prose for the
    reader, and have no verdict.

    Attributes:
        words: the reading in plain words.
        check: what decides it.
        adds: what this reading adds to the printed text (a quantifier, a missing symbol); empty
            where it adds nothing.
    """

    words: str
    check: Check
    adds: str = ""

    @property
    def statement(self) -> str:
        """Return the statement that is decided, as text."""
        return self.check.says()


@dataclass(frozen=True)
class Part:
    """Something that a claim says and that is true or false by itself.

    Attributes:
        readings: one, or each of several possible ones.
        corrections: the nearest statements that are thought true; decided like any other.
    """

    readings: tuple[Reading, ...]
    corrections: tuple[Reading, ...] = ()

    def __init__(self, *readings: Reading, corrections: tuple[Reading, ...] = ()) -> None:
        """Check that there is something to decide.

        Raises:
            SpecError: no reading.
        """
        if not readings:
            raise SpecError("Part", "needs a reading")
        object.__setattr__(self, "readings", readings)
        object.__setattr__(self, "corrections", tuple(corrections))


def part(
    words: str, check: Check, *, adds: str = "", correction: tuple[str, Check] | None = None
) -> Part:
    """Make a part with one reading, and perhaps one correction.

    Args:
        words: the part as the document says it. check: what decides it.
        adds: what the reading adds to the words; empty for nothing.
        correction: (what would be right, what decides it).
    """
    corrections = () if correction is None else (Reading(*correction),)
    return Part(Reading(words, check, adds), corrections=corrections)


@dataclass(frozen=True)
class Entry:
    """A claim of a document.

    Attributes:
        id: of the register, "A6" or "wang2017.3".
        statement: as the document makes it, mistakes included.
        parts: what it says, one by one.
        source: author, year, title, where it is not that of the document.
    """

    id: str
    statement: str
    parts: tuple[Part, ...]
    source: str = ""

    def __init__(self, id: str, statement: str, *parts: Part, source: str = "") -> None:  # noqa: A002  (the field's name)
        """Check the id.

        Raises:
            SpecError: it is no short name, or there is no part.
        """
        if not re.fullmatch(r"[A-Za-z][\w.-]*", id):
            raise SpecError("Entry.id", "must be a short name such as A6", id)
        if not parts:
            raise SpecError(f"Entry {id}", "needs a part")
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "statement", " ".join(statement.split()))
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "source", source)


def published(
    id: str,  # noqa: A002  (the field's name)
    statement: str,
    check: Check,
    source: str,
    words: str = "as stated",
    adds: str = "",
) -> Entry:
    """A published formula with one reading.

    Args:
        id, statement, source: as in `Entry`. check, words, adds: as in `Reading`.

    Raises:
        SpecError: as in `Entry`.
    """
    return Entry(id, statement, part(words, check, adds=adds), source=source)


@dataclass(frozen=True)
class Document:
    """The claims of one file, with its title.

    Attributes:
        title: what it teaches. entries: its claims, in order.
        register: the part of the register, "sources" or "literature".
    """

    title: str
    entries: tuple[Entry, ...]
    register: str = "sources"

    def __init__(self, title: str, entries: list[Entry], register: str = "sources") -> None:
        """Check that no id occurs twice.

        Raises:
            SpecError: one does, or the part of the register is unknown.
        """
        seen = [entry.id for entry in entries]
        if len(set(seen)) < len(seen):
            raise SpecError("entries", "must have different ids", seen)
        if register not in ("sources", "literature"):
            raise SpecError("register", "must be sources or literature", register)
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "entries", tuple(entries))
        object.__setattr__(self, "register", register)
