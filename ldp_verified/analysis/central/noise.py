"""Kinds of noise that a curator adds to a statistic, each with the price that it is to have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, ClassVar

from ldp_verified.analysis.central.laws import GaussianLaw, GeometricLaw, NoiseLaw, StaircaseLaw
from ldp_verified.errors import ParameterError
from ldp_verified.protocols.gaussian import LEAST_DELTA
from ldp_verified.run.realize.parameters import check_epsilon
from ldp_verified.run.realize.real_numbers.geometric import MOST_STEPS

if TYPE_CHECKING:
    from ldp_verified.analysis.central.neighbours import Sensitivity

FINENESS = 512
"""Lattice points that the scale of Laplace noise has, where there is room for as many."""


@dataclass(frozen=True)
class CuratorNoise(ABC):
    """Noise whose scale follows from epsilon and the sensitivity of what it is added to.

    Attributes:
        epsilon: the promise for one person, in nats; a number > 0.
        delta: the same; 0 where the promise is pure.

    Raises:
        ParameterError: epsilon is something else.
    """

    epsilon: float
    delta: float = field(default=0.0, init=False, repr=False)

    title: ClassVar[str]
    cut: ClassVar[bool] = False
    """Whether answers are cut off at the smallest and the largest value of the statistic."""

    def __post_init__(self) -> None:
        """Check epsilon."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    @abstractmethod
    def law(self, sensitivity: Sensitivity) -> NoiseLaw:
        """The noise for a statistic that one person moves so far."""


@dataclass(frozen=True)
class GeometricNoise(CuratorNoise):
    """Two-sided geometric noise on the steps: P(z) is proportional to e^(-epsilon |z|/Delta).

    Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan (2009), Universally Utility-Maximizing
    Privacy Mechanisms.
    """

    title = "geometric noise"

    def law(self, sensitivity: Sensitivity) -> GeometricLaw:
        """The law of the noise, which decays by e^epsilon over the L1 sensitivity."""
        return GeometricLaw(self.epsilon, sensitivity.total)


@dataclass(frozen=True)
class TruncatedGeometricNoise(GeometricNoise):
    """Geometric noise, cut off at the smallest and the largest value that the statistic can have.

    Answers are whole numbers that could be true. They are no longer unbiased near the ends. The
    ends depend on n, so it takes neighbours with a public n.
    """

    title = "truncated geometric noise"
    cut = True


@dataclass(frozen=True)
class LaplaceNoise(CuratorNoise):
    """Laplace noise as what it is on a lattice: geometric, with steps of 1/512 of its scale.

    Cynthia Dwork, Frank McSherry, Kobbi Nissim, Adam Smith (2006), Calibrating Noise to Sensitivity
    in Private Data Analysis.
    """

    title = "Laplace noise"

    def law(self, sensitivity: Sensitivity) -> GeometricLaw:
        """Lattice points are so many to a step that the scale has 512, at most 2^20 in all."""
        total = sensitivity.total
        # An epsilon above MOST_STEPS asks for no more than that one, whose product is a double.
        wanted = ceil(FINENESS * min(self.epsilon, MOST_STEPS) / total)
        fine = min(MOST_STEPS // total, wanted)
        return GeometricLaw(self.epsilon, total, max(1, fine))


@dataclass(frozen=True)
class StaircaseNoise(CuratorNoise):
    """Staircase noise, whose variance is least for one number at a large epsilon.

    Quan Geng, Peter Kairouz, Sewoong Oh, Pramod Viswanath (2015), The Staircase Mechanism in
    Differential Privacy. Where a person moves several numbers, each of them pays a share of
    epsilon.
    """

    title = "staircase noise"

    def law(self, sensitivity: Sensitivity) -> StaircaseLaw:
        """A period is what one number moves by."""
        return StaircaseLaw(self.epsilon, sensitivity)


@dataclass(frozen=True)
class GaussianNoise(CuratorNoise):
    """Gaussian noise on the steps, as little as (epsilon, delta) allows.

    Clement Canonne, Gautam Kamath, Thomas Steinke (2020), The Discrete Gaussian for Differential
    Privacy.

    Attributes:
        epsilon: see the base class. delta: at least 2^-60 and below 1.
    """

    delta: float = field()

    title = "Gaussian noise"

    def __post_init__(self) -> None:
        """Check epsilon and delta."""
        super().__post_init__()
        given: object = self.delta
        usual = isinstance(given, int | float) and not isinstance(given, bool)
        if not usual or not LEAST_DELTA <= self.delta < 1:
            raise ParameterError(
                "delta", f"must be a number in {LEAST_DELTA}..1, 1 excluded", given
            )

    def law(self, sensitivity: Sensitivity) -> GaussianLaw:
        """A table whose delta is computed."""
        return GaussianLaw(self.epsilon, self.delta, sensitivity)
