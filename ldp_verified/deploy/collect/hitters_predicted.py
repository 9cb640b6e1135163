"""Which share is found every second time, as the normal law and stated variances predict it.

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
from typing import TYPE_CHECKING, Any

from ldp_verified.protocols.coded_bits import CodedHashing
from ldp_verified.protocols.collisions import first_beyond
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.planned import share_of
from ldp_verified.protocols.prefix_cohorts import PrefixCohorts
from ldp_verified.protocols.prefix_extending import PrefixHashing
from ldp_verified.protocols.prefix_round import USUAL_SHARE, PrefixRound
from ldp_verified.protocols.prefix_rounds import PrefixRounds
from ldp_verified.protocols.private_expander_sketch import PrivateExpanderSketch
from ldp_verified.protocols.sequence_fragments import SequenceFragments
from ldp_verified.protocols.tree_hist import TreeHist

if TYPE_CHECKING:
    from collections.abc import Sequence

LISTED = 32
"""Values of the list that is asked for."""

NORMAL = NormalDist()

Stage = tuple[float, float, float]
"""(standard error of a share, what it has to exceed, how often that has to hold)."""


def predicted_share(protocol: Any, n: int) -> float:
    """The share that is found with probability 1/2; `inf` where none is.

    Args:
        protocol: one that searches. n: users, at least 1.

    Returns:
        `detectable_share` for a protocol that this module does not know.
    """
    if isinstance(protocol, PrefixRounds):
        stages, mended = _rounds(protocol, n), 0
    elif isinstance(protocol, PrefixHashing):
        stages, mended = _prefixes(protocol, n), 0
    elif isinstance(protocol, GroupedHashing):
        stages, mended = _places(protocol, n)
    else:
        return float(protocol.detectable_share(n))

    def seldom(share: float) -> bool:
        return _chance(stages, mended, share) < 0.5

    return math.inf if seldom(1.0) else share_of(first_beyond(seldom, 0.0, 1.0))


def _chance(stages: Sequence[Stage], mended: int, share: float) -> float:
    """The chance that a value passes all stages; of the first, so many times may fail."""
    found = 1.0
    for place, (error, least, times) in enumerate(stages):
        passed, whole = NORMAL.cdf((share - least) / error), int(times)
        failing = range(mended + 1 if place == 0 else 1)
        found *= math.fsum(
            math.comb(whole, k) * passed ** (whole - k) * (1 - passed) ** k for k in failing
        )
    return found


def _reached(kept: int, candidates: int) -> float:
    """Standard errors above 0 that the last of so many kept candidates has, which nobody holds."""
    return NORMAL.inv_cdf(1 - kept / candidates) if candidates > 2 * kept else 0.0


def _down(lengths: Sequence[int], kept: int, listed: int, errors: Sequence[float]) -> list[Stage]:
    """A stage for each level of prefixes."""
    found, before = [], 1
    for (begin, end), error in zip(pairwise((0, *lengths)), errors, strict=True):
        candidates = before << (end - begin)
        keep = listed if end == lengths[-1] else kept
        found.append((error, error * _reached(keep, candidates), 1.0))
        before = min(kept, candidates)
    return found


def _prefixes(protocol: PrefixHashing, n: int) -> list[Stage]:
    m = (1 - float(protocol.counting)) * n / protocol.levels
    # The median of rows has a variance of pi/2 of that of their mean.
    more = math.pi / 2 if isinstance(protocol, TreeHist) else 1.0
    error = math.sqrt(more * protocol.variance_absent / m)
    confirmed = isinstance(protocol, PrefixCohorts)
    listed = 2 * LISTED if confirmed else LISTED
    errors = [error] * protocol.levels
    stages = _down(protocol.lengths[:-1], protocol.kept, listed, errors)
    if confirmed:  # ranked="all": what does not exceed a standard error is dropped
        counted = math.sqrt(protocol.variance_absent / (float(protocol.counting) * n))
        stages.append((counted, counted, 1.0))
    return stages


def _rounds(protocol: PrefixRounds, n: int) -> list[Stage]:
    asked = [PrefixRound(protocol, number) for number in range(protocol.levels)]
    errors = [
        math.sqrt(each.spread(USUAL_SHARE) / (protocol.share(each.number) * n)) for each in asked
    ]
    last = PrefixRound(protocol, protocol.levels, protocol._dummies(protocol.levels))
    counted = math.sqrt(last.spread(1.0) / (protocol.share(protocol.levels) * n))
    stages = _down(protocol.lengths, protocol.kept, protocol.listed, errors)
    return [*stages, (counted, counted, 1.0)]


def _places(protocol: GroupedHashing, n: int) -> tuple[list[Stage], int]:
    """All places must be right but for what a code mends, and their sum stand out as published."""
    levels, finding = protocol.levels, float(n)
    if protocol.in_group and protocol.user_groups > levels:
        finding *= 1 - float(protocol.counting)
    m = finding / levels if protocol.in_group else finding
    error, mended = math.sqrt(protocol.variance_absent / m), 0
    if isinstance(protocol, SequenceFragments):
        return [(error, protocol.false_alarm(int(m) + 1, 1 << 24) / m, float(levels))], 0
    place: Stage = (math.sqrt(2) * error, 0.0, float(levels))  # two bits are compared
    if isinstance(protocol, CodedHashing):
        mended = int(protocol.corrects or 0)
    elif isinstance(protocol, PrivateExpanderSketch):
        mended = protocol.mended
        place = (error, error * _reached(1, 1 << protocol.rest_bits), float(levels))
    total = int(m * levels) + 1
    least = protocol.false_alarm(total, 1 << protocol.width) / total
    return [place, (math.sqrt(protocol.variance_absent / total), least, 1.0)], mended
