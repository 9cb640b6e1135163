"""What a checker may say. Nothing inconclusive is ever shown as a pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """The evidence behind a result, strongest word last said first.

    PROVED: for all parameters, by the named checkers. ENUMERATED: exactly, for the named sizes
    only. SAMPLED: by a hypothesis test at a stated level. ASSUMED: by whom. REFUTED: with a
    witness. OPEN: no checker decided it.
    """

    PROVED = "proved"
    ENUMERATED = "enumerated"
    SAMPLED = "sampled"
    ASSUMED = "assumed"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True)
class Witness:
    """A concrete place where a claim fails, re-evaluated in exact arithmetic.

    Attributes:
        parameters: name -> exact value, as text ("k": "3", "u": "3/2").
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
        obligation: nonnegative | sums_to_one | equal_support | class_counts | free_cells |
            at_epsilon (claim None) | ratio | curve | tight | unbiased | variance | optimal | holds.
        status: see `Status`.
        checkers: who decided it ("certificate", "smt", "coq", "enumeration").
        detail: sizes enumerated, why it is open, ...
        witness: where it fails; only with REFUTED.
        theorems: the Coq theorems that say it, all accepted by the kernel.
        unaccepted: why Coq's kernel, asked, accepted none that says it.
        given: what a proof takes for granted that no checker decides here; only with PROVED.
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
    given: str = ""


@dataclass(frozen=True)
class Verification:
    """All verdicts on one mechanism.

    Attributes:
        mechanism, title, spec_hash: which mechanism.
        verdicts: one per obligation, in the order of the claims.
        derived: facts derived and proved beside the claims, name -> text ("tight epsilon", "p*",
            "variance of a count", ...).
        seconds: wall time, for people.
    """

    mechanism: str
    title: str
    spec_hash: str
    verdicts: tuple[Verdict, ...]
    derived: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def status(self) -> Status:
        """REFUTED if any verdict is, else OPEN if any is, else the weakest evidence among them.

        From weakest: ASSUMED, SAMPLED, ENUMERATED, PROVED. OPEN where there are no verdicts.
        """
        for status in (
            Status.REFUTED,
            Status.OPEN,
            Status.ASSUMED,
            Status.SAMPLED,
            Status.ENUMERATED,
        ):
            if any(v.status is status for v in self.verdicts):
                return status
        return Status.PROVED if self.verdicts else Status.OPEN

    @property
    def holds(self) -> bool:
        """Whether every obligation is proved or, where no proof was found, at least enumerated."""
        return self.status in (Status.PROVED, Status.ENUMERATED)
