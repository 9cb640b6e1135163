"""Estimates over repeated populations: their mean, their spread, how often intervals cover.

The expectations come from p* and q* of the spec. What is run is the object's whole path: privatize,
reports, aggregate, estimate, interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.conformance.exact import (
    BinomialSumTest,
    CoverageTest,
    SpreadTest,
    count_law,
)
from ldp_verified.check.conformance.results import Comparison, OtherComparison

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


@dataclass(frozen=True, eq=False)
class EstimateLaw:
    """What is known of the estimates of one value before anything is drawn.

    Attributes:
        estimator: what each estimate should be, in words.
        mean_reach: (level, miss) -> the deviation of the mean that is seen, in `unit`.
        unit: of what that is a deviation.
        spread: the test of a variance, of what `spread_of` says.
        spread_of: what it is the variance of.
    """

    estimator: str
    mean_reach: Callable[[float, float], float] = field(repr=False)
    unit: str
    spread: SpreadTest = field(repr=False)
    spread_of: str = "variance of the estimate"


@dataclass(frozen=True)
class PopulationEvidence:
    """What was seen of the estimates of one value.

    Attributes:
        odd: how many are not what the estimator makes.
        mean_p: p-value of their mean.
        spread_p: likewise of a variance.
        spread_observed, spread_expected: that variance.
    """

    odd: int
    mean_p: float
    spread_p: float
    spread_observed: float
    spread_expected: float


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

    @cached_property
    def planned(self) -> list[OtherComparison]:
        """Mean, variance and coverage of each of two values."""
        return [each for v in self._looked_at for each in self._planned_of(v)]

    @cached_property
    def _users(self) -> Codes:
        """The values of the users of a population."""
        k = self.expected.k
        users = np.zeros(USERS, dtype=np.int64)
        rest = np.arange(USERS - HOLDERS)
        users[HOLDERS:] = 1 + (rest % (k - 2) if k > 2 else 0)
        return users

    @property
    def _looked_at(self) -> tuple[int, int]:
        return 0, self.expected.k - 1

    def _holders(self, v: int) -> int:
        return int(np.count_nonzero(self._users == v))

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
        looked_at = np.array(self._looked_at)
        estimates = np.empty((2, self.populations))
        covered = np.zeros(2, dtype=np.int64)
        seen: list[Codes] = []
        truth = np.array([self._holders(v) for v in self._looked_at])
        at_once = max(1, CHUNK // USERS)
        for start in range(0, self.populations, at_once):
            batch = min(at_once, self.populations - start)
            reports = self.mechanism.privatize(np.tile(self._users, batch), rng)
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
            for row, v in enumerate(self._looked_at)
            for comparison in self._compare(
                self.planned[3 * row : 3 * row + 3],
                self._evidence(v, estimates[row], np.array(seen)),
                self._law(v).estimator,
                (float(truth[row]), float(estimates[row].mean())),
                int(covered[row]),
                level,
                miss,
            )
        ]

    def _counted(self, rows: Reports) -> Codes:
        """Return the codes of a population's reports that `_evidence` needs."""
        del rows
        return np.zeros(0, dtype=np.int64)

    def _sums(self, v: int) -> BinomialSumTest:
        """The supports of v in all populations."""
        holders = self._holders(v) * self.populations
        p_star, q_star = (float(mass) for mass in self.expected.support)
        return BinomialSumTest(holders, USERS * self.populations - holders, p_star, q_star)

    def _law(self, v: int) -> EstimateLaw:
        """Return what is known of the estimates of a value.

        Args:
            v: the value.
        """
        holders = self._holders(v)
        p_star, q_star = (float(mass) for mass in self.expected.support)
        return EstimateLaw(
            estimator="the spec's estimator of a whole number of supports",
            mean_reach=self._sums(v).detectable,
            unit="probability of a support",
            spread=SpreadTest(
                count_law(holders, USERS - holders, p_star, q_star), self.populations
            ),
        )

    def _evidence(self, v: int, estimates: Floats, seen: Codes) -> PopulationEvidence:
        """Compare the estimates of v, one for each population, with their mean and variance.

        Args:
            v: the value.
            estimates: shape (populations,).
            seen: `_counted` of each population.
        """
        del seen
        p_star, q_star = (float(mass) for mass in self.expected.support)
        # The estimate is (supports - n q*)/(p* - q*): what supports would the spec see in it?
        supports = estimates * (p_star - q_star) + USERS * q_star
        whole = np.rint(supports)
        spread = self._law(v).spread
        return PopulationEvidence(
            odd=int(np.count_nonzero(np.abs(supports - whole) > _ROUNDING)),
            mean_p=self._sums(v).p_value(int(whole.sum())),
            spread_p=spread.p_value(float(((whole - spread.mean) ** 2).sum())),
            spread_observed=float(((estimates - self._holders(v)) ** 2).mean()),
            spread_expected=spread.variance / (p_star - q_star) ** 2,
        )

    def _planned_of(self, v: int) -> list[OtherComparison]:
        law = self._law(v)
        where = f"v = {v}, held by {self._holders(v)} of {USERS} users"
        cover = CoverageTest(self.populations, NOMINAL - SLACK)
        return [
            OtherComparison(
                subject=self.subject,
                name=f"mean of the estimate, {where}",
                null=f"the mean is the true count, each estimate being {law.estimator}",
                n=self.n,
                unit=law.unit,
                limit=LIMITS["mean"],
                labels=(where,),
                detects=law.mean_reach,
            ),
            OtherComparison(
                subject=self.subject,
                name=f"{law.spread_of}, {where}",
                null="the variance is the spec's, and each population's count has its exact law",
                n=self.populations,
                unit="share of the variance",
                limit=LIMITS["variance"],
                labels=(where,),
                detects=law.spread.detectable,
            ),
            OtherComparison(
                subject=self.subject,
                name=f"coverage of {NOMINAL:.0%} intervals, {where}",
                null=f"intervals cover the true count with probability >= {NOMINAL - SLACK:.2f}",
                n=self.populations,
                unit="coverage",
                limit=LIMITS["coverage"],
                labels=(where,),
                detects=cover.detectable,
            ),
        ]

    def _compare(
        self,
        planned: Sequence[OtherComparison],
        evidence: PopulationEvidence,
        estimator: str,
        means: tuple[float, float],
        covered: int,
        level: float,
        miss: float,
    ) -> list[Comparison]:
        mean, spread, cover = planned
        odd, (truth, estimated) = evidence.odd, means
        coverage = CoverageTest(self.populations, NOMINAL - SLACK).p_value(covered)
        return [
            mean.compared(
                [0.0 if odd else evidence.mean_p],
                [estimated],
                [truth],
                level,
                miss,
                worst=f"{odd} estimates are not {estimator}" if odd else None,
            ),
            spread.compared(
                [evidence.spread_p],
                [evidence.spread_observed],
                [evidence.spread_expected],
                level,
                miss,
            ),
            cover.compared([coverage], [covered / self.populations], [NOMINAL], level, miss),
        ]
