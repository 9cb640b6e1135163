"""warner. Written by hand until `generate` takes over."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from ldp_verified.realize import Categories, MatrixRandomizer, Number, RationalParameter


@dataclass(frozen=True, repr=False)
class Warner(MatrixRandomizer):
    """Warner."""

    gamma: float | Fraction
    epsilon: float = field(init=False)
    k: int = field(default=2, init=False)
    categories: Categories | None = None

    name: ClassVar[str] = "warner"
    spec_sha256: ClassVar[str] = ""
    parameter: ClassVar[RationalParameter] = RationalParameter("gamma", Fraction(0), Fraction(1, 2))

    @staticmethod
    def cells(gamma: Number) -> tuple[Number, Number]:
        """(truth, lie)."""
        return (1 + 2 * gamma) / 2, (1 - 2 * gamma) / 2

    @staticmethod
    def support(truth: Number, lie: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return truth, lie

    @staticmethod
    def worst_ratio(truth: Number, lie: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return truth / lie

    @staticmethod
    def variance_per_user(p_star: Number, q_star: Number, f: Number) -> Number:
        """Variance of the estimated count per user, at share f."""
        return (f * p_star * (1 - p_star) + (1 - f) * q_star * (1 - q_star)) / (
            p_star - q_star
        ) ** 2
