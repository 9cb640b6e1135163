"""LDP013: what a report says about the inputs before its own.

A target that keeps the last value and sends it with the next report tells each user's value one
report late. Every report is independent of its own input, and nothing that compares the two sees
it. So events are also learnt and tested between a report and the input one and two steps before.

Only pairs that share no sample are compared: of four samples in a row, inputs 0 and 2 with outputs
1 and 3, and inputs 0 and 1 with outputs 2 and 3. Where reports depend on their own inputs alone,
such pairs are independent of each other, so that the bounds of `bounds` are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.audit.bounds import anytime
from ldp_verified.check.audit.bounds.bounds import METHODS, Tally, lower_bound
from ldp_verified.check.audit.events.learn import Goal, learn
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.batch import joined

if TYPE_CHECKING:
    from ldp_verified.check.audit.claim import Claim
    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.targets.batch import Batch
    from ldp_verified.check.audit.targets.sources import Source

ROWS = {1: ((0, 2), (1, 3)), 2: ((0, 1), (2, 3))}
"""For each step: places of inputs among four samples in a row, and of the outputs after them."""

MOST_LEARNT = 20_000
FEWEST = 60


@dataclass
class _Step:
    """One step back: what was seen to learn from, then the events and their counts."""

    back: int
    parts: list[Batch] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)


class Lags:
    """Counts events between reports and earlier inputs.

    Args:
        source: of the samples, in the order in which the target is asked.
        claim: what is claimed.
        level: of all bounds here together.
        rng: of the audit.
    """

    def __init__(
        self, source: Source, claim: Claim, level: float, rng: np.random.Generator
    ) -> None:
        self.source, self.claim, self.level, self.rng = source, claim, level, rng
        self.steps = [_Step(back) for back in ROWS]
        self.learning = min(claim.n // 4, MOST_LEARNT)
        self.seen = 0

    def see(self, batch: Batch) -> None:
        """Count a batch; the first ones are for learning."""
        whole = len(batch) // 4 * 4
        first = np.arange(0, whole, 4)
        for step in self.steps:
            before, after = ROWS[step.back]
            rows = np.concatenate([first + place for place in after])
            late = batch.take(rows)
            inputs = batch.inputs[np.concatenate([first + place for place in before])]
            own = type(batch)(inputs, late.outputs)
            if self.seen < self.learning:
                step.parts.append(own)
            else:
                self._count(step, own)
        self.seen += whole

    def _count(self, step: _Step, batch: Batch) -> None:
        if step.parts:
            known = joined(step.parts)
            step.parts = []
            if len(known) >= FEWEST:
                testing = max(self.claim.n - self.learning, 4) // 2
                goal = Goal(testing, self.level / 4, self.claim.delta)
                found = learn(known, self.source.inputs, goal, self.rng)
                step.events = [candidate.event for candidate in found.candidates]
                step.tallies = [Tally(0, 0, 0)] * len(step.events)
        for i, event in enumerate(step.events):
            step.tallies[i] = step.tallies[i] + event.count(batch, self.rng)

    def findings(self, *, sequential: bool) -> list[Finding]:
        """LDP013, once for each step whose bound is above the claim."""
        found = []
        delta = self.claim.delta
        for step in self.steps:
            level = self.level / len(ROWS) / max(len(step.events), 1)
            for event, tally in zip(step.events, step.tallies, strict=True):
                if sequential:
                    bound = anytime.lower_bound(tally, event.stake, level, delta)
                else:
                    method = METHODS[1] if delta else METHODS[0]
                    bound = lower_bound(tally, event.stake, level, delta, method)
                if bound > self.claim.epsilon:
                    words = (
                        f"a report tells the input {step.back} before its own: eps >= {bound:.4g} "
                        f"about that one ({tally.plus} against {tally.minus} of {tally.n}; "
                        f"{event.describe(self.source.inputs)})"
                    )
                    found.append(Finding("LDP013", words, {"back": step.back, "bound": bound}))
                    break
        return found

    @property
    def tested(self) -> bool:
        """Return whether any event was tested."""
        return any(step.events for step in self.steps)
