"""Rule LDP016 tests delta by a fit of normal noise, where `--as gaussian` comes without a sigma.

Counts alone cannot test a small delta or a large eps: the events that show a violation are so rare
that they would need more samples than anybody has. A fit needs few. If each report is the mean of
its input plus normal noise, and the noise has one standard deviation sigma for all inputs, then
delta follows from the distance a of two means, in units of sigma. The smallest delta at eps is

    Phi(a/2 - eps/a) - e^eps Phi(-a/2 - eps/a)

(Borja Balle, Yu-Xiang Wang, 2018, Improving the Gaussian Mechanism for Differential Privacy). The
rule bounds the distance of the means by Student's law and sigma by the chi-squared law, with half
of the level for each.

The rule assumes that the noise is normal, and each result says so. It refuses noise that is visibly
not normal, but this shows of no noise that it is. The audit tests the best event by counts as well,
which assumes nothing; the rule says how many samples that test would need.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import log_ndtr, ndtr
from scipy.stats import bartlett, chi2, normaltest
from scipy.stats import t as student

from ldp_verified.check.audit.bounds.bounds import METHODS, Stake, samples_needed
from ldp_verified.check.audit.events.events import PairEvent
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.batch import joined
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.check.audit.claim import Claim
    from ldp_verified.check.audit.targets.sources import Source

LEVEL = 1e-6
"""The level of the fit, on top of the audit's level; the assumption of normal noise has none."""

NORMAL_LEVEL = 1e-4
"""Normal noise of one size is refused with this probability, by either check."""

FEWEST = 50
"""Samples of each input."""

MOST = 10**12


def delta_of(epsilon: float, a: float) -> float:
    """The smallest delta at epsilon where two means are `a` standard deviations apart."""
    if a <= 0:
        return 0.0
    second = exp(min(epsilon + float(log_ndtr(-a / 2 - epsilon / a)), 0.0))
    return max(0.0, float(ndtr(a / 2 - epsilon / a)) - second)


@dataclass(frozen=True)
class Fit:
    """Normal noise as the samples show it.

    Attributes:
        x, x2: indices of the two inputs whose means are farthest apart, the smaller mean first.
        means: of these two.
        sigma: of the noise.
        lower, a, upper: the distance of the means in parts of sigma, and its confidence limits.
        n: samples.
        wrong: why the noise is not normal or not of one size; empty where nothing speaks for it.
    """

    x: int
    x2: int
    means: tuple[float, float]
    sigma: float
    lower: float
    a: float
    upper: float
    n: int
    wrong: str

    def event(self, epsilon: float) -> PairEvent:
        """The outputs whose likelihood ratio is above e^eps, for either input."""
        (low, high), middle = self.means, sum(self.means) / 2
        reach = max(epsilon, 1e-9) * self.sigma**2 / max(high - low, 1e-300)
        edges = ",".join(float(edge).hex() for edge in (middle - reach, middle + reach))
        return PairEvent(
            f"below:{edges}", self.x, self.x2, frozenset(["interval 0"]), frozenset(["interval 2"])
        )

    def needed(self, claim: Claim) -> int | None:
        """Samples of two inputs after which counts would show the violation; None beyond `MOST`."""
        cut = claim.epsilon / self.a if self.a > 0 else 0.0
        plus, minus = float(ndtr(self.a / 2 - cut)), float(ndtr(-self.a / 2 - cut))
        if plus <= exp(claim.epsilon) * minus + claim.delta:
            return None
        method = METHODS[1] if claim.delta else METHODS[0]
        return samples_needed(
            plus,
            minus,
            Stake(),
            claim.level,
            target=claim.epsilon,
            delta=claim.delta,
            method=method,
            most=MOST,
        )


