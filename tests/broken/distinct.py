"""Numbers of values with a share that are wrong: no errors, or those of one value at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.aggregate.distinct import Distinct, held_by

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.estimate import Estimate


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
