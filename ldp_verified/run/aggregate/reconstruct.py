"""Estimate the distribution behind noisy reports, by expectation maximisation over a known channel.

Zitao Li, Tianhao Wang, Milan Lopuhaa-Zwakenberg, Ninghui Li, Boris Skoric (2020), Estimating
Numerical Distributions under Local Differential Privacy: EM, and EMS, which smooths the estimate
with weights 1/4, 1/2, 1/4 after every step. EMS has a bias that more reports do not shrink, so by
default it is kept only where the reports do not contradict it. Let L be the log-likelihood that EM
reaches, which is the largest one, and S that of EMS. By noise alone, EM gains over the true shares
about half of a chi-square of at most bins - 1 degrees of freedom (Wilks 1938). In 2 (L - S) that is
bins - 1 on average. Where 2 (L - S) is larger, EM is taken. As the likelihoods grow with n, EMS is
given up from some n on wherever it is wrong.

Samuel S. Wilks (1938), The Large-Sample Distribution of the Likelihood Ratio for Testing Composite
Hypotheses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    plain, even = (_climbed(counts, channel, s, tolerance, most_steps) for s in (False, True))
    return plain if 2 * (plain.log_likelihood - even.log_likelihood) > bins - 1 else even


def _climbed(
    counts: NDArray[np.int64],
    channel: NDArray[np.float64],
    smooth: bool,
    tolerance: float,
    most_steps: int,
) -> Reconstruction:
    bins = channel.shape[1]
    shares = np.full(bins, 1 / bins)
    before, seen = -math.inf, counts > 0
    for step in range(1, most_steps + 1):
        mixed = channel @ shares
        log_likelihood = float(counts[seen] @ np.log(mixed[seen]))
        if log_likelihood - before < tolerance:
            return Reconstruction(shares, step - 1, log_likelihood, True, smooth)
        before = log_likelihood
        ratio = np.divide(counts, mixed, out=np.zeros(len(mixed)), where=seen)
        shares = shares * (channel.T @ ratio)
        if smooth:
            padded = np.concatenate((shares[:1], shares, shares[-1:]))
            shares = padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4
        shares /= shares.sum()
    return Reconstruction(shares, most_steps, before, False, smooth)


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