def fit(inputs: NDArray[np.int64], outputs: NDArray[np.float64], k: int) -> Fit:
    """The fit to numbers.

    Args:
        inputs: indices below k, shape (n,). outputs: the reports, shape (n,).
        k: how many inputs.

    Raises:
        ParameterError: too few samples of an input, or numbers that are not finite or all equal.
    """
    groups = [outputs[inputs == i] for i in range(k)]
    fewest = min(map(len, groups))
    if fewest < FEWEST or not np.all(np.isfinite(outputs)):
        rule = f"must give finite numbers, {FEWEST} of each input at least, to be fitted"
        raise ParameterError("--as gaussian", rule, fewest)
    means = [float(group.mean()) for group in groups]
    rest = np.concatenate([group - mean for group, mean in zip(groups, means, strict=True)])
    freedom = len(rest) - k
    squares = float(rest @ rest)
    if squares == 0:
        raise ParameterError("--as gaussian", "must have noise: reports of an input are all equal")
    sigma = sqrt(squares / freedom)
    x, x2 = max(combinations(range(k), 2), key=lambda pair: abs(means[pair[0]] - means[pair[1]]))
    if means[x] > means[x2]:
        x, x2 = x2, x
    pairs = k * (k - 1) // 2
    step = sqrt(1 / len(groups[x]) + 1 / len(groups[x2]))
    reach = float(student.isf(LEVEL / 8 / pairs, freedom)) * sigma * step
    least = sqrt(squares / float(chi2.isf(LEVEL / 4, freedom)))
    most = sqrt(squares / float(chi2.ppf(LEVEL / 4, freedom)))
    apart = means[x2] - means[x]
    return Fit(
        x,
        x2,
        (means[x], means[x2]),
        sigma,
        max(0.0, apart - reach) / most,
        apart / sigma,
        (apart + reach) / least,
        len(rest),
        _wrong(groups, rest),
    )


def _wrong(groups: list[NDArray[np.float64]], rest: NDArray[np.float64]) -> str:
    """Why the noise is not normal of one size; empty where nothing speaks for it."""
    values = sum(len(np.unique(group)) for group in groups)
    if values < len(rest) / 2:
        return f"reports take {values:,} values only"
    if (p := float(normaltest(rest).pvalue)) < NORMAL_LEVEL:
        return f"skewness and kurtosis are not those of normal noise (p = {p:.2g})"
    if (p := float(bartlett(*groups).pvalue)) < NORMAL_LEVEL:
        return f"its size depends on the input (p = {p:.2g})"
    return ""


def fitted(source: Source, samples: int, rng: np.random.Generator) -> Fit:
    """Draw samples and fit.

    Raises:
        ParameterError: reports are no numbers, or as for `fit`.
    """
    batch = joined(source.batches(samples, rng, 0))
    if batch.numbers is None:
        raise ParameterError("--as gaussian", "must report one number for each input")
    return fit(batch.inputs, batch.numbers, len(source.inputs))


def judged(
    found: Fit, claim: Claim, inputs: Sequence[Any], samples: int
) -> tuple[list[Finding], list[str]]:
    """LDP016, and remarks on what was assumed and what counts could show.

    Args:
        found: the fit. claim: the claim. inputs: the audited inputs.
        samples: of the test by counts.
    """
    pair = f"{inputs[found.x]!r} and {inputs[found.x2]!r}"
    if found.wrong:
        note = f"the noise is not normal: {found.wrong}; so nothing was said by a fit"
        return [], [note]
    said = (
        f"if the noise is normal (assumed; {found.n:,} residuals do not speak against it): sigma = "
        f"{found.sigma:.6g}, means of {pair} are {found.a:.4g} of it apart "
        f"({found.lower:.4g} to {found.upper:.4g}, level {LEVEL:g})"
    )
    least, most = (delta_of(claim.epsilon, a) for a in (found.lower, found.upper))
    needed = found.needed(claim)
    counts = (
        f"counts would need {needed:,} samples of these two inputs, and had "
        f"{2 * samples // len(inputs):,}"
        if needed is not None
        else "counts can show no violation at any n, if it is so"
    )
    if needed is not None and needed > 2 * samples // len(inputs):
        counts = f"this cannot be decided by counts at this n: {counts}"
    words = f"{said}; delta at eps = {claim.epsilon:g} is {least:.3g} to {most:.3g}; {counts}"
    if least > claim.delta:
        replay = {"a": found.a, "sigma": found.sigma, "delta": least}
        return [Finding("LDP016", f"{words}; claimed delta = {claim.delta:g}", replay)], []
    held = "and the claim holds" if most <= claim.delta else "and whether the claim holds is open"
    return [], [f"{words}; {held}, on that assumption"]
