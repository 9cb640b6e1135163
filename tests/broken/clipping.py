"""Bounds that noise in far bins makes wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols import ClippedMean

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.state import State


class Outermost(ClippedMean):
    """Each bound is the outermost place where the estimated share outside is too large."""

    def bounds(self, state: State) -> tuple[float, float]:
        """The last crossing on either side."""
        found = self.first.estimate(state)
        below = np.concatenate(([0.0], found.at_most)) / found.n
        low = int(np.flatnonzero(below > self.outside)[0])
        high = int(np.flatnonzero(below < 1 - self.outside)[-1]) + 1
        return self.edges[low], self.edges[high]
