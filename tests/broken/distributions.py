"""Bounds of a distribution that are wrong: too short, or right for the middles of bins only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ldp_verified.run.aggregate.distribution import DistributionBounds, counted_within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ends = tuple[NDArray[np.float64], NDArray[np.float64]]


def too_short(below: NDArray[np.int64], n: int, level: float) -> Ends:
    """As if there were ten times as many reports."""
    return counted_within(10 * below, 10 * n, level)


def of_middles(bounds: DistributionBounds) -> DistributionBounds:
    """Every number counts as the middle of its bin."""
    middle = (bounds.least + bounds.most) / 2
    return replace(bounds, least=middle, most=middle)
