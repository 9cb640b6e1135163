"""Tests of a state that honest reports pass at a stated level.

The null hypothesis is that every report was drawn from the table, independently, whatever its user
holds. So nothing is assumed of the population. Of permanent answers it is that of one period: each
user is in the state once. Every p-value is an exact tail or an upper bound of one, and together
they are corrected by their number (Bonferroni): honest reports are doubted at significance s with a
chance of at most s. A state that passes may still hold fakes: who draws the report of a false value
from the table cannot be told from a user who holds it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.asked import AskedOracle
from ldp_verified.run.aggregate.influence import supported
from ldp_verified.run.aggregate.layouts import BitLayout
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.aggregate.listed import Listed
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.public_choices import bits_of, coins_of, uniform_counts
from ldp_verified.run.aggregate.sketch_oracles import BitSketchLayout
from ldp_verified.run.aggregate.tested import checked_significance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import Estimator, Floats

    Integers = NDArray[np.int64]

STEPS: Final = 90
"""Rounds of a search by thirds: (2/3)^90 of the first interval is left."""

DOUBTED: Final = 1e-9
"""Honest reports are called doubtful beside an estimate with a chance of at most this."""

PRECISIONS: Final = (96, 160)
"""Bits that a tail is computed with: the time grows with their square, and a tail that has not 53
right ones with the first is found with the second."""

DOUBLE: Final = 53
"""Bits of a double."""


@dataclass(frozen=True)
class HonestyCheck:
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

    checks: tuple[HonestyCheck, ...]

    @property
    def p_value(self) -> float:
        """The p-value of all tests together, in [0, 1]."""
        if not self.checks:
            return 1.0
        return min(1.0, len(self.checks) * min(check.p_value for check in self.checks))

    def doubted(self, significance: float = 1e-6) -> tuple[HonestyCheck, ...]:
        """The tests that reject; honest reports have any of them with a chance of at most this.

        Raises:
            ParameterError: `significance` is not a number in (0, 1).
        """
        limit = checked_significance(significance) / max(1, len(self.checks))
        return tuple(check for check in self.checks if check.p_value <= limit)

    @property
    def doubt(self) -> str:
        """Return what a heading says where any test rejects at `DOUBTED`; empty where none does."""
        return ", hardly all honest: see honesty" if self.doubted(DOUBTED) else ""

    def with_checks(self, more: tuple[HonestyCheck, ...]) -> Honesty:
        """These results with those of other tests of the same reports."""
        return Honesty(self.checks + more)


UNTESTED: Final = Honesty(())
"""The result for reports on which no test was made."""


def honesty(
    oracle: Estimator, n: int, supports: Integers, counters: Integers | None = None
) -> Honesty:
    """Test whether honest reports add up to these counts.

    Args:
        oracle: of the reports; one that has a method `tested` says itself what is tested.
        n: how many reports.
        supports: how many support each value, int64 (k,); where outputs support none, how often
            each output came.
        counters: of the state, int64; None leaves out the tests that need them.

    Raises:
        ParameterError: `supports` are not of the oracle's shape.
    """
    if n == 0:
        return UNTESTED
    if hasattr(oracle, "tested"):
        found: Honesty = oracle.tested(supports)
        return found
    if isinstance(oracle, AskedOracle):
        inner = honesty(oracle.oracle, oracle.asked, supports, counters)
        return inner.with_checks((_of_asked(oracle, n),))
    if isinstance(oracle, LinearOracle):
        table = oracle.floats[0] if oracle.no_estimator is None else None
        if table is None:
            return UNTESTED
        return Honesty((of_coins("outputs", n, supports, table.min(axis=0), table.max(axis=0)),))
    inside = oracle.oracle if isinstance(oracle, Listed) else oracle
    if not isinstance(inside, FrequencyOracle):
        return UNTESTED
    if supports.shape != (oracle.k,):
        raise ParameterError("supports", f"must have shape ({oracle.k},)", supports.shape)
    checks = []
    if inside.fresh or inside.in_period:
        checks.append(_supports(inside, n, supports))
        if inside is oracle and inside.exclusive:
            checks.extend(_together(inside, n, int(supports.sum())))
    return Honesty((*checks, *_by_choice(inside, n, counters)))


def _of_asked(oracle: AskedOracle, n: int) -> HonestyCheck:
    """Test whether as many users were asked as draw it; one of about 1/chance equal questions."""
    chance = np.array(float(oracle.chance))
    asked = np.array([oracle.asked], dtype=np.int64)
    return of_coins("users asked", n, asked, chance, chance, looks=round(1 / oracle.chance))


def _supports(oracle: FrequencyOracle, n: int, supports: Integers) -> HonestyCheck:
    ends = np.array(float(oracle.q_star)), np.array(float(oracle.p_star))
    return of_coins("support of each value", n, supports, *ends, looks=oracle.k)


def _by_choice(oracle: FrequencyOracle, n: int, counters: Integers | None) -> list[HonestyCheck]:
    """Test whether public choices are uniform, and the reports of each of them."""
    if counters is None:
        return []
    found, layout = [], oracle.layout
    uniform = uniform_counts(layout, counters)
    if uniform is not None and len(uniform) > 1:
        chance = np.array(1 / len(uniform))
        found.append(of_coins("cohort balance", n, uniform, chance, chance))
    coins = coins_of(layout, counters, oracle)
    if coins is not None:
        some = np.flatnonzero(coins.n)
        ends = np.array(coins.least), np.array(coins.most)
        looks = len(coins.n)
        found.append(of_coins(coins.name, coins.n[some], coins.counts[some], *ends, looks=looks))
    if isinstance(layout, BitSketchLayout):
        total, (one, zero) = int(layout.tables(counters)[0].sum()), bits_of(layout, oracle)
        found.append(of_ones(n, layout.buckets, one, zero, total))
    return found


def of_mean(
    name: str,
    n: int,
    totals: Sequence[Fraction],
    reports: tuple[Fraction, Fraction],
    means: tuple[Fraction, Fraction],
) -> HonestyCheck:
    """Sums of n independent reports each, whose means lie within some ends whoever sends them.

    W. Hoeffding (1963), "Probability Inequalities for Sums of Bounded Random Variables".

    Args:
        name: of the test. n: reports, at least 1. totals: their sums, one or more.
        reports: the smallest and the largest number that one stands for.
        means: the smallest and the largest mean of a report.
    """
    off = [max(means[0] - total / n, total / n - means[1]) for total in totals]
    worst = max(range(len(off)), key=off.__getitem__)
    far = float(max(off[worst], Fraction(0)) / (reports[1] - reports[0]))
    said = f"{float(totals[worst] / n):,.4g} on average"
    said += f" at number {worst}" * (len(totals) > 1)
    said += f", of honest reports {float(means[0]):,.4g} to {float(means[1]):,.4g}"
    return HonestyCheck(name, min(1.0, 2 * len(totals) * math.exp(-2 * n * far * far)), said)


def of_coins(
    name: str,
    n: int | Integers,
    counts: Integers,
    least: Floats,
    most: Floats,
    looks: int | None = None,
) -> HonestyCheck:
    """Counts, each a sum of n coins of chances between `least` and `most`, whoever tosses them.

    So the tails of each are at most those of the binomials at the ends. The count of the smallest
    bound is looked at exactly: the tail of any one count, times their number, is a p-value for all.

    Args:
        name: of the test. counts: int64 (m,), m >= 1.
        n: coins, at least 1. least, most: float64. All three are broadcast to (m,).
        looks: of how many counts these are some that anybody chose; None for all of them.
    """
    least, most = (np.broadcast_to(end, counts.shape) for end in (least, most))
    coins = np.broadcast_to(n, counts.shape)
    bounds = np.minimum(_log_bound(counts, coins, least, -1), _log_bound(counts, coins, most, 1))
    place = int(bounds.argmin())
    count, low, high = int(counts[place]), float(least[place]), float(most[place])
    own = int(coins[place])
    tail = min(1.0, math.exp(bounds[place]), _tail(count, own, low, -1), _tail(count, own, high, 1))
    expected = f"{low * own:,.0f} to {high * own:,.0f}"
    said = f"{count:,} at number {place}; on average {expected}"
    return HonestyCheck(name, min(1.0, 2 * (looks or len(counts)) * tail), said)


def _log_bound(counts: Integers, n: Integers, chance: Floats, sign: int) -> Floats:
    """Logarithms of Chernoff's bounds of the tails below (sign -1) or above (1), at most 0."""
    found = np.zeros(counts.shape)
    # Counts are mostly between the ends of what is expected, where the bound is 1.
    beyond = np.flatnonzero(sign * (counts - n * chance) > 0)
    counts, n, chance = counts[beyond], n[beyond], chance[beyond]
    shares = counts / n
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(counts > 0, shares * np.log(shares / chance), 0.0)
        rest = np.where(counts < n, (1 - shares) * np.log((1 - shares) / (1 - chance)), 0.0)
    found[beyond] = np.minimum(0.0, -n * (own + rest))
    return found


