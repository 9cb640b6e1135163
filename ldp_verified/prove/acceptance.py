"""Read what a person accepts without proof, by kind and by mechanism.

Nothing refuted and nothing open can be accepted. An acceptance that nothing needs is said to be
stale: it would hide a later loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ldp_verified.errors import ParameterError
from ldp_verified.prove.verdicts import Status, Verification

KINDS = {
    "one-group": Status.ONE_GROUP,
    "enumerated": Status.ENUMERATED,
    "assumed": Status.ASSUMED,
    "sampled": Status.SAMPLED,
}
"""The word of an acceptance -> the status that it accepts."""

ANYWHERE = Status.ONE_GROUP
"""What may be accepted without naming a mechanism: it says who was asked, not what is true."""

OPTION = "--accept"


@dataclass(frozen=True)
class Acceptance:
    """One acceptance.

    Attributes:
        status: what is accepted. mechanism: of which one; empty: of all.
    """

    status: Status
    mechanism: str = ""

    def __str__(self) -> str:
        """The acceptance as it is written on the command line."""
        kind = next(kind for kind, status in KINDS.items() if status is self.status)
        return f"{kind}:{self.mechanism}" if self.mechanism else kind

    def covers(self, status: Status, mechanism: str) -> bool:
        """Return whether this acceptance covers a status of a mechanism."""
        return status is self.status and self.mechanism in ("", mechanism)


def read_acceptances(texts: Iterable[str], mechanisms: Sequence[str]) -> tuple[Acceptance, ...]:
    """KIND:NAME, or `one-group` alone, each once.

    Args:
        texts: as written. mechanisms: the names of those that are verified.

    Raises:
        ParameterError: another kind, none of these mechanisms, or a kind that needs a name.
    """
    found = []
    for text in texts:
        kind, colon, name = text.partition(":")
        if kind not in KINDS:
            rule = f"must be KIND:NAME with a KIND of {', '.join(KINDS)}; nothing else is accepted"
            raise ParameterError(OPTION, rule, text)
        if not colon and KINDS[kind] is not ANYWHERE:
            raise ParameterError(OPTION, f"must name a mechanism, {kind}:NAME", text)
        if colon and name not in mechanisms:
            shown = ", ".join(mechanisms[:8]) + (", ..." if len(mechanisms) > 8 else "")
            raise ParameterError(OPTION, f"must name what is verified here ({shown})", text)
        found.append(Acceptance(KINDS[kind], name))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Accepted:
    """Acceptances against what was found out.

    Attributes:
        used: those that something needs. stale: those that nothing needs.
        lacking: (mechanism, status) that is not accepted, or cannot be.
    """

    used: tuple[Acceptance, ...]
    stale: tuple[Acceptance, ...]
    lacking: tuple[tuple[str, Status], ...]

    def of(self, mechanism: str) -> tuple[Acceptance, ...]:
        """The acceptances that are about a mechanism, or about all."""
        return tuple(one for one in self.used if one.mechanism in ("", mechanism))


def accept(results: Sequence[Verification], given: Sequence[Acceptance]) -> Accepted:
    """Return which acceptances are needed, and what is missing."""
    needed = [(r.mechanism, status) for r in results for status in Status if status in r.needs]
    used = tuple(one for one in given if any(one.covers(s, name) for name, s in needed))
    lacking = [
        (name, status)
        for name, status in needed
        if not any(one.covers(status, name) for one in given)
    ]
    return Accepted(used, tuple(one for one in given if one not in used), tuple(lacking))
