"""The transcript: who proved what, with which versions of the tools, over which hashes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from ldp_verified.errors import SpecError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.run.aggregate.files import unread

FORMAT = "ldp-verified-transcript/1"
"""Changes when a field goes or changes its meaning."""

T = TypeVar("T")


@dataclass(frozen=True)
class Proven:
    """One verdict.

    Attributes:
        claim: the position of the claim; None for the laws that every table must obey.
        obligation: its kind ("ratio", "unbiased"). statement: what was decided, in words.
        status: "proved", "proved by one group", "enumerated", "assumed", "refuted" or "open".
        checkers: who decided it. theorems: the Coq theorems that say it.
        assumptions: what it takes for granted.
    """

    claim: int | None
    obligation: str
    statement: str
    status: str
    checkers: tuple[str, ...]
    theorems: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class TranscriptEntry:
    """The transcript's entry about one mechanism.

    Attributes:
        name, title: of the mechanism. status: of the whole: its weakest verdict.
        law_sha256: of the table and its domains, as the generated class names it.
        files: name -> sha256 of the files that are its own: spec, those it reads, certificate,
            generated class.
        drawn: the points drawn at random at which its table was looked at, with their seed.
        verdicts: one per obligation, in the order of the claims.
    """

    name: str
    title: str
    status: str
    law_sha256: str
    files: Mapping[str, str]
    drawn: str
    verdicts: tuple[Proven, ...]


@dataclass(frozen=True)
class Transcript:
    """The record of what was proved of a catalogue.

    Attributes:
        tools: name -> version of what was run ("sympy": "1.14.0", "coq": "8.16.1").
        checkers: name -> sha256 of the files that derived and checked.
        theory: name -> sha256 of Coq's hand-written theory.
        entries: name of the mechanism -> what was found of it.
    """

    tools: Mapping[str, str]
    checkers: Mapping[str, str]
    theory: Mapping[str, str]
    entries: Mapping[str, TranscriptEntry]

    @property
    def text(self) -> str:
        """The transcript as it is written to a file: the same for the same contents."""
        found = {
            "format": FORMAT,
            "tools": dict(sorted(self.tools.items())),
            "checkers": dict(sorted(self.checkers.items())),
            "theory": dict(sorted(self.theory.items())),
            "mechanisms": [asdict(self.entries[name]) for name in sorted(self.entries)],
        }
        return json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n"

    def with_entry(self, entry: TranscriptEntry) -> Transcript:
        """The transcript with one mechanism more, or anew."""
        return replace(self, entries={**self.entries, entry.name: entry})


def read_transcript(path: Path) -> Transcript:
    """Read a transcript.

    Args:
        path: the file.

    Raises:
        SpecError: it is missing, or no transcript of this format; the message names the field.
    """
    try:
        found = read_json(path.read_bytes())
    except OSError as error:
        raise SpecError(str(path), unread(error)) from None
    except NotJsonError as error:
        raise SpecError(str(path), f"must be JSON: {error}") from None
    try:
        return _transcript(found)
    except (KeyError, TypeError, ValueError) as error:
        raise SpecError(str(path), f"is no transcript of the format {FORMAT}: {error}") from None


def _transcript(found: Any) -> Transcript:
    if found["format"] != FORMAT:
        raise ValueError(f"its format is {found['format']!r}")
    entries = [_entry(each) for each in _of(list, found["mechanisms"])]
    names = [entry.name for entry in entries]
    if len(set(names)) < len(names):
        raise ValueError("a mechanism twice")
    return Transcript(
        _texts(found["tools"]),
        _texts(found["checkers"]),
        _texts(found["theory"]),
        {entry.name: entry for entry in entries},
    )


def _entry(found: Any) -> TranscriptEntry:
    return TranscriptEntry(
        _of(str, found["name"]),
        _of(str, found["title"]),
        _of(str, found["status"]),
        _of(str, found["law_sha256"]),
        _texts(found["files"]),
        _of(str, found["drawn"]),
        tuple(_proven(each) for each in _of(list, found["verdicts"])),
    )


def _proven(found: Any) -> Proven:
    claim = found["claim"]
    return Proven(
        claim if claim is None else _of(int, claim),
        _of(str, found["obligation"]),
        _of(str, found["statement"]),
        _of(str, found["status"]),
        _words(found["checkers"]),
        _words(found["theorems"]),
        _words(found["assumptions"]),
    )


def _of(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _texts(value: Any) -> dict[str, str]:
    return {_of(str, name): _of(str, text) for name, text in _of(dict, value).items()}


def _words(value: Any) -> tuple[str, ...]:
    return tuple(_of(str, each) for each in _of(list, value))
