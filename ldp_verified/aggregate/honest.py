"""Tests of a state that honest reports pass at a stated level.

The null hypothesis is that every report was drawn from the table, independently, whatever its user
holds. So nothing is assumed of the population. Every p-value is an exact tail or an upper bound
of one, and together they are corrected by their number (Bonferroni): honest reports are doubted at
significance s with a chance of at most s. A state that passes may still hold fakes: who draws the
report of a false value from the table cannot be told from a user who holds it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.aggregate.influence import supported
from ldp_verified.aggregate.layouts import BitLayout
from ldp_verified.aggregate.linear import LinearOracle
from ldp_verified.aggregate.oracle import FrequencyOracle
from ldp_verified.aggregate.sketch import BitSketchLayout, SignSketchLayout
from ldp_verified.aggregate.structured import CohortLayout, SignLayout
from ldp_verified.aggregate.tested import checked_significance
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.aggregate.oracle import Estimator, Floats

    Integers = NDArray[np.int64]

STEPS: Final = 90
"""Rounds of a search by thirds: (2/3)^90 of the first interval is left."""

PRECISION: Final = 160
"""Bits that a tail is computed with, so that those of 10^9 reports are found."""


@dataclass(frozen=True)
class Check:
    """One test of a state.

    Attributes:
        name: what is looked at.
        p_value: of honest reports: it is at most s with a chance of at most s.
        found: what was counted and what honest reports give, in words.
    """

    name: str
    p_value: float
    found: str


@dataclass(frozen=True)
class Honesty:
    """Results of the tests whether all reports of a state were drawn from the table.

    Attributes:
        checks: the tests that the counters allow; none where nothing is known of them.
    """

    checks: tuple[Check, ...]

    @property
    def p_value(self) -> float:
        """The p-value of all tests together, in [0, 1]."""
        if not self.checks:
            return 1.0
        return min(1.0, len(self.checks) * min(check.p_value for check in self.checks))

    def doubted(self, significance: float = 1e-6) -> tuple[Check, ...]:
        """The tests that reject; honest reports have any of them with a chance of at most this.

        Raises:
            ParameterError: `significance` is not a number in (0, 1).
        """
        limit = checked_significance(significance) / max(1, len(self.checks))
        return tuple(check for check in self.checks if check.p_value <= limit)


def honesty(
    oracle: Estimator, n: int, supports: Integers, counters: Integers | None = None
) -> Honesty:
    """Test whether honest reports add up to these counts.

    Args:
        oracle: of the reports. n: how many reports.
        supports: how many support each value, int64 (k,); where outputs support none, how often
            each output came.
        counters: of the state, int64; None leaves out the tests that need them.

    Raises:
        ParameterError: `supports` are not of the oracle's shape.
    """
    if n == 0:
        return Honesty(())
    if isinstance(oracle, LinearOracle):
        table = oracle.floats[0] if oracle.no_estimator is None else None
        if table is None:
            return Honesty(())
        return Honesty((_each("outputs", n, supports, table.min(axis=0), table.max(axis=0)),))
    if not isinstance(oracle, FrequencyOracle):
        return Honesty(())
    if supports.shape != (oracle.k,):
        raise ParameterError("supports", f"must have shape ({oracle.k},)", supports.shape)
    found = []
    if oracle.fresh:
        p, q = float(oracle.p_star), float(oracle.q_star)
        found.append(_each("support of each value", n, supports, np.array(q), np.array(p)))
        if oracle.exclusive:
            found.extend(_together(oracle, n, int(supports.sum())))
    uniform = None if counters is None else uniform_counts(oracle.layout, counters)
    if uniform is not None and len(uniform) > 1:
        chance = np.array(1 / len(uniform))
        found.append(_each("cohort balance", n, uniform, chance, chance))
    return Honesty(tuple(found))


def _each(name: str, n: int, counts: Integers, least: Floats, most: Floats) -> Check:
    """Each count is a sum of n coins of chances between `least` and `most`, whoever tosses them.

    So its tails are at most those of the binomials at the ends. The count of the smallest bound is
    looked at exactly: the tail of any one count, times their number, is a p-value for all.
    """
    least, most = (np.broadcast_to(end, counts.shape) for end in (least, most))
    bounds = np.minimum(_log_bound(counts, n, least, -1), _log_bound(counts, n, most, 1))
    place = int(bounds.argmin())
    count, low, high = int(counts[place]), float(least[place]), float(most[place])
    tail = min(1.0, math.exp(bounds[place]), _tail(count, n, low, -1), _tail(count, n, high, 1))
    expected = f"{low * n:,.0f} to {high * n:,.0f}"
    said = f"{count:,} at number {place}; on average {expected}"
    return Check(name, min(1.0, 2 * len(counts) * tail), said)


def _log_bound(counts: Integers, n: int, chance: Floats, sign: int) -> Floats:
    """Logarithms of Chernoff's bounds of the tails below (sign -1) or above (1), at most 0."""
    shares = counts / n
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(counts > 0, shares * np.log(shares / chance), 0.0)
        rest = np.where(counts < n, (1 - shares) * np.log((1 - shares) / (1 - chance)), 0.0)
        beyond = sign * (shares - chance) > 0
        return np.where(beyond, np.minimum(0.0, -n * (own + rest)), 0.0)


