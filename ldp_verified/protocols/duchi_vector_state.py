"""The state of Duchi's mechanism for vectors: how many reports have a + in each coordinate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.honest import Honesty, of_coins
from ldp_verified.run.aggregate.layouts import check_report_array
from ldp_verified.run.aggregate.moments import VectorEstimate
from ldp_verified.run.aggregate.origin import ReportOrigin
from ldp_verified.run.aggregate.reports import Reports, check_batch
from ldp_verified.run.aggregate.saved import Saved, check_identity, check_mean
from ldp_verified.run.aggregate.serial import (
    identity_record,
    integers_of,
    list_of,
    unwrap,
    wrap,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols.duchi_vector import DuchiVector


@dataclass(frozen=True)
class VectorState(Saved):
    """The numbers of reports, and of + in each coordinate; a monoid under `merge`.

    Attributes:
        mechanism: whose reports. n: how many. ones: how many have + in each coordinate.
        simulated: whether they are simulated. batches: the ids of those that had one.
    """

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
        if len(self.ones) != self.mechanism.d:
            rule = f"must be {self.mechanism.d}, one for each coordinate"
            raise ParameterError("ones", rule, len(self.ones))
        if self.n < 0 or not all(0 <= count <= self.n for count in self.ones):
            raise ParameterError("ones", f"must lie in 0..n = 0..{self.n}")

    @property
    def _origin(self) -> ReportOrigin:
        return ReportOrigin(self.simulated, self.batches)

    def to_bytes(self) -> bytes:
        """The state as bytes: kind "vectors", `n` and `ones` in the header, no body."""
        header = (
            identity_record(self.mechanism.identity)
            | self._origin.record()
            | {
                "n": self.n,
                "ones": list(self.ones),
            }
        )
        return wrap("vectors", header)

    @classmethod
    def from_bytes(
        cls, data: bytes, made: DuchiVector, *, implausible: bool = False
    ) -> VectorState:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the mechanism.
            implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: as `Saved.from_bytes`.
        """
        header, body = unwrap("vectors", data)
        check_identity(made.identity, header)
        (n,), ones = integers_of(header, "n"), list_of(header, "ones")
        if body:
            raise ReportError("data", "must end after its header")
        try:
            state = cls(made, n, ones, *ReportOrigin.of_record(header, n))
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        if implausible is not True:
            one, mean = Fraction(1), 1 / made.length
            for j, count in enumerate(ones):
                total = Fraction(2 * count - n)
                check_mean(f"coordinate {j}", n, total, (-one, one), (-mean, mean), made.d)
        return state

    def update(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> VectorState:
        """A new state with a batch counted too; arguments and errors as for `MeanState.update`."""
        check_batch(self.mechanism.identity, reports)
        data = checked_corners(reports.data, self.mechanism.d)
        origin = self._origin.joined(reports.simulated, len(reports), batch, repeated)
        if origin is None:
            return self
        one = np.uint64(1)
        counts = (int(((data >> np.uint64(j)) & one).sum()) for j in range(self.mechanism.d))
        return replace(
            self,
            n=self.n + len(data),
            ones=tuple(a + b for a, b in zip(self.ones, counts, strict=True)),
            **origin._asdict(),
        )

    def merge(
        self, other: VectorState, batch: str | None = None, repeated: str = "refuse"
    ) -> VectorState:
        """The state that has seen both; arguments and errors as for `MeanState.merge`."""
        if not isinstance(other, VectorState):
            raise ReportError("other", "must be a VectorState", type(other))
        difference = self.mechanism.identity.difference(other.mechanism.identity)
        if difference is not None:
            raise ReportError("other", f"must be of the same mechanism: {difference}")
        ones = tuple(a + b for a, b in zip(self.ones, other.ones, strict=True))
        origin = self._origin.merged(other._origin, batch, repeated)
        if origin is None:
            return self
        return replace(self, n=self.n + other.n, ones=ones, **origin._asdict())

    def estimate(self) -> VectorEstimate:
        """B (2 ones - n)/n for each coordinate, in the users' units."""
        n, b = self.n, float(self.mechanism.length)
        low, high = self.mechanism.bounds
        signs = 2 * np.array(self.ones, dtype=np.float64) - n
        share = signs / n if n else np.full(len(self.ones), math.nan)
        half = (high - low) / 2
        spread = b * half * np.sqrt((1 - share**2) / n) if n else share
        return VectorEstimate(n, low + half * (1 + b * share), spread, self.honesty())

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
