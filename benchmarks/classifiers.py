"""Auditors that refute one claimed eps with a classifier of two inputs' reports.

Both are given a perfect classifier, which need not be learnt: it takes the reports whose ratio is
above e^eps of the claim. DP-Auditorium's hockey-stick tester bounds the share of reports that it
classifies rightly, by Hoeffding's inequality. The auditor of f-DP bounds its two error rates, and
looks whether the pair of them lies below the curve of the claim.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Counts = tuple[int, int]

LEARNT = 12 * 3.8637 * sqrt(2)
"""The margin that the published code of f-DP allows for a classifier learnt from n reports, beside
that of `curve_refutes` for n reports in all."""


def hockey_stick(
    sure: tuple[float, float], more: int, claim: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Right guesses among reports of the second input, e^eps times as many, and of the first.

    Args:
        sure: the chances of what the classifier takes, under the first input and the second.
        more: reports. claim: eps. rng: of the counts.

    Returns:
        The right ones, and nothing else that is counted.
    """
    weight = exp(claim)
    right = (weight * (1 - sure[1]) + sure[0]) / (1 + weight)
    return np.array([rng.binomial(more, right), 0])


def hockey_stick_refutes(counts: Counts, n: int, claim: float, level: float) -> bool:
    """Return whether so many right guesses of n are more than the claim allows."""
    margin = sqrt(log(1 / level) / (2 * n))
    return counts[0] / n - margin > exp(claim) / (1 + exp(claim))


def rates(
    sure: tuple[float, float], more: int, _claim: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """What the classifier takes of reports of either input, half of them each."""
    return np.asarray(rng.binomial(more // 2, sure))


def curve(alpha: float, claim: float) -> float:
    """The smallest rate of misses that a claim of eps allows beside a rate of false alarms."""
    return max(0.0, 1 - exp(claim) * alpha, exp(-claim) * (1 - alpha))


def curve_refutes(counts: Counts, n: int, claim: float, level: float) -> bool:
    """Return whether both rates, each with its margin, lie below the curve of the claim."""
    half = n // 2
    margin = sqrt(log(4 / level) / (2 * half))
    alpha, misses = counts[1] / half, 1 - counts[0] / half
    return misses + margin < curve(min(alpha + margin, 1.0), claim)
