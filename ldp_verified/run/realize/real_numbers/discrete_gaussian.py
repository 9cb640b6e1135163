"""Gaussian noise on the integers as a table of integer weights, and its exact delta.

The weights are those of e^(-z^2/(2 sigma^2)), rounded, for |z| <= R; they add up to 2^128, so the
table is the distribution of what is drawn. It is log-concave, which is checked on the integers
themselves. Then P(z)/P(z - j) falls with z, and the events that tell two inputs apart best are "z
<= t". A shift by m is told better than any smaller one. So delta(eps) of a value of 0..m is the sum
of P(z) - e^eps P(z - m) up to the last z where that is positive.

Clement Canonne, Gautam Kamath, Thomas Steinke (2020), The Discrete Gaussian for Differential
Privacy, define this noise without the cut. Borja Balle, Yu-Xiang Wang (2018), Improving the
Gaussian Mechanism for Differential Privacy, have delta of the continuous one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from flint import arb, fmpz

from ldp_verified.run.realize.tables import balls

WIDTH = 64
TOTAL = 1 << (2 * WIDTH)
"""Weights add up to this."""

UNITS = 1 << 20
"""sigma is a multiple of 1/UNITS."""

LEAST_STEPS, MOST_STEPS = Fraction(1, 8), 1 << 16
"""Smallest and largest sigma, in steps of the grid."""


@dataclass(frozen=True)
class DiscreteGaussian:
    """Noise of scale share/UNITS on the integers -reach..reach.

    Attributes:
        share: sigma in units of 1/UNITS.
        weights: of -reach..reach; symmetric, positive, log-concave, and TOTAL together.
    """

    share: int
    weights: tuple[int, ...]

    @classmethod
    def of(cls, share: int) -> DiscreteGaussian:
        """The table at sigma = share/UNITS."""
        reach = _reach(share / UNITS)
        rate = Fraction(UNITS**2, 2 * share**2)

        def attempt() -> list[int] | None:
            masses = [(-balls.ball(rate) * z * z).exp() for z in range(reach + 1)]
            scale = arb(TOTAL) / (2 * sum(masses[1:], arb(0)) + 1)
            found = [(scale * mass).floor().unique_fmpz() for mass in masses[1:]]
            return None if None in found else [int(w) for w in found if w is not None]

        side = balls.decide(attempt)
        weights = (*side[::-1], TOTAL - 2 * sum(side), *side)
        return cls(share, weights)

    def __post_init__(self) -> None:
        """Hold the weights to what `delta` rests on.

        Raises:
            ArithmeticError: they are no symmetric, positive, log-concave distribution.
        """
        w = self.weights
        lawful = w == w[::-1] and min(w) > 0 and sum(w) == TOTAL
        if not (lawful and all(b * b >= a * c for a, b, c in zip(w, w[1:], w[2:], strict=False))):
            raise ArithmeticError(
                "the weights are no symmetric, positive, log-concave distribution"
            )

    @property
    def reach(self) -> int:
        """The largest integer R that the noise can be."""
        return len(self.weights) // 2

    @cached_property
    def variance(self) -> Fraction:
        """Return the variance of the noise, in squared steps; its mean is 0."""
        square = sum(w * (j - self.reach) ** 2 for j, w in enumerate(self.weights))
        return Fraction(square, TOTAL)

    @cached_property
    def _sums(self) -> tuple[int, ...]:
        return tuple(accumulate(self.weights, initial=0))

    def delta(self, epsilon: float, m: int) -> float:
        """The smallest delta at this epsilon for inputs 0..m, rounded up to a double; exact."""
        weights, sums = self.weights, self._sums
        size = len(weights)
        if m >= size:
            return 1.0

        def larger(place: int) -> bool:
            """Return whether P(z) > e^epsilon P(z - m)."""

            def attempt() -> bool | None:
                gap = arb(weights[place]) - balls.ball(epsilon).exp() * arb(weights[place - m])
                if gap > 0:
                    return True
                return False if gap <= 0 else None

            return balls.decide(attempt)

        first, last = m, size  # below m there is nothing to compare with
        while first < last:
            middle = (first + last) // 2
            first, last = (middle + 1, last) if larger(middle) else (first, middle)

        def attempt() -> float | None:
            shifted = balls.ball(epsilon).exp() * arb(fmpz(sums[first - m]))
            return balls.upper_float((arb(fmpz(sums[first])) - shifted) / TOTAL)

        return balls.decide(attempt)


def _reach(sigma: float) -> int:
    """How far the weights stay large enough to be log-concave after rounding."""
    least = 16 * sigma**2 + 16
    spread = max(1.0, sigma * math.sqrt(2 * math.pi))
    return max(1, math.floor(sigma * math.sqrt(2 * math.log(TOTAL / (spread * least)))))


def proposed(epsilon: float, delta: float, m: int) -> float | None:
    """Approximate the smallest sigma, in steps, with (epsilon, delta) for inputs 0..m."""
    low, high = float(LEAST_STEPS), float(MOST_STEPS)
    # From below: where sigma is very large, the cut alone may cost more than a tiny delta.
    sizes = [low * 2**i for i in range(round(math.log2(high / low)) + 1)]
    enough = (i for i, size in enumerate(sizes) if _delta_in_floats(size, epsilon, m) <= delta)
    found = next(enough, None)
    if not found:
        return None if found is None else low
    low, high = sizes[found - 1], sizes[found]
    while high > low * (1 + 2.0**-30):
        middle = math.sqrt(low * high)
        inside = _delta_in_floats(middle, epsilon, m) <= delta
        low, high = (low, middle) if inside else (middle, high)
    return high


def smallest(epsilon: float, delta: float, m: int) -> DiscreteGaussian | None:
    """Nearly the smallest noise with (epsilon, delta) for inputs 0..m; None if none is allowed.

    Proposed in floats, then enlarged until the exact delta of the table agrees.
    """
    sigma = proposed(epsilon, delta, m)
    if sigma is None:
        return None
    share, more = math.ceil(sigma * UNITS), 1
    while share <= MOST_STEPS * UNITS:
        found = DiscreteGaussian.of(share)
        if found.delta(epsilon, m) <= delta:
            return found
        share, more = share + more, 2 * more
    return None


def _delta_in_floats(sigma: float, epsilon: float, m: int) -> float:
    reach = _reach(sigma)
    z = np.arange(-reach, reach + 1, dtype=np.float64)
    masses = np.exp(-((z / sigma) ** 2) / 2)
    masses /= masses.sum()
    shifted = np.concatenate([np.zeros(min(m, len(z))), masses[: max(0, len(z) - m)]])
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = masses - np.where(shifted > 0, np.exp(epsilon) * shifted, 0.0)
    return float(gaps[gaps > 0].sum())
