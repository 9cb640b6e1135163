"""`GRR.evidence()`: what was proved of a class's mechanism, as the transcript at hand says it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ldp_verified.errors import SpecError
from ldp_verified.run.carried.files import Installation, sha256
from ldp_verified.run.carried.transcript import Proven, Transcript, TranscriptEntry, read_transcript

NOTHING = "open"
"""The status of what no transcript vouches for."""


@dataclass(frozen=True)
class RecordedEvidence:
    """List what was proved of one mechanism, by whom, with what, over which files.

    It is what the transcript says, and whether the files here are those that it names. To repeat
    the verdicts is what `ldp-verified recheck` is for. It is about the declared table; what
    binds the running code to that table is said by `realized_epsilon` and `ldp-verified conform`.

    Attributes:
        mechanism: its name.
        status: the weakest verdict; "open" where nothing is vouched for.
        law_sha256: the hash of the table that the class names.
        files: name -> sha256 of its spec, its certificate and its class, as in the transcript.
        tools: name -> version of what was run.
        verdicts: one per obligation, in the order of the claims.
        problems: why the transcript does not vouch for what is here; empty where it does.
    """

    mechanism: str
    status: str
    law_sha256: str
    files: Mapping[str, str]
    tools: Mapping[str, str]
    verdicts: tuple[Proven, ...]
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.mechanism}: {self.status}"]
        lines += [f"  {problem}" for problem in self.problems]
        counts = Counter(each.status for each in self.verdicts)
        if counts:
            lines.append("  obligations: " + ", ".join(f"{n} {s}" for s, n in counts.items()))
            names = dict.fromkeys(name for each in self.verdicts for name in each.checkers)
            lines.append("  by: " + ", ".join(names))
            lines.append("  with: " + ", ".join(f"{n} {v}" for n, v in sorted(self.tools.items())))
            lines += [f"  {name} {digest}" for name, digest in self.files.items()]
        return "\n".join([*lines, f"  again: ldp-verified recheck {self.mechanism}"])


def evidence_of(
    mechanism: str, law_sha256: str, at: Installation | None = None
) -> RecordedEvidence:
    """Compare the transcript of a mechanism with the files that are here.

    Args:
        mechanism: its name. law_sha256: the hash of the law that its class names.
        at: whose files; those of the running copy where None.
    """
    place = at or Installation.here()
    try:
        transcript = read_transcript(place.transcript)
    except SpecError as error:
        return RecordedEvidence(mechanism, NOTHING, law_sha256, {}, {}, (), (str(error),))
    entry = transcript.entries.get(mechanism)
    if entry is None:
        why = f"{place.transcript.name} says nothing of {mechanism}"
        return RecordedEvidence(mechanism, NOTHING, law_sha256, {}, {}, (), (why,))
    problems = changed(entry.files, place)
    if entry.law_sha256 != law_sha256:
        here = f"the class names the law {law_sha256}"
        problems.insert(0, f"{here}, the transcript the law {entry.law_sha256}")
    others = {**transcript.checkers, **transcript.theory}
    if len(changed(others, place)) > 0:
        problems.append("the checkers here are not those that decided it")
    return _evidence(entry, transcript, law_sha256, problems)


def _evidence(
    entry: TranscriptEntry, transcript: Transcript, law_sha256: str, problems: list[str]
) -> RecordedEvidence:
    return RecordedEvidence(
        entry.name,
        NOTHING if problems else entry.status,
        law_sha256,
        entry.files,
        transcript.tools,
        entry.verdicts,
        tuple(problems),
    )


def changed(files: Mapping[str, str], at: Installation) -> list[str]:
    """One line for each of these files that is not here, or has another hash.

    Args:
        files: name -> sha256. at: where they are looked for.
    """
    problems = []
    for name, digest in files.items():
        try:
            path = at.path(name)
            found = sha256(path) if path.is_file() else ""
        except SpecError as error:
            problems.append(str(error))
            continue
        if not found:
            problems.append(f"{name}: is missing")
        elif found != digest:
            problems.append(f"{name}: has the sha256 {found}, the transcript names {digest}")
    return problems
