"""Counts of places that fit what is public: how many users named each region.

Users who named a region are in it. So the count of a region is at least the number of users who
named it or a region inside it, no count is negative, and all add up to n. `nearest_counts` returns
the nearest counts of that kind, in squared distance over the variance of each place. True counts
are of that kind, and the nearest point of a convex set is no farther from any of its points than
what one began with. So the distance to the true counts never grows. It is post-processing, and has
a bias. The last step of the spatial data aggregation of Chen, Li, Qin, Kasiviswanathan, Jin (2016),
"Private spatial data aggregation in the local setting", uses the same numbers of users.

A place gets max(0, count + shift variance), with one shift for all, unless a region would get less
than its least: then the places of that region have a larger shift of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ldp_verified.protocols.taxonomy import Taxonomy

    Floats = NDArray[np.float64]

_LARGEST_SHIFT = 1e30


def nearest_counts(
    taxonomy: Taxonomy, counts: Floats, variances: Floats, named: Mapping[str, int]
) -> Floats:
    """The nearest counts that fit the numbers of users who named each region.

    Args:
        taxonomy: of the regions.
        counts: of all places in its order, float64 (places,).
        variances: of these counts, float64 (places,), none negative; 0 where nobody may be.
        named: region -> how many users named it, at least one user in all.

    Returns:
        Counts, float64 (places,): none negative, as many as users, and in each region at least as
        many as named it or a region inside it.

    Raises:
        ParameterError: arrays of another shape or with numbers that are none, a region outside the
            taxonomy, no user, or users in a region all of whose places have the variance 0.
    """
    k = len(taxonomy.places)
    for name, array in (("counts", counts), ("variances", variances)):
        if np.shape(array) != (k,) or not np.isfinite(array).all():
            rule = f"must be finite numbers of the shape ({k},)"
            raise ParameterError(name, rule, np.shape(array))
    if float(variances.min()) < 0:
        raise ParameterError("variances", "must not be negative")
    return _Tree(taxonomy, counts, variances, named).solved()


class _Tree:
    """The regions in the order of the tree: each stands before those inside it."""

    def __init__(
        self, taxonomy: Taxonomy, counts: Floats, variances: Floats, named: Mapping[str, int]
    ) -> None:
        self.counts, self.variances = counts, variances
        names = taxonomy.names
        place = {name: number for number, name in enumerate(names)}
        for region in named:
            taxonomy.span(region, "named")
        own = np.array([named.get(name, 0) for name in names], dtype=np.int64)
        if own.min() < 0 or own.sum() == 0:
            raise ParameterError("named", "must be numbers >= 0 of users, one user at least")
        self.above = [place[taxonomy.around(name)[1]] for name in names[1:]]
        self.spans = [taxonomy.span(name) for name in names]
        self.least = own.copy()
        self.ends = np.arange(1, len(names) + 1)  # a region and those inside it: [number, end)
        for number in range(len(names) - 1, 0, -1):
            parent = self.above[number - 1]
            self.least[parent] += self.least[number]
            self.ends[parent] = max(self.ends[parent], self.ends[number])
        holder = np.zeros(len(counts), dtype=np.int64)
        for number, span in enumerate(self.spans):
            holder[span.start : span.stop] = number  # the innermost region comes last
        self.holder = holder
        self.found = np.zeros(len(counts))

    def _shifted(self, span: range, shift: float) -> Floats:
        at = slice(span.start, span.stop)
        return np.maximum(self.counts[at] + shift * self.variances[at], 0.0)

    def _totals(self, region: int, shift: float) -> Floats:
        """Add up what a region and those inside hold at a shift, if none but those have a least."""
        end, span = int(self.ends[region]), self.spans[region]
        holders = self.holder[span.start : span.stop] - region
        totals: Floats = np.zeros(end - region)
        totals += np.bincount(holders, self._shifted(span, shift), end - region)
        for number in range(end - 1, region, -1):
            got = max(totals[number - region], self.least[number])
            totals[self.above[number - 1] - region] += got
        return totals

    def _shift(self, region: int, total: float) -> float:
        """The shift at which the region holds the total, by bisection down to neighbours."""
        low, high = -1.0, 1.0
        while self._totals(region, low)[0] > total and low > -_LARGEST_SHIFT:
            low *= 4
        while self._totals(region, high)[0] < total:
            high *= 4
            if high > _LARGEST_SHIFT:
                rule = "must not be 0 in all places of a region that users named"
                raise ParameterError("variances", rule)
        while low < (middle := (low + high) / 2) < high:
            if self._totals(region, middle)[0] < total:
                low = middle
            else:
                high = middle
        return high

    def solved(self) -> Floats:
        """The counts."""
        waiting = [0]
        while waiting:
            region = waiting.pop()
            shift = self._shift(region, float(self.least[region]))
            totals = self._totals(region, shift)
            span = self.spans[region]
            self.found[span.start : span.stop] = self._shifted(span, shift)
            number = region + 1
            while number < self.ends[region]:
                if totals[number - region] < self.least[number]:
                    waiting.append(number)  # it gets its least, with a shift of its own
                    number = int(self.ends[number])
                else:
                    number += 1
        return self.found
