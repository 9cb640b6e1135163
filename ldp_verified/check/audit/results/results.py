"""Results of an audit: a verdict, the events behind it, and what it could not have seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.bounds.bounds import Tally
from ldp_verified.check.audit.events.rounding import low_order
from ldp_verified.errors import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ldp_verified.check.audit.bounds.pairs import Pair
    from ldp_verified.check.audit.bounds.strata import Strata
    from ldp_verified.check.audit.bounds.unseen import Approximate
    from ldp_verified.check.audit.bounds.upper import Upper
    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.rules.rules import Finding


SUSPECT, TIMES, STRICT = 1e-3, 30, 1e-7
"""An event whose p-value is below the first, and below so many times the audit's level, leaves a
doubt though it is not below its own part of the level. Whoever asks for a stricter level than the
last wants no verdict that chance can change, and is left no doubt."""


UNTESTED = "interrupted before any sample was tested"
"""What an audit says that was stopped so early."""


class AuditVerdict(StrEnum):
    """The verdict on a claim.

    VIOLATED: the lower bound is above the claim, or a witness is. CONSISTENT: it is not, and a
    violation of the stated size would have been seen. INCONCLUSIVE: too few samples for that.
    """

    VIOLATED = "violated"
    CONSISTENT = "consistent"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Tested:
    """One event and its counts on samples that did not choose it.

    Attributes:
        event: the event.
        words: the event in words.
        tally: the counts.
        method: of the bound.
        level: this event's part of the audit's level.
        bound: on eps, at that level.
        p_value: of the claim; `rejects` says whether Holm's procedure rejects it by this event.
        rejects: see there.
        resolution: the smallest violation that this event, as frequent as it is, would have shown
            with probability 0.95; None where there is none.
        strata: what the bound rests on where `method` is "stratified".
    """

    event: Event
    words: str
    tally: Tally
    method: str
    level: float
    bound: float
    p_value: float
    rejects: bool
    resolution: float | None
    strata: Strata | None = None

    def __post_init__(self) -> None:
        """Write out in the words what a terminal would obey."""
        object.__setattr__(self, "words", printable(self.words))

    @property
    def disjoint(self) -> bool:
        """Return whether it looks as if the other input could never give these outputs."""
        return self.tally.minus == 0 and self.tally.plus >= 20


@dataclass(frozen=True)
class AuditOutcome:
    """An exception, or a missing answer, by input.

    Attributes:
        words: which.
        counts: how often, for each input.
        totals: outputs of each input.
    """

    words: str
    counts: tuple[int, ...]
    totals: tuple[int, ...]

    def __post_init__(self) -> None:
        """Write out in the words what a terminal would obey."""
        object.__setattr__(self, "words", printable(self.words))


@dataclass(frozen=True)
class AuditWitness:
    """Something that tells two inputs apart every time, as far as it is not chance but code.

    Attributes:
        words: what, for which inputs.
        samples: how many outputs of each of the inputs it was constant over.
    """

    words: str
    samples: tuple[int, ...]

    def __post_init__(self) -> None:
        """Write out in the words what a terminal would obey."""
        object.__setattr__(self, "words", printable(self.words))


@dataclass(frozen=True)
class AuditPlan:
    """The power of an audit of n samples, computed before any is drawn.

    Attributes:
        n: samples to test with.
        ceiling: the largest bound that they could give.
        expected: the bound that is reached with probability 0.95 where the target is what the
            auditor says and its eps is the claim; None where it is not said.
        needed: (violation, samples that show it with probability 0.95 or None), for an event of the
            shape that `shape` names.
        shape: see there.
        budget: how many calls there will be and for what, in words; empty where nothing is asked.
        left_out: what the budget leaves no calls for, mostly rules, and why.
    """

    n: int
    ceiling: float
    expected: float | None
    needed: tuple[tuple[float, int | None], ...]
    shape: str
    budget: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AuditResult:
    """The outcome of one audit.

    Attributes:
        target: its name.
        inputs: the audited inputs.
        epsilon, delta: the claim.
        level: the probability that a true claim is called violated, at most, over all inputs and
            events tried.
        mode: "fixed" or "anytime".
        samples: (for learning, for testing), as drawn.
        looked_at: events looked at while learning.
        tested: events tested, the largest bound first.
        plan: what was said before.
        tolerance: a resolution up to this is good enough for `consistent`.
        telling: whether the events could show what the target does with its inputs; without that
            no verdict is `consistent`.
        witnesses: what tells inputs apart every time.
        findings: of the rules.
        trace: (n, bound) while testing; each bound holds at all times together where the mode is
            anytime, else only the last one is a bound.
        pairs: every pair of inputs, the largest bound first, at a part of the level set aside for
            them; empty where inputs are too many.
        upper: upper bounds over a declared output space; None without one.
        approximate: an (eps', delta) that holds whatever the space; None where nothing is known.
        interrupted: stopped by the auditor.
        seed: of the inputs drawn and of the split; the target has randomness of its own.
        seconds: (in the target, of ours).
        skipped: rules that were not looked at, and why.
        place: file and line where the target is written; None where nobody can say.
        calls: calls of the target in all, at most.
        outcomes: exceptions and missing answers by input, the most frequent first.
        fitted: the mechanism that a file of reports was compared with; empty where it was not.
        seen: the smallest eps that such a comparison would have seen; None where none.
        unread: classes of what outputs held and could not be read; empty where all was.
        claimed: whether there was a claim; without one there is an `interval`, and no verdict.
        notes: sentences for the reader that are no part of the verdict.
    """

    target: str
    inputs: tuple[Any, ...]
    epsilon: float
    delta: float
    level: float
    mode: str
    samples: tuple[int, int]
    looked_at: int
    tested: tuple[Tested, ...]
    plan: AuditPlan
    tolerance: float
    telling: bool = True
    witnesses: tuple[AuditWitness, ...] = ()
    findings: tuple[Finding, ...] = ()
    trace: tuple[tuple[int, float], ...] = ()
    pairs: tuple[Pair, ...] = ()
    upper: Upper | None = None
    approximate: Approximate | None = None
    interrupted: bool = False
    seed: int = 0
    seconds: tuple[float, float] = (0.0, 0.0)
    notes: tuple[str, ...] = field(default=())
    skipped: Mapping[str, str] = field(default_factory=dict)
    place: tuple[str, int] | None = None
    calls: int = 0
    outcomes: tuple[AuditOutcome, ...] = ()
    unread: tuple[str, ...] = ()
    claimed: bool = True
    fitted: str = ""
    seen: float | None = None

    def __post_init__(self) -> None:
        """Write out what a terminal would obey: names and answers of a target stand in texts."""
        object.__setattr__(self, "target", printable(self.target))
        for name in ("notes", "unread"):
            object.__setattr__(self, name, tuple(map(printable, getattr(self, name))))
        skipped = {rule: printable(why) for rule, why in self.skipped.items()}
        object.__setattr__(self, "skipped", skipped)

    @property
    def bound(self) -> float:
        """The lower bound on eps."""
        return max((t.bound for t in self.tested), default=0.0)

    @property
    def suspect(self) -> Tested | None:
        """The event that a true claim would seldom show, where none is above the claim.

        It may be a leak that comes too rarely for so many samples at this level.
        """
        if self.bound > self.epsilon:
            return None
        found = min(self.tested, key=lambda t: t.p_value, default=None)
        bar = min(SUSPECT, TIMES * self.level) if self.level >= STRICT else 0.0
        return found if found is not None and found.p_value < bar else None

    @property
    def low_order(self) -> bool:
        """Return whether every event that breaks the claim reads the last digits of a number."""
        above = [t for t in self.tested if t.bound > self.epsilon]
        return bool(above) and all(low_order(t.event) for t in above)

    @property
    def infinite(self) -> bool:
        """Return whether a witness tells two inputs apart every time."""
        return bool(self.witnesses)

    @property
    def resolution(self) -> float | None:
        """The smallest violation that would have been seen, over the events tested."""
        if self.fitted:
            return self.seen
        found = [t.resolution for t in self.tested if t.resolution is not None]
        return min(found, default=None)

    @property
    def verdict(self) -> AuditVerdict:
        """See `AuditVerdict`; a rule that is broken in a way that leaks counts as a violation."""
        if not self.claimed:
            return AuditVerdict.INCONCLUSIVE
        broken = any(f.violates for f in self.findings)
        if self.bound > self.epsilon or self.infinite or broken:
            return AuditVerdict.VIOLATED
        fine = self.resolution is not None and self.resolution <= self.tolerance
        # Whoever stops an audit, the target perhaps, must not make it pass.
        whole = self.telling and not self.interrupted and self.suspect is None
        return AuditVerdict.CONSISTENT if fine and whole else AuditVerdict.INCONCLUSIVE
