"""The server's side of vectors in a ball: exact sums of the public directions that were named."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.honest import Honesty, of_mean
from ldp_verified.run.aggregate.moments import VectorEstimate
from ldp_verified.run.aggregate.origin import ReportOrigin
from ldp_verified.run.aggregate.reports import check_batch
from ldp_verified.run.aggregate.saved import Saved, check_identity, check_mean
from ldp_verified.run.aggregate.serial import (
    identity_record,
    integers_of,
    list_of,
    unwrap,
    wrap,
)
from ldp_verified.run.kernels.directions import SCALE, added

if TYPE_CHECKING:
    from ldp_verified.protocols.sphere_vector import SphereVector
    from ldp_verified.run.aggregate.reports import Reports


@dataclass(frozen=True)
class SphereState(Saved):
    """Integer sums over reports; a commutative monoid under `merge`.

    Attributes:
        mechanism: whose reports. n: how many.
        totals: of each coordinate of the directions, in units of 2^-30.
        squares: of the coordinates' squares, likewise.
        simulated: whether they are simulated. batches: the ids of those that had one.
    """

    mechanism: SphereVector
    n: int
    totals: tuple[int, ...]
    squares: tuple[int, ...]
    simulated: bool = False
    batches: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse sums that no reports have.

        Raises:
            ParameterError: they are such ones.
        """
        ReportOrigin.checked(self.simulated, self.batches)
        d, most = self.mechanism.d, self.n * SCALE
        if self.n < 0 or {len(self.totals), len(self.squares)} != {d}:
            raise ParameterError("totals", f"must be {d}, one for each coordinate")
        if not all(abs(total) <= most for total in self.totals):
            raise ParameterError("totals", f"must be those of {self.n} directions")
        # Each direction has length 1, and each of its coordinates is rounded by half a unit.
        if min(self.squares) < 0 or abs(sum(self.squares) - most) > self.n * d:
            raise ParameterError("squares", f"must be those of {self.n} directions")

    @property
    def _origin(self) -> ReportOrigin:
        return ReportOrigin(self.simulated, self.batches)

    def to_bytes(self) -> bytes:
        """The state as bytes: kind "directions", all of it in the header, no body."""
        header = (
            identity_record(self.mechanism.identity)
            | self._origin.record()
            | {"n": self.n, "totals": list(self.totals), "squares": list(self.squares)}
        )
        return wrap("directions", header)

    @classmethod
    def from_bytes(
        cls, data: bytes, made: SphereVector, *, implausible: bool = False
    ) -> SphereState:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the mechanism.
            implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: as `Saved.from_bytes`.
        """
        header, body = unwrap("directions", data)
        check_identity(made.identity, header)
        (n,) = integers_of(header, "n")
        totals, squares = list_of(header, "totals"), list_of(header, "squares")
        if body:
            raise ReportError("data", "must end after its header")
        try:
            state = cls(made, n, totals, squares, *ReportOrigin.of_record(header, n))
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        if implausible is not True:
            for j, total in enumerate(totals):
                exact = Fraction(total, SCALE)
                check_mean(f"coordinate {j}", n, exact, *state._ends, made.d)
        return state

    @property
    def _ends(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        one, mean = Fraction(1), Fraction(self.mechanism.gain)
        return (-one, one), (-mean, mean)

    def update(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> SphereState:
        """A new state with a batch counted too; arguments and errors as for `MeanState.update`."""
        check_batch(self.mechanism.identity, reports)
        seeds, directions = self.mechanism.split(reports.data)
        origin = self._origin.joined(reports.simulated, len(reports), batch, repeated)
        if origin is None:
            return self
        totals, squares = added(seeds, directions, self.mechanism.d)
        return self._with(len(reports), totals.tolist(), squares.tolist(), origin)

    def merge(
        self, other: SphereState, batch: str | None = None, repeated: str = "refuse"
    ) -> SphereState:
        """The state that has seen both; arguments and errors as for `MeanState.merge`."""
        if not isinstance(other, SphereState):
            raise ReportError("other", "must be a SphereState", type(other))
        difference = self.mechanism.identity.difference(other.mechanism.identity)
        if difference is not None:
            raise ReportError("other", f"must be of the same mechanism: {difference}")
        origin = self._origin.merged(other._origin, batch, repeated)
        if origin is None:
            return self
        return self._with(other.n, list(other.totals), list(other.squares), origin)

    def _with(
        self, n: int, totals: list[int], squares: list[int], origin: ReportOrigin
    ) -> SphereState:
        return replace(
            self,
            n=self.n + n,
            totals=tuple(a + b for a, b in zip(self.totals, totals, strict=True)),
            squares=tuple(a + b for a, b in zip(self.squares, squares, strict=True)),
            **origin._asdict(),
        )

    def estimate(self) -> VectorEstimate:
        """The mean of each coordinate in the users' units, with errors from the reports' spread."""
        n, gain = self.n, self.mechanism.gain
        scale = self.mechanism.radius / gain
        means = np.array(self.totals, dtype=np.float64) / SCALE
        squares = np.array(self.squares, dtype=np.float64) / SCALE
        if n == 0:
            return VectorEstimate(0, means * math.nan, means * math.nan, self.honesty())
        means /= n
        spread = np.sqrt(np.maximum(squares / n - means**2, 0.0) / n)
        return VectorEstimate(n, means * scale, spread * scale, self.honesty())

    def honesty(self) -> Honesty:
        """Test whether honest reports have such sums, whatever vectors their users hold."""
        if self.n == 0:
            return Honesty(())
        totals = [Fraction(total, SCALE) for total in self.totals]
        return Honesty((of_mean("directions", self.n, totals, *self._ends),))
