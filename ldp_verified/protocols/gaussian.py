"""The Gaussian mechanism for a number within bounds, with a delta that is computed.

The number goes to a grid of m steps; on it the noise is a table of integer weights, close to those
of a normal distribution. epsilon and delta are those of the table, exactly: see
`run.realize.real_numbers.discrete_gaussian`. No bound is used, neither the classical one, which is
a theorem for epsilon < 1 only, nor the analytic one, which is about real-valued noise (both:
`account`). Reports name the spec of the real-valued noise, `spec/gaussian.py`, to which the table
comes close.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.kernels.lattice import lattice_sampler
from ldp_verified.run.program.lattice import rounded_lattice
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import ReadsPosition
from ldp_verified.run.realize.real_numbers.bounded import BoundedRandomizer, check_bounds
from ldp_verified.run.realize.real_numbers.discrete_gaussian import (
    MOST_STEPS,
    TOTAL,
    DiscreteGaussian,
    proposed,
    smallest,
)

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.identity import Scalar
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program

FINEST = 1 << 12
"""Steps of the grid at most."""

FINE = 64
"""Steps that the standard deviation has where the grid is not given."""

LEAST_DELTA = 2.0**-60


@dataclass(frozen=True, repr=False)
class Gaussian(BoundedRandomizer, ReadsPosition):
    """Gaussian noise on a grid, for any two numbers within `bounds`.

    Attributes:
        epsilon, delta: the claim, for the whole value: the sensitivity is the width of the bounds.
        bounds: (low, high).
        grid: steps from one bound to the other, 1..2^12; None for as many as make a standard
            deviation of 64 steps, but at least one. With integers within `bounds` and as many
            steps, no value is rounded.

    From epsilon = 200 on the noise is larger than it would have to be: weights have 128 bits.

    Raises:
        ParameterError: a parameter outside its range (delta: 2^-60 and above, below 1), or noise
            larger than 2^16 steps is needed.
    """

    epsilon: float
    delta: float
    bounds: tuple[float, float] = (-1.0, 1.0)
    grid: int | None = None
    _noise: DiscreteGaussian = field(init=False, compare=False)
    _m: int = field(init=False, compare=False)

    unbounded_noise = False  # of the program, whose table ends where weights do
    name: ClassVar[str] = "gaussian"
    law_sha256: ClassVar[str] = "0808fb35833f5cfa2b2629a1373cf05a7b2dbc9813d1a3cdf5ea9987b135fb34"
    inputs: ClassVar[tuple[int, int]] = (0, 1)

    def __post_init__(self) -> None:
        """Check the parameters and find the noise."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "delta", _check_delta(self.delta))
        object.__setattr__(self, "bounds", check_bounds(self.bounds))
        if self.grid is None:
            sigma = proposed(self.epsilon, self.delta, FINE)
            m = 1 if sigma is None else min(FINEST, max(1, math.ceil(FINE**2 / sigma)))
        else:
            m = check_integer("grid", self.grid, 1, FINEST)
            object.__setattr__(self, "grid", m)
        noise = smallest(self.epsilon, self.delta, m)
        if noise is None:
            rule = f"must be larger at this delta: noise may have {MOST_STEPS} steps of the grid"
            raise ParameterError("epsilon", rule, self.epsilon)
        object.__setattr__(self, "_m", m)
        object.__setattr__(self, "_noise", noise)

    @property
    def steps(self) -> int:
        """The number m of steps of the grid of inputs."""
        return self._m

    @property
    def thresholds(self) -> tuple[int, ...]:
        """m, the reach of the noise, and sigma in units of 2^-20 steps: they fix every weight."""
        return self._m, self._noise.reach, self._noise.share

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise, in the users' units."""
        return float(self._scale) * math.sqrt(self._noise.variance) / self._m

    @cached_property
    def realized_delta(self) -> float:
        """The smallest delta at `epsilon`, rounded up; never above `delta`."""
        return self._noise.delta(self.epsilon, self._m)

    def delta_at(self, epsilon: float) -> float:
        """The smallest delta of the realized distribution at another epsilon, rounded up; exact.

        Args:
            epsilon: the other one, above 0 and finite.

        Raises:
            ParameterError: epsilon is not above 0 and finite.
        """
        return self._noise.delta(check_epsilon(epsilon), self._m)

    @property
    def losses(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """(P(y | 0), P(y | m)) of every report: no two inputs are told apart better.

        For `account.PrivacyLoss`, which composes it.
        """
        places = range(self._m + 2 * self._noise.reach + 1)
        return tuple((self._mass(y, 0), self._mass(y, self._m)) for y in places)

    @cached_property
    def decoding(self) -> Decoding:
        """The grid from -reach to m + reach; 1 is the whole interval."""
        m, reach = self._m, self._noise.reach
        return Decoding(m + 2 * reach + 1, Fraction(-reach, m), Fraction(1, m))

    def _mass(self, y: int, i: int) -> Fraction:
        place = y - i
        weights = self._noise.weights
        return Fraction(weights[place], TOTAL) if 0 <= place < len(weights) else Fraction(0)

    def sampler(self) -> Sampler:
        """An alias table."""
        return lattice_sampler(self._m, self._noise.weights)

    def program(self) -> Program:
        """A word to round the number, then two words, of which the second rarely decides."""
        return rounded_lattice(self.name, self._m, self._noise.weights)

    def _variance_at(self, x: Fraction) -> Fraction:  # noqa: ARG002  the same for every number
        return self._noise.variance / self._m**2

    @property
    def _bound_of_variance(self) -> Fraction:
        # The choice between two neighbours has variance step^2/4 at most.
        return (self._noise.variance + Fraction(1, 4)) / self._m**2

    def _further(self) -> dict[str, Scalar]:
        grid: dict[str, Scalar] = {} if self.grid is None else {"grid": self.grid}
        return {"delta": self.delta} | grid

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt from its arguments: what is drawn from is never taken from a pickle.
        return type(self), (self.epsilon, self.delta, self.bounds, self.grid)

    def __repr__(self) -> str:
        grid = "" if self.grid is None else f", grid={self.grid}"
        shown = f"epsilon={self.epsilon!r}, delta={self.delta!r}, bounds={self.bounds!r}{grid}"
        return f"Gaussian({shown}, realized_delta={self.realized_delta!r})"


def _check_delta(delta: object) -> float:
    rule = f"must be a number in {LEAST_DELTA}..1, 1 excluded"
    if isinstance(delta, bool) or not isinstance(delta, int | float):
        raise ParameterError("delta", rule, delta)
    if not LEAST_DELTA <= delta < 1:
        raise ParameterError("delta", rule, delta)
    return float(delta)
