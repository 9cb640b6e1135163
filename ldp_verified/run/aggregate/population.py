"""Averages over the users of what depends on their values, at estimated shares.

Estimated shares are unbiased, and so is an average at them as they are. Shares clipped at 0 and
scaled are not: thousands of values that nobody holds have half of their noise left, and take from
the share of a value that many hold. What is cut instead is the average itself, at what it is where
all users hold the one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def summed_to_one(shares: Floats, weighted: NDArray[np.bool_]) -> Floats:
    """Shares with the sum 1: some as they are, and all others moved by the same number.

    Args:
        shares: estimated, float64 (k,). weighted: those that stay, bool (k,); all move where all
            are to stay.
    """
    others = np.full(len(shares), True) if weighted.all() else ~weighted
    missing = (1.0 - float(shares.sum())) / np.count_nonzero(others)
    return np.asarray(shares + np.where(others, missing, 0.0))


def average(shares: Floats, of_each: Floats) -> Floats:
    """The average of numbers over the users, no less than the least and no more than the largest.

    Args:
        shares: estimated, sum 1, float64 (..., k). of_each: of a user with each value, (..., k).

    Returns:
        float64 (...).
    """
    found = np.asarray((shares * of_each).sum(axis=-1))
    return np.asarray(np.clip(found, of_each.min(axis=-1), of_each.max(axis=-1)))


def spread(shares: Floats, weights: Floats) -> Floats:
    """The variance of the weight of a random user's value, at least 0.

    Args:
        shares: estimated, sum 1, float64 (..., k). weights: of each value, (..., k).

    Returns:
        float64 (...).
    """
    mean = np.asarray((shares * weights).sum(axis=-1))
    # About the mean, as squares of large weights with a small spread would cancel.
    squares = (weights - mean[..., np.newaxis]) ** 2
    return np.asarray(np.maximum((shares * squares).sum(axis=-1), 0.0))


def of_counts(shares: Floats, variances: Floats) -> Floats:
    """The variance of each estimated count: `average` at the shares with its own as it is.

    Args:
        shares: estimated, float64 (k,). variances: [x, v]: what a user with the value x adds to
            the variance of the count of v, float64 (k, k).
    """
    k = len(shares)
    own = np.diagonal(variances) if k > 1 else np.zeros(1)
    missing = (1.0 - float(shares.sum())) / max(k - 1, 1)
    found = shares @ variances + missing * (variances.sum(axis=0) - own)
    return np.asarray(np.clip(found, variances.min(axis=0), variances.max(axis=0)))
