"""The state of Duchi's mechanism for vectors: how many reports have a + in each coordinate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.exact_sums import ExactSums
from ldp_verified.run.aggregate.honest import Honesty, of_coins
from ldp_verified.run.aggregate.layouts import check_report_array
from ldp_verified.run.aggregate.means import VectorEstimate, standard_errors
from ldp_verified.run.aggregate.origin import ReportOrigin, check_number
from ldp_verified.run.aggregate.reports import Reports, check_batch
from ldp_verified.run.kernels.counts import bit_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ldp_verified.protocols.duchi_vector import DuchiVector
    from ldp_verified.run.aggregate.exact_sums import Ends


@dataclass(frozen=True)
class VectorState(ExactSums):
    """The numbers of reports, and of + in each coordinate; a monoid under `merge`.

    Attributes:
        mechanism: whose reports. n: how many. ones: how many have + in each coordinate.
        simulated: whether they are simulated. batches: the ids of those that had one.
    """

    kind: ClassVar[str] = "vectors"
    summed: ClassVar[tuple[str, ...]] = ("ones",)

    mechanism: DuchiVector
    n: int
    ones: tuple[int, ...]
    simulated: bool = False
    batches: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse counts that no reports have.

        Raises:
            ParameterError: they are such ones.
        """
        ReportOrigin.checked(self.simulated, self.batches)
        check_number(self.n)
        if len(self.ones) != self.mechanism.d:
            rule = f"must be {self.mechanism.d}, one for each coordinate"
            raise ParameterError("ones", rule, len(self.ones))
        if not all(0 <= count <= self.n for count in self.ones):
            raise ParameterError("ones", f"must lie in 0..n = 0..{self.n}")

    @property
    def _ends(self) -> tuple[Ends, Ends]:
        one, mean = Fraction(1), 1 / self.mechanism.length
        return (-one, one), (-mean, mean)

    def _means(self) -> Iterator[tuple[str, Fraction]]:
        for j, count in enumerate(self.ones):
            yield f"coordinate {j}", Fraction(2 * count - self.n)

    def update(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> VectorState:
        """Add a batch in place; see `ExactSums.update`."""
        check_batch(self.mechanism.identity, reports)
        data = checked_corners(reports.data, self.mechanism.d)
        counts = bit_counts(data[:, np.newaxis], self.mechanism.d)
        return self._add(reports, {"ones": counts.tolist()}, batch, repeated)

    def estimate(self) -> VectorEstimate:
        """B (2 ones - n)/n for each coordinate, in the users' units."""
        n, b = self.n, float(self.mechanism.length)
        low, high = bounds = self.mechanism.bounds
        signs = 2 * np.array(self.ones, dtype=np.float64) - n
        share = signs / n if n else np.full(len(self.ones), math.nan)
        half = (high - low) / 2
        means = low + half * (1 + b * share)
        # A report's square is always the same: so its variance is a function of the mean alone.
        noise = ((1 / n, self.mechanism._variances),) if n else ()
        errors = standard_errors(np.clip(means, *bounds), noise)
        return VectorEstimate(n, means, errors, bounds, noise, self.honesty())

    def honesty(self) -> Honesty:
        """Test whether honest reports have so many + in each coordinate, whatever users hold."""
        if self.n == 0:
            return Honesty(())
        far = float(1 / self.mechanism.length) / 2
        ones = np.array(self.ones, dtype=np.int64)
        ends = np.array(0.5 - far), np.array(0.5 + far)
        return Honesty((of_coins("signs of each coordinate", self.n, ones, *ends),))


def checked_corners(data: NDArray[Any], d: int) -> NDArray[np.uint64]:
    """The array itself, if it is one axis of uint64 below 2^d.

    Args:
        data: of reports. d: coordinates.

    Raises:
        ReportError: it is something else.
    """
    if check_report_array("data", data, 1).dtype != np.uint64:
        raise ReportError("data", "must be one axis of uint64", data.dtype)
    if len(data) and int(data.max()) >> d:
        raise ReportError("data", f"must be below 2^{d}")
    return data
