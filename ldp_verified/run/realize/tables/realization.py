"""The realized table: what the sampler's integers mean, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction


@dataclass(frozen=True)
class Realization:
    """A table as integer thresholds over uniform words give it.

    Attributes:
        width: bits per word.
        thresholds: the integers that the sampler compares words with; each table form says what
            they are.
        worst_ratio: the largest P(y|x)/P(y|x').
    """

    width: int
    thresholds: tuple[int, ...]
    worst_ratio: Fraction


@dataclass(frozen=True)
class CellRealization(Realization):
    """A realized table of two cells.

    Attributes:
        p, q: the realized cells (truth and lie, one and zero, inside and outside).
        p_star, q_star: P(report supports v) for holders of v and for others.
    """

    p: Fraction
    q: Fraction
    p_star: Fraction
    q_star: Fraction
