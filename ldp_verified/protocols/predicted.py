"""Predict the share that is found about every second time, by normal law and stated variances.

Where `detectable_share` bounds the chance of a miss at the worst population, this is no bound. It
predicts what a search finds as it is called without arguments: at most `TOP` values and, in a
search by one round, a false alarm of `FALSE_ALARM`. It takes a population of many values of which
none is held by most, so that collisions are small, groups of their expected sizes, and estimates
that are normal and independent over levels. In rounds, three of ten users hold what was published
before, or as large a part of them as of the candidates was.
"""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, NamedTuple

from ldp_verified.protocols.collisions import first_beyond
from ldp_verified.protocols.planned import share_of

if TYPE_CHECKING:
    from collections.abc import Sequence

TOP: Final = 16
"""Values of the list that is asked for: the default of searches."""

FALSE_ALARM: Final = 1e-3
"""The chance that a search publishes what nobody holds: the default."""

EVEN = 0.5
"""The chance of a miss that is predicted."""

NORMAL = NormalDist()


class Stage(NamedTuple):
    """What an estimated share has to pass.

    Attributes:
        absent, held: variance of the estimate by reports alone, where nobody holds the value, and
            where all do.
        drawn: what the draw of those who report here adds, for each s (1 - s) of a share s.
        reach: what the estimate has to exceed, in standard errors where nobody holds the value.
        least: the same as a share; the larger one of both counts.
        times: how often that has to hold, with reports of their own.
    """

    absent: float
    held: float
    drawn: float
    reach: float = -math.inf
    least: float = -math.inf
    times: int = 1

    def passed(self, share: float) -> float:
        """The chance that a value of this share passes once."""
        spread = self.absent + share * (self.held - self.absent) + share * (1 - share) * self.drawn
        least = max(self.least, self.reach * math.sqrt(self.absent))
        # By no spread at all an estimate is the share itself.
        error = max(math.sqrt(spread), math.ulp(1.0))
        return NORMAL.cdf((share - least) / error)


def stage_of(
    n: int,
    reports: float,
    variances: tuple[float, float],
    *,
    reach: float = -math.inf,
    least: float = -math.inf,
    times: int = 1,
) -> Stage:
    """A stage that some reports of n users decide, which are drawn from all of them.

    Where so many reports are more than there are users, all users report, and nothing is drawn.

    Args:
        n: number of users. reports: of these, as many as are expected.
        variances: of what one report adds to a share that nobody holds, and to one that all do.
        reach, least, times: as of `Stage`.
    """
    absent, held = (variance / reports for variance in variances)
    drawn = 1 / min(reports, n) - 1 / n
    return Stage(absent, held, drawn, reach, least, times)


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
    for place, stage in enumerate(stages):
        passed, whole = stage.passed(share), stage.times
        failing = range(mended + 1 if place == 0 else 1)
        found *= math.fsum(
            math.comb(whole, k) * passed ** (whole - k) * (1 - passed) ** k for k in failing
        )
    return found


def noise_reaches(kept: int, candidates: int) -> float:
    """Standard errors above 0 that the last of so many kept candidates has, which nobody holds.

    Where all candidates are kept, nothing has to be reached.
    """
    return NORMAL.inv_cdf(1 - kept / candidates) if candidates > kept else -math.inf


def pooled_stages(
    own: Sequence[Stage], lengths: Sequence[int], kept: int, listed: int
) -> list[Stage]:
    """Stages of levels whose estimates are averaged with those of the levels before, by precision.

    What nobody holds is kept where its score is among the largest. Scores that were kept are no
    longer normal, and are taken to be: with the mean and the variance of the upper end of a normal
    law.

    Args:
        own: of each level, by its reports alone. lengths: bits of its prefixes.
        kept: prefixes of a level. listed: of the last one.
    """
    found: list[Stage] = []
    before, mean, variance = Stage(0.0, 0.0, 0.0), 0.0, 0.0
    keeps = [kept] * (len(lengths) - 1) + [listed]
    for stage, keep, size in zip(own, keeps, level_candidates(lengths, kept), strict=True):
        # The weight of this level; the first one has all.
        weight = before.absent / (before.absent + stage.absent) if found else 1.0
        absent, held, drawn = (
            (1 - weight) ** 2 * old + weight**2 * new
            for old, new in zip(before[:3], stage[:3], strict=True)
        )
        mean *= 1 - weight
        variance = (1 - weight) ** 2 * variance + weight**2 * stage.absent
        part, error = keep / size, math.sqrt(variance)
        before = Stage(absent, held, drawn, least=mean + noise_reaches(keep, size) * error)
        found.append(before)
        if part < 1:
            beyond = NORMAL.inv_cdf(1 - part)
            above = NORMAL.pdf(beyond) / part
            mean += error * above
            variance *= 1 + beyond * above - above**2
    return found


def level_candidates(lengths: Sequence[int], kept: int) -> list[int]:
    """The candidates of each level of prefixes.

    Args:
        lengths: bits of each level's prefixes. kept: prefixes of a level.
    """
    found, before = [], 1
    for begin, end in pairwise((0, *lengths)):
        found.append(before << (end - begin))
        before = min(kept, found[-1])
    return found
