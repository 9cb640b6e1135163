"""Estimates over repeated populations: their mean, their spread, how often intervals cover.

The expectations come from p* and q* of the spec. What is run is the object's whole path: privatize,
reports, aggregate, estimate, interval.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.conformance.exact import BinomialSumTest, CoverageTest, SpreadTest, count_law
from ldp_verified.conformance.results import Comparison

if TYPE_CHECKING:
    from ldp_verified.conformance.exact import Floats
    from ldp_verified.conformance.expectation import Expectation
    from ldp_verified.realize.randomizer import Randomizer

USERS = 500
"""Users in each population."""

HOLDERS = 150
"""Those of them who hold value 0; nobody holds the last value if there are three or more."""

NOMINAL = 0.95
SLACK = 0.01
"""Intervals for `NOMINAL` must cover at least NOMINAL - SLACK of the time: they invert a normal
approximation to a discrete count. Fixed before anything was run."""

LIMITS = {"mean": 0.02, "variance": 0.5, "coverage": 0.1}
"""Runs that would miss more than this are inconclusive."""

CHUNK = 1 << 18

# An estimate must come from a whole number of supports; what rounding may add to it.
_ROUNDING = 1e-4


@dataclass(frozen=True, eq=False)
class PopulationTask:
    """Estimate two counts in each of many populations of the same users.

    Attributes:
        subject: the name of what is run.
        mechanism: the object.
        expected: what its spec says.
        populations: how many; independent of each other.
    """

    subject: str
    mechanism: Randomizer
    expected: Expectation = field(repr=False)
    populations: int

    @property
    def comparisons(self) -> int:
        """Three for each of two values."""
        return 6

    @property
    def n(self) -> int:
        """How many reports are drawn."""
        return self.populations * USERS

    @property
    def name(self) -> str:
        """What tells the task's seed apart from others."""
        return f"{self.subject} populations"

    def run(self, rng: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Draw, estimate and compare; each comparison has the given level."""
        k = self.expected.k
        users = np.zeros(USERS, dtype=np.int64)
        rest = np.arange(USERS - HOLDERS)
        users[HOLDERS:] = 1 + (rest % (k - 2) if k > 2 else 0)
        looked_at = np.array([0, k - 1])
        estimates = np.empty((2, self.populations))
        covered = np.zeros(2, dtype=np.int64)
        truth = np.array([np.count_nonzero(users == v) for v in looked_at])
        at_once = max(1, CHUNK // USERS)
        for start in range(0, self.populations, at_once):
            batch = min(at_once, self.populations - start)
            reports = self.mechanism.privatize(np.tile(users, batch), rng)
            for i in range(batch):
                rows = reports.data[i * USERS : (i + 1) * USERS]
                own = self.mechanism.reports(rows, simulated=True)
                estimate = self.mechanism.aggregate(own).estimate()
                low, high = estimate.interval(NOMINAL)
                estimates[:, start + i] = estimate.counts[looked_at]
                covered += (low[looked_at] <= truth) & (truth <= high[looked_at])
        return [
            comparison
            for row, v in enumerate(looked_at)
            for comparison in self._compare(
                int(v), int(truth[row]), estimates[row], int(covered[row]), level, miss
            )
        ]

    def _compare(
        self, v: int, holders: int, estimates: Floats, covered: int, level: float, miss: float
    ) -> list[Comparison]:
        p_star, q_star = (float(mass) for mass in self.expected.support)
        # The estimate is (supports - n q*)/(p* - q*): what supports would the spec see in it?
        supports = estimates * (p_star - q_star) + USERS * q_star
        whole = np.rint(supports)
        odd = int(np.count_nonzero(np.abs(supports - whole) > _ROUNDING))
        mean = BinomialSumTest(
            holders * self.populations, (USERS - holders) * self.populations, p_star, q_star
        )
        spread = SpreadTest(count_law(holders, USERS - holders, p_star, q_star), self.populations)
        cover = CoverageTest(self.populations, NOMINAL - SLACK)
        squares = float(((whole - spread.mean) ** 2).sum())
        scale = p_star - q_star
        where = f"v = {v}, held by {holders} of {USERS} users"

        def single(**said: Any) -> Comparison:
            return Comparison(
                subject=self.subject,
                tests=1,
                level=level,
                miss=miss,
                worst=said.pop("worst", where),
                **said,
            )

        return [
            single(
                name=f"mean of the estimate, {where}",
                null="the mean is the true count, each estimate being the spec's estimator of a "
                "whole number of supports",
                n=self.n,
                p_value=0.0 if odd else mean.p_value(int(whole.sum())),
                detectable=mean.detectable(level, miss),
                unit="probability of a support",
                limit=LIMITS["mean"],
                observed=float(estimates.mean()),
                expected=float(holders),
                worst=f"{odd} estimates are no estimates of a whole number" if odd else where,
            ),
            single(
                name=f"variance of the estimate, {where}",
                null="the variance is the spec's, and each population's count has its exact law",
                n=self.populations,
                p_value=spread.p_value(squares),
                detectable=spread.detectable(level, miss),
                unit="share of the variance",
                limit=LIMITS["variance"],
                observed=float(((estimates - holders) ** 2).mean()),
                expected=spread.variance / scale**2,
            ),
            single(
                name=f"coverage of {NOMINAL:.0%} intervals, {where}",
                null=f"intervals cover the true count with probability >= {NOMINAL - SLACK:.2f}",
                n=self.populations,
                p_value=cover.p_value(covered),
                detectable=cover.detectable(level, miss),
                unit="coverage",
                limit=LIMITS["coverage"],
                observed=covered / self.populations,
                expected=NOMINAL,
            ),
        ]
