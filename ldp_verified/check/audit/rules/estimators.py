"""Test whether a server's estimate agrees with the table that its client is said to have.

Three checks. Where reports can be read, the estimate must be the derived one, (c - n q*)/(p* - q*)
with c supports: compared number by number, no statistics. Over repeated populations of the same
users, c is the sum of two independent binomials. So under the null (the estimate is the derived one
and reports follow the table) the law of the sum of all estimates is known exactly. The p-value of
their mean is a tail of that law. The sum of squared errors is a sum of independent terms of a known
finite law. Each tail is bounded by Chernoff's inequality with the exact moment generating function.
It holds for every choice of its parameter, so that p-value is never too small.

H. Chernoff (1952), A Measure of Asymptotic Efficiency for Tests of a Hypothesis Based on the Sum of
Observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from scipy.stats import binom

from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.rules.rules import Finding, told
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.called import resolve
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

LEVEL = 1e-6
POPULATIONS = 200
USERS = 500


@dataclass(frozen=True)
class EstimatorResult:
    """The observed bias and variance of a server's estimates, with their p-values.

    Attributes:
        truth: how many users hold the value.
        mean: of the estimates. expected_variance: derived. variance: mean square error seen.
        bias_p, variance_p: p-values; the first is exact, the second an upper bound of it.
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
            supports = OutputReading(reading, (held,)).supports(batch, batch.inputs)
            differences.append(abs(found - (float(supports.sum()) - users * q_star) / spread))
    variance = (truth * p_star * (1 - p_star) + (users - truth) * q_star * (1 - q_star)) / spread**2
    errors = np.array(estimates) - truth
    law = supports_law(truth, users - truth, p_star, q_star)
    total = spread * float(np.sum(estimates)) + populations * users * q_star
    whole = supports_law(populations * truth, populations * (users - truth), p_star, q_star)
    bias_p = two_sided(whole, total)
    square = float((errors**2).mean())
    variance_p = _spread_p(law, (truth * p_star + (users - truth) * q_star, spread), errors)
    difference = max(differences, default=None)
    findings = []
    if difference is not None and difference > 1e-6 * users / spread:
        words = f"the estimate is off by up to {difference:.3g} users from (c - n q*)/(p* - q*)"
        findings.append(Finding("LDP010", words, {"difference": difference}))
    if bias_p <= level / 2:
        words = f"mean of {populations} estimates {np.mean(estimates):.4g}, truth {truth}"
        findings.append(Finding("LDP010", f"{words} (p = {bias_p:.1e})", {"truth": truth}))
    if variance_p <= level / 2:
        words = f"mean square error {square:.4g}, derived variance {variance:.4g}"
        findings.append(Finding("LDP010", f"{words} (p <= {variance_p:.1e})", {}))
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


@dataclass(frozen=True)
class EstimatorLaw:
    """The law of a whole number: `chances[i]` belongs to `first` + i; below 1e-30 is left out."""

    first: int
    chances: NDArray[np.float64]

    @property
    def values(self) -> NDArray[np.float64]:
        """The numbers."""
        return self.first + np.arange(len(self.chances), dtype=np.float64)


def _binomial(n: int, p: float) -> EstimatorLaw:
    reach = 12 * (n * p * (1 - p)) ** 0.5 + 60
    counts = np.arange(max(0, int(n * p - reach)), min(n, int(n * p + reach) + 1) + 1)
    return EstimatorLaw(int(counts[0]), np.asarray(binom.pmf(counts, n, p)))


def supports_law(holders: int, others: int, p_star: float, q_star: float) -> EstimatorLaw:
    """Return how many reports support a value that some users hold."""
    one, two = _binomial(holders, p_star), _binomial(others, q_star)
    return EstimatorLaw(one.first + two.first, np.convolve(one.chances, two.chances))


ROUNDING = 1e-6
"""Supports are whole: a sum of estimates that is this close to one is taken for it."""


def two_sided(law: EstimatorLaw, total: float) -> float:
    """Twice the smaller tail at `total`."""
    slack = ROUNDING * max(1.0, abs(total)) ** 0.5
    above = float(law.chances[law.values >= total - slack].sum())
    below = float(law.chances[law.values <= total + slack].sum())
    return min(1.0, 2 * min(above, below))


def _spread_p(law: EstimatorLaw, table: tuple[float, float], errors: NDArray[np.float64]) -> float:
    """An upper bound of the two-sided p-value of a sum of squared errors.

    Args:
        law: of the supports in one population.
        table: their mean, and p* - q*.
        errors: of the estimates.
    """
    mean, spread = table
    squares = ((law.values - mean) / spread) ** 2
    keep = law.chances > 0
    squares, logs = squares[keep], np.log(law.chances[keep])
    n, total = len(errors), float((errors**2).sum())
    expected = float(np.exp(logs) @ squares)
    if expected == 0:
        return float(total == 0)

    def bound(tilt: float) -> float:
        return n * float(logsumexp(logs + tilt * squares)) - tilt * total

    # Above the mean positive tilts bound the upper tail, below it negative ones the lower tail.
    ends = (0.0, 2.0 / expected) if total > n * expected else (-200.0 / expected, 0.0)
    found = minimize_scalar(bound, bounds=ends, method="bounded")
    return min(1.0, 2 * exp(min(float(found.fun), 0.0)))


def beside(
    randomize: Callable[[Any], Any],
    reference: str,
    inputs: Sequence[Any],
    table: tuple[float, float],
    reading: str | None,
) -> list[Any]:
    """`check_server` in the target's process, so that the server gets the client's own objects.

    Args:
        randomize, inputs, table, reading: as there.
        reference: `package.module:expression` of the server.
    """
    server = resolve(reference, "--estimator")
    if not callable(server):
        raise ParameterError("--estimator", "must be callable", reference)
    return told(check_server(randomize, server, inputs, table, reading=reading).findings)


def check_server(
    randomize: Callable[[Any], Any],
    server: Callable[[list[Any]], Any],
    inputs: Sequence[Any],
    table: tuple[float, float],
    *,
    reading: str | None = None,
    level: float = LEVEL,
    users: int = USERS,
    populations: int = POPULATIONS,
) -> EstimatorResult:
    """`check_estimator` for a server of all values, by its estimate of the first input.

    Args:
        randomize: the client.
        server: a list of reports in; the estimated counts out, by input (a mapping) or in the order
            of the inputs, or one number for the first input.
        inputs: the domain.
        table: p* and q*.
        reading: of the reports; None: not at all.
        level, users, populations: as there.

    Raises:
        ParameterError: the server gives something else.
    """
    held = inputs[0]

    def estimate(reports: list[Any]) -> float:
        found = server(reports)
        try:
            if isinstance(found, Mapping):
                found = found[held]
            elif not np.isscalar(found):
                found = next(iter(found))
            return float(found)
        except (KeyError, IndexError, TypeError, ValueError):
            rule = "must give estimated counts, in the order of the inputs"
            raise ParameterError("--estimator", rule, type(found)) from None

    return check_estimator(
        randomize,
        estimate,
        held=held,
        others=list(inputs[1:]),
        p_star=table[0],
        q_star=table[1],
        reading=reading,
        level=level,
        users=users,
        populations=populations,
    )