def _tail(count: int, n: int, chance: float, sign: int) -> float:
    """An upper bound, exact but for rounding, of the tail of n coins; 1 where it is not found.

    The tail is an incomplete beta function, which is enclosed in an interval.
    """
    from flint import arb, ctx  # not needed by clients

    wins = count if sign > 0 else n - count
    if wins == 0:
        return 1.0
    with ctx.workprec(PRECISION):
        coin = arb(chance) if sign > 0 else 1 - arb(chance)
        found = coin.beta_lower(arb(wins), arb(n - wins + 1), 1)
        return float(found.upper()) if found.is_finite() else 1.0


def _together(oracle: FrequencyOracle, n: int, total: int) -> list[Check]:
    """The sum of the supports: its mean is known exactly, whatever the users hold."""
    p, q, k = float(oracle.p_star), float(oracle.q_star), oracle.k
    mean = n * (p + (k - 1) * q)
    said = f"{total / n:,.4g} for each report; on average {mean / n:,.4g}"
    if type(oracle.layout) is BitLayout:
        return [Check("ones per report", _chernoff(n, p, n * (k - 1), q, total), said)]
    try:
        fewest, most = supported(oracle.layout, tuple(range(k)))
    except ParameterError:  # no rule, or too many outputs to look at
        return []
    if fewest == most:
        return []  # every report supports as many: a state of another sum is refused
    gap = abs(total - mean)
    bound = 2 * math.exp(-2 * gap * gap / (n * (most - fewest) ** 2))
    return [Check("values that a report supports", min(1.0, bound), said)]


def _chernoff(n: int, p: float, m: int, q: float, total: int) -> float:
    """A bound of the two-sided tail of n coins of chance p and m of chance q, all independent.

    H. Chernoff (1952), "A Measure of Asymptotic Efficiency for Tests of a Hypothesis Based on the
    Sum of Observations". Any tilt gives a bound; the search finds the best one, nearly.
    """
    sign = 1.0 if total >= n * p + m * q else -1.0

    def log_bound(tilt: float) -> float:
        turn = math.expm1(sign * tilt)
        return n * math.log1p(p * turn) + m * math.log1p(q * turn) - sign * tilt * total

    low, high = 0.0, 40.0
    for _ in range(STEPS):  # the logarithm is convex in the tilt
        third = (high - low) / 3
        if log_bound(low + third) <= log_bound(high - third):
            high -= third
        else:
            low += third
    return min(1.0, 2 * math.exp(min(0.0, log_bound((low + high) / 2))))


@singledispatch
def uniform_counts(layout: object, counters: Any) -> Integers | None:
    """How often each public choice was made that clients draw uniformly; None where there is none.

    Args:
        layout: of the reports. counters: of a state.
    """
    del layout, counters
    return None


@uniform_counts.register(CohortLayout)
def _of_cohorts(layout: CohortLayout, counters: Any) -> Integers:
    return np.asarray(counters.reshape(-1, layout.g).sum(axis=1))


@uniform_counts.register(SignLayout)
@uniform_counts.register(SignSketchLayout)
def _of_signs(layout: SignLayout | SignSketchLayout, counters: Any) -> Integers:
    """Columns, or rows of the sketch together with rows of Sylvester's matrix."""
    del layout
    return np.asarray(counters.reshape(-1, 2).sum(axis=1))


@uniform_counts.register(BitSketchLayout)
def _of_rows(layout: BitSketchLayout, counters: Any) -> Integers:
    return layout.tables(counters)[1]
