"""The server's side of `SafeRegions`: counts of places among the users who may be there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.kept import Kept
from ldp_verified.aggregate.origin import Origin
from ldp_verified.aggregate.reports import Identity
from ldp_verified.aggregate.tabulated import Tabulated, check_level, quantile
from ldp_verified.errors import ReportError, check_kind
from ldp_verified.kernels.transform import walsh_hadamard
from ldp_verified.protocols.region_clusters import RegionClusters, clustered
from ldp_verified.protocols.safe_regions import PlaceReports, SafeRegions
from ldp_verified.protocols.sign_matrix import LARGEST_NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Unsigned = NDArray[np.unsignedinteger[Any]]

NAMES = ("numbers", "regions", "levels", "signs")


@dataclass(frozen=True)
class PlaceCounts(Tabulated):
    """The estimated number of users at each place.

    A user counts for the places of a region with the report +-c, c = (e^eps + 1)/(e^eps - 1), whose
    mean is 1 at their own place and 0 at others.

    Attributes:
        places: the names, in the order of the taxonomy. counts: unbiased, float64 (k,).
        users: how many may be at each place, int64 (k,): their region holds it.
        squares: the sum of their c^2, float64 (k,). The variance of a count is that less the number
            of users at the place, exactly.
        step: half of the most that one user changes. n: the number of reports.
        simulated: whether the reports are.
    """

    places: tuple[str, ...]
    counts: Floats
    users: NDArray[np.int64]
    squares: Floats
    step: float
    n: int
    simulated: bool

    @property
    def names(self) -> tuple[str | int, ...]:
        """The places."""
        return self.places

    @property
    def heading(self) -> str:
        """The number of the reports, and whether they are simulated."""
        return f"{self.n:,}{' simulated' if self.simulated else ''} reports of SafeRegions"

    @property
    def std_error(self) -> Floats:
        """The exact standard error where the estimated count is the true one, float64 (k,)."""
        inside = np.clip(self.counts, 0, self.users)
        return np.sqrt(np.maximum(self.squares - inside, 0.0))

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts, errors and intervals. Args and Raises: as `Tabulated`.

        Intervals take the largest variance, that of a place where nobody is, and a normal
        approximation with a correction of half a step. They are cut to 0..users.
        """
        check_level(level)
        check_kind("simultaneous", simultaneous, bool)
        z = quantile(level, len(self.places) if simultaneous else 1)
        reach = np.where(self.users > 0, z * np.sqrt(self.squares) + self.step, 0.0)
        low, high = (np.clip(self.counts + side, 0, self.users) for side in (-reach, reach))
        return self.counts, self.std_error, low, high

    def largest_error(self, beta: float) -> Floats:
        """An error of each place, none of which is exceeded but with a chance of beta; (k,).

        sqrt(2 ln(2 k/beta) sum c^2), by Hoeffding's inequality (1963) and a union over the places.

        Raises:
            ParameterError: beta is not in (0, 1).
        """
        check_level(beta, "beta")
        return np.sqrt(2 * math.log(2 * len(self.places) / beta) * self.squares)


class SafeRegionState(Kept):
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
        none = self._none()
        if len(columns) != len(none):
            raise ReportError("reports", f"must have {', '.join(NAMES)}", len(columns))
        mine = self.protocol
        limits = (LARGEST_NUMBER, len(mine.taxonomy.names), len(mine.epsilons), 2)
        for name, array, empty, limit in zip(NAMES, columns, none, limits, strict=True):
            plain = type(array) is np.ndarray and array.dtype == empty.dtype
            if not plain or array.shape != (len(columns[0]),):
                raise ReportError(name, f"must be {empty.dtype} of one row for each report")
            if len(array) and int(array.max()) >= limit:
                raise ReportError(name, f"must be below {limit}", int(array.max()))
        for region in np.unique(columns[1]):
            name = mine.taxonomy.names[region]
            if len(mine.taxonomy.span(name)) < 2:
                raise ReportError("regions", "must hold two places or more", name)
        return tuple(array.copy() for array in columns)

    def _refuse_together(self, parts: Sequence[tuple[Unsigned, ...]]) -> None:
        every = np.concatenate([columns[0] for columns in parts])
        if len(np.unique(every)) != len(every):
            raise ReportError("numbers", "must be different: a user reports once")

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
        check_kind("reports", reports, PlaceReports, ReportError)
        check_kind("identity", reports.identity, Identity, ReportError)
        check_kind("simulated", reports.simulated, bool, ReportError)
        difference = self.identity.difference(reports.identity)
        if difference is not None:
            raise ReportError("reports", f"are foreign: {difference}")
        columns = tuple(getattr(reports, name) for name in NAMES)
        self._add(columns, Origin(bool(reports.simulated)), batch, repeated)
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

    def _check_some(self) -> None:
        if self.rows == 0:
            raise ReportError("state", "must hold reports", 0)

    def estimate(self, clusters: RegionClusters | None = None) -> PlaceCounts:
        """Unbiased counts of all places.

        Args:
            clusters: None counts a user for the places of their own region, which has the least
                variance; else for those of the region of their cluster.

        Raises:
            ReportError: no report has been seen.
            ParameterError: the clusters are of another taxonomy, or leave out a region that
                somebody named.
        """
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
        ends = np.flatnonzero(np.diff(keys[order])) + 1
        for members in np.split(order, ends):
            region, level = int(regions[members[0]]), int(levels[members[0]])
            span = tree.span(counted[tree.names[region]])
            at = slice(span.start, span.stop)
            sums[level, at] += _sums(rows[members], signs[members], span, mine.bits)
            users[level, at] += len(members)
        scale = np.array([1 / (2 * m.gain) for m in mine.matrices])
        step = float(scale[int(levels.min())])
        counts, squares = scale @ sums, scale**2 @ users
        total = users.sum(axis=0)
        return PlaceCounts(
            tree.places, counts, total, squares, step, len(numbers), self.simulated
        )


def _sums(
    rows: NDArray[np.int64], signs: Unsigned, span: range, bits: int
) -> NDArray[np.int64]:
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
