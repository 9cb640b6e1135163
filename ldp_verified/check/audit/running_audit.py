"""The state of an audit while it runs, from which a result can be had at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.audit.bounds import anytime
from ldp_verified.check.audit.bounds.bounds import METHODS, Stake, Tally, best_method, lower_bound
from ldp_verified.check.audit.bounds.holm import holm
from ldp_verified.check.audit.bounds.pairs import (
    MOST_INPUTS,
    Featured,
    InputPairs,
    Pair,
    PooledPairs,
    all_pairs,
)
from ldp_verified.check.audit.bounds.significance import p_anytime, p_fixed
from ldp_verified.check.audit.bounds.unseen import Seen
from ldp_verified.check.audit.bounds.upper import Declared, Upper
from ldp_verified.check.audit.claim import FEWEST, Claim, ErrorLevels
from ldp_verified.check.audit.events import features
from ldp_verified.check.audit.events.events import PooledEvent
from ldp_verified.check.audit.events.learn import COVERED, Goal, learn, shares_of
from ldp_verified.check.audit.events.witnesses import Watch
from ldp_verified.check.audit.results.results import UNTESTED, AuditPlan, AuditResult, Tested
from ldp_verified.check.audit.rules.lags import Lags
from ldp_verified.check.audit.rules.rules import APART
from ldp_verified.check.audit.targets.batch import joined
from ldp_verified.check.audit.targets.clock import Clock
from ldp_verified.check.audit.targets.opaque import UNREADABLE
from ldp_verified.check.audit.under_test import EventUnderTest

if TYPE_CHECKING:
    from ldp_verified.check.audit.bounds.unseen import Approximate
    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.events.learn import Learned
    from ldp_verified.check.audit.named.named import Named
    from ldp_verified.check.audit.targets.batch import Batch
    from ldp_verified.check.audit.targets.sources import Source

NEAR = 0.5
"""`consistent` is said only where whole outputs were compared for this share of the samples, or an
event reaches this part of the claim: events that show nothing show nothing."""

MOST_WATCHED = 64
"""Pairs of more inputs than this are looked at once, at the end."""

FIRST = 0.5
"""Part of the level that the most promising event gets."""

Progress = Callable[[str, int, int, float], None]
"""Takes what is being done, how many samples are done and wanted, and the running bound."""


class Course:
    """Run an audit batch by batch: learn events first, then test them."""

    def __init__(
        self,
        source: Source,
        claim: Claim,
        levels: ErrorLevels,
        rng: np.random.Generator,
        progress: Progress | None,
        known: Named | None,
        readings: tuple[str, ...],
    ) -> None:
        self.readings, self.levels = readings, levels
        self.covered = 1.0 if known is not None else 0.0
        self.source, self.claim, self.rng = source, claim, rng
        self.progress = progress or (lambda *_: None)
        self.known = known
        self.clock = Clock()
        self.watch = Watch(source.inputs, claim.epsilon, claim.delta, levels.witnesses)
        self.entries: list[EventUnderTest] = []
        self.looked = 0
        self.drawn = [0, 0]
        self.trace: list[tuple[int, float]] = []
        self.interrupted = False
        self.stopped = False
        self.cut = False
        self.cuts: Mapping[str, str] = {}
        self.declared: Declared | None = None
        self.pairs: InputPairs | None = None
        self.seen: Seen | None = None
        self.said: list[str] = []
        self.lags = Lags(source, claim, levels.lags, rng) if levels.lags else None

    def given(self, events: Sequence[Event]) -> None:
        """Test these events, with equal parts of the level."""
        level = self.levels.events / len(events)
        self.entries = [EventUnderTest.of(event, level, self.claim) for event in events]
        self.looked = len(events)

    def learn(self, count: int, testing: int) -> None:
        """Choose the events, their methods and their parts of the level."""
        claim, level = self.claim, self.levels.events
        if self.known is not None:
            event = self.known.event(self.source.inputs)
            method = best_method(
                self.known.plus, self.known.minus, testing, event.stake, level, claim.delta
            )
            self.entries = [EventUnderTest.of(event, level, claim, method)]
            self.looked = 1
            if isinstance(event, PooledEvent) and len(self.source.inputs) <= MOST_INPUTS:
                self.pairs = PooledPairs(event)
            return
        parts = []
        for batch in self.clock.drawn(self.source.batches(count, self.rng, 0)):
            self.watch.see(batch)
            if self.lags is not None:
                self.lags.see(batch)
            parts.append(batch)
            self.drawn[0] += len(batch)
            self.progress("learning events", self.drawn[0], count, 0.0)
        if self._cut("learning") and self.drawn[0] < FEWEST:
            return
        goal = Goal(testing, FIRST * level, claim.delta, claim.mode == "anytime")
        whole = joined(parts)
        learnt = learn(whole, self.source.inputs, goal, self.rng, self.readings, self.source.left)
        found, self.looked, self.covered = learnt.candidates, learnt.looked_at, learnt.covered
        self.cuts = learnt.cuts
        rest = (1 - FIRST) / max(len(found) - 1, 1)
        for place, candidate in enumerate(found):
            share = 1.0 if len(found) == 1 else FIRST if place == 0 else rest
            method = ""
            if claim.delta and claim.mode == "fixed":
                method = best_method(
                    candidate.plus,
                    candidate.minus,
                    testing,
                    candidate.event.stake,
                    share * level,
                    claim.delta,
                )
            event = candidate.event
            self.entries.append(EventUnderTest.of(event, share * level, claim, method))
        self._all_pairs(whole, learnt, testing)

    def _all_pairs(self, whole: Batch, learnt: Learned, testing: int) -> None:
        """Fix an event for each pair, and the outputs whose probabilities are bounded above."""
        k = len(self.source.inputs)
        shares = {name: shares_of(whole, name, k) for name in learnt.telling[:1]}
        first = learnt.candidates[0].event if learnt.candidates else None
        if isinstance(first, PooledEvent) and k <= MOST_INPUTS:
            self.pairs = PooledPairs(first)
        for name, found in shares.items():
            if self.pairs is None and found is not None:
                self.pairs = Featured(name, *found, 2 * testing // k)
        if learnt.covered > NEAR:
            labels = features.values("value", whole)
            often = np.bincount(labels.codes, minlength=len(labels.labels)) > 1
            self.seen = Seen.of(k, [labels.labels[i] for i in np.flatnonzero(often).tolist()])

    def test(self, count: int) -> None:
        """Count the events' sides; in anytime mode stop when decided."""
        for batch in self.clock.drawn(self.source.batches(count, self.rng, 1)):
            self._see(batch)
            self.drawn[1] += len(batch)
            running = max([*(e.anytime(self.claim) for e in self.entries), self._running_pair()])
            self.trace.append((self.drawn[1], running))
            self.progress("testing events", self.drawn[1], count, running)
            if self.claim.mode == "anytime" and self._decided(running):
                self.stopped = True
                return
        self.cut = self._cut("testing")

    def _cut(self, part: str) -> bool:
        """Return whether the source had fewer samples than it was asked for; that is said."""
        if self.source.cut:
            self.said.append(f"{self.source.cut}, while {part}")
        return bool(self.source.cut)

    def _see(self, batch: Batch) -> None:
        """Count one batch everywhere."""
        self.watch.see(batch)
        if self.lags is not None:
            self.lags.see(batch)
        if self.declared is not None:
            self.declared.see(batch)
        sides = None
        for entry in self.entries:
            own = entry.see(batch, self.rng)
            sides = own if sides is None else sides
        if self.pairs is not None:
            self.pairs.see(batch, sides)
        if self.seen is not None:
            self.seen.see(batch)

    def _running_pair(self) -> float:
        """The bound of the pair that looks worst: all of them hold at all times together."""
        if self.pairs is None or len(self.source.inputs) > MOST_WATCHED:
            return 0.0
        found = list(self.pairs.tallies())
        worst = max((t for _, _, t in found), key=lambda t: (t.plus + 1) / (t.minus + 1))
        level = self.levels.pairs / len(found)
        return anytime.lower_bound(worst, Stake(), level, self.claim.delta)

    def _decided(self, running: float) -> bool:
        """Violated, or every event's own odds shown to be no violation worth naming."""
        if running > self.claim.epsilon:
            return True
        return bool(self.entries) and all(entry.clear(self.claim) for entry in self.entries)

    def result(self, before: AuditPlan, seed: int) -> AuditResult:
        """Return the result of the samples seen so far."""
        claim = self.claim
        sequential = claim.mode == "anytime" or self.interrupted or self.cut
        inputs = self.source.inputs
        tested = [entry.tested(claim, inputs, sequential=sequential) for entry in self.entries]
        tested = holm(tested, sum(entry.level for entry in self.entries))
        pairs = self._pairs(sequential)
        tested += self._worst_pair(tested, pairs, sequential)
        tested.sort(key=lambda t: -t.bound)
        witnesses, findings = self.watch.witnesses()
        skipped = {**dict.fromkeys(APART, "is no part of this audit"), **self.watch.skipped()}
        skipped |= self.cuts
        if self.lags is not None:
            alone = any(each.rejects for each in tested) or bool(witnesses)
            findings += self.lags.findings(sequential=sequential, alone=alone)
        if self.lags is None or not self.lags.tested:
            why = "the order of a file is not ours" if self.lags is None else "too few samples"
            skipped["LDP013"] = why
        return AuditResult(
            target=self.source.name,
            inputs=self.source.inputs,
            epsilon=claim.epsilon,
            delta=claim.delta,
            level=claim.level,
            mode=claim.mode,
            samples=(self.drawn[0], self.drawn[1]),
            looked_at=self.looked + len(pairs),
            tested=tuple(tested),
            plan=before,
            tolerance=claim.seen,
            telling=self._telling(tested),
            witnesses=tuple(witnesses),
            findings=tuple(findings),
            trace=_thinned(self.trace),
            pairs=pairs,
            upper=self._upper(sequential),
            approximate=self._approximate(sequential),
            interrupted=self.interrupted,
            seed=seed,
            seconds=self.clock.seconds,
            notes=tuple(self._notes(tested)),
            skipped=skipped,
            outcomes=self.watch.outcomes(),
            unread=tuple(sorted(self.watch.unread)),
            claimed=claim.stated,
        )

    def _pairs(self, sequential: bool) -> tuple[Pair, ...]:
        if self.pairs is None or not self.drawn[1]:
            return ()
        delta, method = self.claim.delta, METHODS[1] if self.claim.delta else METHODS[0]

        def bound(tally: Tally, stake: Stake, level: float) -> float:
            if sequential:
                return anytime.lower_bound(tally, stake, level, delta)
            return lower_bound(tally, stake, level, delta, method)

        return all_pairs(self.pairs, self.levels.pairs, bound)

    def _worst_pair(
        self, tested: list[Tested], pairs: tuple[Pair, ...], sequential: bool
    ) -> list[Tested]:
        """The pair with the largest bound as an event of its own, where it says most."""
        if not pairs or self.pairs is None:
            return []
        worst, claim = pairs[0], self.claim
        if worst.bound <= max([*(t.bound for t in tested), 0.0]):
            return []
        event, level = self.pairs.event(worst.x, worst.x2), self.levels.pairs / len(pairs)
        method = METHODS[1] if claim.delta else METHODS[0]
        if sequential:
            p_value, method = p_anytime(worst.tally, Stake(), claim), "anytime"
        else:
            p_value = p_fixed(worst.tally, Stake(), claim, method)
        words = event.describe(self.source.inputs)
        rejects = worst.bound > claim.epsilon
        return [
            Tested(event, words, worst.tally, method, level, worst.bound, p_value, rejects, None)
        ]

    def _notes(self, tested: list[Tested]) -> list[str]:
        notes = list(self.said)
        if self.cut:
            notes.append("so bounds are those that hold at every time")
        if self.interrupted and not self.drawn[1]:
            notes.append(UNTESTED)
        elif self.interrupted:
            notes.append(
                "interrupted: bounds are those that hold at every time, so that stopping when one "
                "likes does not bend them"
            )
        if self.known is not None:
            notes.append(
                f"only the event of {self.known.name} was tested: without --as other ways to leak "
                "are looked for"
            )
        if self.stopped:
            notes.append("stopped early: decided")
        if self.watch.failing:
            notes.append(
                "most outputs are exceptions or missing answers: what it reports when it works was "
                "hardly seen"
            )
        if self.watch.unread:
            notes.append(UNREADABLE.format(", ".join(sorted(self.watch.unread))))
        elif self.entries and not self.watch.failing and not self._telling(tested):
            notes.append(
                "most outputs come too seldom to be compared one by one, and no event tested comes "
                "near the claim: say what it is (--as) or how to read it (--reading; of a report "
                "with a hash's seed, hash:MODULE:FUNCTION with FUNCTION(seed, value) -> bucket)"
            )
        return notes

    def _upper(self, sequential: bool) -> Upper | None:
        """The upper bounds, if outputs are declared and n was not chosen by looking at results."""
        if self.declared is None or sequential:
            return None
        return self.declared.bound(self.claim.level, self.claim.epsilon)

    def _approximate(self, sequential: bool) -> Approximate | None:
        """The approximate bound from outputs seen, if n was not chosen by looking at results."""
        if self.seen is None or sequential:
            return None
        return self.seen.bound(self.claim.level, self.claim.epsilon)

    def _telling(self, tested: list[Tested]) -> bool:
        """Return whether the events could have shown what the target does with its inputs."""
        if self.watch.failing or self.watch.unread:
            return False
        near = max((t.bound for t in tested), default=0.0) >= NEAR * self.claim.epsilon
        return self.covered >= COVERED or near


def _thinned(trace: list[tuple[int, float]], most: int = 400) -> tuple[tuple[int, float], ...]:
    step = max(1, -(-len(trace) // most))
    return tuple(trace[::step]) if not trace else (*trace[:-1:step], trace[-1])
