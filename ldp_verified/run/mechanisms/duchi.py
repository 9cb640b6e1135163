# Command: ldp-verified generate duchi
# Input: spec/duchi.py, sha256 49b46c4966e813f14a9b866586ef82bcfb472cccf5f9624036e9f89733b8fc18
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Duchi's mechanism for one number: generated from spec/duchi.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Number
from ldp_verified.run.realize.real_numbers.sign import NumberSignRandomizer


@dataclass(frozen=True, repr=False)
class Duchi(NumberSignRandomizer):
    """Duchi's mechanism for one number.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        bounds: the smallest and the largest input.

    A report y, given the input -1 <= x <= 1:

        y = -(e^eps + 1)/(e^eps - 1)
            with probability -(x*e^eps - x - e^eps - 1)/(2*(e^eps + 1))
        y = (e^eps + 1)/(e^eps - 1)
            with probability (x*e^eps - x + e^eps + 1)/(2*(e^eps + 1))

    Rests on what `ldp-verified verify duchi` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, mean, report_variance, worst_variance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (-1.0, 1.0)

    name: ClassVar[str] = "duchi"
    law_sha256: ClassVar[str] = "d6ce316e107eadec980be16f2c3f6743c74dde82ffc9865f1d2e67c9cacaa0c6"

    @staticmethod
    def report_mean(x: Number, u: Number) -> Number:  # noqa: ARG004  constant in u
        """E[y | x]."""
        return x

    @staticmethod
    def report_square(x: Number, u: Number) -> Number:  # noqa: ARG004  constant in x
        """E[y^2 | x]."""
        return (1 + u) ** 2 / (u - 1) ** 2
