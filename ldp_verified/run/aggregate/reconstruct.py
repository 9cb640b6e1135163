"""Estimate the distribution behind noisy reports, by expectation maximisation over a known channel.

Zitao Li, Tianhao Wang, Milan Lopuhaa-Zwakenberg, Ninghui Li, Boris Skoric (2020), Estimating
Numerical Distributions under Local Differential Privacy: EM, and EMS, which smooths the estimate
with weights 1/4, 1/2, 1/4 after every step. EMS has a bias that more reports do not shrink, so by
default it is kept only where the reports do not contradict it. Let L be the log-likelihood that EM
reaches, which is the largest one, and S that of EMS. By noise alone, EM gains over the true shares
about half of a chi-square of at most bins - 1 degrees of freedom (Wilks 1938). In 2 (L - S) that is
bins - 1 on average. Where 2 (L - S) is larger, EM is taken. As the likelihoods grow with n, EMS is
given up from some n on wherever it is wrong.

EM takes thousands of steps and EMS a hundred. So EM is spared where a bound of all likelihoods says
that EMS will be kept. Of shares x with EM's factors d (a step multiplies share j by d_j, and n
users), no likelihood is above that of x by more than n ln(max d), by Jensen's inequality. At the
best shares, which Newton's steps over the non-negative orthant reach soon, that is 0 (Wang 2007).

Samuel S. Wilks (1938), The Large-Sample Distribution of the Likelihood Ratio for Testing Composite
Hypotheses. Yong Wang (2007), On Fast Computation of the Non-Parametric Maximum Likelihood Estimate
of a Mixing Distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.extras import needs

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEWTON_STEPS: Final = 20
"""So many steps of Newton's method are tried before EM; a few are enough, as a rule."""

RIDGE: Final = 1e-10
"""This share of the diagonal of the curvature is added to it."""

HALVINGS: Final = 30
"""A step of Newton's method is halved at most so often."""


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """A distribution over equal bins, of high likelihood; biased, and without a standard error.

    Attributes:
        shares: float64 (bins,), non-negative, sum 1; nan without reports.
        steps: how many steps were made.
        log_likelihood: of the reports' counts, constants left out.
        converged: whether the last step gained less than the tolerance.
        smoothed: whether it is of EMS, and not of EM.
    """

    shares: NDArray[np.float64]
    steps: int
    log_likelihood: float
    converged: bool
    smoothed: bool


def reconstruct(
    counts: NDArray[np.int64],
    channel: NDArray[np.float64],
    *,
    smooth: bool | None = None,
    tolerance: float = 1e-3,
    most_steps: int = 10_000,
) -> Reconstruction:
    """Expectation maximisation from the uniform distribution.

    Args:
        counts: reports per output bucket, shape (d,).
        channel: P(bucket | bin), shape (d, bins), columns summing to 1, no row all zero.
        smooth: True for EMS, which has less noise and a bias against spikes and steep places, False
            for EM; None for EMS where the reports do not contradict it, and EM elsewhere.
        tolerance: stop when a step gains less log-likelihood than this.
        most_steps: stop after so many steps.

    Raises:
        ParameterError: shapes that do not fit, negative counts, or a channel that is none.
    """
    if channel.ndim != 2 or counts.shape != channel.shape[:1] or channel.shape[1] < 1:
        shapes = (counts.shape, channel.shape)
        raise ParameterError("counts, channel", "must be (d,) and (d, bins)", shapes)
    if (counts < 0).any():
        raise ParameterError("counts", "must not be negative")
    if (channel < 0).any() or not np.allclose(channel.sum(axis=0), 1):
        raise ParameterError("channel", "must have columns that are distributions")
    bins = channel.shape[1]
    if not counts.any():
        return Reconstruction(np.full(bins, math.nan), 0, math.nan, False, smooth is not False)
    if smooth is not None:
        return _climbed(counts, channel, smooth, tolerance, most_steps)
    even = _climbed(counts, channel, True, tolerance, most_steps)
    limit = even.log_likelihood + (bins - 1) / 2
    if none_above(counts, channel, even.shares, limit):
        return even
    plain = _climbed(counts, channel, False, tolerance, most_steps)
    return plain if plain.log_likelihood > limit else even


