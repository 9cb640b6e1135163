"""An audit: learn events on one part of the samples, test them on the other."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import binom

from ldp_verified.audit import anytime
from ldp_verified.audit.batch import joined
from ldp_verified.audit.bounds import (
    METHODS,
    Tally,
    best_method,
    check_claim,
    check_level,
    lower_bound,
)
from ldp_verified.audit.clock import Clock
from ldp_verified.audit.holm import holm
from ldp_verified.audit.learn import Goal, learn
from ldp_verified.audit.named import Named, named
from ldp_verified.audit.plan import plan, resolution
from ldp_verified.audit.readings import check
from ldp_verified.audit.results import AuditResult, Plan, Tested
from ldp_verified.audit.upper import Declared, Upper
from ldp_verified.audit.witnesses import Watch
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.audit.events import Event
    from ldp_verified.audit.sources import Source

LEVEL = 0.01
SAMPLES = 200_000
LEARNING = 0.5
FEWEST = 100
MARGIN = 0.25
"""A violation a quarter above the claim (0.1 at least) must have been visible for `consistent`."""

COVERED = 0.99
NEAR = 0.5
"""`consistent` is said only where whole outputs were compared for this share of the samples, or an
event reaches this part of the claim: events that show nothing show nothing."""

FIRST = 0.5
"""Part of the level that the most promising event gets."""

Progress = Callable[[str, int, int, float], None]
"""Takes what is being done, how many samples are done and wanted, and the running bound."""


@dataclass(frozen=True)
class Claim:
    """What is audited, and how.

    Attributes:
        epsilon, delta: the claim.
        level: the probability of calling a true claim violated, at most.
        n: samples in all.
        mode: "fixed" or "anytime".
        tolerance: see `AuditResult`; None for the usual margin.
    """

    epsilon: float
    delta: float = 0.0
    level: float = LEVEL
    n: int = SAMPLES
    mode: str = "fixed"
    tolerance: float | None = None

    def __post_init__(self) -> None:
        check_claim(self.epsilon, self.delta)
        check_level(self.level)
        if isinstance(self.n, bool) or self.n < FEWEST:
            raise ParameterError("n", f"must be at least {FEWEST}", self.n)
        if self.mode not in ("fixed", "anytime"):
            raise ParameterError("mode", "must be fixed or anytime", self.mode)

    @property
    def seen(self) -> float:
        """The resolution that is good enough."""
        if self.tolerance is not None:
            return self.tolerance
        return self.epsilon + max(MARGIN * self.epsilon, 0.1)


@dataclass
class _Entry:
    """An event under test."""

    event: Event
    level: float
    method: str
    tally: Tally = field(default_factory=lambda: Tally(0, 0, 0))


def audit(
    source: Source,
    claim: Claim,
    *,
    mechanism: str | None = None,
    parameters: Mapping[str, object] | None = None,
    reading: str | None = None,
    events: Sequence[Event] = (),
    outputs: Sequence[Any] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    told: Callable[[Plan], None] | None = None,
) -> AuditResult:
    """Bound the eps of a target from below, and say whether its claim stands.

    Args:
        source: the target.
        claim: what it claims, and how much work to spend.
        mechanism: what it is said to be: a spec's name. All samples then go to its own event.
        parameters: of that spec.
        reading: how to read outputs, for `mechanism`; without it, one more reading to try.
        events: test these instead of learning any, as in a replay; all samples go to the test.
        outputs: all outputs that there may be, on the auditor's word; eps is then bounded from
            above too.
        seed: of the inputs drawn and of the split.
        progress: told how far it is.
        told: told the plan before any sample is drawn.

    Raises:
        ParameterError: an argument out of range, or too few rows in a file.
    """
    if claim.mode == "anytime" and not source.live:
        raise ParameterError("mode", "must be fixed for a file: its order is not ours", claim.mode)
    inputs = source.inputs
    known = None
    if mechanism is not None:
        known = named(mechanism, claim.epsilon, len(inputs), parameters, reading)
    seed = secrets.randbits(63) if seed is None else seed
    rng = np.random.default_rng([seed, 0xA0D17])
    learning = 0.0 if known or events else LEARNING if claim.mode == "fixed" else 0.2
    if events and not source.live:
        learning = LEARNING  # the rows that chose the events must not test them
    first, second, risk = source.sizes(claim.n, learning)
    if known is not None or events:
        first = 0
    if second < FEWEST // 2:
        raise ParameterError("n", f"must leave {FEWEST // 2} samples to test with", second)
    level = claim.level - risk
    if level <= 0:
        raise ParameterError("level", f"must be above {risk:g} for this target", claim.level)
    top = level if known else FIRST * level
    before = plan(second, len(inputs), top, claim.epsilon, claim.delta, known)
    if told is not None:
        told(before)
    if reading is not None:
        check(reading)
    state = _Run(source, claim, rng, progress, known, () if reading is None else (reading,))
    if outputs is not None:
        state.declared = Declared(len(inputs), outputs)
    try:
        if events:
            state.given(events, level)
        else:
            state.learn(first, second, level)
        state.test(second)
    except KeyboardInterrupt:
        state.interrupted = True
    finally:
        source.close()
    return state.result(before, seed)


class _Run:
    """The state of an audit, from which a result can be had at any time."""

    def __init__(
        self,
        source: Source,
        claim: Claim,
        rng: np.random.Generator,
        progress: Progress | None,
        known: Named | None,
        readings: tuple[str, ...],
    ) -> None:
        self.readings = readings
        self.covered = 1.0 if known is not None else 0.0
        self.source, self.claim, self.rng = source, claim, rng
        self.progress = progress or (lambda *_: None)
        self.known = known
        self.clock = Clock()
        self.watch = Watch(source.inputs, claim.epsilon, claim.delta)
        self.entries: list[_Entry] = []
        self.looked = 0
        self.drawn = [0, 0]
        self.trace: list[tuple[int, float]] = []
        self.interrupted = False
        self.stopped = False
        self.declared: Declared | None = None

    def given(self, events: Sequence[Event], level: float) -> None:
        """Test these events, with equal parts of the level."""
        method = METHODS[1] if self.claim.delta else METHODS[0]
        self.entries = [_Entry(event, level / len(events), method) for event in events]
        self.looked = len(events)

    def learn(self, count: int, testing: int, level: float) -> None:
        """Choose the events, their methods and their parts of the level."""
        claim = self.claim
        if self.known is not None:
            event = self.known.event(self.source.inputs)
            method = best_method(
                self.known.plus, self.known.minus, testing, event.stake, level, claim.delta
            )
            self.entries = [_Entry(event, level, method)]
            self.looked = 1
            return
        parts = []
        for batch in self.clock.drawn(self.source.batches(count, self.rng, 0)):
            self.watch.see(batch)
            parts.append(batch)
            self.drawn[0] += len(batch)
            self.progress("learning events", self.drawn[0], count, 0.0)
        goal = Goal(testing, FIRST * level, claim.delta)
        learnt = learn(joined(parts), self.source.inputs, goal, self.rng, self.readings)
        found, self.looked, self.covered = learnt.candidates, learnt.looked_at, learnt.covered
        rest = (1 - FIRST) / max(len(found) - 1, 1)
        for place, candidate in enumerate(found):
            share = 1.0 if len(found) == 1 else FIRST if place == 0 else rest
            method = METHODS[1] if claim.delta else METHODS[0]
            if claim.delta and claim.mode == "fixed":
                method = best_method(
                    candidate.plus,
                    candidate.minus,
                    testing,
                    candidate.event.stake,
                    share * level,
                    claim.delta,
                )
            self.entries.append(_Entry(candidate.event, share * level, method))

    def test(self, count: int) -> None:
        """Count the events' sides; in anytime mode stop when decided."""
        for batch in self.clock.drawn(self.source.batches(count, self.rng, 1)):
            self.watch.see(batch)
            if self.declared is not None:
                self.declared.see(batch)
            for entry in self.entries:
                entry.tally = entry.tally + entry.event.count(batch, self.rng)
            self.drawn[1] += len(batch)
            running = max((self._anytime(e) for e in self.entries), default=0.0)
            self.trace.append((self.drawn[1], running))
            self.progress("testing events", self.drawn[1], count, running)
            if self.claim.mode == "anytime" and self._decided(running):
                self.stopped = True
                return

    def _anytime(self, entry: _Entry) -> float:
        return anytime.lower_bound(entry.tally, entry.event.stake, entry.level, self.claim.delta)

    def _decided(self, running: float) -> bool:
        """Violated, or every event's own odds shown to be no violation worth naming."""
        if running > self.claim.epsilon:
            return True
        if self.claim.delta or not self.entries:
            return False
        return all(
            anytime.upper_ratio(e.tally, e.event.stake, e.level) <= self.claim.seen
            for e in self.entries
        )

    def result(self, before: Plan, seed: int) -> AuditResult:
        """What is known so far."""
        claim = self.claim
        sequential = claim.mode == "anytime" or self.interrupted
        tested = []
        for entry in self.entries:
            if sequential:
                bound, p_value = self._anytime(entry), self._p_anytime(entry)
            else:
                bound = lower_bound(
                    entry.tally, entry.event.stake, entry.level, claim.delta, entry.method
                )
                p_value = self._p_fixed(entry)
            tested.append(
                Tested(
                    entry.event,
                    entry.event.describe(self.source.inputs),
                    entry.tally,
                    "anytime" if sequential else entry.method,
                    entry.level,
                    bound,
                    p_value,
                    False,
                    self._resolution(entry, sequential),
                )
            )
        tested = holm(tested, sum(entry.level for entry in self.entries))
        tested.sort(key=lambda t: -t.bound)
        witnesses, findings = self.watch.witnesses()
        notes = []
        if self.interrupted:
            notes.append(
                "interrupted: bounds are those that hold at every time, so that stopping when one "
                "likes does not bend them"
            )
        if self.stopped:
            notes.append("stopped early: decided")
        if self.entries and not self._telling(tested):
            notes.append(
                "most outputs come too seldom to be compared one by one, and no event tested comes "
                "near the claim: say what it is (--as) or how to read it (--reading)"
            )
        return AuditResult(
            target=self.source.name,
            inputs=self.source.inputs,
            epsilon=claim.epsilon,
            delta=claim.delta,
            level=claim.level,
            mode=claim.mode,
            samples=(self.drawn[0], self.drawn[1]),
            looked_at=self.looked,
            tested=tuple(tested),
            plan=before,
            tolerance=claim.seen,
            telling=self._telling(tested),
            witnesses=tuple(witnesses),
            findings=tuple(findings),
            trace=_thinned(self.trace),
            upper=self._upper(sequential),
            interrupted=self.interrupted,
            seed=seed,
            seconds=self.clock.seconds,
            notes=tuple(notes),
        )

    def _upper(self, sequential: bool) -> Upper | None:
        """At a size that was not chosen by looking."""
        if self.declared is None or sequential:
            return None
        return self.declared.bound(self.claim.level, self.claim.epsilon)

    def _telling(self, tested: list[Tested]) -> bool:
        """Whether the events could have shown what the target does with its inputs."""
        near = max((t.bound for t in tested), default=0.0) >= NEAR * self.claim.epsilon
        return self.covered >= COVERED or near

    def _p_anytime(self, entry: _Entry) -> float:
        evidence = anytime.log_evidence(
            entry.tally, entry.event.stake, self.claim.epsilon, self.claim.delta
        )
        return float(np.exp(-max(evidence, 0.0)))

    def _p_fixed(self, entry: _Entry) -> float:
        """The smallest level at which this event alone would reject the claim."""
        tally, stake, claim = entry.tally, entry.event.stake, self.claim
        if entry.method == "conditional":
            null = 1 / (1 + stake.odds * float(np.exp(-claim.epsilon)))
            return float(binom.sf(tally.plus - 1, tally.plus + tally.minus, null))
        low, high = -300.0, 0.0
        for _ in range(50):
            middle = (low + high) / 2
            level = float(np.exp(middle))
            found = lower_bound(tally, stake, level, claim.delta, entry.method)
            low, high = (low, middle) if found > claim.epsilon else (middle, high)
        return float(np.exp(high))

    def _resolution(self, entry: _Entry, sequential: bool) -> float | None:
        stake, claim = entry.event.stake, self.claim
        if not sequential:
            return resolution(
                entry.tally, stake, entry.level, claim.epsilon, claim.delta, entry.method
            )
        if claim.delta or entry.tally.n == 0:
            return None
        # Where the event's odds have been bounded from above at all times, that is the resolution.
        found = anytime.upper_ratio(entry.tally, stake, entry.level)
        return max(found, claim.epsilon) if np.isfinite(found) else None


def _thinned(trace: list[tuple[int, float]], most: int = 400) -> tuple[tuple[int, float], ...]:
    step = max(1, -(-len(trace) // most))
    return tuple(trace[::step]) if not trace else (*trace[:-1:step], trace[-1])
