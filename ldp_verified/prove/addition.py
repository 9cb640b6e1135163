"""Bound what answers of checkers that a module of `ldp_verified.prove.added` registers may do.

Such a checker is reviewed less than those of this package, so its trust is bounded here and in
`verdict_algebra`, whatever it answers:

- without a group it may only veto: what it refuses is open, and what it accepts changes nothing
- with a group its proof shows what a proof of one group shows, and never makes a verdict `proved`
- a place where something fails is shown only after the enumeration found the same there
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import InternalError
from ldp_verified.kinds import Kind
from ldp_verified.prove.registry import (
    ADDED,
    CHECKERS,
    RULES,
    Checker,
    Open,
    Rules,
    everyone,
    known,
)

if TYPE_CHECKING:
    from ldp_verified.kinds import TableForm
    from ldp_verified.language import Mechanism

JOINED = "algebra"
"""The group of this package that an added checker may join; the other one is Coq's kernel."""

PLAIN = re.compile(r"[a-z][a-z0-9]*(?:[ _-][a-z0-9]+)*")
"""Names of checkers and groups: none of them looks like another one."""


class Says(Enum):
    """The answers of an added checker.

    PROVED: for all parameters. AGREES: it found nothing against it where it looked. REFUSED: it is
    false, or the declaration is not what it says. OPEN: it cannot decide it.
    """

    PROVED = "proved"
    AGREES = "agrees"
    REFUSED = "refused"
    OPEN = "open"


@dataclass(frozen=True)
class Asked:
    """One obligation, as an added checker is asked about it.

    Attributes:
        mechanism: the declaration, with what is derived as further claims.
        claim: the claim, an object of `ldp_verified.language`; None for the laws of every table.
        kind: of the obligation.
        state: makes the statement that the certificate is about.
        group: of the checker that is asked.
    """

    mechanism: Mechanism
    claim: Any
    kind: Kind
    state: Callable[[], Mapping[str, Any]]
    group: str = ""

    @property
    def statement(self) -> Mapping[str, Any]:
        """Return what the certificate is about.

        Raises:
            InternalError: the checker is not of the group `JOINED`: one that reads what was derived
                is not independent of the algebra.
        """
        if self.group != JOINED:
            raise InternalError(
                "statement", f"must be read by checkers of the group {JOINED} only", self.group
            )
        return self.state()


@dataclass(frozen=True)
class Answer:
    """The answer of an added checker to one obligation.

    Attributes:
        says: the answer.
        why: why it refuses, or cannot decide; else where it looked.
        at: name of a variable -> exact value, where it refuses and knows a place.

    Raises:
        InternalError: a refusal without a reason.
    """

    says: Says
    why: str = ""
    at: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Check that a refusal says why."""
        if self.says is Says.REFUSED and not self.why:
            raise InternalError("why", "must say why an obligation is refused", self.why)


Rule = Callable[[Asked], Answer]


def add(name: str, shares: str, group: str = "") -> Rules[Rule]:
    """Register a checker; what it decides is registered with the rules that this returns.

    Args:
        name: as verdicts say it. shares: what it reads, and has in common with whom.
        group: `JOINED`, a name of its own, or empty where it may only veto.

    Raises:
        InternalError: the name or the group is another checker's, or nothing says what it shares.
    """
    if PLAIN.fullmatch(name) is None:
        raise InternalError("name of an added checker", "must be plain lower-case words", name)
    if name in {each.name for each in known()}:
        raise InternalError("name of an added checker", "must not be another checker's", name)
    taken = {word for each in CHECKERS for word in (each.group, each.name)} - {JOINED}
    if group and (group in taken or PLAIN.fullmatch(group) is None):
        raise InternalError(
            f"group of the added checker {name}",
            f"must be empty, {JOINED}, or a plain name that no checker of the package has",
            group,
        )
    if not shares.strip():
        raise InternalError(f"added checker {name}", "must say what it shares with whom", shares)
    ADDED[name] = Checker(name, group, shares, group or name)
    return Rules(name)


@dataclass(frozen=True)
class Voices:
    """The answers of the added checkers on one obligation.

    Attributes:
        answers: checker -> answer, of those that have a rule for it.
    """

    answers: Mapping[str, Answer] = field(default_factory=dict)

    @property
    def proves(self) -> tuple[str, ...]:
        """Return the checkers that prove the obligation and are in a group."""
        return tuple(name for name in self._that(Says.PROVED) if ADDED[name].group)

    @property
    def agrees(self) -> tuple[str, ...]:
        """Return the checkers that accept the obligation, and prove nothing."""
        without = [name for name in self._that(Says.PROVED) if not ADDED[name].group]
        return (*without, *self._that(Says.AGREES))

    @property
    def refuses(self) -> dict[str, str]:
        """Checker that refuses the obligation -> why."""
        return {name: self.answers[name].why for name in self._that(Says.REFUSED)}

    @property
    def places(self) -> dict[str, Mapping[str, Any]]:
        """Checker that refuses the obligation -> the place where, it says, the obligation fails."""
        found = {name: self.answers[name].at for name in self._that(Says.REFUSED)}
        return {name: at for name, at in found.items() if at is not None}

    def _that(self, says: Says) -> list[str]:
        return [name for name, answer in self.answers.items() if answer.says is says]


def voices(asked: Asked, form: TableForm, names: Sequence[str] | None = None) -> Voices:
    """Ask the added checkers that have a rule for a kind of obligation and a form of table.

    Args:
        asked: the obligation. form: of its table. names: of those that are asked; None for all.

    Raises:
        InternalError: a checker answers with something else than an `Answer`.
    """
    answers = {}
    everybody = [each.name for each in everyone() if each.name in ADDED]
    for name in everybody if names is None else names:
        rule = RULES[name].find(asked.kind, form)
        if isinstance(rule, Open):
            continue
        answer = rule(replace(asked, group=ADDED[name].group))
        if not isinstance(answer, Answer):
            raise InternalError(f"added checker {name}", "must answer with an Answer", answer)
        answers[name] = answer
    return Voices(answers)
