"""How much of a unit vector is left in the direction that a report names: exact means on a sphere.

T is the inner product of a fixed unit vector and a uniform one in d dimensions; its density is
proportional to (1 - t^2)^((d - 3)/2) on -1..1. A report favours the m largest of |T_1|, ..., |T_L|,
of L independent lines. Their sum is, on average, the integral over t of E[min(m, N)], where N is
binomial with L trials and the chance P(|T| > t). PrivUnit favours the cap T >= t instead.
Integrals are by Simpson's rule on 4,096 steps: relative errors are below 10^-9.

Abhishek Bhowmick, John Duchi, Julien Freudiger, Gaurav Kapoor, Ryan Rogers (2018), Protection
Against Reconstruction and Its Applications in Private Federated Learning. Hilal Asi, Vitaly
Feldman, Kunal Talwar (2022), Optimal Algorithms for Mean Estimation under Local Differential
Privacy: among unbiased mechanisms on the sphere, PrivUnit with its best cap has the least error.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols.sphere_vector import SphereVector

    Floats = NDArray[np.float64]

MOST_LINES: Final = 128

NEAR_BEST: Final = 1.15
"""Lines are enough where the error is at most this many times that of PrivUnit at its best."""

STEPS: Final = 1 << 12
"""The number of steps in which integrals are computed."""

REACH: Final = 39.0
"""Standard deviations of T, beyond which nothing is left."""


class Cap(NamedTuple):
    """The best cap of PrivUnit.

    Attributes:
        share: P(T >= t), of the sphere. threshold: t. chance: of a direction in the cap.
        gain: the mean inner product of the vector and the direction that is sent.
    """

    share: float
    threshold: float
    chance: float
    gain: float


def half_mean(d: int) -> float:
    """E|T| = Gamma(d/2) / (sqrt(pi) Gamma((d + 1)/2))."""
    return math.exp(math.lgamma(d / 2) - math.lgamma((d + 1) / 2)) / math.sqrt(math.pi)


def _tails(d: int) -> tuple[Floats, Floats]:
    """Angles from 0 on, and P(|T| > sin of them), float64 (STEPS + 1,); d is at least 2."""
    end = min(math.pi / 2, REACH / math.sqrt(d))
    angles = np.linspace(0.0, end, 2 * STEPS + 1)
    heights = np.cos(angles) ** (d - 2)
    pieces = (heights[:-1:2] + 4 * heights[1::2] + heights[2::2]) / 6
    above = np.append(np.cumsum(pieces[::-1])[::-1], 0.0)
    return angles[::2], above / above[0]


def largest_sums(lines: int, d: int, squared: bool = False) -> Floats:
    """E of the sum of the m largest of |T_1|, ..., |T_lines|, for m = 1..lines, float64 (lines,).

    Args:
        lines: at least 1. d: dimensions, at least 1.
        squared: whether the sum is of their squares.
    """
    if d == 1:
        return np.arange(1.0, lines + 1)
    angles, tails = _tails(d)
    beyond = np.zeros((lines, len(tails)))  # P(N >= m), m = 1..lines
    chance = np.zeros((lines + 1, len(tails)))
    chance[0] = 1.0
    for _ in range(lines):
        kept = chance * (1 - tails)
        kept[1:] += chance[:-1] * tails
        chance = kept
    beyond[:] = np.cumsum(chance[::-1], axis=0)[::-1][1:]
    weights = np.ones(len(angles))
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    steps = weights * np.cos(angles) * (angles[1] / 3)
    if squared:
        steps *= 2 * np.sin(angles)
    return np.cumsum(beyond @ steps)


def gains(epsilon: float, lines: int, d: int) -> Floats:
    """The mean inner product of the vector and the direction named, for m = 1..lines favoured ones.

    Args:
        epsilon: ln u, exact or realized. lines: L, of 2 L directions. d: dimensions.
    """
    m, t = np.arange(1, lines + 1), math.exp(-epsilon)
    more = -math.expm1(-epsilon)
    return np.asarray(more * largest_sums(lines, d) / (m * more + 2 * lines * t))


def mean_square(made: SphereVector) -> float:
    """The mean square of the inner product whose mean is `made.gain`."""
    m, d, t = made.favoured, made.d, math.exp(-made.realized_epsilon)
    more, directions = -math.expm1(-made.realized_epsilon), made.directions
    favoured = more * float(largest_sums(directions // 2, d, squared=True)[m - 1])
    return (favoured + directions * t / d) / (m * more + directions * t)


def least_variances(means: Floats, made: SphereVector, square: float) -> Floats:
    """Bound from below the variances of a report's coordinates, on average over users.

    The mean square of a direction's coordinate, on the unit vector x, is a + (square - a) x_j^2,
    where a is that of an inner product at right angles to x. The mean of x_j^2 over users is at
    least the square of their mean.

    Args:
        means: of coordinates over the users, float64 (k,).
        made: the mechanism. square: its `mean_square`.
    """
    across = (1 - square) / (made.d - 1) if made.d > 1 else 0.0
    slope = square - across - made.gain**2
    return np.asarray((across * made.radius**2 + slope * means**2) / made.gain**2)


def best_cap(epsilon: float, d: int) -> Cap:
    """PrivUnit at its best: the cap of the largest gain; its error is 1/gain^2 for a unit vector.

    Args:
        epsilon: in nats. d: dimensions, at least 1.
    """
    t, more = math.exp(-epsilon), -math.expm1(-epsilon)
    if d == 1:
        return Cap(0.5, 0.0, 1 / (1 + t), math.tanh(epsilon / 2))
    angles, tails = _tails(d)
    shares = tails / 2
    inner = half_mean(d) / 2 * np.cos(angles) ** (d - 1)  # E[T; T >= t]
    whole = t + more * shares
    gained = np.divide(more * inner, whole, out=np.zeros(len(whole)), where=shares > 0)
    best = int(gained.argmax())
    share = float(shares[best])
    chance = share / float(whole[best])
    return Cap(share, math.sin(angles[best]), chance, float(gained[best]))


def enough_lines(epsilon: float, d: int) -> int:
    """The fewest of 1, 2, 4, ..., 128 lines with an error near that of PrivUnit at its best.

    Args:
        epsilon: in nats, in the range of the mechanism. d: dimensions.
    """
    best = best_cap(epsilon, d).gain
    lines = 1
    while lines < MOST_LINES and best**2 > NEAR_BEST * gains(epsilon, lines, d).max() ** 2:
        lines *= 2
    return lines
