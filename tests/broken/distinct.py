"""Numbers of values that are wrong: no errors, those of one value at a time, chosen values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.aggregate.absent import _normal, absences
from ldp_verified.run.aggregate.distinct import AtLeast, Distinct, held_by

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.oracle import Floats


def as_estimated(found: Estimate, share: float) -> Distinct:
    """Counts are taken for the truth."""
    ends = found.counts, found.counts
    return held_by(share, found.n, found.counts, ends, complete=True, exclusive=True)


def one_at_a_time(found: Estimate, share: float) -> Distinct:
    """Each interval holds with the level, and not all of them."""
    ends = found.interval(0.95)
    return held_by(share, found.n, found.counts, ends, complete=True, exclusive=True)


def room_for_one(share: float, n: int) -> Distinct:
    """What is not listed is forgotten: as if the listed values were all."""
    none = np.zeros(1)
    return held_by(share, n, none, (none, none), complete=True, exclusive=True)


def each_alone(found: Estimate, level: float) -> AtLeast:
    """Every value is tested with the level, whatever the number of values."""
    return _below(found, absences(found)[0], 1 - level)


def chosen_by_these_reports(found: Estimate, level: float, chosen: int = 3) -> AtLeast:
    """The values with the most supports are tested as if they had been fixed beforehand."""
    p_values = absences(found)[0]
    best = np.sort(p_values)[chosen - 1]
    return _below(found, np.where(p_values <= best, p_values, 1.0), (1 - level) / chosen)


def by_normal_errors(found: Estimate, level: float) -> AtLeast:
    """Rows that were drawn once are taken for normal noise."""
    return _below(found, _normal(found), (1 - level) / found.oracle.k)


def _below(found: Estimate, p_values: Floats, miss: float) -> AtLeast:
    held = tuple(found.names[place] for place in np.flatnonzero(p_values <= miss).tolist())
    return AtLeast(1 - miss, len(held), held, "wrong")
