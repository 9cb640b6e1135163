"""The laws of a curator's noise: symmetric, on all integers, with exact probabilities.

Each is one of the mechanisms of the catalogue with the sensitivity as its scale: the same rounding
of parameters, the same kernels. A law counts in lattice points, `fine` of which make a step.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from math import ceil, exp
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.analysis.account.discretised import composed
from ldp_verified.analysis.account.gaussian import gaussian_sigma
from ldp_verified.analysis.account.loss import PrivacyLoss
from ldp_verified.analysis.central.unbounded import geometric_read, staircase_read, unbounded
from ldp_verified.errors import ParameterError, UndecidedError
from ldp_verified.run.kernels.lattice import lattice_sampler
from ldp_verified.run.kernels.noise import BASE, MOST_CELLS, geometric_sampler
from ldp_verified.run.kernels.staircase import staircase_sampler
from ldp_verified.run.mechanisms import Geometric
from ldp_verified.run.realize.real_numbers.discrete_gaussian import (
    MOST_STEPS,
    TOTAL,
    UNITS,
    DiscreteGaussian,
)
from ldp_verified.run.realize.real_numbers.discrete_gaussian import smallest as smallest_gaussian
from ldp_verified.run.realize.real_numbers.geometric import FAR, rate_of
from ldp_verified.run.realize.real_numbers.staircase import LEAST_STEPS, best_step
from ldp_verified.run.realize.tables import balls

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.analysis.central.neighbours import Sensitivity
    from ldp_verified.run.kernels.randomness import WordSource

    Integers = NDArray[np.int64]

MOST_TABLE = 1 << 14
"""Steps of a standard deviation at most where two coordinates change."""


class NoiseLaw(ABC):
    """Symmetric noise on the lattice points of one coordinate; coordinates are independent.

    Attributes:
        fine: lattice points per step of the statistic.
        realized_epsilon: what the law costs, rounded up; at most what was asked for.
        realized_delta: the same for delta; 0 where the promise is pure.
    """

    fine: int
    realized_epsilon: float
    realized_delta: float = 0.0

    @property
    @abstractmethod
    def variance(self) -> Fraction:
        """The variance of one coordinate, in squared steps; the mean is 0."""

    @abstractmethod
    def pmf(self, z: int) -> Fraction:
        """The exact probability that the noise is z lattice points."""

    @abstractmethod
    def draw(self, count: int, source: WordSource) -> Integers:
        """Draw `count` independent values of the noise, in lattice points, int64 (count,)."""

    @property
    @abstractmethod
    def window(self) -> int:
        """The size up to which every ratio P(z)/P(z - shift) occurs, for shifts within one step."""


class GeometricLaw(NoiseLaw):
    """Two-sided geometric noise whose decay over the whole sensitivity costs epsilon.

    Args:
        epsilon: the claim. total: the L1 sensitivity, in steps.
        fine: lattice points per step; many make it Laplace noise but for 1/fine of a step.

    Raises:
        ParameterError: epsilon is no number > 0, or too small for so many lattice points.
    """

    def __init__(self, epsilon: float, total: int, fine: int = 1) -> None:
        made = Geometric(epsilon, (0.0, 1.0), grid=total * fine)
        self.fine, self.realized_epsilon = fine, made.realized_epsilon
        self.alpha = made.alpha
        self._sampler = geometric_sampler(1, made.reach, made.thresholds[2])
        self._read = geometric_read(made.reach)

    @property
    def variance(self) -> Fraction:
        """2 alpha/(1 - alpha)^2 lattice points squared."""
        return 2 * self.alpha / (1 - self.alpha) ** 2 / self.fine**2

    def pmf(self, z: int) -> Fraction:
        """The probability of z, (1 - alpha)/(1 + alpha) alpha^|z|."""
        return (1 - self.alpha) / (1 + self.alpha) * self.alpha ** abs(z)

    def draw(self, count: int, source: WordSource) -> Integers:
        """Draw with the kernel of `Geometric`."""
        above, size = unbounded(self._sampler, self._read, count, source)
        return np.where(above, 1 + size, -size)

    @property
    def window(self) -> int:
        """The size 1: beyond the shift the ratio of the probabilities no longer changes."""
        return 1


class StaircaseLaw(NoiseLaw):
    """Staircase noise whose period is what one coordinate moves by, the price shared by them.

    A shift below a period may cost as much as a whole one, so the price of several coordinates is
    the number of them and not what they move by together.

    Args:
        epsilon: the claim. sensitivity: of the statistic.

    Raises:
        ParameterError: epsilon is no number > 0, or too small.
    """

    def __init__(self, epsilon: float, sensitivity: Sensitivity) -> None:
        part, each = Fraction(epsilon) / sensitivity.coordinates, sensitivity.each
        share = balls.decide(lambda: balls.ceil_scaled((-balls.ball(part)).exp(), BASE))
        if share >= 1 << BASE:
            raise ParameterError("epsilon", f"must be at least 2^-{BASE} per number", epsilon)
        rate = rate_of(share)
        # Cells: a multiple of the steps, as fine as the higher step of the density asks for.
        wanted = max(LEAST_STEPS, ceil(32 * exp(min(rate, 36) / 3)))
        per_step = max(2 if each == 1 else 1, ceil(wanted / each))
        self.fine, self.m = 2 * per_step, each * per_step
        room = ((MOST_CELLS - 4) // self.m - 1) // 2
        periods = min(room, max(3, ceil(FAR / rate)))
        if periods < 1:
            raise ParameterError("epsilon", "must be smaller for so many steps", epsilon)
        self.w = min(self.m - 1, max(1, round(best_step(exp(-rate)) * self.m)))
        self.decay = Fraction(share, 1 << BASE)
        times = sensitivity.coordinates
        self.realized_epsilon = balls.decide(
            lambda: balls.upper_float(-times * balls.ball(self.decay).log())
        )
        self._sampler = staircase_sampler(self.m, self.w, periods, share)
        self._read = staircase_read(self.m, periods)

    @cached_property
    def variance(self) -> Fraction:
        """The variance of the middles of the cells, of which half a `fine` make a step."""
        b, m, w = self.decay, self.m, self.w
        whole = w + (m - w) * b
        # Sums of j + 1/2 and of its square, over the cells before w and over those from w on.
        first = (w**2 + (m**2 - w**2) * b) / 2 / whole
        below, above = Fraction(4 * w**3 - w, 12), Fraction(4 * (m**3 - w**3) - (m - w), 12)
        second = (below + above * b) / whole
        mean, square = b / (1 - b), b * (1 + b) / (1 - b) ** 2  # of the number of periods
        return (m**2 * square + 2 * m * mean * first + second) * Fraction(2, self.fine) ** 2

    def pmf(self, z: int) -> Fraction:
        """P(z) of the noise, whose cells are the odd lattice points."""
        if z % 2 == 0:
            return Fraction(0)
        b = self.decay
        periods, rest = divmod((abs(z) - 1) // 2, self.m)
        first = (1 - b) / (2 * (self.w + (self.m - self.w) * b))
        return first * b ** (periods + (rest >= self.w))

    def draw(self, count: int, source: WordSource) -> Integers:
        """Draw with the kernel of `Staircase`."""
        above, size = unbounded(self._sampler, self._read, count, source)
        return np.where(above, 2 * size + 1, -2 * size - 1)

    @property
    def window(self) -> int:
        """The length of two periods, after which all ratios repeat."""
        return 4 * self.m


class GaussianLaw(NoiseLaw):
    """Gaussian noise on the steps, a table whose delta is computed for all that one person moves.

    Where several coordinates change, no data sets are told apart better than those that differ by
    `each` in every one of them: the table is log-concave, so a larger shift is told better.

    Args:
        epsilon, delta: the claim. sensitivity: of the statistic.

    Raises:
        ParameterError: delta is not in (0, 1), or the noise would have too many steps.
    """

    fine = 1

    def __init__(self, epsilon: float, delta: float, sensitivity: Sensitivity) -> None:
        found = _gaussian(epsilon, delta, sensitivity.coordinates, sensitivity.each)
        if found is None:
            rule = "must be larger, or the step coarser: the noise has too many steps"
            raise ParameterError("epsilon", rule, epsilon)
        self.table, self.realized_delta = found
        self.realized_epsilon = epsilon
        self._sampler = lattice_sampler(0, self.table.weights)

    @property
    def variance(self) -> Fraction:
        """The variance of the table."""
        return self.table.variance

    def pmf(self, z: int) -> Fraction:
        """A weight over 2^128."""
        reach = self.table.reach
        return Fraction(self.table.weights[z + reach], TOTAL) if abs(z) <= reach else Fraction(0)

    def draw(self, count: int, source: WordSource) -> Integers:
        """Draw with the kernel of `Gaussian`."""
        zeros = np.zeros(count, dtype=np.int64)
        drawn = self._sampler.draw(zeros, source, in_range=True).astype(np.int64)
        return drawn - self.table.reach

    @property
    def window(self) -> int:
        """The largest size of the table: every ratio is looked at."""
        return self.table.reach


@lru_cache(maxsize=32)
def _gaussian(
    epsilon: float, delta: float, coordinates: int, each: int
) -> tuple[DiscreteGaussian, float] | None:
    """A table and its delta: nearly the least noise; None where it has too many steps."""
    if coordinates == 1:
        table = smallest_gaussian(epsilon, delta, each)
        return None if table is None else (table, table.delta(epsilon, each))
    sigma = gaussian_sigma(epsilon, delta, each * math.sqrt(coordinates))
    while sigma <= min(MOST_TABLE, MOST_STEPS):
        table = DiscreteGaussian.of(max(UNITS // 8, ceil(sigma * UNITS)))
        found = delta_of_several(table, epsilon, coordinates, each)
        if found <= delta:
            return table, found
        sigma *= 1.003
    return None


def delta_of_several(table: DiscreteGaussian, epsilon: float, coordinates: int, each: int) -> float:
    """An upper bound on the delta of numbers that all move by `each`; for two it is the delta.

    Args:
        table: the noise of each number. epsilon: above 0. coordinates: 2 or more. each: in steps.
    """
    if coordinates == 2:
        return delta_of_two(table, epsilon, each)
    return composed(_shifted(table, each), coordinates).delta(epsilon)


def delta_of_two(table: DiscreteGaussian, epsilon: float, each: int) -> float:
    """The smallest delta of two numbers that both move by `each`, rounded up.

    A pair of reports (i, j) counts if w(i) w(j) > e^epsilon w(i - each) w(j - each). For each i
    these are the j below some end, which falls with i: the table is log-concave.
    """
    weights, size = table.weights, len(table.weights)
    if each >= size:
        return 1.0
    bits = 256
    sums = [0, *accumulate(weights)]

    def ends() -> tuple[int, int] | None:
        exact = (balls.ball(epsilon).exp() * (1 << bits)).floor().unique_fmpz()
        return None if exact is None else (int(exact), int(exact) + 1)

    low, high = balls.decide(ends)

    def larger(i: int, j: int) -> bool:
        left = weights[i] * weights[j] << bits
        right = weights[i - each] * weights[j - each]
        if left >= high * right:
            return True
        if left <= low * right:
            return False
        raise UndecidedError("epsilon", f"must be decided at {bits} bits", epsilon)

    own, other, end = 0, 0, size
    for i, weight in enumerate(weights):
        if i < each:  # the neighbour cannot give it
            own += weight * TOTAL
            continue
        while end > each and not larger(i, end - 1):
            end -= 1
        own += weight * sums[end]
        other += weights[i - each] * sums[end - each]

    def delta() -> float | None:
        gap = balls.ball(Fraction(own)) - balls.ball(epsilon).exp() * balls.ball(Fraction(other))
        return balls.upper_float(gap / TOTAL**2)

    return balls.decide(delta)


def _shifted(table: DiscreteGaussian, shift: int) -> PrivacyLoss:
    weights = [Fraction(w, TOTAL) for w in table.weights]
    none = [Fraction(0)] * shift
    return PrivacyLoss(zip(weights + none, none + weights, strict=True))
