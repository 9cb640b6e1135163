"""The largest ratio of two densities of stepped noise, over all pairs of inputs, exactly.

Two outputs of the noise, z under x and z' under x', are one report where z - z' = x' - x, which is
any number as far from 0 as inputs are. So steps have their ratio where they are that close. By
symmetry and decay it is enough to look at z >= 0 and at one in the first period.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

Step = tuple[Fraction, Fraction, Fraction]
"""(low, high, level)."""


class StepRatio(NamedTuple):
    """A place where a ratio is reached: two outputs of the noise, and its density at each.

    Attributes:
        z, z2: numbers, as far from each other as two inputs may be. own, other: densities there.
    """

    z: Fraction
    z2: Fraction
    own: Fraction
    other: Fraction


def largest_step_ratio(
    pieces: Sequence[Step], period: Fraction, decay: Fraction, reach: Fraction
) -> StepRatio | None:
    """The largest ratio; an output that has the density 0 under one input is larger than any.

    None where nothing has a density.

    Args:
        pieces: of the first period; between them the density is 0. period, decay: of the noise.
        reach: how far from each other two inputs may be.
    """
    steps = _steps(pieces, period, decay, reach)
    found: StepRatio | None = None
    for i, one in enumerate(steps):
        for two in steps[i + 1 :]:
            if two[0] - one[1] >= reach:
                break
            for first, second in ((one, two), (two, one)):
                own, other = first[2], second[2]
                if own > 0 and (found is None or own * found.other > found.own * other):
                    z, z2 = _close(one, two, reach)
                    found = StepRatio(*((z, z2) if first is one else (z2, z)), own, other)
                    if not other:
                        return found
    return found


def _steps(
    pieces: Sequence[Step], period: Fraction, decay: Fraction, reach: Fraction
) -> list[Step]:
    """The steps from the reach below 0 to the reach beyond the first period, from the left."""
    many = int(reach / period) + 2
    cuts = sorted({Fraction(0), period, *(end for p in pieces for end in p[:2])})
    right = [
        (low + j * period, high + j * period, _level(pieces, low, high) * decay**j)
        for j in range(many)
        for low, high in pairwise(cuts)
    ]
    left = [(-high, -low, level) for low, high, level in reversed(right) if low < reach]
    return left + right


def _level(pieces: Sequence[Step], low: Fraction, high: Fraction) -> Fraction:
    """The density of the first piece that covers an interval."""
    return next((level for a, b, level in pieces if a <= low and high <= b), Fraction(0))


def _close(one: Step, two: Step, reach: Fraction) -> tuple[Fraction, Fraction]:
    """Numbers inside two steps, the first left of the second, less than the reach apart."""
    room = (reach - (two[0] - one[1])) / 4
    return one[1] - min(room, (one[1] - one[0]) / 2), two[0] + min(room, (two[1] - two[0]) / 2)
