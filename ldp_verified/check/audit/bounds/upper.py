"""An upper bound on eps from samples, over a finite output space that the auditor declares.

Every cell P(y|x) is bounded from both sides by Clopper-Pearson at level/(2 k m), all of them
together at `level`. The largest ratio that the bounds allow is an upper bound on eps. The sums of
what they allow above e^eps bound delta at a claimed eps. Samples cannot show that no other output
exists: that the space is complete is the auditor's word, status assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betainccinv, betaincinv

from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.tabulated import check_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.audit.targets.batch import Batch


@dataclass(frozen=True)
class Upper:
    """The largest epsilon and delta that samples allow, if only the declared outputs exist.

    Attributes:
        epsilon: upper bound on eps; infinite where some declared output may be missing for an
            input.
        delta: upper bound on delta at the claimed eps.
        level: the probability that either is wrong, at most.
        outside: samples with an output that was not declared: then neither holds.
    """

    epsilon: float
    delta: float
    level: float
    outside: int


class Declared:
    """Counts of declared outputs by input."""

    def __init__(self, inputs: int, outputs: Sequence[Any]) -> None:
        self.reading = OutputReading("same", tuple(outputs))
        if len(outputs) < 2 or len(self.reading.positions) < len(outputs):
            raise ParameterError("outputs", "must be at least two, all different", list(outputs))
        self.counts = np.zeros((inputs, len(outputs)), dtype=np.int64)
        self.outside = 0

    def see(self, batch: Batch) -> None:
        """Count a batch."""
        codes = self.reading.guesses(batch)
        known = codes >= 0
        self.outside += int(np.sum(~known))
        np.add.at(self.counts, (batch.inputs[known], codes[known]), 1)

    def bound(self, level: float, epsilon: float) -> Upper:
        """Upper bounds at a level, delta at a claimed eps."""
        return upper_bound(self.counts, level, epsilon, self.outside)


def upper_bound(counts: NDArray[np.int64], level: float, epsilon: float, outside: int = 0) -> Upper:
    """Upper bounds on eps, and on delta at `epsilon`.

    Args:
        counts: shape (inputs, outputs).
        level: of both bounds together.
        epsilon: a claim.
        outside: samples that are in no column; the bounds are vacuous then.
    """
    check_level(level)
    k = len(counts)
    if outside or int(counts.sum(axis=1).min()) == 0:
        return Upper(inf, 1.0, level, outside)
    low, high = cell_bounds(counts, level)
    least, most = low.min(axis=0), high.max(axis=0)
    ratio = inf if (least == 0).any() else float((most / least).max())
    delta = 0.0
    for x in range(k):
        for x2 in range(k):
            if x != x2:
                above = np.maximum(high[x] - exp(min(epsilon, 700.0)) * low[x2], 0.0).sum()
                delta = max(delta, float(above))
    return Upper(inf if ratio == inf else log(ratio), min(delta, 1.0), level, 0)


def cell_bounds(
    counts: NDArray[np.int64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of every P(y|x) from below and above, all of them together at `level`.

    Args:
        counts: shape (inputs, outputs), no row without any.
        level: shared by all cells and sides alike.
    """
    k, m = counts.shape
    n = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
    own = level / (2 * k * m)
    low = np.where(counts == 0, 0.0, betaincinv(np.maximum(counts, 1), n - counts + 1, own))
    high = np.where(counts == n, 1.0, betainccinv(counts + 1, np.maximum(n - counts, 1), own))
    return low, high
