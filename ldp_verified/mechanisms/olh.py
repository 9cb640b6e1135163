"""olh. Written by hand until `generate` takes over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ldp_verified.realize import Categories, HashedRandomizer, Number


@dataclass(frozen=True, repr=False)
class OLH(HashedRandomizer):
    """OLH."""

    epsilon: float
    k: int
    g: int | None = None
    categories: Categories | None = None

    name: ClassVar[str] = "olh"
    spec_sha256: ClassVar[str] = ""

    @staticmethod
    def cells(t: Number, g: Number) -> tuple[Number, Number]:
        """(inside, outside)."""
        return 1 / (1 + (g - 1) * t), t / (1 + (g - 1) * t)

    @staticmethod
    def support(inside: Number, outside: Number, g: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return inside, (inside + (g - 1) * outside) / g

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


@dataclass(frozen=True, repr=False)
class BLH(OLH):
    """BLH."""

    g: int = field(default=2, init=False)

    name: ClassVar[str] = "blh"
