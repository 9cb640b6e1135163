"""The estimator of counts that were computed from all that the server has, with their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.oracle import Counters, Floats


@dataclass(frozen=True, eq=False)
class ComputedCounts:
    """Counts that no support counts stand for: sums of noisy numbers, or solutions of equations.

    Attributes:
        identity: of the reports.
        counts: float64 (k,), unbiased.
        each: float64 (k,), the variance of each count per user.
        variances_of_each: weights, float64 (k,) -> the variance of what a user with each value adds
            to the sum of weights[v] counts[v], float64 (k,).
        exclusive: every user holds one of the values.
        honesty: whether honest reports have such sums; or what finds it out when it is asked.
    """

    identity: Identity
    counts: Floats
    each: Floats
    variances_of_each: Callable[[Floats], Floats]
    exclusive: bool = True
    honesty: Honesty | Callable[[], Honesty] = UNTESTED

    def tested(self, supports: Counters) -> Honesty:
        """Return what is known of the reports; there are no supports."""
        del supports
        return self.honesty() if callable(self.honesty) else self.honesty

    @property
    def k(self) -> int:
        """The number of values."""
        return len(self.counts)

    def estimated(self, n: int, counters: Counters) -> Floats:
        """The computed counts, whatever the counters are."""
        del n, counters
        return self.counts

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The variance of each count per user, whatever the shares are."""
        del shares, n
        return self.each

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """The variances, whatever the share is."""
        del n
        return self.each, np.zeros(1)

    @property
    def half_step(self) -> Floats:
        """Nothing: these counts are sums of numbers that lie close together."""
        return np.zeros(1)


def computed(
    oracle: ComputedCounts,
    n: int,
    *,
    simulated: bool,
    labels: tuple[str | int, ...] | None,
) -> Estimate:
    """The estimate of these counts.

    Args:
        oracle: the counts. n: reports. simulated: whether they are. labels: of the values.
    """
    return Estimate(oracle, n, np.zeros(0, dtype=np.int64), simulated, labels)
