"""Deciding entries: every reading and every correction, in one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ldp_verified.check.claims.context import Context, Tell
from ldp_verified.check.claims.entries import Document, Entry, Part, Reading
from ldp_verified.check.claims.loader import compared
from ldp_verified.check.claims.rulings import Ruling, RulingKind


class ReadingOutcome(StrEnum):
    """The register's decision on a part of a claim, or on a whole claim."""

    PROVED = "proved"
    REGION = "holds iff"
    CORRECTED = "corrected"
    REFUTED = "refuted"
    DEPENDS = "depends on the reading"
    CHECKED = "checked"
    OPEN = "open"


@dataclass(frozen=True)
class Decided:
    """A reading with its ruling.

    Attributes:
        statement: what was decided, as text. compared: whether just this statement was compared
            with the source; else it may be true, and is not known to be the source's.
    """

    reading: Reading
    ruling: Ruling
    statement: str
    compared: bool


@dataclass(frozen=True)
class DecidedPart:
    """A part, each of its readings and corrections decided.

    Attributes:
        part: as it was declared.
        readings: a ruling for each reading. corrections: a ruling for each correction.
    """

    part: Part
    readings: tuple[Decided, ...]
    corrections: tuple[Decided, ...]

    @property
    def outcome(self) -> ReadingOutcome:
        """One word for all readings."""
        kinds = {each.ruling.kind for each in self.readings}
        if len(kinds) > 1:
            return ReadingOutcome.DEPENDS
        (kind,) = kinds
        if kind is RulingKind.REFUTED:
            good = {RulingKind.PROVED, RulingKind.REGION}
            right = any(each.ruling.kind in good for each in self.corrections)
            return ReadingOutcome.CORRECTED if right else ReadingOutcome.REFUTED
        return ReadingOutcome(kind.value)


@dataclass(frozen=True)
class DecidedEntry:
    """A claim, decided.

    Attributes:
        file, document, entry: where it stands. parts: in order.
    """

    file: str
    document: Document
    entry: Entry
    parts: tuple[DecidedPart, ...]

    @property
    def outcomes(self) -> tuple[ReadingOutcome, ...]:
        """Return the outcome of each part."""
        return tuple(part.outcome for part in self.parts)


def decide(
    entries: Sequence[tuple[str, Document, Entry]],
    context: Context | None = None,
    tell: Tell = lambda _, __, ___: None,
) -> tuple[DecidedEntry, ...]:
    """Decide entries.

    Args:
        entries: as `loader.chosen` gives them.
        context: shared answers; a new one by default.
        tell: called with what is being done, how much is done, and how much there is.
    """
    context = Context() if context is None else context
    known = compared()
    every = [
        reading
        for _, _, entry in entries
        for part in entry.parts
        for reading in (*part.readings, *part.corrections)
    ]
    for reading in every:
        reading.check.announce(context)
    context.prepare(tell)
    found = []
    for done, (file, document, entry) in enumerate(entries):
        tell(f"deciding {entry.id}", done, len(entries))
        found.append(
            DecidedEntry(
                file,
                document,
                entry,
                tuple(_part(p, context, entry.id, known) for p in entry.parts),
            )
        )
    return tuple(found)


def _part(
    part: Part, context: Context, name: str, known: frozenset[tuple[str, str]]
) -> DecidedPart:
    def decided(each: Reading) -> Decided:
        said = each.statement
        return Decided(each, each.check.decide(context), said, (name, said) in known)

    return DecidedPart(
        part, tuple(map(decided, part.readings)), tuple(map(decided, part.corrections))
    )


def counts(decided: Sequence[DecidedEntry]) -> dict[ReadingOutcome, int]:
    """Return how many parts have each outcome.

    Args:
        decided: entries of which every part was decided.

    Returns:
        Outcome -> number of parts; outcomes that no part has are left out.
    """
    found = Counter(outcome for each in decided for outcome in each.outcomes)
    return {outcome: found[outcome] for outcome in ReadingOutcome if found[outcome]}
