"""The server's side of SHE: exact sums over reports, and the counts that they estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.computed import ComputedCounts, computed
from ldp_verified.run.aggregate.exact_sums import ExactSums
from ldp_verified.run.aggregate.honest import Honesty, of_mean
from ldp_verified.run.aggregate.origin import ReportOrigin, check_number
from ldp_verified.run.aggregate.reports import check_batch
from ldp_verified.run.kernels.column_sums import column_sums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.protocols.she import SHE
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.exact_sums import Ends
    from ldp_verified.run.aggregate.oracle import Floats
    from ldp_verified.run.aggregate.reports import Reports

EXACT = 1 << 53
"""Floats hold every integer below this."""


@dataclass(frozen=True)
class SumState(ExactSums):
    """Integer sums over reports, exact; a commutative monoid under `merge`.

    Attributes:
        mechanism: whose reports. n: how many.
        totals: for each value, the sum of the numbers that are no end. lows, highs: how often its
            number was the lower end, the upper end.
        simulated: whether they are simulated. batches: the ids of those that had one.
    """

    kind: ClassVar[str] = "sums"
    summed: ClassVar[tuple[str, ...]] = ("totals", "lows", "highs")

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
        check_number(self.n)
        most, k = self.mechanism.number.decoding.cells - 1, self.mechanism.k
        if {len(self.totals), len(self.lows), len(self.highs)} != {k}:
            raise ParameterError("totals", f"must be {k}, one for each value", len(self.totals))
        within = min(self.totals) >= 0 and max(self.totals) <= self.n * most
        if within and not self._has_ends:
            return
        for total, low, high in zip(self.totals, self.lows, self.highs, strict=True):
            if min(low, high) < 0 or not 0 <= total <= (self.n - low - high) * most:
                rule = f"must be those of {self.n} numbers, ends included"
                raise ParameterError("totals", rule, (total, low, high))

    @property
    def _has_ends(self) -> bool:
        """Return whether a number in the reports was an end, which is the least likely output."""
        return any(self.lows) or any(self.highs)

    @property
    def _ends(self) -> tuple[Ends, Ends]:
        """The ends of a number of a report, and of its mean."""
        d = self.mechanism.number.decoding
        outputs = (d.first, d.first + d.step * (d.cells - 1), *d.atoms)
        return (min(outputs), max(outputs)), (Fraction(0), Fraction(1))

    def _means(self) -> Iterator[tuple[str, Fraction]]:
        for value, total in enumerate(self.sums()):
            yield f"value {value}", total

    def honesty(self) -> Honesty:
        """Test whether honest reports add up to these sums, whatever their users hold."""
        if self.n == 0:
            return Honesty(())
        return Honesty((of_mean("sum of each value", self.n, self.sums(), *self._ends),))

    def update(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> SumState:
        """Add a batch in place; see `ExactSums.update`."""
        check_batch(self.mechanism.identity, reports)
        data = self.mechanism.shaped(reports.data)
        found, largest = column_sums(data)
        self.mechanism.refuse_above(largest)
        cells = self.mechanism.number.decoding.cells
        more: dict[str, Iterable[int]] = {"totals": found.tolist()}
        if largest >= cells:  # an end
            lows, highs = ((data == cells + end).sum(axis=0).tolist() for end in (0, 1))
            every = zip(found.tolist(), lows, highs, strict=True)
            totals = [total - low * cells - high * (cells + 1) for total, low, high in every]
            more = {"totals": totals, "lows": lows, "highs": highs}
        return self._add(reports, more, batch, repeated)

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
        if self._has_ends:
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
            lambda weights: np.full(len(weights), variance * float(weights @ weights)),
            honesty=self.honesty,
        )
        return computed(oracle, self.n, simulated=self.simulated, labels=None)
