"""The server's side of `SafeRegions`: counts of places among the users who may be there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ReportError, check_kind
from ldp_verified.protocols.hashed_values import several
from ldp_verified.protocols.region_clusters import RegionClusters, clustered
from ldp_verified.protocols.region_counts import nearest_counts
from ldp_verified.protocols.safe_regions import PlaceReports, SafeRegions
from ldp_verified.protocols.sign_matrix import LARGEST_NUMBER
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty, of_coins
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.kept import KeptReports, refuse_repeated
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.kernels.transform import walsh_hadamard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Unsigned = NDArray[np.unsignedinteger[Any]]

NAMES = ("numbers", "regions", "levels", "signs")


@dataclass(frozen=True, eq=False)
class PlaceOracle:
    """Counts of places from users who may each be at some of them.

    A user adds +-c to those, c = (e^eps + 1)/(e^eps - 1): 1 on average at their own place, and 0 at
    others. So a count has the variance sum c^2, less the number of users at the place: exactly.

    Attributes:
        protocol: whose reports they are.
        users: int64 (levels, k), how many of each epsilon may be at each of k places.
    """

    protocol: SafeRegions
    users: NDArray[np.int64]

    @property
    def identity(self) -> Identity:
        """Return the identity of the reports that this oracle counts."""
        return self.protocol.identity

    @property
    def k(self) -> int:
        """The number of places."""
        return int(self.users.shape[1])

    @property
    def _scale(self) -> Floats:
        return np.array([1 / (2 * each.gain) for each in self.protocol.matrices])

    @property
    def squares(self) -> Floats:
        """The sum of c^2 over the users who may be at each place, float64 (k,)."""
        return np.asarray(self._scale**2 @ self.users, dtype=np.float64)

    def estimated(self, n: int, counters: NDArray[np.int64]) -> Floats:
        """Add up c times the sums of signs, int64 (levels k,), one epsilon after the other."""
        del n
        return np.asarray(self._scale @ counters.reshape(self.users.shape), dtype=np.float64)

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """Variance per user at the shares, clipped to those who may be there."""
        return np.asarray(self.squares / n - np.clip(shares, 0.0, self.users.sum(axis=0) / n))

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """The variance per user at a share f is sum c^2/n - f."""
        return self.squares / n, np.asarray(-1.0)

    def tested(self, supports: NDArray[np.int64]) -> Honesty:
        """Test whether so many signs agree with a place as honest ones may, at each epsilon.

        A user's sign agrees with their own place with the chance p of their epsilon, and with
        another one with 1/2, over the draw of the columns.
        """
        some = np.flatnonzero(self.users)
        if not len(some):
            return UNTESTED
        n = self.users.ravel()[some]
        agree = (n + supports.ravel()[some]) // 2
        right = [float(each.gain) + 0.5 for each in self.protocol.matrices]
        most = np.repeat(np.array(right), self.k)[some]
        looks = len(self.protocol.epsilons) * len(self.protocol.taxonomy.places)
        half = np.array(0.5)
        return Honesty((of_coins("signs of each place", n, agree, half, most, looks=looks),))

    @property
    def half_step(self) -> Floats:
        """The largest c: from -c to c one user changes a count by twice as much."""
        found = np.where(self.users > 0, self._scale[:, None], 0.0).max(axis=0)
        return np.asarray(found, dtype=np.float64)


class SafeRegionState(KeptReports):
    """Reports that were seen: number, region, epsilon and sign, 14 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    def __init__(self, protocol: SafeRegions, simulated: bool = False) -> None:
        check_kind("protocol", protocol, SafeRegions)
        super().__init__(protocol, simulated)
        self.protocol = protocol

    @property
    def identity(self) -> Identity:
        """Return the identity that reports must have to be added."""
        return self.protocol.identity

    @property
    def n(self) -> int:
        """The number of reports seen."""
        return self.rows

    def _none(self) -> tuple[Unsigned, ...]:
        kinds: tuple[Any, ...] = (np.uint64, np.uint32, np.uint8, np.uint8)
        return tuple(np.zeros(0, kind) for kind in kinds)

    def _checked(self, columns: Sequence[Unsigned]) -> tuple[Unsigned, ...]:
        self._require_shapes(NAMES, columns)
        mine = self.protocol
        limits = (LARGEST_NUMBER, len(mine.taxonomy.names), len(mine.epsilons), 2)
        for name, array, limit in zip(NAMES, columns, limits, strict=True):
            if len(array) and int(array.max()) >= limit:
                raise ReportError(name, f"must be below {limit}", int(array.max()))
        for region in np.unique(columns[1]):
            name = mine.taxonomy.names[region]
            if len(mine.taxonomy.span(name)) < 2:
                raise ReportError("regions", "must hold two places or more", name)
        return tuple(array.copy() for array in columns)

    def _refuse_together(self, parts: Sequence[tuple[Unsigned, ...]]) -> None:
        refuse_repeated([columns[0] for columns in parts])

    def update(
        self, reports: PlaceReports, batch: str | None = None, repeated: str = "refuse"
    ) -> SafeRegionState:
        """Add reports; all of them, or none where one is refused. Returns the state itself.

        Args:
            reports: of this protocol. batch, repeated: as in `State.update`.

        Raises:
            ParameterError: `batch` is no id, or `repeated` something else.
            ReplayError: the batch was counted already.
            ReportError: they belong to another protocol or parameters, are malformed, a user
                reports twice, or they are simulated while others are real.
        """
        origin = self._require_own(reports, PlaceReports)
        self._add(tuple(getattr(reports, name) for name in NAMES), origin, batch, repeated)
        return self

    @property
    def squares(self) -> dict[str, float]:
        """The sum of c^2 over the users of each region that somebody named: all of it public."""
        _, regions, levels, _ = self.columns
        each = np.array([1 / (4 * m.gain**2) for m in self.protocol.matrices])
        found = np.bincount(regions, each[levels], len(self.protocol.taxonomy.names))
        return {
            name: float(total)
            for name, total in zip(self.protocol.taxonomy.names, found, strict=True)
            if total > 0
        }

    def clusters(self, beta: float) -> RegionClusters:
        """Group the users by region, so that the bound on all errors is small: see `clustered`.

        Raises:
            ParameterError: beta is not in (0, 1).
            ReportError: no report has been seen.
        """
        check_level(beta, "beta")
        self._check_some()
        return clustered(self.protocol.taxonomy, self.squares, beta)

    def largest_errors(self, beta: float, clusters: RegionClusters | None = None) -> Floats:
        """An error of each place, float64 (places,); some is exceeded with at most the chance beta.

        sqrt(2 ln(2 k/beta) sum c^2) for k places, by Hoeffding's inequality (1963) and a union over
        the places. With clusters: see `RegionClusters.bounds`.

        Raises:
            ParameterError: beta is not in (0, 1), or the clusters do not fit: see `estimate`.
            ReportError: no report has been seen.
        """
        check_level(beta, "beta")
        _, users = self._counters(clusters)
        if clusters is not None:
            return clusters.bounds(self.squares, beta)
        squares = PlaceOracle(self.protocol, users).squares
        return np.sqrt(2 * math.log(2 * len(squares) / beta) * squares)

    def _check_some(self) -> None:
        if self.rows == 0:
            raise ReportError("state", "must hold reports", 0)

    def estimate(self, values: object = None, clusters: RegionClusters | None = None) -> Estimate:
        """Unbiased counts of places.

        Args:
            values: public places, each once, fixed before the reports are looked at; None for all.
            clusters: None counts a user for the places of their own region, which has the least
                variance; else for those of the region of their cluster.

        Raises:
            ReportError: no report has been seen.
            DomainError: there is no such place, or none at all.
            ParameterError: a place stands there twice, or the clusters are of another taxonomy, or
                leave out a region that somebody named.
        """
        tree = self.protocol.taxonomy
        listed = tree.places if values is None else tuple(map(str, several(values)))
        chosen = tree.numbers(listed, "values")
        check_each_once(listed)
        sums, users = (each[:, chosen] for each in self._counters(clusters))
        oracle = PlaceOracle(self.protocol, users)
        return Estimate(oracle, self.rows, sums.ravel(), bool(self.simulated), listed)

    @property
    def named(self) -> dict[str, int]:
        """The number of users who named each region that somebody named: all of it public."""
        names = self.protocol.taxonomy.names
        found = np.bincount(self.columns[1], minlength=len(names)).tolist()
        return {name: count for name, count in zip(names, found, strict=True) if count}

    def consistent(self, clusters: RegionClusters | None = None) -> Floats:
        """Counts of all places that fit the numbers of users of each region, float64 (places,).

        None is negative, they add up to n, and a region holds at least those who named it or a
        region inside it: see `nearest_counts`. They are biased, and have no intervals.

        Args:
            clusters: as in `estimate`.

        Raises:
            ReportError: no report has been seen.
            ParameterError: as in `estimate`.
        """
        sums, users = self._counters(clusters)
        oracle = PlaceOracle(self.protocol, users)
        counts = oracle.estimated(self.rows, sums.ravel())
        return nearest_counts(self.protocol.taxonomy, counts, oracle.squares, self.named)

    def _counters(
        self, clusters: RegionClusters | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sums of signs, and numbers of users who may be there; int64 (levels, places) both."""
        self._check_some()
        mine, tree = self.protocol, self.protocol.taxonomy
        counted = {name: name for name in self.squares}
        if clusters is not None:
            check_kind("clusters", clusters, RegionClusters)
            counted = clusters.counted(tree, counted)
        numbers, regions, levels, signs = self.columns
        columns = mine.matrices[0].columns(numbers.astype(np.uint64))[:, 0]
        rows = (columns >> np.uint64(64 - mine.bits)).astype(np.int64)
        sums = np.zeros((len(mine.epsilons), len(tree.places)), dtype=np.int64)
        users = np.zeros_like(sums)
        keys = regions.astype(np.int64) * len(mine.epsilons) + levels
        order = np.argsort(keys, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
            region, level = int(regions[members[0]]), int(levels[members[0]])
            span = tree.span(counted[tree.names[region]])
            at = slice(span.start, span.stop)
            sums[level, at] += _sums(rows[members], signs[members], span, mine.bits)
            users[level, at] += len(members)
        return sums, users


def _sums(rows: NDArray[np.int64], signs: Unsigned, span: range, bits: int) -> NDArray[np.int64]:
    """The sum over users of y Z[x], of every place x of a span, int64.

    Args:
        rows: the bits of the users' columns, of which the sign Z[x] is the parity of those in x.
        signs: 1 where y is -1.
    """
    if len(rows) * len(span) < bits << bits:
        odd = [np.bitwise_count(rows & x) & 1 for x in span]
        return np.array([len(rows) - 2 * np.count_nonzero(each != signs) for each in odd])
    # Sums of fewer than 2^53 signs are exact in doubles.
    summed = np.bincount(rows, 1.0 - 2.0 * signs, 1 << bits).astype(np.int64)
    return walsh_hadamard(summed)[span.start : span.stop]
