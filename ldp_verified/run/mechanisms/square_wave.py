# Command: ldp-verified generate square_wave
# Input: spec/square_wave.py,
# sha256 928cb4fd53753135d19feb8a7c788d93bca256406addc95630e2730aa08f7788
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Square wave: generated from spec/square_wave.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Number
from ldp_verified.run.realize.real_numbers.square_wave import SquareWaveRandomizer


@dataclass(frozen=True, repr=False)
class SquareWave(SquareWaveRandomizer):
    """Square wave.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        bounds: the smallest and the largest input.

    A report y, given the input 0 <= x <= 1:

        density 1/(2*b*e^eps + 1)
            for -b <= y <= -b + x
        density e^eps/(2*b*e^eps + 1)
            for -b + x <= y <= b + x
        density 1/(2*b*e^eps + 1)
            for b + x <= y <= b + 1

    Rests on what `ldp-verified verify square_wave` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, mean, report_variance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (0.0, 1.0)

    name: ClassVar[str] = "square_wave"
    law_sha256: ClassVar[str] = "b860b242d6a4759bd7ec3b6d289d14ca9780aca763c53f79541b7171cda0be79"

    @staticmethod
    def report_mean(x: Number, u: Number, b: Number) -> Number:
        """E[y | x]."""
        return (1 + 2 * b + 4 * x * u * b - 4 * x * b) / (2 + 4 * u * b)

    @staticmethod
    def report_square(x: Number, u: Number, b: Number) -> Number:
        """E[y^2 | x]."""
        return (1 + 3 * b + 3 * b**2 + 6 * x**2 * u * b + 2 * u * b**3 - 6 * x**2 * b) / (
            3 + 6 * u * b
        )
