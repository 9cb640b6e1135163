"""Intervals around the moments of exponential noise and around geometric series, in fractions.

For `noise_enumeration`; no closed form is used.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

SCALE = 1 << 256
"""Long sums are in units of its inverse."""

FINE = 1024
"""Parts of a scale length in which an exponential density is bounded by its ends."""

Interval = tuple[Fraction, Fraction]


@lru_cache(maxsize=64)
def series(d: Fraction) -> tuple[Interval, Interval, Interval]:
    """Intervals that hold sum d^j, sum j d^j, sum j^2 d^j over j = 0, 1, ..., for 0 < d < 1."""
    power, sums, j = SCALE, [0, 0, 0], 0
    small = SCALE >> 80
    gap = 1 - d
    while power * (j + 1) ** 2 * 2 > small * gap**3:
        for k, factor in enumerate((1, j, j * j)):
            sums[k] += power * factor
        power = power * d.numerator // d.denominator
        j += 1
    # Each power is too small by less than 1/(1 - d) units. The rest is at most
    # d^J sum (J + i)^2 d^i <= d^J (J + 1)^2 2/(1 - d)^3.
    lost = j**3 / gap + 2 * (power + 1 / gap) * (j + 1) ** 2 / gap**3
    found = [(Fraction(s) / SCALE, (s + lost) / SCALE) for s in sums]
    return found[0], found[1], found[2]


def _root(parts: int) -> Interval:
    """An interval around e^(-1/parts), by its alternating series."""
    terms = [Fraction((-1) ** k, math.factorial(k) * parts**k) for k in range(12)]
    return sum(terms, Fraction(0)), sum(terms[:-1], Fraction(0))


def _down(value: Fraction) -> Fraction:
    """A multiple of 1/SCALE not above: short numbers for long sums."""
    return Fraction(value.numerator * SCALE // value.denominator, SCALE)


def exponential_moments(level: Fraction, scale: Fraction) -> tuple[Interval, Interval]:
    """Intervals for the mass and the mean square of density level * e^(-|z|/scale).

    Riemann sums: in each of its parts the density is between its values at the ends.
    """
    step, (low, high) = scale / FINE, _root(FINE)
    under, over = series(_down(low)), series(_down(high) + Fraction(1, SCALE))
    mass = low * under[0][0], over[0][1]
    above = over[2][1] + 2 * over[1][1] + over[0][1]  # (j + 1)^2
    square = low * under[2][0], above
    front = 2 * level * step
    return (front * mass[0], front * mass[1]), (
        front * step**2 * square[0],
        front * step**2 * square[1],
    )