def _climbed(
    counts: NDArray[np.int64],
    channel: NDArray[np.float64],
    smooth: bool,
    tolerance: float,
    most_steps: int,
) -> Reconstruction:
    bins = channel.shape[1]
    shares = np.full(bins, 1 / bins)
    before, (reports, chances) = -math.inf, _seen(counts, channel)
    for step in range(1, most_steps + 1):
        mixed = chances @ shares
        log_likelihood = float(reports @ np.log(mixed))
        if log_likelihood - before < tolerance:
            return Reconstruction(shares, step - 1, log_likelihood, True, smooth)
        before = log_likelihood
        shares = shares * ((reports / mixed) @ chances)
        if smooth:
            padded = np.concatenate((shares[:1], shares, shares[-1:]))
            shares = padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4
        shares /= shares.sum()
    return Reconstruction(shares, most_steps, before, False, smooth)


def _seen(
    counts: NDArray[np.int64], channel: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The counts that are not 0, and their rows: the likelihood is a matter of these alone."""
    seen = counts > 0
    return counts[seen].astype(np.float64), channel[seen]


def none_above(
    counts: NDArray[np.int64],
    channel: NDArray[np.float64],
    shares: NDArray[np.float64],
    limit: float,
) -> bool:
    """Return whether the log-likelihood is certain to stay at or below a limit at all shares.

    Args:
        counts: reports per output bucket, shape (d,), not all 0.
        channel: P(bucket | bin), shape (d, bins).
        shares: where the search begins, shape (bins,), as likely as possible and none of them 0.
        limit: of the log-likelihood.

    Returns:
        False where it can be above, or where that is not found out.
    """
    needs("a distribution whose smooth is None", "scipy")
    from scipy.optimize import nnls  # not needed by clients

    reports, chances = _seen(counts, channel)
    n = float(reports.sum())

    def log_likelihood(shares: NDArray[np.float64]) -> float:
        mixed = chances @ shares
        return float(reports @ np.log(mixed)) if mixed.min() > 0 else -math.inf

    reached = log_likelihood(shares)
    for _ in range(NEWTON_STEPS):
        mixed = chances @ shares
        gradient = (reports / mixed) @ chances
        rounding = 1e-12 * abs(reached)
        if reached + n * math.log(gradient.max() / n) + rounding <= limit:
            return True
        if reached > limit:
            return False
        scaled = chances * (np.sqrt(reports) / mixed)[:, np.newaxis]
        # The best non-negative x of the parabola that touches here, less n (sum(x) - 1). A bit more
        # on the diagonal, for bins that hardly differ, makes the step no longer and the bound holds
        # wherever it leads.
        curvature = scaled.T @ scaled
        curvature[np.diag_indices(len(shares))] *= 1 + RIDGE
        try:
            root = np.linalg.cholesky(curvature).T
            aim, _ = nnls(root, np.linalg.solve(root.T, 2 * gradient - n))
        except (np.linalg.LinAlgError, RuntimeError):  # not curved, or too many steps
            return False
        step = aim / aim.sum() - shares
        for _ in range(HALVINGS):
            moved = log_likelihood(shares + step)
            if moved > reached:
                break
            step = step / 2
        else:
            return False
        shares, reached = shares + step, moved
    return False


def window_channel(m: int, w: int, inside: float, outputs: int, bins: int) -> NDArray[np.float64]:
    """P(output bucket | input bin) of a window mechanism, inputs uniform in their bin.

    Outputs are m + w cells in `outputs` equal buckets, inputs 0..m in `bins` equal bins; cells are
    taken as a continuum, which is right up to one cell in m.

    Args:
        m, w: steps of the input, cells of the window. inside: probability of the window.
    """
    edges = np.linspace(0, m + w, outputs + 1)
    starts = np.linspace(0, m, bins + 1)

    def overlap(edge: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
        """The area of {(y, x) : x <= y <= x + w, y < edge, x < start}, up to what cancels."""
        gap = edge[:, None] - start[None, :]
        return np.maximum(gap, 0) ** 2 / 2 - np.maximum(gap - w, 0) ** 2 / 2

    area = overlap(edges, starts)
    both = area[1:, :-1] - area[:-1, :-1] - area[1:, 1:] + area[:-1, 1:]
    width = np.diff(edges)[:, None]
    depth = np.diff(starts)[None, :]
    held = both / depth
    channel = inside * held / w + (1 - inside) * (width - held) / m
    return np.asarray(channel / channel.sum(axis=0), dtype=np.float64)
