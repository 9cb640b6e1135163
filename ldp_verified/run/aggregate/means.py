"""Estimates of means, with intervals from the reports' spread and from the noise that they have.

The spread of few reports may be far below what it is on average: at a large epsilon most lots of
reports hold no lie. So a mean is in the interval if the estimate is as near to it as the larger of
two errors allows: that of the spread, and that of reports on this mean alone. By enumeration for
`Duchi`, where all users hold one number, intervals of level 0.95 cover 0.91 or more of 10 to 1,000
reports, and 0.79 or more of a single report.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import check_kind
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty
from ldp_verified.run.aggregate.score import Parabola, furthest
from ldp_verified.run.aggregate.tabulated import FromReports, quantile

Floats = NDArray[np.float64]

HALVINGS = 44
"""A search for an end stops when it is off by a share 2^-44 of the distance of the bounds."""


@dataclass(frozen=True)
class Variances:
    """The variances of one report as a function of the number that it is about.

    Attributes:
        at: maps numbers within the bounds, float64 (k,), to variances in squared units.
        pieces: it is a parabola on each of so many equal parts of the distance between the bounds.
    """

    at: Callable[[Floats], Floats]
    pieces: int = 1


Noise = tuple[tuple[float | Floats, Variances], ...]


def standard_errors(means: Floats, noise: Noise) -> Floats:
    """Return the standard errors of estimates if all users held one of these means.

    Args:
        means: float64 (k,), within the bounds.
        noise: for each part of the reports the square of its weight over their number, one for
            all means or float64 (k,), and the variances of one; empty without reports.

    Returns:
        float64 (k,); nan without reports.
    """
    if not noise:
        return np.full(len(means), math.nan)
    parts = [share * variances.at(means) for share, variances in noise]
    return np.asarray(np.sqrt(np.sum(parts, axis=0)))


def score_columns(
    means: Floats,
    errors: Floats,
    bounds: tuple[float, float],
    noise: Noise,
    level: float,
    simultaneous: bool,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return columns whose intervals lie within the bounds.

    Args:
        means, errors: float64 (k,), the errors from the spread of the reports.
        bounds: of the numbers. noise: see `standard_errors`.
        level, simultaneous: see `Tabulated.columns`.

    Raises:
        ParameterError: as `Tabulated.columns`.
    """
    check_kind("simultaneous", simultaneous, bool)
    z = quantile(level, len(means) if simultaneous else 1)
    # No mean beyond a bound is true: so distances count from the nearest that may be.
    nearest = np.clip(means, *bounds)
    pieces = [variances.pieces for _, variances in noise]

    def near_enough(numbers: Floats) -> Floats:
        return np.asarray((z * standard_errors(numbers, noise)) ** 2)

    ends = []
    for bound in bounds:
        inner, outer = nearest, np.full(len(means), bound)
        # Once all variances between these two are one parabola, the end solves a quadratic.
        for _ in range(HALVINGS):
            if _in_one_piece(inner, outer, bounds, pieces):
                break
            middle = inner + (outer - inner) / 2
            allowed = np.maximum((z * errors) ** 2, near_enough(middle))
            held = (middle - nearest) ** 2 <= allowed
            inner, outer = np.where(held, middle, inner), np.where(held, outer, middle)
        places = (inner, inner + (outer - inner) / 2, outer)
        noisy = furthest(inner, outer, nearest, Parabola(*map(near_enough, places)))
        spread = np.clip(nearest + np.sign(bound - nearest) * z * errors, *bounds)
        ends.append(np.where(np.abs(spread - nearest) > np.abs(noisy - nearest), spread, noisy))
    return means, errors, ends[0], ends[1]


def _in_one_piece(
    one: Floats, other: Floats, bounds: tuple[float, float], pieces: list[int]
) -> bool:
    """Return whether no node of a part's variances lies between two numbers, for all of them."""
    low, high = bounds
    for count in pieces:
        places = np.sort((np.array([one, other]) - low) / (high - low) * count, axis=0)
        if (np.ceil(places[1]) > np.floor(places[0]) + 1).any():
            return False
    return True


@dataclass(frozen=True)
class MeanEstimate(FromReports):
    """An unbiased estimate of a mean, in the users' own units.

    Attributes:
        n: number of reports. mean: the estimate; nan without reports.
        std_error: from the spread of the reports, which counts the users as a sample. It is not
            below the error of reports on the mean alone, so it is above 0 also for one report.
        worst_std_error: from the proven variance of the worst input, whatever the inputs are; it
            leaves out that the users are a sample.
        bounds: of the users' numbers.
        noise: see `standard_errors`.
        honesty: whether the sum is one that honest reports have.
    """

    n: int
    mean: float
    std_error: float
    worst_std_error: float
    bounds: tuple[float, float] = field(repr=False)
    noise: Noise = field(repr=False, compare=False)
    honesty: Honesty = field(default=UNTESTED, repr=False)

    quantity: ClassVar[str] = "average"

    @property
    def names(self) -> tuple[str]:
        """The one label, of all users."""
        return ("all users",)

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """The mean, its error and its interval, in the users' units; see `Tabulated.columns`."""
        mean, error = np.array([self.mean]), np.array([self.std_error])
        return score_columns(mean, error, self.bounds, self.noise, level, simultaneous)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The means within the bounds from which the estimate is at most z standard errors away.

        Ends are in the users' units. The error is `std_error`, or that of reports on this mean
        alone where it is larger. This is a score interval, by normal approximation; nan without
        reports.

        Args:
            level: the coverage asked for, in (0, 1).

        Raises:
            ParameterError: `level` is not between 0 and 1.
        """
        *_, low, high = self.columns(level)
        return float(low[0]), float(high[0])


@dataclass(frozen=True, repr=False)
class VectorEstimate(FromReports):
    """Unbiased estimates of d means, in the users' units.

    Attributes:
        n: number of reports. means: shape (d,); nan for n = 0.
        std_errors: as `MeanEstimate.std_error`, shape (d,).
        bounds: of each coordinate. noise: see `standard_errors`.
        honesty: whether the sums are such as honest reports have.
    """

    n: int
    means: Floats
    std_errors: Floats
    bounds: tuple[float, float]
    noise: Noise = field(compare=False)
    honesty: Honesty = field(default=UNTESTED, repr=False)

    quantity: ClassVar[str] = "average"

    @property
    def names(self) -> range:
        """The coordinates."""
        return range(len(self.means))

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Means, errors and intervals, in the users' units: see `MeanEstimate.interval`.

        Args and Raises: as `Tabulated.columns`.
        """
        return score_columns(
            self.means, self.std_errors, self.bounds, self.noise, level, simultaneous
        )
