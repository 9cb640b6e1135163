"""Clusters of users by safe region, with a bound on the error of every place.

After the spatial data aggregation of Chen, Li, Qin, Kasiviswanathan, Jin (2016), "Private spatial
data aggregation in the local setting". Users of a cluster count for all places of the cluster's
region. Each of m clusters has the confidence beta/m, so that all bounds hold at once but with a
chance of beta: a union, whatever the clusters have in common. The error of a place is at most the
sum of the bounds of the clusters that hold it.

The sum of the estimates of all clusters is an estimate from all users, whose own bound
(`SafeRegionState.largest_errors`) needs no clusters. That of two groups of users together is about
sqrt(a^2 + b^2) where those of two clusters add up to a + b: that is what merging gains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.taxonomy import Taxonomy
from ldp_verified.run.aggregate.tabulated import check_level

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegionClusters:
    """Clusters of the regions that users named.

    Attributes:
        taxonomy: of the regions.
        clusters: (the region of the cluster, the regions of its users), each inside the former.

    Raises:
        ParameterError: no cluster, an empty one, a region outside the taxonomy or outside its
            cluster's, or overlapping clusters: a region in two of them.
    """

    taxonomy: Taxonomy
    clusters: tuple[tuple[str, tuple[str, ...]], ...]

    def __post_init__(self) -> None:
        """Check that each region has one cluster, which holds its places."""
        check_kind("taxonomy", self.taxonomy, Taxonomy)
        given: object = self.clusters
        if not isinstance(given, list | tuple) or not given:
            raise ParameterError("clusters", "must be one or more", given)
        seen: dict[str, str] = {}
        found = []
        for pair in given:
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise ParameterError("clusters", "must be pairs of a region and its members", pair)
            region, members = pair
            self.taxonomy.span(region, "clusters")
            if not isinstance(members, list | tuple) or not members:
                raise ParameterError("clusters", "must not be empty", {region: members})
            for member in members:
                self.taxonomy.span(member, "clusters")
                if region not in self.taxonomy.around(member):
                    rule = "must hold the regions of their members"
                    raise ParameterError("clusters", rule, {region: member})
                if member in seen:
                    both = (member, seen[member], region)
                    rule = "must not overlap: a region of users belongs to one"
                    raise ParameterError("clusters", rule, both)
                seen[member] = region
            found.append((region, tuple(members)))
        object.__setattr__(self, "clusters", tuple(found))

    def counted(self, taxonomy: Taxonomy, named: Iterable[str]) -> dict[str, str]:
        """Region that users named -> the region whose places they count for.

        Raises:
            ParameterError: the clusters are of another taxonomy, or leave out a region.
        """
        if taxonomy != self.taxonomy:
            raise ParameterError("clusters", "must be of the protocol's own taxonomy")
        known = {member: region for region, members in self.clusters for member in members}
        missing = sorted(set(named) - known.keys())
        if missing:
            raise ParameterError("clusters", "must hold every region that users named", missing)
        return known

    def bounds(self, squares: Mapping[str, float], beta: float) -> Floats:
        """Bound the error of each place, float64 (places,): the sum over the clusters that hold it.

        The bound of one of m clusters with k places is sqrt(2 ln(2 k m/beta) sum c^2), by
        Hoeffding's inequality (1963) at the confidence beta/m. All hold but with a chance of beta.

        Args:
            squares: the sum of c^2 over the users of each region: `SafeRegionState.squares`.
            beta: in (0, 1).

        Raises:
            ParameterError: beta is not in (0, 1), or a region has no cluster.
        """
        check_level(beta, "beta")
        self.counted(self.taxonomy, squares)
        found = np.zeros(len(self.taxonomy.places))
        for region, members in self.clusters:
            span = self.taxonomy.span(region)
            total = sum(squares.get(member, 0.0) for member in members)
            found[span.start : span.stop] += _bound(total, len(span), len(self.clusters), beta)
        return found


def _bound(squares: float, places: int, clusters: int, beta: float) -> float:
    return math.sqrt(2 * math.log(2 * places * clusters / beta) * squares)


def clustered(taxonomy: Taxonomy, squares: Mapping[str, float], beta: float) -> RegionClusters:
    """Merge regions into clusters while that lowers the largest bound of a place.

    Each region begins as a cluster of its own. Of all merges of a cluster into one whose region is
    around it, the one that lowers the largest sum of bounds most is made, until none does. This is
    greedy: no shortest description of the users is promised.

    Args:
        taxonomy: of the regions. squares: the sum of c^2 over the users of each region, which is
            public. beta: the confidence of all bounds together.

    Raises:
        ParameterError: no region, one outside the taxonomy, or beta is not in (0, 1).
    """
    check_level(beta, "beta")
    if not squares:
        raise ParameterError("squares", "must name one region or more")
    for region in squares:
        taxonomy.span(region, "squares")
    members: dict[str, list[str]] = {region: [region] for region in squares}
    totals = dict(squares)
    while len(members) > 1:
        now = _path_bounds(taxonomy, totals, beta)
        best, merge = float(now.max()), None
        for small in members:
            for large in taxonomy.around(small)[1:]:
                if large not in members:
                    continue
                tried = dict(totals)
                tried[large] += tried.pop(small)
                worst = float(_path_bounds(taxonomy, tried, beta).max())
                if worst < best:
                    best, merge = worst, (small, large)
        if merge is None:
            break
        small, large = merge
        members[large] += members.pop(small)
        totals[large] += totals.pop(small)
    return RegionClusters(taxonomy, tuple((r, tuple(each)) for r, each in members.items()))


def _path_bounds(taxonomy: Taxonomy, totals: Mapping[str, float], beta: float) -> Floats:
    """The sum of bounds along the path from each cluster up; the largest is that of a place."""
    m = len(totals)
    own = {
        region: _bound(total, len(taxonomy.span(region)), m, beta)
        for region, total in totals.items()
    }
    paths = [sum(own.get(each, 0.0) for each in taxonomy.around(region)) for region in totals]
    return np.array(paths)
