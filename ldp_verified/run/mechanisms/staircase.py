# Command: ldp-verified generate staircase
# Input: spec/staircase.py, sha256 efd11f89e7e092bff48b61cd24d61ff0148c753f37bc63a8556cd6e60e544325
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Staircase noise: generated from spec/staircase.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Number
from ldp_verified.run.realize.real_numbers.staircase import StaircaseRandomizer


@dataclass(frozen=True, repr=False)
class Staircase(StaircaseRandomizer):
    """Staircase noise.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        bounds: the smallest and the largest input.

    A report y, given the input -1 <= x <= 1:

        y = x + z, and z has
        density (e^eps - 1)/(4*(g*e^eps - g + 1))
            for 0 <= |z| < 2*g
        density (e^eps - 1)*exp(-eps)/(4*(g*e^eps - g + 1))
            for 2*g <= |z| < 2
        and at |z| + 2 that at |z| times exp(-eps)

    Rests on what `ldp-verified verify staircase` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, mean, report_variance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (-1.0, 1.0)

    name: ClassVar[str] = "staircase"
    law_sha256: ClassVar[str] = "7fee3e2ffff5083459c06574177bb22b6d459cc96b328b768ac03114644bd664"

    @staticmethod
    def report_mean(x: Number, u: Number, g: Number) -> Number:  # noqa: ARG004  constant in u, g
        """E[y | x]."""
        return x

    @staticmethod
    def report_square(x: Number, u: Number, g: Number) -> Number:
        """E[y^2 | x]."""
        return (
            4
            + 16 * u
            + 3 * x**2
            + 4 * u**2
            + 12 * g**2
            + 12 * u**2 * g
            + 3 * x**2 * u**2
            + 9 * x**2 * u * g
            + 12 * u**2 * g**2
            + 12 * u * g**3
            + 3 * x**2 * u**3 * g
            + 4 * u**3 * g**3
            - 12 * g
            - 6 * x**2 * u
            - 3 * x**2 * g
            - 24 * u * g**2
            - 4 * g**3
            - 9 * x**2 * u**2 * g
            - 12 * u**2 * g**3
        ) / (3 * (1 + u * g - g) * (u - 1) ** 2)
