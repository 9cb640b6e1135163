"""Estimates over repeated populations: their mean, their spread, how often intervals cover.

The expectations come from p* and q* of the spec. What is run is the object's whole path: privatize,
reports, aggregate, estimate, interval.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.exact import (
    BinomialSumTest,
    CoverageTest,
    SpreadTest,
    count_law,
)
from ldp_verified.check.conformance.results import Comparison

if TYPE_CHECKING:
    from ldp_verified.analysis.expectation import Expectation
    from ldp_verified.check.conformance.decode import Codes, Reports
    from ldp_verified.check.conformance.exact import Floats
    from ldp_verified.run.realize.randomizer import Randomizer

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


@dataclass(frozen=True)
class PopulationEvidence:
    """The comparisons of the estimates of one value.

    Attributes:
        estimator: what each estimate should be, in words.
        odd: how many are something else.
        mean_p: p-value of their mean. mean_reach: the deviation that is seen, in `unit`.
        spread_p, spread_reach: likewise of a variance.
        spread_observed, spread_expected: that variance.
        spread_of: what it is the variance of.
    """

    estimator: str
    odd: int
    mean_p: float
    mean_reach: float
    unit: str
    spread_p: float
    spread_reach: float
    spread_observed: float
    spread_expected: float
    spread_of: str = "variance of the estimate"


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
        """Return how many reports are drawn."""
        return self.populations * USERS

    @property
    def name(self) -> str:
        """Return a name that gives the task a seed of its own."""
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
        seen: list[Codes] = []
        truth = np.array([np.count_nonzero(users == v) for v in looked_at])
        at_once = max(1, CHUNK // USERS)
        for start in range(0, self.populations, at_once):
            batch = min(at_once, self.populations - start)
            reports = self.mechanism.privatize(np.tile(users, batch), rng)
            for i in range(batch):
                rows = reports.data[i * USERS : (i + 1) * USERS]
                own = self.mechanism.reports(rows, simulated=True)
                seen.append(self._counted(rows))
                estimate = self.mechanism.aggregate(own, simulated=True).estimate()
                low, high = estimate.interval(NOMINAL)
                estimates[:, start + i] = estimate.counts[looked_at]
                covered += (low[looked_at] <= truth) & (truth <= high[looked_at])
        return [
            comparison
            for row, v in enumerate(looked_at)
            for comparison in self._compare(
                int(v),
                int(truth[row]),
                self._evidence(int(v), users, estimates[row], np.array(seen), level, miss),
                estimates[row],
                int(covered[row]),
                level,
                miss,
            )
        ]

    def _counted(self, rows: Reports) -> Codes:
        """Return the codes of a population's reports that `_evidence` needs."""
        del rows
        return np.zeros(0, dtype=np.int64)

    def _evidence(
        self, v: int, users: Codes, estimates: Floats, seen: Codes, level: float, miss: float
    ) -> PopulationEvidence:
        """Compare the estimates of v, one for each population, with their mean and variance.

        Args:
            v: the value.
            users: the values of the users of a population.
            estimates: shape (populations,).
            seen: `_counted` of each population.
            level, miss: of each comparison.
        """
        del seen
        holders = int(np.count_nonzero(users == v))
        p_star, q_star = (float(mass) for mass in self.expected.support)
        # The estimate is (supports - n q*)/(p* - q*): what supports would the spec see in it?
        supports = estimates * (p_star - q_star) + USERS * q_star
        whole = np.rint(supports)
        mean = BinomialSumTest(
            holders * self.populations, (USERS - holders) * self.populations, p_star, q_star
        )
        spread = SpreadTest(count_law(holders, USERS - holders, p_star, q_star), self.populations)
        squares = float(((whole - spread.mean) ** 2).sum())
        return PopulationEvidence(
            estimator="the spec's estimator of a whole number of supports",
            odd=int(np.count_nonzero(np.abs(supports - whole) > _ROUNDING)),
            mean_p=mean.p_value(int(whole.sum())),
            mean_reach=mean.detectable(level, miss),
            unit="probability of a support",
            spread_p=spread.p_value(squares),
            spread_reach=spread.detectable(level, miss),
            spread_observed=float(((estimates - holders) ** 2).mean()),
            spread_expected=spread.variance / (p_star - q_star) ** 2,
        )

    def _compare(
        self,
        v: int,
        holders: int,
        evidence: PopulationEvidence,
        estimates: Floats,
        covered: int,
        level: float,
        miss: float,
    ) -> list[Comparison]:
        cover = CoverageTest(self.populations, NOMINAL - SLACK)
        where = f"v = {v}, held by {holders} of {USERS} users"
        odd = evidence.odd

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
                null=f"the mean is the true count, each estimate being {evidence.estimator}",
                n=self.n,
                p_value=0.0 if odd else evidence.mean_p,
                detectable=evidence.mean_reach,
                unit=evidence.unit,
                limit=LIMITS["mean"],
                observed=float(estimates.mean()),
                expected=float(holders),
                worst=f"{odd} estimates are not {evidence.estimator}" if odd else where,
            ),
            single(
                name=f"{evidence.spread_of}, {where}",
                null="the variance is the spec's, and each population's count has its exact law",
                n=self.populations,
                p_value=evidence.spread_p,
                detectable=evidence.spread_reach,
                unit="share of the variance",
                limit=LIMITS["variance"],
                observed=evidence.spread_observed,
                expected=evidence.spread_expected,
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
