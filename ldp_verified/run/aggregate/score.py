"""The furthest ends of score intervals, where the variance is a parabola of what is estimated.

An end f solves (e - f)^2 = W(f), for the estimate e and z^2 times the variance at f: a quadratic.

E. B. Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Parabola(NamedTuple):
    """A parabola by three of its values, each a number or float64 (k,).

    Attributes:
        start, middle, end: its values at the shares 0, 1/2 and 1 of the way.
    """

    start: Floats | float
    middle: Floats | float
    end: Floats | float

    @property
    def bend(self) -> Floats | float:
        """Four times the height of the middle above the chord."""
        return 2 * (2 * self.middle - self.start - self.end)

    def at(self, shares: Floats) -> Floats:
        """The values at shares of the way, at least 0: rounding never makes them negative."""
        rest = 1 - shares
        found = rest * self.start + shares * self.end + rest * shares * self.bend
        return np.maximum(found, 0.0)

    def between(self, low: float, high: float, numbers: Floats) -> Floats:
        """The values at numbers on the way from `low` to `high`."""
        return self.at((numbers - low) / (high - low))


def furthest(starts: Floats, ends: Floats, estimates: Floats, reached: Parabola) -> Floats:
    """The last points on the way from `starts` to `ends` that are near enough to the estimates.

    Args:
        starts, ends: float64 (k,). estimates: each is `starts`, or lies on its far side from
            `ends`.
        reached: the squared distances from the estimate that are near enough, on this way.

    Returns:
        float64 (k,): `starts` where no point is near enough; nan where anything is nan.
    """
    gone, way = np.abs(starts - estimates), np.abs(ends - starts)
    # In units of the longest distance: its fourth power need not be a double.
    unit = np.where(gone + way > 0, gone + way, 1.0)
    gone, way = gone / unit, way / unit
    start, middle, end = (value / unit / unit for value in reached)
    bend = Parabola(start, middle, end).bend
    # Near enough is where a r^2 + b r + c <= 0, at the share r of the way.
    a, b, c = way**2 + bend, 2 * gone * way + start - end - bend, gone**2 - start
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(b * b - 4 * a * c)
        # What comes after this root is too far; in neither form anything cancels.
        share = np.where(b < 0, (root - b) / (2 * a), -2 * c / (b + root))
    share = np.where((share >= 0) & (share <= 1), share, 0.0)
    share = np.where((gone + way) ** 2 <= end, 1.0, share)
    found = starts + share * (ends - starts)
    return np.where(np.isnan(gone + way + start + middle + end), np.nan, found)
