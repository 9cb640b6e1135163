"""Numeric reports counted in equal buckets of cells: a mergeable state of a whole distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.layouts import Indexed, Unsigned
from ldp_verified.run.aggregate.packing import PackedShape, numbers_shape
from ldp_verified.run.kernels import counts as kernel_counts
from ldp_verified.run.kernels.draw import smallest_dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.oracle import Counters, Floats

BUCKETS = 1024
"""The number of buckets, the same for every state, so that states of one mechanism add up."""


@dataclass(frozen=True)
class BucketLayout(Indexed):
    """A report is a cell; it counts in one of `BUCKETS` runs of cells, which are as long as others.

    Attributes:
        cells: how many there are, at least as many as buckets.
    """

    cells: int

    @property
    def k(self) -> int:
        """The number of buckets."""
        return BUCKETS

    @property
    def counters(self) -> int:
        """The number of counters: one for each bucket."""
        return BUCKETS

    @property
    def shape(self) -> PackedShape:
        """The shape of a report: one number."""
        return numbers_shape(self.cells, smallest_dtype(self.cells))

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first cell of each bucket, and the number of cells, int64 (BUCKETS + 1,)."""
        return -(-np.arange(BUCKETS + 1, dtype=np.int64) * self.cells // BUCKETS)

    def check(self, data: object) -> Unsigned:
        """Check reports: any integer dtype is taken, after its range has been looked at.

        Raises:
            ReportError: not an integer array of one axis, or no cell.
        """
        array = data if isinstance(data, np.ndarray) else None
        if array is None or array.ndim != 1 or array.dtype.kind not in "iu":
            raise ReportError("reports", "must be one axis of integers")
        if array.size and not 0 <= int(array.min()) <= int(array.max()) < self.cells:
            raise ReportError("reports", f"must hold integers in 0..{self.cells - 1}")
        return array.astype(smallest_dtype(self.cells), copy=False)

    def count(self, data: Unsigned) -> NDArray[np.int64]:
        """Return how many cells lie in each bucket."""
        places = data.astype(np.uint64) * np.uint64(BUCKETS) // np.uint64(self.cells)
        return kernel_counts.value_counts(places.astype(np.uint16), BUCKETS)

    def tally(self, data: object) -> NDArray[np.int64]:
        """Count reports after their check."""
        return self.count(self.check(data))


@dataclass(frozen=True)
class BucketOracle:
    """The layout and the identity of a state of buckets, of which counts are not estimated.

    Attributes:
        identity: of the reports. layout: their buckets.
        ends: the least and the largest probability of each bucket, over all inputs, float64
            (BUCKETS,) each.
    """

    identity: Identity
    layout: BucketLayout
    ends: tuple[Floats, Floats]

    @property
    def k(self) -> int:
        """The number of buckets."""
        return BUCKETS

    @property
    def labels(self) -> None:
        """Return None, as buckets have numbers."""
        return

    @property
    def no_estimator(self) -> str:
        """The reason why a state of buckets has no `estimate`."""
        return "a bucket of reports is no bin of values: ask the mechanism for a distribution"

    def implausible(self, n: int, counters: Counters) -> str | None:
        """Return why honest reports hardly ever lie in the buckets so; None if they may.

        As `FrequencyOracle.implausible`, with the ends of each bucket's probability.
        """
        if n == 0:
            return None
        t = math.sqrt(n * (math.log(2 * self.k) + 100 * math.log(2)) / 2)
        least, most = self.ends
        wrong = (counters < n * least - t) | (counters > n * most + t)
        if not wrong.any():
            return None
        place = int(wrong.argmax())
        return f"{int(counters[place])} of {n} reports lie in bucket {place}, beyond honest ones"

    def estimated(self, n: int, counters: Counters) -> Floats:
        """Refuse to estimate: see `no_estimator`.

        Raises:
            ParameterError: always.
        """
        del n, counters
        raise ParameterError("estimator", f"does not exist: {self.no_estimator}")

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """Refuse to estimate, as `estimated` does."""
        del shares
        return self.estimated(n, np.zeros(0, dtype=np.int64))

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """Refuse to estimate, as `estimated` does."""
        return (self.estimated(n, np.zeros(0, dtype=np.int64)),) * 2

    @property
    def half_step(self) -> Floats:
        """Half of the most that one report changes: half of a report."""
        return np.asarray(0.5)
