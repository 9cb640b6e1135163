"""`recheck`: the same files as in the transcript, and the same verdicts.

The light routes compare every hash, check every certificate again without sympy, and derive every
statement again from its spec. All routes are those of `verify`. A spec is not run unless its hash
is the one in the transcript.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ldp_verified.check.recheck.transcribing import proven
from ldp_verified.derive import free_cells
from ldp_verified.errors import ParameterError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.kinds import Kind
from ldp_verified.language import Mechanism
from ldp_verified.language.loader import load_file
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.coq.coqc import coqc_available
from ldp_verified.prove.prepared import case
from ldp_verified.prove.verify import verify
from ldp_verified.run.carried.evidence import changed
from ldp_verified.run.carried.files import CERTIFICATES, PROOFS, SPEC, Installation, sha256
from ldp_verified.run.carried.transcript import Proven, Transcript, TranscriptEntry, read_transcript

CERTIFICATE = "certificate"
COQ = "coq"

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Rechecked:
    """The outcome of rechecking one mechanism.

    Attributes:
        name: of the mechanism. status: of the whole, as the transcript has it.
        verdicts: how many the transcript has. repeated: how many were reached again here.
        problems: what is not as the transcript says, each with the name of the file or verdict.
        left: what was asked for and could not be repeated here, and why.
        seconds: wall time.
    """

    name: str
    status: str
    verdicts: int
    repeated: int
    problems: tuple[str, ...]
    left: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Recheck:
    """The outcome of rechecking an installation.

    Attributes:
        transcript_sha256: of the transcript that it was held against.
        tools: name -> version, in the transcript.
        files: name -> sha256 of all files that the transcript names.
        problems: with files that belong to no one mechanism. unknown: what no entry vouches for.
        mechanisms: one for each that was asked for. full: whether all routes were asked.
    """

    transcript_sha256: str
    tools: dict[str, str]
    files: dict[str, str]
    problems: tuple[str, ...]
    unknown: tuple[str, ...]
    mechanisms: tuple[Rechecked, ...]
    full: bool = field(default=False)

    @property
    def refused(self) -> tuple[str, ...]:
        """Everything that is not as the transcript says."""
        own = [f"{m.name}: {line}" for m in self.mechanisms for line in m.problems]
        return (*self.problems, *own)

    @property
    def lacking(self) -> tuple[str, ...]:
        """Everything that was asked for and that nobody vouches for, or that was not repeated."""
        return (*self.unknown, *(f"{m.name}: {line}" for m in self.mechanisms for line in m.left))


def recheck(
    at: Installation | None = None,
    names: Sequence[str] = (),
    *,
    full: bool = False,
    expected: str = "",
    tell: Tell = lambda _: None,
) -> Recheck:
    """Hold an installation against its transcript, and repeat the verdicts.

    Args:
        at: whose files; those of the running copy where None. names: of mechanisms; all if empty.
        full: all routes, as `verify` asks them; else those that need no search.
        expected: the sha256 that the transcript must have, in hex; any where empty.
        tell: called with each mechanism's name.

    Raises:
        SpecError: there is no transcript, or it cannot be read.
        ParameterError: a name is not in the transcript.
    """
    place = at or Installation.here()
    transcript = read_transcript(place.transcript)
    digest = sha256(place.transcript)
    if unknown := [name for name in names if name not in transcript.entries]:
        raise ParameterError("SPEC", "must be a mechanism that the transcript names", unknown[0])
    problems = []
    if expected and expected.lower() != digest:
        problems.append(f"{place.transcript.name}: has the sha256 {digest}, not {expected}")
    problems += changed({**transcript.checkers, **transcript.theory}, place)
    here = {**place.checkers(), **place.theory()}
    known = {**transcript.checkers, **transcript.theory}
    problems += [f"{name}: the transcript does not name it" for name in here if name not in known]
    asked = [transcript.entries[name] for name in names or sorted(transcript.entries)]
    found = []
    for entry in asked:
        tell(entry.name)
        found.append(_rechecked(entry, place, full=full))
    files = {name: text for entry in asked for name, text in entry.files.items()}
    return Recheck(
        digest,
        dict(transcript.tools),
        {**known, **files},
        tuple(problems),
        () if names else _unvouched(transcript, place),
        tuple(found),
        full,
    )


def _unvouched(transcript: Transcript, at: Installation) -> tuple[str, ...]:
    """The specs and certificates that no entry names."""
    named = {name for entry in transcript.entries.values() for name in entry.files}
    here = [*at.specs(), *at.certificates()]
    left_out = (f"{SPEC}/__init__.py",)
    return tuple(
        f"{name}: the transcript does not name it"
        for name in here
        if name not in named and name not in left_out
    )


def _rechecked(entry: TranscriptEntry, at: Installation, *, full: bool) -> Rechecked:
    start = time.perf_counter()
    problems, left, repeated = changed(entry.files, at), list[str](), 0
    if not problems:
        parts, problems = _certificate(entry, at)
        mechanism = None if problems else _declared(entry, at)
        if mechanism is None:
            problems = problems or [f"its spec declares no mechanism {entry.name}"]
        else:
            problems += _statements(entry, mechanism, parts)
        if not problems and mechanism is not None:
            if full:
                repeated, problems, left = _again(entry, mechanism)
            else:
                repeated, problems = _light(entry, parts)
    return Rechecked(
        entry.name,
        entry.status,
        len(entry.verdicts),
        repeated,
        tuple(problems),
        tuple(left),
        time.perf_counter() - start,
    )


def _certificate(entry: TranscriptEntry, at: Installation) -> tuple[dict[str, Any], list[str]]:
    """The certificates of the table and of its free cells, and what is wrong with their file."""
    name = f"{PROOFS}/{CERTIFICATES}/{entry.name}.json"
    if name not in entry.files:
        return {}, [f"{name}: the transcript does not name it"]
    try:
        parts = read_json(at.path(name).read_bytes())
        statements = [part["statement"] for part in parts.values() if part is not None]
    except (NotJsonError, OSError, AttributeError, KeyError, TypeError) as error:
        return {}, [f"{name}: is no certificate: {error!r}"]
    if not statements or parts.get("table") is None:
        return {}, [f"{name}: is no certificate of a table"]
    return parts, []


def _declared(entry: TranscriptEntry, at: Installation) -> Mechanism | None:
    """The mechanism, from the first of its spec files that declares it."""
    for name in entry.files:
        if name.startswith(f"{SPEC}/"):
            for mechanism in load_file(at.path(name)):
                if mechanism.name == entry.name:
                    return mechanism
    return None


def _statements(entry: TranscriptEntry, mechanism: Mechanism, parts: dict[str, Any]) -> list[str]:
    """List the certificates that are not about this spec."""
    name = f"{PROOFS}/{CERTIFICATES}/{entry.name}.json"
    problems = []
    if mechanism.law_hash != entry.law_sha256:
        problems.append(f"its law is {mechanism.law_hash}, the transcript names {entry.law_sha256}")
    free = free_cells(mechanism)
    derived = {"table": mechanism, "free_cells": free}
    for part, declared in derived.items():
        written = parts.get(part)
        if (declared is None) != (written is None):
            problems.append(f"{name}: {part}: is not what the spec gives")
        elif (
            declared is not None
            and written is not None
            and case(declared).statement != written["statement"]
        ):
            problems.append(f"{name}: {part}: is about another statement than the spec makes")
    return problems


def _light(entry: TranscriptEntry, parts: dict[str, Any]) -> tuple[int, list[str]]:
    """Count the verdicts that certificates show again, and list those that they fail to show."""
    shown: dict[tuple[int | None, str], bool] = {}
    why: dict[tuple[int | None, str], str] = {}
    for key, outcome in _outcomes(parts):
        shown[key] = shown.get(key, True) and outcome.shown
        if not outcome.shown:
            why.setdefault(key, f"{outcome.obligation.name}: {outcome.reason}")
    repeated, problems = 0, []
    for verdict in entry.verdicts:
        key = (verdict.claim, verdict.obligation)
        if CERTIFICATE not in verdict.checkers or key not in shown:
            continue
        repeated += shown[key]
        if not shown[key]:
            problems.append(f"{verdict.obligation}: the certificate does not show it: {why[key]}")
    return repeated, problems


def _outcomes(
    parts: dict[str, Any],
) -> Iterator[tuple[tuple[int | None, str], checker.CheckerOutcome]]:
    for part, certificate in parts.items():
        if certificate is None:
            continue
        for outcome in checker.check(certificate["statement"], certificate):
            o = outcome.obligation
            own = (o.claim, str(o.kind)) if part == "table" else (None, str(Kind.FREE_CELLS))
            yield own, outcome


def _again(entry: TranscriptEntry, mechanism: Mechanism) -> tuple[int, list[str], list[str]]:
    """Count the verdicts that all routes reach again, and list what differs or was not asked."""
    with_coq = coqc_available()
    now = [proven(verdict) for verdict in verify(mechanism).verdicts]
    then = list(entry.verdicts)
    problems, left, repeated = list[str](), list[str](), 0
    if [_key(each) for each in now] != [_key(each) for each in then]:
        return 0, ["its obligations are not those of the transcript"], []
    for old, new in zip(then, now, strict=True):
        if (old.status, old.checkers, old.theorems, old.assumptions) == (
            new.status,
            new.checkers,
            new.theorems,
            new.assumptions,
        ):
            repeated += 1
        elif not with_coq and _but_coq(old.checkers) == _but_coq(new.checkers):
            left.append(f"{old.obligation}: coqc is not installed here, so it is {new.status}")
        else:
            said = f"{old.status} by {', '.join(old.checkers)}"
            here = f"{new.status} by {', '.join(new.checkers)}"
            problems.append(f"{old.obligation}: is {here}, the transcript says {said}")
    return repeated, problems, left


def _key(each: Proven) -> tuple[int | None, str, str]:
    return each.claim, each.obligation, each.statement


def _but_coq(checkers: Sequence[str]) -> list[str]:
    return [name for name in checkers if name not in (COQ, "kernel checker")]
