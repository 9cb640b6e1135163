# Command: ldp-verified generate square_wave
# Input: spec/square_wave.py, sha256 72aa006d993987001dbea08418fb1eefd38a17d938835385db88439929d13eed
# Tools: ldp-verified not installed, sympy 1.14.0
"""Square wave: generated from spec/square_wave.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.realize import Number
from ldp_verified.realize.square_wave import SquareWaveRandomizer


@dataclass(frozen=True, repr=False)
class SquareWave(SquareWaveRandomizer):
    """Square wave.

    A report y, given the input 0 <= x <= 1:

        density 1/(2*b*e^(eps) + 1)
            for -b <= y <= -b + x
        density e^(eps)/(2*b*e^(eps) + 1)
            for -b + x <= y <= b + x
        density 1/(2*b*e^(eps) + 1)
            for b + x <= y <= b + 1

    Rests on what `ldp-verified verify square_wave` shows: LDP, Mean, ReportVariance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (0.0, 1.0)

    name: ClassVar[str] = "square_wave"
    spec_sha256: ClassVar[str] = "72aa006d993987001dbea08418fb1eefd38a17d938835385db88439929d13eed"

    @staticmethod
    def report_mean(x: Number, u: Number, b: Number) -> Number:
        """The mean of a report."""
        top = 4*b*x*u - 4*b*x + 2*b + 1
        return top / (4*b*u + 2)

    @staticmethod
    def report_variance(x: Number, u: Number, b: Number) -> Number:
        """The variance of a report."""
        top = (
            -24*b*x**2
            - 24*b*x*u
            - 48*b**2*x**2
            - 48*b**2*x*u
            + 1
            + 16*b**4*u**2
            + 24*b**2*u
            + 24*b*x
            + 24*b*x**2*u
            + 32*b**3*u
            + 48*b**2*x
            + 48*b**2*x**2*u
            + 8*b*u
        )
        return top / (12*(2*b*u + 1)**2)