def _tail(count: int, n: int, chance: float, sign: int) -> float:
    """An upper bound, exact but for rounding, of the tail of n coins; 1 where it is not found.

    The tail is an incomplete beta function, which is enclosed in an interval. Where the count is
    not beyond the mean it is at least 1/2, since a median is no farther from the mean than the next
    integer (R. Kaas, J. Buhrman, 1980, "Mean, Median and Mode in Binomial Distributions"). Twice
    that is no p-value below 1, so 1 is returned at once, as for most honest counts on both sides.
    """
    if sign * (Fraction(count) - n * Fraction(chance)) <= 0:
        return 1.0
    from flint import arb, ctx  # not needed by clients

    wins = count if sign > 0 else n - count
    found = 1.0
    for bits in PRECISIONS:
        with ctx.workprec(bits):
            coin = arb(chance) if sign > 0 else 1 - arb(chance)
            tail = coin.beta_lower(arb(wins), arb(n - wins + 1), 1)
            found = float(tail.upper()) if tail.is_finite() else 1.0
            if tail.rel_accuracy_bits() >= DOUBLE:
                break
    return found


def _together(oracle: FrequencyOracle, n: int, total: int) -> list[HonestyCheck]:
    """The sum of the supports: its mean is known exactly, whatever the users hold."""
    p, q, k = float(oracle.p_star), float(oracle.q_star), oracle.k
    if type(oracle.layout) is BitLayout:
        # Bits are independent. Of a report that may be a fake, they are so given what it is, with
        # chances of the same sum that are farther apart: then the product of all 1 + p_i t, and
        # with it the bound, is smaller.
        return [of_ones(n, k, p, q, total)]
    mean = n * (p + (k - 1) * q)
    said = f"{total / n:,.4g} for each report; on average {mean / n:,.4g}"
    try:
        fewest, most = supported(oracle.layout, tuple(range(k)))
    except ParameterError:  # no rule, or too many outputs to look at
        return []
    if fewest == most:
        return []  # every report supports as many: a state of another sum is refused
    gap = abs(total - mean)
    bound = 2 * math.exp(-2 * gap * gap / (n * (most - fewest) ** 2))
    return [HonestyCheck("values that a report supports", min(1.0, bound), said)]


def of_ones(n: int, k: int, one: float, zero: float, total: int, most: int = 1) -> HonestyCheck:
    """The ones of n reports of k independent bits, of which 1 to `most` belong to the value.

    Args:
        n: reports, at least 1. k: bits of each. one: the chance that a bit of the value is 1. zero:
            that another one is, at most `one`. total: how many are 1. most: bits of a value.
    """
    low, high = (own * one + (k - own) * zero for own in (1, most))
    said = f"{total / n:,.4g} for each report; on average {low:,.4g}"
    said += f" to {high:,.4g}" * (most > 1)
    own = most if total > n * high else 1
    between = n * low < total < n * high
    bound = 1.0 if between else _chernoff(n * own, one, n * (k - own), zero, total)
    return HonestyCheck("ones per report", bound, said)


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
