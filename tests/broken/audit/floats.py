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


def real_part(value: int, rng: np.random.Generator) -> complex:
    """The noisy number as the real part of a complex one."""
    return complex(library(value, rng), float(rng.normal()))


def imaginary_part(value: int, rng: np.random.Generator) -> Any:
    """The noisy number as the imaginary part, of numpy's complex numbers."""
    return np.complex128(complex(float(rng.normal()), library(value, rng)))


def complex_array(value: int, rng: np.random.Generator) -> Any:
    """An array of complex numbers, one part of which is noisy."""
    return np.array([1j * float(rng.normal()), complex(1.0, library(value, rng))])


def complex_list(value: int, rng: np.random.Generator) -> list[complex]:
    """A list of them."""
    return [1j * float(rng.normal()), complex(library(value, rng), 1.0)]


def beside_a_text(value: int, rng: np.random.Generator) -> tuple[str, float]:
    """The noisy number in a report that holds no numbers alone."""
    return "sent", library(value, rng)


def snapped_part(value: int, rng: np.random.Generator) -> complex:
    """The twin of `real_part`."""
    return complex(snapped(value, rng), float(rng.normal()))


def snapped_complex_array(value: int, rng: np.random.Generator) -> Any:
    """The twin of `complex_array`."""
    return np.array([1j * float(rng.normal()), complex(1.0, snapped(value, rng))])


def snapped_beside_a_text(value: int, rng: np.random.Generator) -> tuple[str, float]:
    """The twin of `beside_a_text`."""
    return "sent", snapped(value, rng)


def in_the_second_decimal(value: int, rng: np.random.Generator) -> float:
    """Noise of one decimal, and the value behind it; its noise is wide: eps of the sum is small."""
    return round(round(float(rng.laplace(scale=3000.0)), 1) + value / 100, 2)


PLANTED = {
    "library": library,
    "inverse": inverse,
    "beside": beside,
    "real_part": real_part,
    "imaginary_part": imaginary_part,
    "complex_array": complex_array,
    "complex_list": complex_list,
    "beside_a_text": beside_a_text,
}
TWINS = {
    "snapped": snapped,
    "snapped_beside": snapped_beside,
    "snapped_part": snapped_part,
    "snapped_complex_array": snapped_complex_array,
    "snapped_beside_a_text": snapped_beside_a_text,
}
