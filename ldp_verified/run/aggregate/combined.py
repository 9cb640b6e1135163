"""Sums, differences and ratios of estimated counts, with their errors.

Counts of one set of reports are not independent, so their errors do not add up like those of
independent numbers. What they have in common are the pairs: how likely a report supports two values
at once, of a user who holds one of them and of a user who holds a third. Where that is the same for
all triples (k-ary response, unary encodings, subsets, signs of Hadamard's matrix) it is a number
each. Where reports are few outputs, it is added up over all of them. A linear estimator has its
table. In all these cases the variance of any combination is exact but for the shares, which are
plugged in as everywhere. Elsewhere (hash functions that no server enumerates, reports whose draws
are not new) it is bounded by the sum of the errors (Cauchy and Schwarz), and the result says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.asked import AskedOracle
from ldp_verified.run.aggregate.layouts import BitLayout, IndexedSupport, OutputLayout
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.population import average, spread, summed_to_one
from ldp_verified.run.aggregate.structured import SignLayout, SubsetLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.oracle import Estimator

    Floats = NDArray[np.float64]

MOST_LOOKED_AT: Final = 1 << 24
"""Outputs times values of a combination, up to which outputs are gone through one by one."""

WHOLE: Final = 1 << 52
"""Squares of weights are added up by an integer transform, as parts of this."""

WEIGHT: Final = 1 << 38
"""The largest weight in the integers that outputs are given; as many add up below 2^62."""


@dataclass(frozen=True)
class Combined:
    """A number that is made of several estimated counts.

    Attributes:
        value: the estimate, in users; a ratio has no unit.
        std_error: its standard error, in the same unit.
        exact: whether that is the plug-in standard error of this very number; else it is a bound
            from above, which holds whatever the covariances are.
        rounded: what `value` may be off by rounding, which is all where the error is 0.
    """

    value: float
    std_error: float
    exact: bool
    rounded: float = field(default=0.0, repr=False, compare=False)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The value -+ so many standard errors, in the unit of the value, by normal approximation.

        What is rounded comes on top, so that a sum without an error is in its interval.
        It covers less where few supports of a value are expected, about n q* below 30.

        Args:
            level: the coverage asked for, in (0, 1); it is more where `exact` is False.

        Raises:
            ParameterError: `level` is not a number in (0, 1).
        """
        from statistics import NormalDist  # not needed by clients

        from ldp_verified.run.aggregate.tabulated import check_level

        check_level(level)
        reach = -NormalDist().inv_cdf((1 - level) / 2) * self.std_error + self.rounded
        return self.value - reach, self.value + reach


def combination(
    oracle: Estimator, n: int, counts: Floats, std_error: Floats, weights: Floats
) -> Combined:
    """The sum of weights[v] counts[v].

    Args:
        oracle: whose estimates they are. n: reports. counts, std_error: of all its values.
        weights: as many.
    """
    value, rounded = math.fsum((weights * counts).tolist()), _rounded(oracle, n, counts, weights)
    variance = variance_of(oracle, counts / n, weights) if n else 0.0
    if variance is None:
        return Combined(value, float(np.abs(weights) @ std_error), False, rounded)
    return Combined(value, math.sqrt(n * max(variance, 0.0)), True, rounded)


def _rounded(oracle: Estimator, n: int, counts: Floats, weights: Floats) -> float:
    """A bound on how much the sum is rounded: some last places of all that is added up.

    A count is a difference of supports and those of n users who hold something else, over p* - q*.
    """
    inner, scale = oracle, 1.0
    if isinstance(oracle, AskedOracle):
        inner, scale = oracle.oracle, 1 / float(oracle.chance)
    absent = 0.0
    if isinstance(inner, FrequencyOracle):
        absent = scale * n * float(inner.q_star / (inner.p_star - inner.q_star))
    places = 8 * float(np.finfo(np.float64).eps)
    return places * float(np.abs(weights) @ (np.abs(counts) + absent))


class SupportPairs(NamedTuple):
    """The chances that a report supports two given values, where all triples have the same.

    Attributes:
        third: of a user who holds neither. held: of a user who holds one of them.
    """

    third: float
    held: float


