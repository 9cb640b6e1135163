"""Estimates of tables without support, over repeated populations.

The estimator that is expected is a left inverse of the spec's table, worked out by the enumerator.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logsumexp
from scipy.stats import binom

from ldp_verified.check.conformance.decode import decoder
from ldp_verified.check.conformance.exact import SpreadTest
from ldp_verified.check.conformance.populations import (
    USERS,
    EstimateLaw,
    PopulationEvidence,
    PopulationTask,
)
from ldp_verified.prove.enumeration.expand import expand_form
from ldp_verified.prove.enumeration.table_facts import LinearEstimator, left_inverse

if TYPE_CHECKING:
    from ldp_verified.check.conformance.decode import Codes, Reports
    from ldp_verified.check.conformance.exact import Floats

LARGEST = 24
"""Tables with more inputs take the enumerator too long to invert."""

_ROUNDING = 1e-6
"""Share of the largest weight by which an estimate may be off, for each user."""


@dataclass(frozen=True, eq=False)
class LinearSumTest:
    """A sum of independent contributions, each with one of a few exactly known laws.

    p-values are Chernoff bounds on the exact law: they can only overstate.

    Attributes:
        laws: [x][y], the probability of contribution y under law x.
        values: [y], the contributions.
        times: [x], how many contributions have law x.
    """

    laws: Floats
    values: Floats
    times: Floats

    @cached_property
    def means(self) -> Floats:
        """The mean contribution under each law."""
        return np.asarray(self.laws @ self.values)

    @cached_property
    def variance(self) -> float:
        """Return the exact variance of the sum of the estimates."""
        return float(self.times @ (self.laws @ self.values**2 - self.means**2))

    def log_tail(self, excess: float) -> float:
        """Bound on ln P(sum is beyond its mean by `excess`, on that side)."""
        sign = 1.0 if excess > 0 else -1.0
        centred = self.values - self.means[:, np.newaxis]
        logs = np.log(self.laws)

        def exponent(tilt: float) -> float:
            cumulants = logsumexp(logs + sign * tilt * centred, axis=1)
            return float(self.times @ cumulants) - tilt * abs(excess)

        # Any tilt gives a valid bound; that of the normal law is excess / variance.
        most = 4.0 * abs(excess) / self.variance
        found = minimize_scalar(exponent, bounds=(0.0, most), method="bounded")
        return min(0.0, float(found.fun))

    def p_value(self, total: float) -> float:
        """A two-sided p-value, at least the exact one."""
        excess = total - float(self.times @ self.means)
        return min(1.0, 2.0 * exp(self.log_tail(excess))) if excess else 1.0

    def detectable(self, level: float, miss: float) -> float:
        """A shift of the mean of each contribution that is missed with probability at most `miss`.

        The laws being otherwise as stated.
        """
        step = self.variance**0.5

        def critical(target: float, sign: float) -> float:
            low, high = step * 1e-3, step
            while self.log_tail(sign * high) > target:
                high *= 2
                if high > 1e6 * step:
                    return float("inf")
            return float(brentq(lambda e: self.log_tail(sign * e) - target, low, high, rtol=1e-6))

        reach = max(critical(log(level / 2), s) + critical(log(miss), -s) for s in (1.0, -1.0))
        return reach / float(self.times.sum())


@dataclass(frozen=True, eq=False)
class LinearPopulationTask(PopulationTask):
    """Like `PopulationTask`, for a `Matrix` that is estimated by a left inverse."""

    @cached_property
    def _rows(self) -> Floats:
        """P(y|x) of the spec, [x][y]."""
        masses = [
            [mass for _, mass in self.expected.pair_masses(x, int(x == 0))]
            for x in range(self.expected.k)
        ]
        return np.array([[float(mass) for mass in row] for row in masses])

    @cached_property
    def _weights(self) -> Floats:
        """The spec's left inverse, [v][y]."""
        table = expand_form(self.expected.form, self.expected.point)
        found = left_inverse(table)
        if not isinstance(found, LinearEstimator):
            raise ArithmeticError(found)
        # Equal outputs are one column there.
        columns = np.array(
            [
                [float(table.probability(c, x)) for c in table.columns]
                for x in range(self.expected.k)
            ]
        )
        place = [
            int(np.flatnonzero((columns == column[:, np.newaxis]).all(axis=0))[0])
            for column in self._rows.T
        ]
        weights = np.array([[float(weight) for weight in row] for row in found.weights])
        return np.asarray(weights[:, place])

    def _counted(self, rows: Reports) -> Codes:
        codes = decoder(self.expected).codes(rows)
        return np.bincount(codes, minlength=self._rows.shape[1])

    def _linear_sums(self, v: int) -> LinearSumTest:
        """The contributions to the estimates of v in all populations."""
        held = np.bincount(self._users, minlength=len(self._rows))
        return LinearSumTest(self._rows, self._weights[v], held.astype(float) * self.populations)

    def _output(self, v: int) -> int:
        """The output whose count is looked at: the one with the largest weight."""
        return int(np.abs(self._weights[v]).argmax())

    def _law(self, v: int) -> EstimateLaw:
        y, law, sums = self._output(v), np.ones(1), self._linear_sums(v)
        for x, many in Counter(self._users.tolist()).items():
            law = np.convolve(law, binom.pmf(np.arange(many + 1), many, self._rows[x, y]))
        range_ = float(np.ptp(self._weights[v]))
        return EstimateLaw(
            estimator="the spec's left inverse of the counts of outputs",
            mean_reach=lambda level, miss: sums.detectable(level, miss) / range_,
            unit="share of the largest difference that one report makes",
            spread=SpreadTest(law, self.populations),
            spread_of=f"variance of the count of output {y}",
        )

    def _evidence(self, v: int, estimates: Floats, seen: Codes) -> PopulationEvidence:
        weights, spread = self._weights[v], self._law(v).spread
        wanted = seen @ weights
        largest = float(np.abs(weights).max())
        squares = (seen[:, self._output(v)] - spread.mean) ** 2
        return PopulationEvidence(
            odd=int(np.count_nonzero(np.abs(estimates - wanted) > _ROUNDING * largest * USERS)),
            mean_p=self._linear_sums(v).p_value(float(wanted.sum())),
            spread_p=spread.p_value(float(squares.sum())),
            spread_observed=float(squares.mean()),
            spread_expected=spread.variance,
        )
