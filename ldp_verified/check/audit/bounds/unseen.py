"""(eps', delta) from samples alone: what was never seen is part of delta.

The outputs that came more than once while learning are cells; all others together are one more.
On the samples of the test every probability of a cell given an input is bounded from both sides by
Clopper-Pearson, all together at `level`. For any set S of outputs then

    P(S | x) <= e^eps' P(S | x') + sum over cells of (high_x - e^eps' low_x')+ + high_x(all others),

so the sum is a delta for eps'. Nothing is assumed of the space of outputs; the delta falls with n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.audit.bounds.upper import cell_bounds
from ldp_verified.check.audit.events import features
from ldp_verified.run.aggregate.tabulated import check_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.audit.targets.batch import Batch

MOST_CELLS = 1 << 16
LARGEST = 50.0
USEFUL = 0.5
"""A delta above this is not worth saying."""

FACTOR = 2.0
"""eps' is the least whose delta is at most this times the least delta of all."""


@dataclass(frozen=True)
class Approximate:
    """The target is (epsilon, delta)-LDP over the audited inputs, except with probability `level`.

    Attributes:
        epsilon, delta: a pair that holds.
        at_claim: the delta that holds together with the claimed eps.
        level: of all three together.
    """

    epsilon: float
    delta: float
    at_claim: float
    level: float


class Seen:
    """Counts of the outputs seen while learning, and of all others."""

    def __init__(self, inputs: int, labels: Sequence[str]) -> None:
        self.index = {label: i for i, label in enumerate(labels)}
        self.counts = np.zeros((inputs, len(labels) + 1), dtype=np.int64)

    @classmethod
    def of(cls, inputs: int, labels: Sequence[str]) -> Seen | None:
        """Make empty counts; None where there are too many cells."""
        return cls(inputs, labels) if inputs * len(labels) <= MOST_CELLS else None

    def see(self, batch: Batch) -> None:
        """Count a batch."""
        coded = features.values("value", batch)
        last = len(self.index)
        place = np.array([self.index.get(label, last) for label in coded.labels], dtype=np.int64)
        np.add.at(self.counts, (batch.inputs, place[coded.codes]), 1)

    def bound(self, level: float, epsilon: float) -> Approximate | None:
        """Return the bound that holds at a level; None if it is too weak to be useful."""
        found = approximate(self.counts, level, epsilon)
        return found if min(found.delta, found.at_claim) <= USEFUL else None


def approximate(counts: NDArray[np.int64], level: float, epsilon: float) -> Approximate:
    """Upper bounds on (eps', delta).

    Args:
        counts: shape (inputs, cells + 1), all other outputs in the last column.
        level: of all bounds together.
        epsilon: a claim.
    """
    check_level(level)
    if int(counts.sum(axis=1).min()) == 0:
        return Approximate(inf, 1.0, 1.0, level)
    low, high = cell_bounds(counts, level)
    rest = high[:, -1]
    low, high = low[:, :-1], high[:, :-1]

    def delta(eps: float) -> float:
        factor, worst = exp(min(eps, LARGEST)), 0.0
        for x in range(len(counts)):
            above = np.maximum(high[x] - factor * low, 0.0).sum(axis=1)
            above[x] = 0.0
            worst = max(worst, float(above.max()) + float(rest[x]))
        return min(worst, 1.0)

    bar = FACTOR * delta(LARGEST)
    if bar >= 1:
        return Approximate(inf, 1.0, delta(epsilon), level)
    least, most = 0.0, LARGEST
    for _ in range(40):
        middle = (least + most) / 2
        least, most = (least, middle) if delta(middle) <= bar else (middle, most)
    return Approximate(most, delta(most), delta(epsilon), level)