def pairs(oracle: Estimator) -> SupportPairs | None:
    """The pairs of an oracle; None where they are not known, or not the same for all triples."""
    if not isinstance(oracle, FrequencyOracle) or not oracle.exclusive:
        return None
    p, q, layout = float(oracle.p_star), float(oracle.q_star), oracle.layout
    if type(layout) is OutputLayout and layout.counters == oracle.k:
        return SupportPairs(0.0, 0.0)  # a report is one value
    if not oracle.fresh:
        return None
    if type(layout) is BitLayout or type(layout) is SignLayout:
        # Bits are independent. So are, pair by pair, the signs of different rows: their product is
        # the sign of a third row at a uniform column.
        return SupportPairs(q * q, p * q)
    if type(layout) is SubsetLayout:
        # Of omega values, one of them held or not, the others are a uniform subset of the k - 1.
        others, omega = layout.k - 1, layout.omega
        most = max(others * (others - 1), 1)
        with_own = p * (omega - 1) * (omega - 2)
        third = (with_own + (1 - p) * omega * (omega - 1)) / most
        return SupportPairs(third, p * (omega - 1) / others)
    return None


class Covariances(NamedTuple):
    """A matrix of covariances with a + b (s[v] + s[w]) beside its diagonal.

    Attributes:
        variances: its diagonal, float64 (k,). shares: s, float64 (k,).
        common: a. mixed: b.
    """

    variances: Floats
    shares: Floats
    common: float
    mixed: float

    def dense(self) -> Floats:
        """The matrix, float64 (k, k)."""
        matrix = np.add.outer(self.shares, self.shares)  # in place from here on, as it is large
        matrix *= self.mixed
        matrix += self.common
        np.fill_diagonal(matrix, self.variances)
        return np.asarray(matrix)


def covariances(oracle: Estimator, shares: Floats) -> Covariances | None:
    """Return `covariance` where two numbers say all that is beside the diagonal, else None."""
    if isinstance(oracle, AskedOracle):
        among = covariances(oracle.oracle, shares)
        if among is None:
            return None
        zero = np.zeros(())
        common, mixed = (float(oracle.of_all(np.asarray(each), zero)) for each in among[2:])
        return Covariances(oracle.of_all(among.variances, shares), shares, common, mixed)
    both = pairs(oracle)
    if both is None or not isinstance(oracle, FrequencyOracle):
        return None
    p, q = float(oracle.p_star), float(oracle.q_star)
    absent, slope = oracle.variance_line(1)
    # The joint chance, less q^2 and q (p - q) times both shares.
    common = (both.third - q * q) / (p - q) ** 2
    mixed = (both.held - both.third - q * (p - q)) / (p - q) ** 2
    return Covariances(absent + slope * shares, shares, common, mixed)


def covariance(oracle: Estimator, shares: Floats) -> Floats | None:
    """Covariances of what one user adds to the estimated counts, on average over the users.

    Args:
        oracle: whose estimates they are. shares: of the users who hold each value, sum 1.

    Returns:
        float64 (k, k); None where it is not known, or not the same for all triples.
    """
    found = covariances(oracle, shares)
    if found is not None:
        return found.dense()
    if isinstance(oracle, AskedOracle):
        among = covariance(oracle.oracle, shares)
        return None if among is None else oracle.of_all(among, np.diag(shares))
    if isinstance(oracle, LinearOracle):
        table, weights = oracle.floats
        dense = (weights * (shares @ table)) @ weights.T
        return np.asarray(dense - np.diag(shares))
    return None


def variance_of(oracle: Estimator, shares: Floats, weights: Floats) -> float | None:
    """The variance of what one user adds to the sum of weights[v] counts[v], on average over users.

    Args:
        oracle: whose estimates they are. shares: of the users who hold each value, as estimated:
            the weighted ones as they are, the others moved so that all have the sum 1.
        weights: as many.

    Returns:
        The variance; None where the covariances are not known.
    """
    of_each = variances_of_each(oracle, weights)
    return None if of_each is None else float(average(summed_to_one(shares, weights != 0), of_each))


