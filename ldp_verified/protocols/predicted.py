"""Predict the share that is found about every second time, by normal law and stated variances.

Where `detectable_share` bounds the chance of a miss at the worst population, this is no bound. It
takes a population of many values of which none is held by most, so that collisions are small, a
list of 32 with `false_alarm=None` where a search has that, groups of their expected sizes, and
estimates that are normal and independent over levels. Scores are not pooled over levels. In rounds,
three of ten users hold what was published before.
"""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING

from ldp_verified.protocols.collisions import first_beyond
from ldp_verified.protocols.planned import share_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LISTED = 32
"""Values of the list that is asked for."""

EVEN = 0.5
"""The chance of a miss that is predicted."""

NORMAL = NormalDist()

Stage = tuple[float, float, float]
"""(standard error of a share, what it has to exceed, how often that has to hold)."""


def evenly_found(stages: Sequence[Stage], mended: int = 0) -> float:
    """The share that passes all stages with probability 1/2; `inf` where none does.

    Args:
        stages: independent ones. mended: times that the first may fail.
    """

    def seldom(share: float) -> bool:
        return chance_found(stages, mended, share) < EVEN

    return math.inf if seldom(1.0) else share_of(first_beyond(seldom, 0.0, 1.0))


def chance_found(stages: Sequence[Stage], mended: int, share: float) -> float:
    """The chance that a value of this share passes all stages; other arguments as above."""
    found = 1.0
    for place, (error, least, times) in enumerate(stages):
        passed, whole = NORMAL.cdf((share - least) / error), int(times)
        failing = range(mended + 1 if place == 0 else 1)
        found *= math.fsum(
            math.comb(whole, k) * passed ** (whole - k) * (1 - passed) ** k for k in failing
        )
    return found


def noise_reaches(kept: int, candidates: int) -> float:
    """Standard errors above 0 that the last of so many kept candidates has, which nobody holds."""
    return NORMAL.inv_cdf(1 - kept / candidates) if candidates > 2 * kept else 0.0


def level_stages(
    lengths: Sequence[int], kept: int, listed: int, errors: Sequence[float]
) -> list[Stage]:
    """A stage for each level of prefixes.

    Args:
        lengths: bits of each level's prefixes. kept: prefixes of a level. listed: of the last one.
        errors: standard error of a share at each level.
    """
    found, before = [], 1
    for (begin, end), error in zip(pairwise((0, *lengths)), errors, strict=True):
        candidates = before << (end - begin)
        keep = listed if end == lengths[-1] else kept
        found.append((error, error * noise_reaches(keep, candidates), 1.0))
        before = min(kept, candidates)
    return found
