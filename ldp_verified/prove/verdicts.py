"""Verdicts of checkers. Nothing inconclusive is ever shown as a pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Status(StrEnum):
    """The evidence behind a result, strongest word last said first.

    PROVED: for all parameters, by both groups of checkers that can prove. ONE_GROUP: for all
    parameters, by one group, or it rests on what one group proved. ENUMERATED: exactly, for the
    named sizes only. SAMPLED: by a hypothesis test at a stated level. ASSUMED: by whom. REFUTED:
    with a witness. OPEN: no checker decided it, or checkers disagree.
    """

    PROVED = "proved"
    ONE_GROUP = "proved by one group"
    ENUMERATED = "enumerated"
    SAMPLED = "sampled"
    ASSUMED = "assumed"
    REFUTED = "refuted"
    OPEN = "open"

    @property
    def for_all(self) -> bool:
        """Return whether somebody proved the result for all parameters."""
        return self in (Status.PROVED, Status.ONE_GROUP)


@dataclass(frozen=True)
class Witness:
    """A concrete place where a claim fails, re-evaluated in exact arithmetic.

    Attributes:
        parameters: name -> exact value, as text ("k": "3", "u": "3/2"); an irrational one as the
            only "root of 2*a**2 - 1 between 0.707 and 0.708".
        values: named exact values at that place ("x": "0", "x'": "1", "y": "0", "P(y|x)": "3/5",
            "bound": "3/2", ...), as text.
        explanation: one sentence: what was claimed and what is the case, in exact and decimal form.
    """

    parameters: Mapping[str, str]
    values: Mapping[str, str]
    explanation: str


@dataclass(frozen=True)
class Verdict:
    """The outcome for one obligation.

    Attributes:
        claim: position of the claim in the spec; None for the laws that every table must obey.
        statement: the claim as text ("eps-LDP with eps = eps, tight").
        obligation: defined | nonnegative | sums_to_one | equal_support | class_counts |
            free_cells | at_epsilon | at_range (claim None) | ratio | curve | tight | unbiased |
            variance | optimal | holds.
        status: see `Status`; never stronger than that of what it rests on.
        checkers: who decided it ("certificate", "smt", "counting", "coq", "enumeration").
        detail: sizes enumerated, why it is open, ...
        witness: where it fails; only with REFUTED.
        theorems: the Coq theorems that say it, all accepted by the kernel.
        unaccepted: why Coq's kernel, asked, accepted none that says it.
        assumptions: what it takes for granted and no checker decides here, and so does whatever it
            rests on.
        groups: the groups of checkers that prove it by itself ("algebra", "coq").
        refusals: checker that was asked and refused -> why. What is refused is never proved.
        alone: the status of its own evidence, before what it rests on; None where that is `status`.
        capped_by: the obligations that it rests on and that are weaker than its own evidence.
        proviso: what the theorems do not say: that there is a table of which they speak, or that
            the printed table was compared with the declared one.
    """

    claim: int | None
    statement: str
    obligation: str
    status: Status
    checkers: tuple[str, ...]
    detail: str = ""
    witness: Witness | None = None
    theorems: tuple[str, ...] = ()
    unaccepted: str = ""
    assumptions: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    refusals: Mapping[str, str] = field(default_factory=dict)
    alone: Status | None = None
    capped_by: tuple[str, ...] = ()
    proviso: str = ""

    def written(self, write: Callable[[str], str]) -> Verdict:
        """This verdict with the texts of its claim, witness and detail put otherwise.

        Args:
            write: from a text to the one that is shown.
        """
        seen = self.witness
        if seen is not None:
            parameters, values = (
                {write(name): write(value) for name, value in each.items()}
                for each in (seen.parameters, seen.values)
            )
            seen = Witness(parameters, values, write(seen.explanation))
        return replace(
            self, statement=write(self.statement), detail=write(self.detail), witness=seen
        )

    @property
    def needs(self) -> tuple[Status, ...]:
        """Return the statuses that must be accepted before this passes; empty if it is proved."""
        own = () if self.status in (Status.PROVED, Status.ASSUMED) else (self.status,)
        assumed = bool(self.assumptions) or self.status is Status.ASSUMED
        return (*own, Status.ASSUMED) if assumed else own


@dataclass(frozen=True)
class Verification:
    """All verdicts on one mechanism.

    Attributes:
        mechanism, title, spec_hash: which mechanism.
        verdicts: one per obligation, in the order of the claims.
        derived: facts derived and proved beside the claims, name -> text ("tight epsilon", "p*",
            "variance of a count", ...).
        seconds: wall time, for people.
        drawn: the drawn points at which the table was looked at too, in words with their seed.
    """

    mechanism: str
    title: str
    spec_hash: str
    verdicts: tuple[Verdict, ...]
    derived: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    drawn: str = ""

    @property
    def status(self) -> Status:
        """REFUTED if any verdict is, else OPEN if any is, else the weakest evidence among them.

        From weakest: ASSUMED (also where a verdict has assumptions), SAMPLED, ENUMERATED,
        ONE_GROUP, PROVED. OPEN where there are no verdicts.
        """
        needed = self.needs
        return next((status for status in WEAKEST if status in needed), Status.PROVED)

    @property
    def needs(self) -> frozenset[Status]:
        """Return the statuses to accept before the mechanism passes, or that bar it."""
        if not self.verdicts:
            return frozenset([Status.OPEN])
        return frozenset(status for verdict in self.verdicts for status in verdict.needs)

    @property
    def holds(self) -> bool:
        """Return whether every obligation is proved by both groups, and nothing is assumed."""
        return not self.needs


WEAKEST = (
    Status.REFUTED,
    Status.OPEN,
    Status.ASSUMED,
    Status.SAMPLED,
    Status.ENUMERATED,
    Status.ONE_GROUP,
)
"""The first of these that is needed is what is said of the whole; proved where none is."""
