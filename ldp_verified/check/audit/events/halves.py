"""Learn events on one half of some outputs and test them on the other, at a level of their own.

For what stands beside an answer: its duration, and what is written or sent with it. The bounds of
`bounds` need no independent calls here. Inputs are drawn uniformly and independently of everything
before, and an event may depend on the past. If what is looked at keeps the claim given any past,
then P(plus) <= e^eps P(minus)/odds holds given the past, at every call. So the number of plus among
those on a side is at most binomial, as if calls were independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.bounds.bounds import METHODS, Tally, lower_bound
from ldp_verified.check.audit.events.learn import TESTED, Goal, learn

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ldp_verified.check.audit.targets.batch import Batch

LEVEL = 1e-6
FEWEST = 400
"""Calls below which nothing is said."""


@dataclass(frozen=True)
class Strongest:
    """The strongest bound.

    Attributes:
        bound: on eps, at `LEVEL`.
        words: the event.
        tally: its counts.
    """

    bound: float
    words: str
    tally: Tally

    @property
    def replay(self) -> dict[str, Any]:
        """Return the record of the bound that a finding keeps."""
        return {"bound": self.bound, "plus": self.tally.plus, "minus": self.tally.minus}


def strongest(
    first: Batch, second: Batch, labels: Sequence[Any], delta: float, rng: np.random.Generator
) -> Strongest:
    """The strongest lower bound on eps.

    Args:
        first: samples to learn from. second: samples to test on, later ones.
        labels: the inputs.
        delta: of the claim.
        rng: of ties and of the split of the first.
    """
    found = learn(first, labels, Goal(len(second), LEVEL / TESTED, delta), rng)
    method = METHODS[1] if delta else METHODS[0]
    best = Strongest(0.0, "no event", Tally(0, 0, len(second)))
    for candidate in found.candidates:
        event = candidate.event
        tally = event.count(second, rng)
        level = LEVEL / len(found.candidates)
        bound = lower_bound(tally, event.stake, level, delta, method)
        if bound > best.bound:
            best = Strongest(bound, event.describe(tuple(labels)), tally)
    return best
