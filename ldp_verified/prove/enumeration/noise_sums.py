"""Intervals around geometric series, in fractions.

For `noise_enumeration`; no closed form is used.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

SCALE = 1 << 256
"""Long sums are in units of its inverse."""

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
