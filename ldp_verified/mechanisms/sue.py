"""sue. Written by hand until `generate` takes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.realize import Categories, Number, OneHotRandomizer


@dataclass(frozen=True, repr=False)
class SUE(OneHotRandomizer):
    """SUE."""

    epsilon: float
    k: int
    categories: Categories | None = None

    name: ClassVar[str] = "sue"
    spec_sha256: ClassVar[str] = ""
    root: ClassVar[int] = 2

    @staticmethod
    def cells(t: Number) -> tuple[Number, Number]:
        """(one, zero)."""
        return 1 / (1 + t), t / (1 + t)

    @staticmethod
    def support(one: Number, zero: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return one, zero

    @staticmethod
    def worst_ratio(one: Number, zero: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return (one * (1 - zero)) / (zero * (1 - one))

    @staticmethod
    def variance_per_user(p_star: Number, q_star: Number, f: Number) -> Number:
        """Variance of the estimated count per user, at share f."""
        return (f * p_star * (1 - p_star) + (1 - f) * q_star * (1 - q_star)) / (
            p_star - q_star
        ) ** 2
