"""Gaussian noise on a grid against what it is rounded from: e^(-z^2/(2 sigma^2)), cut off.

sigma, the cut and the grid are the integers that the class says fix its weights; the weights
themselves are not looked at. In double precision, which is far finer than any sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.numeric import NumericSubject

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.laws import NumericLaw
    from ldp_verified.protocols import Gaussian
    from ldp_verified.run.aggregate.moments import Decoding

UNITS = 1 << 20
"""The class says sigma in units of 1/UNITS steps of the grid."""


@dataclass(frozen=True, eq=False)
class NormalLaw:
    """Noise around a grid input, on the grid.

    Attributes:
        input: of the grid, 0..m. reach: of the noise, in steps. sigma: in steps.
        decoding: what reports stand for; report y is the number y - reach of the grid.
    """

    input: int
    reach: int
    sigma: float
    decoding: Decoding

    @cached_property
    def _masses(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the numbers that reports stand for, and their probabilities."""
        z = np.arange(-self.reach, self.reach + 1)
        weights = np.exp(-((z / self.sigma) ** 2) / 2)
        at = float(self.decoding.first) + (self.input + z + self.reach) * float(self.decoding.step)
        return np.asarray(at), np.asarray(weights / weights.sum())

    @property
    def mean(self) -> float:
        """The mean of what a report stands for."""
        at, masses = self._masses
        return float(at @ masses)

    @property
    def square(self) -> float:
        """The mean square of what a report stands for."""
        at, masses = self._masses
        return float(at**2 @ masses)

    def between(self, low: Fraction, high: Fraction) -> float:
        """The probability of an interval of cells, whose ends lie between grid points."""
        at, masses = self._masses
        return float(masses[(at > float(low)) & (at < float(high))].sum())

    def at(self, atom: Fraction) -> float:  # noqa: ARG002  there are none
        """The mass of an atom, of which there is none."""
        return 0.0


@dataclass(frozen=True, eq=False)
class NormalSubject(NumericSubject):
    """A `Gaussian`, by its thresholds (m, reach, sigma in units)."""

    thresholds: tuple[int, ...] = ()

    def laws(self, share: Fraction) -> list[tuple[Fraction, NumericLaw]]:
        """The laws at the two grid neighbours of an input, with their weights."""
        m, reach, sigma = self.thresholds
        whole, rest = divmod(share * m, 1)
        parts = [(1 - rest, int(whole)), (rest, int(whole) + 1)]
        return [
            (weight, NormalLaw(i, reach, sigma / UNITS, self.decoding))
            for weight, i in parts
            if weight
        ]


def gaussian_subject(made: Gaussian) -> NormalSubject:
    """The running code of a `Gaussian`, as a user calls it."""
    low, high = made.bounds

    def draw(shares: NDArray[np.float64], rng: np.random.Generator | None) -> NDArray[Any]:
        return made.privatize(np.clip(low + shares * (high - low), low, high), rng).data

    return NormalSubject(
        repr(made), draw, None, {}, made.steps, made.decoding, thresholds=made.thresholds
    )
