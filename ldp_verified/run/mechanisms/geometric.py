# Command: ldp-verified generate geometric
# Input: spec/geometric.py, sha256 198c40688e7dc789eede0bae93165f299ed68d4997f803b48ee193826f80ef6e
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Two-sided geometric noise: generated from spec/geometric.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Number
from ldp_verified.run.realize.real_numbers.geometric import GeometricRandomizer


@dataclass(frozen=True, repr=False)
class Geometric(GeometricRandomizer):
    """Two-sided geometric noise.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        bounds: the smallest and the largest input.
        grid: into how many steps the inputs are divided; None for what suits epsilon.

    A report y, given the input integer 0 <= x <= m:

        y = x + z, and z has
        probability -(alpha - 1)/(alpha + 1) (alpha)^|z|

    Rests on what `ldp-verified verify geometric` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, mean, report_variance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (-1.0, 1.0)
    grid: int | None = None

    name: ClassVar[str] = "geometric"
    law_sha256: ClassVar[str] = "aa8415d2ff0a818562ab460d78de17124c604636f9fb3edc0f519071b17be499"

    @staticmethod
    def report_mean(x: Number, alpha: Number) -> Number:  # noqa: ARG004  constant in alpha
        """E[y | x]."""
        return x

    @staticmethod
    def report_square(x: Number, alpha: Number) -> Number:
        """E[y^2 | x]."""
        return (2 * alpha + x**2 + x**2 * alpha**2 - 2 * x**2 * alpha) / (1 - alpha) ** 2
