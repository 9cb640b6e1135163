# Command: ldp-verified generate truncated_geometric
# Input: spec/truncated_geometric.py,
# sha256 09049fc2d3fa8accb5b792366a9747cec7e1b828fbadbb92e202d50ad761cae1
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Truncated geometric noise: generated from spec/truncated_geometric.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Number
from ldp_verified.run.realize.real_numbers.geometric import TruncatedRandomizer


@dataclass(frozen=True, repr=False)
class TruncatedGeometric(TruncatedRandomizer):
    """Truncated geometric noise.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        bounds: the smallest and the largest input.
        grid: into how many steps the inputs are divided; None for what suits epsilon.

    A report y, given the input integer 0 <= x <= m:

        y = x + z, and z has
        probability -(alpha - 1)/(alpha + 1) (alpha)^|z|
        all of y <= -L is reported as one end, which stands for
            -(L*alpha - L - alpha)/(alpha - 1)
        all of y >= L + m as the other, which stands for
            (L*alpha - L + alpha*m - alpha - m)/(alpha - 1)

    Rests on what `ldp-verified verify truncated_geometric` shows: nonnegative, sums_to_one,
    equal_support, ratio, tight, mean, report_variance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (-1.0, 1.0)
    grid: int | None = None

    name: ClassVar[str] = "truncated_geometric"
    law_sha256: ClassVar[str] = "fe7dd25d709ee732b588fa1dda1f179569d9b8e55e37354cd2f1682c6524acb9"

    @staticmethod
    def report_mean(x: Number, alpha: Number, low: Number, high: Number) -> Number:  # noqa: ARG004  constant in alpha, low, high
        """E[y | x]."""
        return x

    @staticmethod
    def report_square(x: Number, alpha: Number, low: Number, high: Number) -> Number:
        """E[y^2 | x]."""
        return (
            2 * alpha
            + x**2
            + 2 * alpha**2
            + x**2 * alpha**3
            - alpha * low
            - alpha * high
            - x**2 * alpha
            - x**2 * alpha**2
        ) / ((1 - alpha) ** 2 * (1 + alpha))
