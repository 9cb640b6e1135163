"""Two-sided geometric noise on a grid, cut off at both ends: with far ends, with none, and Laplace.

The number goes to a grid of m steps; on it the noise has the decay alpha = share/2^63, which is not
below e^(-epsilon/m). All that lies beyond an end is reported as the end, and the two ends stand for
numbers alpha/(1 - alpha) further out. So a report is unbiased for every input, and nothing is left
out however far away the ends are. It is the spec `truncated_geometric` at these numbers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil, log, log1p
from operator import mul
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.kernels.noise import BASE, MOST_CELLS, power_digits, useful_levels
from ldp_verified.run.kernels.prefix_noise import noise_sampler
from ldp_verified.run.program.noise import geometric_noise, truncated_noise
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import ProgrammedNumber
from ldp_verified.run.realize.real_numbers.bounded import Floats
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.divergence import steps_of_hull

if TYPE_CHECKING:
    from flint import arb

    from ldp_verified.run.aggregate.identity import Scalar
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.tables.divergence import Masses

MOST_STEPS = 1 << 20
"""Steps of the grid at most."""

MOST_RATIOS, BLOCKS = 1 << 10, 1 << 9
"""Steps of a grid for which losses are written out; blocks in which they are on finer ones."""

FAR = 46
"""Far ends are so many times 1/ln(1/alpha) away: less than 2^-66 of the noise lies beyond."""

LEAST_RATE = 24
"""A step costs 2^-24 of epsilon or more: below that, one report takes thousands of words."""


def rate_of(share: int) -> float:
    """-ln(share/2^63), for choosing sizes only."""
    lost = (1 << BASE) - share
    return -log1p(-lost / (1 << BASE)) if 2 * lost < 1 << BASE else -log(share / (1 << BASE))


class GeometricRandomizer(ProgrammedNumber):
    """Two-sided geometric noise on a grid, with ends beyond which 2^-66 of it lies.

    Attributes:
        grid: steps from one bound to the other; a multiple of epsilon where it is None. With
            integers within `bounds` and as many steps, no value is rounded.
    """

    unbounded_noise = True

    grid: int | None

    inputs = (0, 1)
    fineness: ClassVar[int] = 16
    _m: int
    _reach: int
    _share: int

    def _realize(self) -> None:
        if self.grid is None:
            m = max(1, ceil(min(MOST_STEPS, self.fineness * self.epsilon)))
        else:
            m = check_integer("grid", self.grid, 1, MOST_STEPS)
            object.__setattr__(self, "grid", m)
        if self.epsilon * 2**LEAST_RATE < m:
            rule = f"must be at least 2^-{LEAST_RATE} per step of the grid, of which there are {m}"
            raise ParameterError("epsilon", rule, self.epsilon)

        def attempt() -> int | None:
            return balls.ceil_scaled((-balls.ball(self.epsilon) / m).exp(), BASE)

        share = balls.decide(attempt)
        for name, value in (("_m", m), ("_share", share), ("_reach", self._far(m, share))):
            object.__setattr__(self, name, value)

    def _far(self, m: int, share: int) -> int:
        """How far beyond the inputs the ends are, in steps."""
        return min(ceil(FAR / rate_of(share)), (MOST_CELLS - m) // 2 - 1)

    @property
    def steps(self) -> int:
        """The number m of steps of the grid of inputs."""
        return self._m

    @property
    def alpha(self) -> Fraction:
        """The factor by which noise is less likely that is one step larger."""
        return Fraction(self._share, 1 << BASE)

    @property
    def reach(self) -> int:
        """L: the ends are -L and m + L, in steps."""
        return self._reach

    @property
    def instance_of(self) -> str:
        """The mechanism of the catalogue with this table, `truncated_geometric`."""
        return "truncated_geometric"

    @property
    def thresholds(self) -> tuple[int, ...]:
        """m, L, and alpha in units of 2^-63."""
        return self._m, self._reach, self._share

    @property
    def worst_ratio(self) -> Fraction:
        """alpha^-m; a number of 64 m bits."""
        return 1 / self.alpha**self._m

    def _loss(self) -> arb:
        return -self._m * balls.ball(self.alpha).log()

    @cached_property
    def decoding(self) -> Decoding:
        """The grid from 1 - L to m + L - 1, then both ends; 1 is the whole interval."""
        m, far, beyond = self._m, self._reach, self.alpha / (1 - self.alpha)
        ends = (-(far + beyond) / m, 1 + (far + beyond) / m)
        return Decoding(m + 2 * far - 1, Fraction(1 - far, m), Fraction(1, m), ends)

    def _mass(self, y: int, i: int) -> Fraction:
        a, cells = self.alpha, self.decoding.cells
        if y >= cells:
            steps = i + self._reach if y == cells else self._m + self._reach - i
            return a**steps / (1 + a)
        return (1 - a) / (1 + a) * a ** abs(y + 1 - self._reach - i)

    def losses(self) -> tuple[Masses, ...]:
        """The two ends: see `delta_at`. Exact on a grid of at most 2^10 steps.

        On a finer one, two distributions stand in whose delta is at least that of the two ends, at
        every epsilon, and hardly more. They have 2^9 blocks of neighbouring reports, in each of
        which the smallest and the largest ratio stand for all.
        """
        m, a = self._m, self.alpha
        if m > MOST_RATIOS:
            return (coarser(m, a, BLOCKS),)
        powers = list(accumulate([a] * m, mul, initial=Fraction(1)))
        end = 1 / (1 + a)
        inner = [(1 - a) * end * power for power in powers]
        middle = ((inner[y], inner[m - y]) for y in range(1, m))
        return (((end, powers[m] * end), *middle, (powers[m] * end, end)),)

    def delta_at(self, epsilon: float) -> float:
        """The smallest delta at another epsilon, rounded up; exact, whatever the grid.

        Reports up to t tell the lower end from the upper one best, t being the last place where
        alpha^(2 t - m) is above e^epsilon: all that lies beyond an end has one ratio. No two other
        inputs are told apart better, since for noise that is symmetric and falls away from its
        centre, what delta counts of each output grows with the distance of the other input.

        Args:
            epsilon: the other one, above 0 and finite.

        Raises:
            ParameterError: epsilon is not above 0 and finite.
        """
        exact = balls.ball(check_epsilon(epsilon))

        def last() -> int | None:
            half = (self._m + exact / balls.ball(self.alpha).log()) / 2
            found = half.ceil().unique_fmpz()
            return None if found is None else int(found) - 1

        t = balls.decide(last)
        if t < 0:
            return 0.0

        def attempt() -> float | None:
            a = balls.ball(self.alpha)
            lower = 1 - a ** (t + 1) / (1 + a)
            return balls.upper_float(lower - exact.exp() * a ** (self._m - t) / (1 + a))

        return balls.decide(attempt)

    def sampler(self) -> Sampler:
        """Two-sided geometric noise by tables, or bit by bit where they are too large."""
        return noise_sampler(self._m, self._reach, self._share)

    def program(self) -> Program:
        """A word for rounding; words for the side, for each bit of the noise and for the rest."""
        digits, counts = power_digits(self._share, useful_levels(self._share, BASE), BASE)
        return geometric_noise(self.name, self._m, self._reach, digits, counts)

    def _decayed(self, exponent: Any) -> Fraction:
        """alpha^exponent, to more than double precision."""

        def attempt() -> Fraction | None:
            value = balls.ball(self.alpha) ** int(exponent)
            return Fraction(0) if value < 2**-1000 else balls.approximation(value)

        return balls.decide(attempt)

    def _variance_at(self, x: Fraction) -> Fraction:
        a, place = self.alpha, x * self._m
        tails = self._decayed(place + self._reach) + self._decayed(self._m + self._reach - place)
        whole = 2 * a / (1 - a) ** 2 - a * tails / ((1 + a) * (1 - a) ** 2)
        return whole / self._m**2

    def _on_grid(self, places: Floats) -> Floats:
        rate, lost = rate_of(self._share), float(1 - self.alpha)
        tails = (np.exp(-rate * (self._reach + d)) for d in (places, self._m - places))
        step = (self.bounds[1] - self.bounds[0]) / self._m
        return np.asarray(float(self.alpha) * (2 - sum(tails) / (2 - lost)) * (step / lost) ** 2)

    @property
    def variables(self) -> tuple[Fraction, ...]:
        """alpha, m and L of the spec; its tails follow from the input."""
        return (self.alpha, Fraction(self._m), Fraction(self._reach))

    @property
    def _lost(self) -> Fraction:
        return Fraction(0)

    @property
    def _worst_inputs(self) -> tuple[int | Fraction, ...]:
        return (Fraction(self._m // 2, self._m),)  # the tails are a convex function of x

    @property
    def _bound_of_variance(self) -> Fraction:
        # The choice between two neighbours has variance step^2/4 at most.
        (middle,) = self._worst_inputs
        return self._variance_at(Fraction(middle)) + Fraction(1, 4 * self._m**2)

    def _further(self) -> dict[str, Scalar]:
        return {} if self.grid is None else {"grid": self.grid}

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt from its arguments: what is drawn from is never taken from a pickle.
        return type(self), (self.epsilon, self.bounds, self.grid)


class TruncatedRandomizer(GeometricRandomizer):
    """Two-sided geometric noise on a grid, cut off at the bounds themselves: L = 0.

    Attributes:
        grid: see the base class.
    """

    unbounded_noise = False

    def _far(self, m: int, share: int) -> int:  # noqa: ARG002  none for any of them
        return 0

    def program(self) -> Program:
        """A word for rounding; words for the side, then one for each step of the grid."""
        return truncated_noise(self.name, self._m, self._share)


class LaplaceRandomizer(GeometricRandomizer):
    """Laplace noise as what it is on a grid: geometric, with steps of 1/512 of its scale.

    Real-valued noise in floats gives the input away in its last bits, and is no instance of the
    density. This is one of the spec `truncated_geometric`; on finer and finer grids its
    distribution goes to that of the spec `laplace`. Its variance differs from that of the
    density by less than a share 10^-6, the rounding to the grid included.

    Attributes:
        grid: see the base class.
    """

    fineness = 512


def coarser(m: int, alpha: Fraction, blocks: int) -> Masses:
    """Two distributions told apart a little better than geometric noise at 0 and at m.

    The points (Q(y <= t), P(y <= t)) lie on a concave curve, and so below two lines for each block
    of places. One has the slope of its first place and goes through the point before it. The other
    has the slope of its last place and goes through the point after it. Corners are rounded away
    from the curve.
    """
    bits = ceil(100 + 1.5 * m * -log(alpha))
    unit = 1 << bits
    size = -(-m // blocks)

    def corners() -> list[tuple[int, int]] | None:
        a = balls.ball(alpha)

        def point(t: int) -> tuple[arb, arb]:
            return a ** (m - t) / (1 + a), 1 - a ** (t + 1) / (1 + a)

        found = []
        for first in range(0, m, size):
            last = min(first + size, m) - 1
            q, p = point(first - 1) if first else (balls.ball(0), balls.ball(0))
            q2, p2 = point(last)
            steep, flat = a ** (2 * first - m), a ** (2 * last - m)
            found.append((q2, p2))
            if last > first:
                right = (p2 - p - flat * (q2 - q)) / (steep - flat)
                found.append((q + right, p + steep * right))
        rounded = []
        for q, p in found:
            low, high = (q * unit).floor().unique_fmpz(), (p * unit).ceil().unique_fmpz()
            if low is None or high is None:
                return None
            rounded.append((int(low), min(unit, int(high))))
        return rounded

    return steps_of_hull([(0, 0), *balls.decide(corners), (unit, unit)], unit)
