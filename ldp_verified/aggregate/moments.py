"""Mean of numeric reports: mergeable integer state, estimate with its standard error.

A report is a cell of a grid or one of a few atoms. The state holds exact integers: how many
reports, the sum of their cells and of the squares, and the count of each atom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.estimate import check_level
from ldp_verified.aggregate.layouts import check_report_array
from ldp_verified.aggregate.reports import check_batch
from ldp_verified.errors import ReportError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.aggregate.reports import Identity, Reports


@dataclass(frozen=True)
class Decoding:
    """The exact number that each report stands for, in units of the mechanism.

    Attributes:
        cells: how many cells; report j < cells stands for first + j step.
        first, step: see there.
        atoms: what reports cells, cells + 1, ... stand for.
        slope, offset: the mean of a report is slope x + offset.
        nodes: whether what lies between two of these numbers is reported as one of them, so that
            the mean is kept; else reports stand for the middles of their cells.
    """

    cells: int
    first: Fraction
    step: Fraction
    atoms: tuple[Fraction, ...] = ()
    slope: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    nodes: bool = False

    @property
    def outputs(self) -> int:
        """The number of different reports."""
        return self.cells + len(self.atoms)

    def value(self, report: int) -> Fraction:
        """Return the number that one report stands for."""
        if report < self.cells:
            return self.first + report * self.step
        return self.atoms[report - self.cells]


@dataclass(frozen=True)
class MeanEstimate:
    """An unbiased estimate of a mean, in the users' own units.

    Attributes:
        n: number of reports. mean: the estimate; nan without reports.
        std_error: from the spread of the reports; nan for n < 2.
        worst_std_error: from the proven variance of the worst input, whatever the inputs are; it
            leaves out that the users are a sample.
    """

    n: int
    mean: float
    std_error: float
    worst_std_error: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Mean -+ z standard errors: a normal approximation.

        Raises:
            ParameterError: `level` is not between 0 and 1.
        """
        check_level(level)
        reach = NormalDist().inv_cdf((1 + level) / 2) * self.std_error
        return self.mean - reach, self.mean + reach


@dataclass(frozen=True)
class MeanState:
    """Integer sums over reports of one identity; a commutative monoid under `merge`.

    Attributes:
        identity: what reports must carry. decoding: what they stand for.
        low, high: the users' bounds, which stand for the inputs `inputs`.
        worst_variance: of one report, in units of the mechanism.
        n: reports so far, atoms included. total, squares: sums over cells. atoms: counts.
        simulated: whether any report was.
    """

    identity: Identity
    decoding: Decoding
    low: float
    high: float
    inputs: tuple[int | Fraction, int | Fraction]
    worst_variance: Fraction
    n: int = 0
    total: int = 0
    squares: int = 0
    atoms: tuple[int, ...] = ()
    simulated: bool = False

    def update(self, reports: Reports) -> MeanState:
        """A new state with a batch counted too.

        Raises:
            ReportError: the reports belong to another mechanism, or one is no output.
        """
        check_batch(self.identity, reports)
        data = check_outputs(reports.data, self.decoding.outputs)
        counts = tuple(
            int(np.count_nonzero(data == self.decoding.cells + place))
            for place in range(len(self.decoding.atoms))
        )
        if any(counts):
            data = data[data < self.decoding.cells]
        return replace(
            self,
            n=self.n + len(reports),
            total=self.total + int(data.sum(dtype=np.uint64)),
            squares=self.squares + _squares(data),
            atoms=_added(self.atoms, counts),
            simulated=self.simulated or reports.simulated,
        )

    def merge(self, other: MeanState) -> MeanState:
        """The state that has seen both.

        Raises:
            ReportError: they belong to different mechanisms.
        """
        if not isinstance(other, MeanState):
            raise ReportError("other", "must be a MeanState", type(other))
        difference = self.identity.difference(other.identity)
        if difference is not None:
            raise ReportError("other", f"must be of the same mechanism: {difference}")
        return replace(
            self,
            n=self.n + other.n,
            total=self.total + other.total,
            squares=self.squares + other.squares,
            atoms=_added(self.atoms, other.atoms),
            simulated=self.simulated or other.simulated,
        )

    def estimate(self) -> MeanEstimate:
        """The estimate; sums are exact, and rounded once."""
        d, n = self.decoding, self.n
        nothing = math.nan
        if n == 0:
            return MeanEstimate(0, nothing, nothing, nothing)
        cells = n - sum(self.atoms)
        first = d.first * cells + d.step * self.total
        second = d.first**2 * cells + 2 * d.first * d.step * self.total + d.step**2 * self.squares
        for count, atom in zip(self.atoms, d.atoms, strict=False):
            first += count * atom
            second += count * atom**2
        # In the users' units: x = (y - offset)/slope, inputs[0] -> low, inputs[1] -> high.
        start, end = self.inputs
        scale = (Fraction(self.high) - Fraction(self.low)) / (end - start) / d.slope
        mean = Fraction(self.low) + ((first / n - d.offset) - start * d.slope) * scale
        spread = nothing
        if n > 1:
            spread = math.sqrt((second - first**2 / n) / (n - 1) / n * scale**2)
        worst = math.sqrt(self.worst_variance / n * scale**2)
        return MeanEstimate(n, float(mean), spread, worst)


def check_outputs(data: NDArray[Any], outputs: int) -> NDArray[Any]:
    """The array itself, if it is one axis of unsigned integers below `outputs`.

    Raises:
        ReportError: it is something else.
    """
    if check_report_array("data", data, 1).dtype.kind != "u":
        raise ReportError("data", "must be one axis of unsigned integers", data.dtype)
    if len(data) and int(data.max()) >= outputs:
        raise ReportError("data", f"must be in 0..{outputs - 1}")
    return data


def _squares(data: NDArray[Any]) -> int:
    """The sum of squares of numbers below 2^32, exactly; in chunks so that no sum overflows."""
    total = 0
    for start in range(0, len(data), 1 << 16):
        chunk = data[start : start + (1 << 16)].astype(np.uint64)
        high, low = chunk >> np.uint64(16), chunk & np.uint64(0xFFFF)
        total += int((high * high).sum()) << 32
        total += int((high * low).sum()) << 17
        total += int((low * low).sum())
    return total


def _added(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    if not first or not second:
        return first or second
    return tuple(a + b for a, b in zip(first, second, strict=True))
