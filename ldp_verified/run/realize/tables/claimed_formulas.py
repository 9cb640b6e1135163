"""The claimed formulas as numbers, before any rounding to thresholds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction


@dataclass(frozen=True)
class Ideal:
    """The table as the spec states it; each float is the one nearest to the exact number.

    Attributes:
        p, q: the cells.
        p_star, q_star: P(report supports v) for holders of v and for others.
    """

    p: float
    q: float
    p_star: float
    q_star: float
    _variance: Callable[[int, float | Fraction], float] = field(repr=False, compare=False)

    def variance(self, n: int, f: float | Fraction = 0.0) -> float:
        """Variance of the estimated count for n users of whom a share f holds the value.

        The nearest float to the exact number.

        Args:
            n: number of users. f: share of them who hold the value, in [0, 1].

        Raises:
            ParameterError: n is not an integer >= 0, or f not in [0, 1].
        """
        return self._variance(n, f)
