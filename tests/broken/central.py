"""Planted-wrong statistics, laws and selections of a curator, each of which must be refuted.

They are the honest ones but for what their first line says.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.central import (
    ClampedMean,
    ClampedSum,
    ExponentialMechanism,
    GeometricNoise,
    Histogram,
    MessageShuffler,
    Neighbours,
    Quantile,
    Sensitivity,
    ShuffledMessages,
    StaircaseNoise,
)
from ldp_verified.analysis.central.laws import GaussianLaw, GeometricLaw, StaircaseLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray


class OneForAll(Histogram):
    """One person in another's place moves one count."""

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        del neighbours
        return Sensitivity.of_number(1)


class TwoThatMoveOne(Histogram):
    """Two counts move, but not both."""

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        del neighbours
        return Sensitivity(2, 1, 1)


class Unclamped(ClampedSum):
    """Values beyond the bounds count as they are."""

    def places(self, values: Any) -> NDArray[np.int64]:
        return np.rint(np.asarray(values) / float(self._step)).astype(np.int64)


class OfTheUpperBound(ClampedSum):
    """A person adds the upper bound at most, also where the lower one is further from 0."""

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        del neighbours
        return Sensitivity.of_number(abs(self._ends[1]))


class MeanOfAPublicN(ClampedMean):
    """The mean divides by n, and so must the noise: n is taken for public under both."""

    def steps(self, values: Any, neighbours: Neighbours) -> NDArray[np.int64]:
        del neighbours
        places = self.places(values)
        return np.array([round(64 * places.sum() / len(places))], dtype=np.int64)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        del neighbours
        return Sensitivity.of_number(max(1, 64 * (self._ends[1] - self._ends[0]) // 4))


class InPeople(Quantile):
    """Scores in units of 1/b with a sensitivity in people."""

    def sensitivity(self, neighbours: Neighbours) -> int:
        del neighbours
        return 1


class Doubled(Quantile):
    """Every person too many or too few counts twice."""

    def scores(self, values: Any) -> NDArray[np.int64]:
        return 2 * super().scores(values)


@dataclass(frozen=True)
class OfOneCount(GeometricNoise):
    """Noise for one count on all counts of a histogram."""

    def law(self, sensitivity: Sensitivity) -> GeometricLaw:
        del sensitivity
        return GeometricLaw(self.epsilon, 1)


@dataclass(frozen=True)
class OfTheTotal(StaircaseNoise):
    """A period of the L1 sensitivity for every number, as for Laplace noise.

    Each number that moves pays epsilon, however little it moves.
    """

    def law(self, sensitivity: Sensitivity) -> StaircaseLaw:
        return StaircaseLaw(self.epsilon, Sensitivity.of_number(sensitivity.total))


def gaussian_of_one(epsilon: float, delta: float) -> GaussianLaw:
    """Gaussian noise whose delta is that of one count."""
    return GaussianLaw(epsilon, delta, Sensitivity.of_number(1))


class Twice(ExponentialMechanism):
    """Weights e^(epsilon s/Delta): what the normalization costs is forgotten."""

    def rate(self, sensitivity: int) -> Fraction:
        return 2 * super().rate(sensitivity)


@dataclass(frozen=True)
class Signed:
    """A batch whose reports hold the number of their sender, and a shuffle of it.

    Attributes:
        senders, bits: int64 (n,), in the order that the shuffler gave them.
    """

    senders: NDArray[np.int64]
    bits: NDArray[np.int64]

    @classmethod
    def shuffled(cls, bits: NDArray[np.int64], rng: np.random.Generator) -> Signed:
        """The reports of users 0, 1, 2, ... in a random order."""
        order = rng.permutation(len(bits))
        return cls(order, bits[order])


class InOrder(MessageShuffler):
    """Messages leave in the order in which they came."""

    def release(self) -> tuple[ShuffledMessages, ...]:
        rows = self._rows[: self._held].copy()
        self._held = 0
        return (self._batch(rows, 0),)


class AllTogether(MessageShuffler):
    """Users of all public groups in one batch, as if they hid among each other."""

    @property
    def in_groups(self) -> bool:
        return False
