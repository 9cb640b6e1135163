"""Clients that add noise to 0 or 1, of a size that is enough for the claim or not."""

from __future__ import annotations

import random
from math import log, sqrt

EPSILON, DELTA = 10.0, 1e-5

CLASSICAL = sqrt(2 * log(1.25 / DELTA)) / EPSILON
"""The classical formula, proved for eps < 1 only: at eps = 10 its noise is too small."""

ENOUGH = 0.56
"""Somewhat more than the least sigma at (EPSILON, DELTA)."""


def too_little(value: float) -> float:
    """Noise of the classical formula."""
    return value + random.gauss(0.0, CLASSICAL)


def enough(value: float) -> float:
    """Clean."""
    return value + random.gauss(0.0, ENOUGH)


def heavy(value: float) -> float:
    """Noise of the same size, of another law."""
    side = 1 if random.random() < 0.5 else -1
    return value + side * random.expovariate(sqrt(2) / CLASSICAL)


def by_value(value: float) -> float:
    """Noise whose size tells the value."""
    return value + random.gauss(0.0, CLASSICAL * (1 + value))


def far_too_little(value: float) -> float:
    """Noise of a domain of half the width."""
    return value + random.gauss(0.0, CLASSICAL / 2)
