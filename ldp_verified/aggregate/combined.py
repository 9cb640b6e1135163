"""Sums, differences and ratios of estimated counts, with their errors.

Counts of one set of reports are not independent, so their errors do not add up like those of
independent numbers. Where a report supports one value (k-ary response and its relatives), or
supports each value by a bit of its own (unary encodings), the variance of any combination is
exact but for the shares, which are plugged in as everywhere. Elsewhere it is bounded by the sum of
the errors (Cauchy and Schwarz), and the result says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.aggregate.layouts import BitLayout, OutputLayout
from ldp_verified.aggregate.oracle import FrequencyOracle
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.aggregate.oracle import Estimator

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Combined:
    """A number that is made of several estimated counts.

    Attributes:
        value: the estimate, in users; a ratio has no unit.
        std_error: its standard error, in the same unit.
        exact: whether that is the plug-in standard error of this very number; else it is a bound
            from above, which holds whatever the covariances are.
    """

    value: float
    std_error: float
    exact: bool

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The value and so many standard errors on either side, by normal approximation.

        Args:
            level: the coverage asked for, in (0, 1); it is more where `exact` is False.

        Raises:
            ParameterError: `level` is not a number in (0, 1).
        """
        from statistics import NormalDist  # not needed by clients

        from ldp_verified.aggregate.estimate import check_level

        check_level(level)
        reach = -NormalDist().inv_cdf((1 - level) / 2) * self.std_error
        return self.value - reach, self.value + reach


def combination(
    oracle: Estimator, n: int, counts: Floats, std_error: Floats, weights: Floats
) -> Combined:
    """The sum of weights[v] counts[v].

    Args:
        oracle: whose estimates they are. n: reports. counts, std_error: of all its values.
        weights: as many.
    """
    value = math.fsum((weights * counts).tolist())
    variance = _variance(oracle, counts / n, weights) if n else 0.0
    if variance is None:
        return Combined(value, float(np.abs(weights) @ std_error), exact=False)
    return Combined(value, math.sqrt(n * max(variance, 0.0)), exact=True)


def _variance(oracle: Estimator, shares: Floats, weights: Floats) -> float | None:
    """Per user; None where the covariances are not known."""
    if not isinstance(oracle, FrequencyOracle) or not oracle.exclusive:
        return None
    held = np.clip(shares, 0.0, 1.0)
    if type(oracle.layout) is BitLayout and oracle.fresh:
        absent, slope = oracle.variance_line(1)
        return float(weights**2 @ (absent + slope * held))
    if type(oracle.layout) is OutputLayout and oracle.layout.counters == oracle.k:
        p, q = float(oracle.p_star), float(oracle.q_star)
        first, second = float(weights.sum()), float((weights**2).sum())
        # Of a user who holds x: moments of the weight of their report. All others weigh nothing.
        mean = q * first + (p - q) * weights
        each = q * second + (p - q) * weights**2 - mean**2
        rest = max(0.0, 1 - float(held[weights != 0].sum()))
        own = float(held[weights != 0] @ each[weights != 0])
        return (own + rest * (q * second - (q * first) ** 2)) / (p - q) ** 2
    return None


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
    return Combined(found, error.std_error / float(counts[below]), error.exact)
