"""The server's side of SHE: exact sums over reports, and the counts that they estimate."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.computed import ComputedCounts, computed
from ldp_verified.run.aggregate.honest import Honesty, of_mean
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
from ldp_verified.run.kernels.column_sums import column_sums

if TYPE_CHECKING:
    from ldp_verified.protocols.she import SHE
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.oracle import Floats
    from ldp_verified.run.aggregate.reports import Reports

EXACT = 1 << 53
"""Floats hold every integer below this."""


@dataclass(frozen=True)
class SumState(Saved):
    """Integer sums over reports, exact; a commutative monoid under `merge`.

    Attributes:
        mechanism: whose reports. n: how many.
        totals: for each value, the sum of the numbers that are no end. lows, highs: how often its
            number was the lower end, the upper end.
        simulated: whether they are simulated. batches: the ids of those that had one.
    """

    mechanism: SHE
    n: int
    totals: tuple[int, ...]
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    simulated: bool = False
    batches: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse sums that no reports have.

        Raises:
            ParameterError: they are such ones.
        """
        ReportOrigin.checked(self.simulated, self.batches)
        most, k = self.mechanism.number.decoding.cells - 1, self.mechanism.k
        if self.n < 0 or {len(self.totals), len(self.lows), len(self.highs)} != {k}:
            raise ParameterError("totals", f"must be {k}, one for each value", len(self.totals))
        if not any(self.lows) and not any(self.highs):
            within = min(self.totals) >= 0 and max(self.totals) <= self.n * most
            if within:
                return
        for total, low, high in zip(self.totals, self.lows, self.highs, strict=True):
            if min(low, high) < 0 or not 0 <= total <= (self.n - low - high) * most:
                rule = f"must be those of {self.n} numbers, ends included"
                raise ParameterError("totals", rule, (total, low, high))

    @property
    def _origin(self) -> ReportOrigin:
        return ReportOrigin(self.simulated, self.batches)

    def to_bytes(self) -> bytes:
        """The state as bytes: kind "sums", all of it in the header, no body."""
        header = (
            identity_record(self.mechanism.identity)
            | self._origin.record()
            | {
                "n": self.n,
                "totals": list(self.totals),
                "lows": list(self.lows),
                "highs": list(self.highs),
            }
        )
        return wrap("sums", header)

    @classmethod
    def from_bytes(cls, data: bytes, made: SHE, *, implausible: bool = False) -> SumState:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the mechanism.
            implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: as `Saved.from_bytes`.
        """
        header, body = unwrap("sums", data)
        check_identity(made.identity, header)
        (n,) = integers_of(header, "n")
        totals, lows, highs = (list_of(header, name) for name in ("totals", "lows", "highs"))
        if body:
            raise ReportError("data", "must end after its header")
        try:
            state = cls(made, n, totals, lows, highs, *ReportOrigin.of_record(header, n))
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        if implausible is not True:
            for value, total in enumerate(state.sums()):
                check_mean(f"value {value}", n, total, *state._ends, made.k)
        return state

    @property
    def _ends(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """The ends of a number of a report, and of its mean."""
        d = self.mechanism.number.decoding
        outputs = (d.first, d.first + d.step * (d.cells - 1), *d.atoms)
        return (min(outputs), max(outputs)), (Fraction(0), Fraction(1))

    def honesty(self) -> Honesty:
        """Test whether honest reports add up to these sums, whatever their users hold."""
        if self.n == 0:
            return Honesty(())
        return Honesty((of_mean("sum of each value", self.n, self.sums(), *self._ends),))

    def update(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> SumState:
        """A new state with a batch summed too.

        Args:
            reports: what is added.
            batch: an id of the batch, a text of up to 64 characters; None for a batch without one.
            repeated: what happens if that id was counted before: "refuse" raises, "ignore" counts
                nothing.

        Raises:
            ReportError: the reports belong to another mechanism, or one is no output; or they are
                simulated and those of the state are not, or the other way round.
            ReplayError: the batch was counted already. ParameterError: no such id or `repeated`.
        """
        check_batch(self.mechanism.identity, reports)
        data = self.mechanism.shaped(reports.data)
        found, largest = column_sums(data)
        self.mechanism.refuse_above(largest)
        origin = self._origin.joined(reports.simulated, len(reports), batch, repeated)
        if origin is None:
            return self
        cells = self.mechanism.number.decoding.cells
        n, sums, lows, highs = self.n + len(data), found.tolist(), self.lows, self.highs
        if largest >= cells:  # an end: the least likely numbers of all
            new = [(data == cells + end).sum(axis=0).tolist() for end in (0, 1)]
            ends = zip(sums, *new, strict=True)
            sums = [total - low * cells - high * (cells + 1) for total, low, high in ends]
            lows, highs = _added(lows, new[0]), _added(highs, new[1])
        totals = _added(self.totals, sums)
        return replace(self, n=n, totals=totals, lows=lows, highs=highs, **origin._asdict())

    def merge(
        self, other: SumState, batch: str | None = None, repeated: str = "refuse"
    ) -> SumState:
        """The state that has seen both.

        Args:
            other: the other state. batch, repeated: as in `update`, of all that the other holds.

        Raises:
            ReportError: they belong to different mechanisms, or hold one simulated and one real
                reports.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        if not isinstance(other, SumState):
            raise ReportError("other", "must be a SumState", type(other))
        difference = self.mechanism.identity.difference(other.mechanism.identity)
        if difference is not None:
            raise ReportError("other", f"must be of the same mechanism: {difference}")
        origin = self._origin.merged(other._origin, batch, repeated)
        if origin is None:
            return self
        return replace(
            self,
            n=self.n + other.n,
            totals=_added(self.totals, other.totals),
            lows=_added(self.lows, other.lows),
            highs=_added(self.highs, other.highs),
            **origin._asdict(),
        )

    def sums(self) -> tuple[Fraction, ...]:
        """Return the sum of the reports for each value: exact."""
        decoding = self.mechanism.number.decoding
        low_end, high_end = decoding.atoms
        return tuple(
            decoding.first * (self.n - low - high)
            + decoding.step * total
            + (low * low_end + high * high_end)
            for total, low, high in zip(self.totals, self.lows, self.highs, strict=True)
        )

    def _rounded(self) -> Floats:
        """`sums`, each rounded once, float64 (k,)."""
        if any(self.lows) or any(self.highs):
            return np.array([float(total) for total in self.sums()])
        # An integer over an integer is rounded once, too.
        decoding = self.mechanism.number.decoding
        unit = math.lcm(decoding.first.denominator, decoding.step.denominator)
        first, step = int(decoding.first * unit) * self.n, int(decoding.step * unit)
        if abs(first) + step * self.n * decoding.cells < EXACT:
            return np.asarray((first + step * np.array(self.totals, dtype=np.float64)) / unit)
        return np.array([(first + step * total) / unit for total in self.totals])

    def estimate(self) -> Estimate:
        """The sums, rounded once; their errors are proved, and independent of each other."""
        counts = self._rounded()
        variance = float(self.mechanism.variance(1))
        oracle = ComputedCounts(
            self.mechanism.identity,
            counts,
            np.full(len(counts), variance),
            lambda weights: variance * float(weights @ weights),
            honesty=self.honesty,
        )
        return computed(oracle, self.n, simulated=self.simulated, labels=None)


def _added(first: Iterable[int], second: Iterable[int]) -> tuple[int, ...]:
    return tuple(map(operator.add, first, second))