def variances_of_each(oracle: Estimator, weights: Floats) -> Floats | None:
    """The variance of what a user with each value adds to the sum of weights[v] counts[v].

    Args:
        oracle: whose estimates they are. weights: float64 (k,).

    Returns:
        float64 (k,); None where the covariances are not known.
    """
    own = getattr(oracle, "variances_of_each", None)
    if own is not None:
        return np.asarray(own(weights))
    if isinstance(oracle, AskedOracle):
        among = variances_of_each(oracle.oracle, weights)
        return None if among is None else oracle.of_all(among, weights**2)
    if isinstance(oracle, LinearOracle):
        table, inverse = oracle.floats
        return np.asarray(table @ (weights @ inverse) ** 2 - weights**2)
    if not isinstance(oracle, FrequencyOracle) or not oracle.exclusive:
        return None
    p, q = float(oracle.p_star), float(oracle.q_star)
    first, squares = float(weights.sum()), weights**2
    second = float(squares.sum())
    # What the report of a user weighs has the mean q first + (p - q) w, with the user's own w.
    squared_mean = (q * first + (p - q) * weights) ** 2
    both = pairs(oracle)
    if both is None:
        found = _by_outputs(oracle, weights)
        return None if found is None else np.asarray((found - squared_mean) / (p - q) ** 2)
    single = q * second + (p - q) * squares
    with_own = 2 * (first * weights - squares)
    without = first**2 - second - with_own
    joint = both.held * with_own + both.third * without
    return np.asarray((single + joint - squared_mean) / (p - q) ** 2)


def noise_and_draw(own: Estimate, weights: Floats) -> tuple[float, float]:
    """Variances that one user of a random group adds to a weighted sum of the group's shares.

    Args:
        own: the estimate of the group. weights: float64 (k,).

    Returns:
        That of the report's noise, which is a bound where the covariances are not known, and that
        of who is drawn into the group.
    """
    noise = variance_of(own.oracle, own.shares, weights)
    if noise is None:
        noise = float(np.abs(weights) @ np.sqrt(own.oracle.plug_in(own.shares, own.n))) ** 2
    population = summed_to_one(own.shares, weights != 0)
    return max(noise, 0.0), float(spread(population, weights))


def _by_outputs(oracle: FrequencyOracle, weights: Floats) -> Floats | None:
    """The mean square of the weight of a report, of each value, added up over all outputs.

    Given x, an output has one chance if it supports x, and another one if not.
    """
    layout = oracle.layout
    if not oracle.fresh or not isinstance(layout, IndexedSupport):
        return None
    if layout.counters * int(np.count_nonzero(weights)) > MOST_LOOKED_AT:
        return None
    unit = float(np.abs(weights).max(initial=0.0)) / WEIGHT or 1.0
    squares = (layout.held(np.rint(weights / unit).astype(np.int64)) * unit) ** 2
    supporting = int(layout.supports(np.ones(layout.counters, dtype=np.int64))[0])
    here = float(oracle.p_star) / supporting
    rest = float(1 - oracle.p_star) / (layout.counters - supporting)
    total = float(squares.sum())
    if total == 0.0:
        return np.zeros(len(weights))
    parts = np.rint(squares * (WHOLE / total)).astype(np.int64)
    supported = layout.supports(parts).astype(np.float64) * (total / WHOLE)
    return np.asarray(rest * total + (here - rest) * supported)


def ratio(
    oracle: Estimator, n: int, counts: Floats, std_error: Floats, above: int, below: int
) -> Combined:
    """counts[above] / counts[below], with the error of its linearisation.

    Raises:
        ParameterError: the count below is not 3 standard errors above 0: then no such error says
            where the ratio lies.
    """
    if not counts[below] > 3 * std_error[below]:
        rule = "must have a count of more than 3 standard errors to divide by"
        raise ParameterError("below", rule, f"{counts[below]:.6g} +- {std_error[below]:.6g}")
    found = float(counts[above] / counts[below])
    weights = np.zeros(len(counts))
    weights[above] += 1.0
    weights[below] -= found
    error = combination(oracle, n, counts, std_error, weights)
    by = float(counts[below])
    return Combined(found, error.std_error / by, error.exact, error.rounded / by)
