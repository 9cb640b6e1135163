"""Counts fitted with a prior that is learnt from all of them: empirical Bayes.

Where many values have counts of a like size, each estimate says something about the others. The
distribution of the true counts is estimated from all estimates, and each count is then its mean
given its own estimate. No family is assumed, as it is by a power law. Cun-Hui Zhang and Wenhua
Jiang (2009), General maximum likelihood empirical Bayes estimation of normal means, have the
distribution that is most likely. Here its expectation maximisation is stopped early, where
estimates that were left out become less likely: so a few values do not make it too rough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.run.aggregate.consistent import norm, norm_sub

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate

    Floats = NDArray[np.float64]
    Group = tuple[NDArray[np.int64], float]

WINDOW: Final = 60.0
"""Standard errors above the least count, beyond which counts are left as they are."""

MARGIN: Final = 5.0
"""Standard errors that the grid reaches further than the counts that it is for."""

PER_ERROR: Final = 3
"""Points of the grid in a standard error."""

WORTH: Final = 10.0
"""Values that the first distribution counts for, beside those that it is fitted to."""

PARTS: Final = 10
"""The number of parts that values are split into; each is left out once, to find when to stop."""

STEPS: Final = 32
"""The largest number of steps of expectation maximisation."""

PATIENCE: Final = 8
"""Steps without an improvement, beyond as many as the best one took, after which it ends."""

FITTED: Final = 1 << 12
"""Values that the distribution is fitted to, at most, or that are looked at together."""


def empirical_bayes(estimate: Estimate, groups: Sequence[Group]) -> Floats:
    """Compute the mean of each count given its estimate, under a prior learnt from all of them.

    The noise is taken for normal and independent, with the variance that the table gives at each
    count. The prior lives on a grid. It begins proportional to 1/(x + a standard error), which has
    a weight of 10 values to the end. `norm_sub` then gives each group its sum. Counts more than 60
    standard errors above the least are left unbiased. A count that few others resemble is hardly
    changed. One that many resemble is drawn to them, and that is its bias.

    Args:
        estimate: of all values. groups: of values with a known sum, which together are all.

    Returns:
        float64 (k,).
    """
    n, k = estimate.n, len(estimate.counts)
    a, b = (np.broadcast_to(each, k) for each in estimate.oracle.variance_line(n))
    counts = estimate.counts.copy()
    for places, total in groups:
        counts[places] = norm(counts[places], total, counts[places])
    means = posterior(counts, n * a, b)
    found = np.zeros(k)
    for places, total in groups:
        found[places] = norm_sub(means[places], total, means[places])
    return found


def posterior(counts: Floats, at_zero: Floats, slope: Floats) -> Floats:
    """Means of true counts given their estimates, under a prior fitted to all estimates.

    Args:
        counts: float64 (k,). at_zero, slope: float64 (k,): an estimate of a true count x has the
            variance at_zero + slope x.

    Returns:
        float64 (k,); the counts themselves where an estimate has no error.
    """
    least = max(float(counts.min()), 0.0)
    unit = float(np.sqrt(max(float(np.mean(at_zero + slope * least)), 0.0)))
    if unit == 0.0:
        return counts
    begin = max(least - MARGIN * unit, 0.0)
    near = np.flatnonzero(counts <= begin + WINDOW * unit)
    end = max(float(counts[near].max()), begin) + MARGIN * unit
    grid: Floats = begin + unit / PER_ERROR * np.arange(2.0 + int((end - begin) / unit * PER_ERROR))
    prior: Floats = np.asarray(1.0 / (grid + unit), dtype=np.float64)
    prior /= prior.sum()
    ranked = near[np.argsort(counts[near], kind="stable")]
    some = ranked[:: -(-len(ranked) // FITTED)]
    prior = learnt(_likelihoods(counts[some], grid, at_zero[some], slope[some]), prior)
    means = counts.copy()
    for first in range(0, len(near), FITTED):
        part = near[first : first + FITTED]
        weights = _likelihoods(counts[part], grid, at_zero[part], slope[part]) * prior
        means[part] = weights @ grid / weights.sum(axis=1)
    return means


def learnt(likelihoods: Floats, first: Floats) -> Floats:
    """Fit a distribution by expectation maximisation, stopped where it begins to fit noise.

    Args:
        likelihoods: of each estimate at each point of the grid, each row up to a factor, (values,
            points), neighbours in order of size. first: of the points, to begin with.

    Returns:
        Chances of the points after the number of steps, 0 to 32, at which the parts are likeliest
        that were left out. Left out is one estimate in 10, in order of size.
    """
    values = len(likelihoods)
    every = np.arange(values)
    part = every % PARTS
    used = np.ones((values, PARTS + 1))
    used[every, part] = 0.0
    # One column for each part that is left out, and the last one for all values.
    chances = np.repeat(first[:, None], PARTS + 1, axis=1)
    best, found, last = -np.inf, first, 0
    for step in range(STEPS + 1):
        fits = likelihoods @ chances
        likely = float(np.log(fits[every, part]).sum())
        if likely > best:
            best, found, last = likely, chances[:, -1].copy(), step
        elif step >= 2 * last + PATIENCE:
            break
        held = chances * (likelihoods.T @ (used / fits))
        chances = (held + WORTH * first[:, None]) / (used.sum(axis=0) + WORTH)
    return np.asarray(found)


def _likelihoods(counts: Floats, grid: Floats, at_zero: Floats, slope: Floats) -> Floats:
    """Normal densities of estimates at true counts, each row up to a factor: 1 where largest."""
    variances = at_zero[:, None] + slope[:, None] * grid
    variances = np.maximum(variances, 1e-9 * max(float(variances.max()), 1e-300))
    # Beyond that many standard errors a density is 0 whatever the distance, whose square overflows.
    apart = np.minimum(abs(counts[:, None] - grid) / np.sqrt(variances), 1e100)
    logs = -(apart**2) / 2 - np.log(variances) / 2
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))
