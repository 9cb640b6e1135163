"""Laplace noise in floating point, as client libraries have drawn it, and twins on a grid.

All claim eps = 1 for values 0 to 3 of sensitivity 1/3 each, so 1 in all. The tables of the first
group keep the claim for real numbers; the bits of a double tell the value.
"""

from __future__ import annotations

from math import copysign, log
from typing import Any

import numpy as np

GRID = 1 / 64


def library(value: int, rng: np.random.Generator) -> float:
    """A library's Laplace noise, added."""
    return value / 3 + float(rng.laplace())


def inverse(value: int, rng: np.random.Generator) -> float:
    """The inverse of the distribution function, by hand."""
    u = float(rng.random()) - 0.5
    return value / 3 - copysign(log(max(1 - 2 * abs(u), 1e-300)), u)


def beside(value: int, rng: np.random.Generator) -> Any:
    """The noisy number as one of two numbers of a report."""
    return np.array([library(value, rng), float(rng.normal())])


def _geometric(rng: np.random.Generator) -> int:
    stays = 1 - np.exp(-GRID)
    return int(rng.geometric(stays) - rng.geometric(stays))


def snapped(value: int, rng: np.random.Generator) -> float:
    """Two-sided geometric noise on a grid that holds no value: the value is rounded first."""
    return GRID * (round(value / 3 / GRID - 0.17) + _geometric(rng))


def snapped_beside(value: int, rng: np.random.Generator) -> Any:
    """The twin of `beside`."""
    return np.array([snapped(value, rng), float(rng.normal())])


PLANTED = {"library": library, "inverse": inverse, "beside": beside}
TWINS = {"snapped": snapped, "snapped_beside": snapped_beside}
