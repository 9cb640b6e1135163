"""Mean of numeric reports: mergeable integer state, estimate with its standard error.

A report is a cell of a grid or one of a few atoms. The state holds exact integers: how many
reports, the sum of their cells and of the squares, and the count of each atom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.honest import Honesty, of_mean
from ldp_verified.run.aggregate.layouts import check_report_array
from ldp_verified.run.aggregate.means import MeanEstimate, standard_errors
from ldp_verified.run.aggregate.origin import ReportOrigin, check_number, checked_total
from ldp_verified.run.aggregate.reports import check_batch
from ldp_verified.run.aggregate.saved import Saved, check_identity, check_mean, identity_made
from ldp_verified.run.aggregate.serial import (
    identity_record,
    integers_of,
    list_of,
    unwrap,
    wrap,
)
from ldp_verified.run.aggregate.shared import InPlace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.means import Variances
    from ldp_verified.run.aggregate.reports import Reports


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
class MeanState(InPlace, Saved):
    """Integer sums over reports of one identity; a commutative monoid under `merge`.

    Attributes:
        identity: what reports must carry. decoding: what they stand for.
        low, high: the users' bounds, which stand for the inputs `inputs`.
        worst_variance: of one report, in units of the mechanism.
        variances: those of one report, in the users' squared units.
        n: reports so far, atoms included. total, squares: sums over cells. atoms: counts.
        simulated: whether they are simulated. batches: the ids of those that had one.
    """

    identity: Identity
    decoding: Decoding
    low: float
    high: float
    inputs: tuple[int | Fraction, int | Fraction]
    worst_variance: Fraction
    variances: Variances = field(repr=False, compare=False)
    n: int = 0
    total: int = 0
    squares: int = 0
    atoms: tuple[int, ...] = ()
    simulated: bool = False
    batches: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse sums that no reports have.

        Raises:
            ParameterError: they are such ones.
        """
        ReportOrigin.checked(self.simulated, self.batches)
        check_number(self.n)
        d, n, held = self.decoding, self.n, sum(self.atoms)
        if len(self.atoms) not in (0, len(d.atoms)) or min(self.atoms, default=0) < 0:
            raise ParameterError("n", "must be a number of reports, as must the atoms' counts", n)
        cells, most = n - held, d.cells - 1
        if cells < 0 or not 0 <= self.total <= cells * most:
            raise ParameterError("total", f"must be one of {cells} cells in 0..{most}", self.total)
        # Of whole numbers x in 0..most: x^2 >= x, x^2 <= most x, and the mean square is at least
        # the square of the mean.
        least = max(self.total, -(-(self.total**2) // cells) if cells else 0)
        if not least <= self.squares <= most * self.total or (self.squares - self.total) % 2:
            raise ParameterError("squares", "must be those of cells with this total", self.squares)

    @property
    def _origin(self) -> ReportOrigin:
        return ReportOrigin(self.simulated, self.batches)

    def to_bytes(self) -> bytes:
        """The state as bytes: kind "means", the four sums in the header, no body."""
        header = (
            identity_record(self.identity)
            | self._origin.record()
            | {
                "n": self.n,
                "total": self.total,
                "squares": self.squares,
                "atoms": list(self.atoms),
            }
        )
        return wrap("means", header)

    @classmethod
    def from_bytes(cls, data: bytes, made: Any, *, implausible: bool = False) -> MeanState:
        """The state that `to_bytes` was called on.

        Args:
            data: what it gave. made: the mechanism.
            implausible: as in `Saved.from_bytes`.

        Raises:
            ReportError: as `Saved.from_bytes`.
        """
        header, body = unwrap("means", data)
        check_identity(identity_made(made), header)
        empty: MeanState = made.empty()
        n, total, squares = integers_of(header, "n", "total", "squares")
        atoms, origin = list_of(header, "atoms"), ReportOrigin.of_record(header, n)
        if body:
            raise ReportError("data", "must end after its header")
        try:
            counted = replace(empty, n=n, total=total, squares=squares, atoms=atoms)
            state = replace(counted, **origin._asdict())
        except ParameterError as error:
            raise ReportError("data", f"holds no state: {error}") from None
        if implausible is not True:
            check_mean("numbers", n, state._sums()[0], *state._ends)
        return state

    @property
    def _ends(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """The ends of what a report stands for, and of its mean over all inputs."""
        d = self.decoding
        means = [d.slope * each + d.offset for each in self.inputs]
        outputs = (d.first, d.first + d.step * (d.cells - 1), *d.atoms)
        return (min(outputs), max(outputs)), (min(means), max(means))

    def honesty(self) -> Honesty:
        """Test whether honest reports add up to this sum, whatever numbers their users hold."""
        if self.n == 0:
            return Honesty(())
        return Honesty((of_mean("sum of the reports", self.n, [self._sums()[0]], *self._ends),))

    def _sums(self) -> tuple[Fraction, Fraction]:
        """Return the sums of the reports and of their squares, in units of the mechanism."""
        d = self.decoding
        cells = self.n - sum(self.atoms)
        first = d.first * cells + d.step * self.total
        second = d.first**2 * cells + 2 * d.first * d.step * self.total + d.step**2 * self.squares
        for count, atom in zip(self.atoms, d.atoms, strict=False):
            first += count * atom
            second += count * atom**2
        return first, second

    def update(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> MeanState:
        """Add a batch, in place, and return the state itself; a refused batch changes nothing.

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
        check_batch(self.identity, reports)
        data = check_outputs(reports.data, self.decoding.outputs)
        counts = tuple(
            int(np.count_nonzero(data == self.decoding.cells + place))
            for place in range(len(self.decoding.atoms))
        )
        if any(counts):
            data = data[data < self.decoding.cells]
        total, squares = int(data.sum(dtype=np.uint64)), _squares(data)

        def counted(now: MeanState) -> MeanState:
            origin = now._origin.joined(reports.simulated, len(reports), batch, repeated)
            if origin is None:
                return now
            return now._with(len(reports), total, squares, counts, origin)

        return self._become(counted)

    def merge(
        self, other: MeanState, batch: str | None = None, repeated: str = "refuse"
    ) -> MeanState:
        """The state that has seen the reports of both.

        Args:
            other: the other state. batch, repeated: as in `update`, of all that the other holds.

        Raises:
            ReportError: they belong to different mechanisms, or hold one simulated and one real
                reports.
            ReplayError: both have counted a batch, or `batch` was counted already.
            ParameterError: no such id or `repeated`.
        """
        if not isinstance(other, MeanState):
            raise ReportError("other", "must be a MeanState", type(other))
        difference = self.identity.difference(other.identity)
        if difference is not None:
            raise ReportError("other", f"must be of the same mechanism: {difference}")
        origin = self._origin.merged(other._origin, batch, repeated)
        if origin is None:
            return self
        return self._with(other.n, other.total, other.squares, other.atoms, origin)

    def _with(
        self, n: int, total: int, squares: int, atoms: tuple[int, ...], origin: ReportOrigin
    ) -> MeanState:
        """A new state with so many reports more, and the origin of all."""
        return replace(
            self,
            n=checked_total(self.n, n),
            total=self.total + total,
            squares=self.squares + squares,
            atoms=_added(self.atoms, atoms),
            **origin._asdict(),
        )

    def estimate(self) -> MeanEstimate:
        """The estimate; sums are exact, and rounded once."""
        d, n = self.decoding, self.n
        nothing = math.nan
        if n == 0:
            return MeanEstimate(0, nothing, nothing, nothing, (self.low, self.high), ())
        first, second = self._sums()
        # In the users' units: x = (y - offset)/slope, inputs[0] -> low, inputs[1] -> high.
        start, end = self.inputs
        scale = (Fraction(self.high) - Fraction(self.low)) / (end - start) / d.slope
        mean = Fraction(self.low) + ((first / n - d.offset) - start * d.slope) * scale
        spread = 0.0
        if n > 1:
            spread = math.sqrt((second - first**2 / n) / (n - 1) / n * scale**2)
        # Reports that are all alike have no spread, and yet an error.
        bounds, noise = (self.low, self.high), ((1 / n, self.variances),)
        error = max(spread, *standard_errors(np.clip([float(mean)], *bounds), noise).tolist())
        worst = math.sqrt(self.worst_variance / n * scale**2)
        return MeanEstimate(n, float(mean), error, worst, bounds, noise, self.honesty())


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
