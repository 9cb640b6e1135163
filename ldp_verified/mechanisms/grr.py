"""k-ary randomized response. Written by hand until `generate` takes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.realize import Categories, Number, SingletonRandomizer


@dataclass(frozen=True, repr=False)
class GRR(SingletonRandomizer):
    """k-ary randomized response.

    Table, u = e^epsilon:
        inside  = P(y | x), y = x:   u/(u + k - 1)
        outside = P(y | x), y != x:  1/(u + k - 1)
    Support: p* = inside, q* = outside.
    """

    epsilon: float
    k: int
    categories: Categories | None = None

    name: ClassVar[str] = "grr"
    spec_sha256: ClassVar[str] = ""

    @staticmethod
    def cells(t: Number, k: Number) -> tuple[Number, Number]:
        """(inside, outside), t = e^-epsilon."""
        return 1 / (1 + (k - 1) * t), t / (1 + (k - 1) * t)

    @staticmethod
    def support(inside: Number, outside: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return inside, outside

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return inside / outside

    @staticmethod
    def variance_per_user(p_star: Number, q_star: Number, f: Number) -> Number:
        """Variance of the estimated count per user, at share f."""
        return (f * p_star * (1 - p_star) + (1 - f) * q_star * (1 - q_star)) / (
            p_star - q_star
        ) ** 2
