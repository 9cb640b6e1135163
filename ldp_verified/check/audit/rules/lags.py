"""Rule LDP013 tests what a report says about the inputs before its own.

A target that keeps the last value and sends it with the next report tells each user's value one
report late. Every report is independent of its own input, and nothing that compares the two sees
it. So events are also learnt and tested between a report and the input one and two steps before.

Only pairs that share no sample are compared: of four samples in a row, inputs 0 and 2 with outputs
1 and 3, and inputs 0 and 1 with outputs 2 and 3. Where reports depend on their own inputs alone,
such pairs are independent of each other, so that the bounds of `bounds` are exact.

One that masks each report with the one before tells nothing in any report alone, and everything in
two. So two reports in a row are also read as one, of the first or of the second input. Where
reports depend on their own inputs alone, the other report is noise that anybody can add.

What one input, or noise that is used again, hides is open to whoever knows the earlier of two
inputs: its owner, or a server that was told it. So the earlier input and both reports are also read
as one, for the later input. Where reports depend on their own inputs alone, the earlier input is
independent of the later report, and both are noise that anybody can add. Noise may be used again
for the second, fourth, ... report only, or for the other half of a batch: pairs begin at even
places, at odd places, and half a batch apart.

Inputs further back are looked for in clear (`far_back`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.bounds import anytime
from ldp_verified.check.audit.bounds.bounds import METHODS, Tally, lower_bound
from ldp_verified.check.audit.events.learn import Goal, learn
from ldp_verified.check.audit.rules.far_back import FarBack
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.batch import joined
from ldp_verified.scalars import is_number, nearest_float

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.audit.claim import Claim
    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.targets.batch import Batch
    from ldp_verified.check.audit.targets.sources import Source

ROWS = {1: ((0, 2), (1, 3)), 2: ((0, 1), (2, 3))}
"""Steps back -> the places, among four samples in a row, of inputs and of the later outputs."""

MASKED, MASKING = "second", "first"
TWO = {MASKED: (1, 3), MASKING: (0, 2)}
"""Which of two reports in a row is asked about -> the places of its input among four samples."""

KNOWN = {"beside": (0, 2), "beside, from odd places": (1, 3), "half a batch before": ()}
"""Where the known input stands -> the places of the first of each pair among four samples; one
beside the last place belongs to the four that follow."""

FAR = 0.2
"""Part of the level for inputs further back, which are looked for in clear only."""

SPARSE = 4
"""Of many pairs with a known input every fourth is tested: noise that is used again tells a lot."""

MANY = 20_000
"""Samples to test with from which on pairs are many."""

MOST_LEARNT = 20_000
FEWEST = 60


@dataclass
class _Step:
    """One question: what was seen to learn from, then the events and their counts.

    Attributes:
        back: steps back to the input; which of two reports in a row is asked about; or where the
            known input stands.
    """

    back: int | str
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
        self.steps = [*map(_Step, ROWS), *map(_Step, TWO), *map(_Step, KNOWN)]
        self.far = FarBack(source.inputs)
        self.learning = min(claim.n // 4, MOST_LEARNT)
        self.seen = 0

    def see(self, batch: Batch) -> None:
        """Count a batch; the first ones are for learning."""
        self.far.see(batch)
        whole = len(batch) // 4 * 4
        blocks = np.arange(0, whole, 4)
        for step in self.steps:
            if step.back in KNOWN:
                first, second = _pairs(whole, KNOWN[str(step.back)])
                learns = self.seen < self.learning
                kept = slice(None, None, 1 if learns or self.claim.n < MANY else SPARSE)
                own = _known(batch, first[kept], second[kept])
            elif step.back in TWO:
                own = _two(batch, blocks, TWO[str(step.back)])
            else:
                before, after = ROWS[int(step.back)]
                late = batch.take(_places(blocks, after))
                own = type(batch)(batch.inputs[_places(blocks, before)], late.outputs, late.forms)
            if self.seen < self.learning:
                step.parts.append(own)
            else:
                self._count(step, own)
        self.seen += whole

    def _count(self, step: _Step, batch: Batch) -> None:
        if step.parts:
            known = joined(step.parts)
            step.parts = []
            if len(known) >= FEWEST and self.source.left() > 0:
                testing = max(self.claim.n - self.learning, 4) // 2
                share = (1 - FAR) * self.level / len(self.steps)
                goal = Goal(testing, share, self.claim.delta)
                found = learn(known, self.source.inputs, goal, self.rng, (), self.source.left)
                step.events = [candidate.event for candidate in found.candidates]
                step.tallies = [Tally(0, 0, 0)] * len(step.events)
        for i, event in enumerate(step.events):
            step.tallies[i] = step.tallies[i] + event.count(batch, self.rng)

    def findings(self, *, sequential: bool, alone: bool) -> list[Finding]:
        """LDP013, once for each step whose bound is above the claim.

        Args:
            sequential: the bounds must hold at every time.
            alone: a report breaks the claim alone. Two of them do then too, as they do where one
                tells earlier inputs; it is not said again.
        """
        found: list[Finding] = []
        delta = self.claim.delta
        for step in self.steps:
            if (alone or found) and isinstance(step.back, str):
                continue
            level = (1 - FAR) * self.level / len(self.steps) / max(len(step.events), 1)
            for event, tally in zip(step.events, step.tallies, strict=True):
                if sequential:
                    bound = anytime.lower_bound(tally, event.stake, level, delta)
                else:
                    method = METHODS[1] if delta else METHODS[0]
                    bound = lower_bound(tally, event.stake, level, delta, method)
                if bound > self.claim.epsilon:
                    words = (
                        f"{_told(step.back)}: eps >= {bound:.4g} "
                        f"about that one ({tally.plus} against {tally.minus} of {tally.n}; "
                        f"{event.describe(self.source.inputs)})"
                    )
                    found.append(Finding("LDP013", words, {"back": step.back, "bound": bound}))
                    break
        if alone or found:
            return found
        level = FAR * self.level
        return self.far.findings(self.claim.epsilon, level, delta, sequential=sequential)

    @property
    def tested(self) -> bool:
        """Return whether any event was tested."""
        return any(step.events for step in self.steps)


def _told(back: int | str) -> str:
    if back in KNOWN:
        return f"a report and the input and report {back} tell its own input"
    if back in TWO:
        return f"two reports in a row tell the input of the {back}"
    return f"a report tells the input {back} before its own"


def _places(first: NDArray[np.int64], places: tuple[int, ...]) -> NDArray[np.int64]:
    return np.concatenate([first + place for place in places])


def _two(batch: Batch, first: NDArray[np.int64], places: tuple[int, ...]) -> Batch:
    """Return a batch with two reports in a row as one output, and the inputs at `places`."""
    one, other = (batch.take(_places(first, each)) for each in ((0, 2), (1, 3)))
    both = [_joint(a, b) for a, b in zip(one.outputs, other.outputs, strict=True)]
    return type(batch)(batch.inputs[_places(first, places)], both)


def _pairs(whole: int, places: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of the first and of the second sample of pairs that share none."""
    if not places:
        first = np.arange(0, whole // 2)
        return first, first + whole // 2
    first = _places(np.arange(0, whole, 4), places)
    first = first[first < whole - 1]
    return first, first + 1


def _known(batch: Batch, first: NDArray[np.int64], second: NDArray[np.int64]) -> Batch:
    """Return a batch with the input and the report of the first, and the report of the second.

    Args:
        batch: the samples.
        first, second: their places; the inputs asked about are those of the second.
    """
    one, other = batch.take(first), batch.take(second)
    rows = zip(one.inputs.tolist(), _plain(one), _plain(other), strict=True)
    return type(batch)(other.inputs, [[at, *_joint(a, b)] for at, a, b in rows])


def _plain(batch: Batch) -> Any:
    """Return the outputs; a column of numbers as Python's own."""
    outputs = batch.outputs
    return outputs.tolist() if isinstance(outputs, np.ndarray) and outputs.ndim == 1 else outputs


def _joint(one: Any, other: Any) -> Any:
    """Return both, and where they are numbers what must be added; of vectors that alone."""
    if _row(one) and _row(other) and len(one) == len(other):
        return [_added(a, b) for a, b in zip(one, other, strict=True)]
    added = _added(one, other)
    return (one, other) if added is None else (one, other, added)


def _row(output: Any) -> bool:
    return isinstance(output, list | tuple) or (isinstance(output, np.ndarray) and output.ndim == 1)


def _added(one: Any, other: Any) -> Any:
    if not all(is_number(part) or isinstance(part, bool | np.bool_) for part in (one, other)):
        return None
    one, other = (part.item() if isinstance(part, np.generic) else part for part in (one, other))
    try:
        return other - one
    except OverflowError:  # a float and an integer beyond floats
        return nearest_float(other) - nearest_float(one)
