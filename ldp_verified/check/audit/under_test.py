"""An event under test: its counts while samples come, and what they show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.audit.bounds import anytime, strata
from ldp_verified.check.audit.bounds.bounds import METHODS, Tally, lower_bound
from ldp_verified.check.audit.bounds.significance import p_anytime, p_fixed
from ldp_verified.check.audit.bounds.strata import STRATIFIED, Strata
from ldp_verified.check.audit.events.events import PooledEvent
from ldp_verified.check.audit.results.plan import SEEN, resolution
from ldp_verified.check.audit.results.results import Tested

if TYPE_CHECKING:
    from typing import Any, Self

    from numpy.typing import NDArray

    from ldp_verified.check.audit.claim import Claim
    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.targets.batch import Batch

    Sides = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass
class EventUnderTest:
    """One event and its counts.

    Attributes:
        event: what is counted.
        level: its part of the audit's level.
        method: of its bound.
        tally: the counts of its sides.
        strata: by how many inputs outputs speak for, where its bound rests on them.
    """

    event: Event
    level: float
    method: str
    tally: Tally = field(default_factory=lambda: Tally(0, 0, 0))
    strata: Strata | None = None

    @classmethod
    def of(cls, event: Event, level: float, claim: Claim, method: str = "") -> Self:
        """Put an event under test, by the bound that fits the claim.

        Strata are used where delta is 0, outputs speak for several inputs, and n is fixed.
        """
        several = isinstance(event, PooledEvent) and event.stratified
        if several and not claim.delta and claim.mode == "fixed":
            return cls(event, level, STRATIFIED, strata=Strata())
        return cls(event, level, method or METHODS[1 if claim.delta else 0])

    def see(self, batch: Batch, rng: np.random.Generator) -> Sides | None:
        """Count a batch; the sides of its samples, where the event is about all pairs."""
        if not isinstance(self.event, PooledEvent):
            self.tally = self.tally + self.event.count(batch, rng)
            return None
        if self.strata is None:
            sides = self.event.sides(batch, rng)
        else:
            sides, more = self.event.strata(batch, rng)
            self.strata = self.strata + more
        plus, minus = int(np.sum(sides[1] > 0)), int(np.sum(sides[1] < 0))
        self.tally = self.tally + Tally(plus, minus, len(batch))
        return sides

    def anytime(self, claim: Claim) -> float:
        """The bound that holds at all times at once."""
        return anytime.lower_bound(self.tally, self.event.stake, self.level, claim.delta)

    def clear(self, claim: Claim) -> bool:
        """Return whether the event's odds are shown, at all times, to be no violation of note."""
        upper = anytime.upper_ratio(self.tally, self.event.stake, self.level, claim.delta)
        return upper <= claim.seen

    def tested(self, claim: Claim, inputs: tuple[Any, ...], *, sequential: bool) -> Tested:
        """Test the counts, at a size that was fixed or (sequential) at any."""
        stake, method, strata_seen = self.event.stake, self.method, self.strata
        if sequential:
            method, strata_seen, bound = "anytime", None, self.anytime(claim)
            p_value = p_anytime(self.tally, stake, claim)
        elif strata_seen is not None:
            bound = strata.lower_bound(strata_seen, self.level)
            p_value = strata.p_value(strata_seen, claim.epsilon)
        else:
            bound = lower_bound(self.tally, stake, self.level, claim.delta, method)
            p_value = p_fixed(self.tally, stake, claim, method)
        words, seen = self.event.describe(inputs), self._resolution(claim, sequential=sequential)
        mine = self.event, words, self.tally, method, self.level, bound, p_value
        return Tested(*mine, False, seen, strata_seen)

    def _resolution(self, claim: Claim, *, sequential: bool) -> float | None:
        stake = self.event.stake
        if not sequential and self.strata is not None:
            return strata.resolution(self.strata, self.level, claim.epsilon, SEEN)
        if not sequential:
            mine = self.tally, stake, self.level
            return resolution(*mine, claim.epsilon, claim.delta, self.method)
        if self.tally.n == 0:
            return None
        # Where the event's odds have been bounded from above at all times, that is the resolution.
        found = anytime.upper_ratio(self.tally, stake, self.level, claim.delta)
        return max(found, claim.epsilon) if found < np.inf else None
