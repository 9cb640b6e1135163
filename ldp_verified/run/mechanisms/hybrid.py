# Command: ldp-verified generate hybrid
# Input: spec/hybrid.py, sha256 3219669d2cdec848b90d2604f97bcc1a81dcdf2d81eef9054b6f69cf3862901d
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Hybrid mechanism: generated from spec/hybrid.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Number
from ldp_verified.run.realize.real_numbers.hybrid import HybridRandomizer


@dataclass(frozen=True, repr=False)
class Hybrid(HybridRandomizer):
    """Hybrid mechanism.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        bounds: the smallest and the largest input.

    A report y, given the input -1 <= x <= 1:

        density (exp(eps/2) - 1)^2*exp(-eps)/(2*(exp(eps/2) + 1))
            for -(exp(eps/2) + 1)/(exp(eps/2) - 1) <= y <= (x*exp(eps/2) - 1)/(exp(eps/2) - 1)
        density (exp(eps/2) - 1)^2/(2*(exp(eps/2) + 1))
            for (x*exp(eps/2) - 1)/(exp(eps/2) - 1) <= y <= (x*exp(eps/2) + 1)/(exp(eps/2) - 1)
        density (exp(eps/2) - 1)^2*exp(-eps)/(2*(exp(eps/2) + 1))
            for (x*exp(eps/2) + 1)/(exp(eps/2) - 1) <= y <= (exp(eps/2) + 1)/(exp(eps/2) - 1)
        y = -(e^eps + 1)/((exp(eps/2) - 1)*(exp(eps/2) + 1))
            with probability -(x*e^eps - x - e^eps - 1)*exp(-eps/2)/(2*(e^eps + 1))
        y = (e^eps + 1)/((exp(eps/2) - 1)*(exp(eps/2) + 1))
            with probability (x*e^eps - x + e^eps + 1)*exp(-eps/2)/(2*(e^eps + 1))

    Rests on what `ldp-verified verify hybrid` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, mean, report_variance, worst_variance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (-1.0, 1.0)

    name: ClassVar[str] = "hybrid"
    law_sha256: ClassVar[str] = "eb6bba29f8872a0efa56a4de045d60e196bc453591c9c06ce6ba1ce03ddc36ac"

    @staticmethod
    def report_mean(x: Number, s: Number) -> Number:  # noqa: ARG004  constant in s
        """E[y | x]."""
        return x

    @staticmethod
    def report_square(x: Number, s: Number) -> Number:
        """E[y^2 | x]."""
        return (8 * s + 3 * x**2 + 4 * s**2 + 4 * s**3 + 3 * x**2 * s**4 - 4 - 6 * x**2 * s**2) / (
            3 * (1 + s) ** 2 * (s - 1) ** 2
        )
