# Command: ldp-verified generate laplace
# Input: spec/laplace.py, sha256 14604a3ed9050560a9ca3fc1b1e31ce5d2f37027394cc0af0c11f8905bc73210
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Laplace noise: generated from spec/laplace.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Number
from ldp_verified.run.realize.real_numbers.geometric import LaplaceRandomizer


@dataclass(frozen=True, repr=False)
class Laplace(LaplaceRandomizer):
    """Laplace noise.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        bounds: the smallest and the largest input.
        grid: into how many steps the inputs are divided; None for what suits epsilon.

    A report y, given the input -1 <= x <= 1:

        y = x + z, and z has
        density 1/(2*b) e^(-|z|/(b))

    Rests on what `ldp-verified verify laplace` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, mean, report_variance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (-1.0, 1.0)
    grid: int | None = None

    name: ClassVar[str] = "laplace"
    law_sha256: ClassVar[str] = "7dc4b0baeb31d18a154e72ff24f36e01ad34f3e90a1f2133dc336afa68a1471e"

    @staticmethod
    def report_mean(x: Number, b: Number) -> Number:  # noqa: ARG004  constant in b
        """E[y | x]."""
        return x

    @staticmethod
    def report_square(x: Number, b: Number) -> Number:
        """E[y^2 | x]."""
        return x**2 + 2 * b**2
