"""A third-party server: does its estimate agree with the table that its client is said to have?

Three looks. Where reports can be read, the estimate must be the derived one, (c - n q*)/(p* - q*)
with c supports: compared number by number, no statistics. The mean of estimates over repeated
populations must be the true count: every estimate is a sum of n independent terms that are all
bounded, so Bernstein's inequality bounds the p-value at any sample size. Their mean square error
must be the derived variance: compared by the normal law's chi-square, which is approximate.

S. Bernstein (1924), On a Modification of Chebyshev's Inequality.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chi2

from ldp_verified.audit.batch import Batch
from ldp_verified.audit.readings import Reading
from ldp_verified.audit.rules import Finding
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEVEL = 1e-6
POPULATIONS = 200
USERS = 500


@dataclass(frozen=True)
class EstimatorResult:
    """What was seen of a server.

    Attributes:
        truth: how many users hold the value.
        mean: of the estimates. expected_variance: derived. variance: mean square error seen.
        bias_p, variance_p: p-values; the first holds at any size, the second is approximate.
        difference: the largest difference from the derived estimate of the same reports; None
            where reports are not read.
        findings: LDP010, where something is wrong.
    """

    truth: int
    mean: float
    expected_variance: float
    variance: float
    bias_p: float
    variance_p: float
    difference: float | None
    findings: tuple[Finding, ...]


def check_estimator(
    randomize: Callable[[Any], Any],
    estimate: Callable[[list[Any]], float],
    *,
    held: Any,
    others: Sequence[Any],
    p_star: float,
    q_star: float,
    share: float = 0.3,
    users: int = USERS,
    populations: int = POPULATIONS,
    reading: str | None = None,
    level: float = LEVEL,
) -> EstimatorResult:
    """Run client and server over repeated populations of the same users.

    Args:
        randomize: the client: a value in, a report out.
        estimate: the server: a list of reports in, the estimated count of `held` out.
        held: the value that is counted.
        others: values of the users who do not hold it, by turns.
        p_star, q_star: of the mechanism's table: chance that a report supports the value of its
            user, and another one.
        share: of the users who hold the value.
        users, populations: how many.
        reading: how to read the support of `held` from a report; see `readings`. None: not at all.
        level: of the two tests, halved between them.

    Raises:
        ParameterError: p* and q* that allow no estimate, or no users.
    """
    if not 0 <= q_star < p_star <= 1:
        raise ParameterError("p_star, q_star", "must be 0 <= q* < p* <= 1", (p_star, q_star))
    if users < 2 or populations < 2 or not others or not 0 <= share <= 1:
        raise ParameterError("users", "must be at least 2, and others and share given", users)
    truth = round(share * users)
    values = [held] * truth + [others[i % len(others)] for i in range(users - truth)]
    spread = p_star - q_star
    estimates, differences = [], []
    for _ in range(populations):
        reports = [randomize(value) for value in values]
        found = float(estimate(reports))
        estimates.append(found)
        if reading is not None:
            batch = Batch(np.zeros(users, dtype=np.int64), reports)
            supports = Reading(reading, (held,)).supports(batch, batch.inputs)
            differences.append(abs(found - (float(supports.sum()) - users * q_star) / spread))
    variance = (truth * p_star * (1 - p_star) + (users - truth) * q_star * (1 - q_star)) / spread**2
    errors = np.array(estimates) - truth
    bias_p = _bernstein(abs(float(errors.sum())), populations * variance, 1 / spread)
    square = float((errors**2).mean())
    tails = chi2.cdf(populations * square / variance, populations)
    variance_p = float(2 * min(tails, 1 - tails)) if variance else float(square == 0)
    difference = max(differences, default=None)
    findings = []
    if difference is not None and difference > 1e-6 * users / spread:
        words = f"the estimate is off by up to {difference:.3g} users from (c - n q*)/(p* - q*)"
        findings.append(Finding("LDP010", words, {"difference": difference}))
    if bias_p <= level / 2:
        words = f"mean of {populations} estimates {np.mean(estimates):.4g}, truth {truth}"
        findings.append(Finding("LDP010", f"{words} (p <= {bias_p:.1e})", {"truth": truth}))
    if variance_p <= level / 2:
        words = f"mean square error {square:.4g}, derived variance {variance:.4g}"
        findings.append(Finding("LDP010", f"{words} (p about {variance_p:.1e})", {}))
    return EstimatorResult(
        truth,
        float(np.mean(estimates)),
        variance,
        square,
        bias_p,
        variance_p,
        difference,
        tuple(findings),
    )


def _bernstein(deviation: float, variance: float, largest: float) -> float:
    """P(|sum - mean| >= deviation) of independent terms, each within `largest` of its mean."""
    if deviation == 0:
        return 1.0
    return min(1.0, 2 * exp(-(deviation**2) / 2 / (variance + largest * deviation / 3)))
