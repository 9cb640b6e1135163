# Command: ldp-verified generate piecewise
# Input: spec/piecewise.py, sha256 271f12960ff031b7d5cac49552e970886b6589bbdd31133df37607e15a3e2cad
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Piecewise mechanism: generated from spec/piecewise.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Number
from ldp_verified.run.realize.real_numbers.window import PiecewiseRandomizer


@dataclass(frozen=True, repr=False)
class Piecewise(PiecewiseRandomizer):
    """Piecewise mechanism.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        bounds: the smallest and the largest input.

    A report y, given the input -1 <= x <= 1:

        density (exp(eps/2) - 1)*exp(-eps/2)/(2*(exp(eps/2) + 1))
            for -(exp(eps/2) + 1)/(exp(eps/2) - 1) <= y <= (x*exp(eps/2) - 1)/(exp(eps/2) - 1)
        density (exp(eps/2) - 1)*exp(eps/2)/(2*(exp(eps/2) + 1))
            for (x*exp(eps/2) - 1)/(exp(eps/2) - 1) <= y <= (x*exp(eps/2) + 1)/(exp(eps/2) - 1)
        density (exp(eps/2) - 1)*exp(-eps/2)/(2*(exp(eps/2) + 1))
            for (x*exp(eps/2) + 1)/(exp(eps/2) - 1) <= y <= (exp(eps/2) + 1)/(exp(eps/2) - 1)

    Rests on what `ldp-verified verify piecewise` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, mean, report_variance, worst_variance.
    What is drawn: see the base class.
    """

    epsilon: float
    bounds: tuple[float, float] = (-1.0, 1.0)

    name: ClassVar[str] = "piecewise"
    law_sha256: ClassVar[str] = "3cab9d537b52787881518a6d38490853299eae959d80ff21064238204c90d5d4"

    @staticmethod
    def report_mean(x: Number, s: Number) -> Number:  # noqa: ARG004  constant in s
        """E[y | x]."""
        return x

    @staticmethod
    def report_square(x: Number, s: Number) -> Number:
        """E[y^2 | x]."""
        return (3 + s + 3 * x**2 * s**2 - 3 * x**2 * s) / (3 * (s - 1) ** 2)
