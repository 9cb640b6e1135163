"""Places on a grid, private by distance: geometric noise on each axis, in exact integers.

The place moves by independent two-sided geometric noise on both axes, and what leaves the grid is
put on its edge, which is post-processing. Each axis is `TruncatedGeometric`. Three by three cells
are declared in `examples/specs/plane_noise.py`, and proved by one group of checkers. After Andres,
Bordenabe, Chatzikokolakis, Palamidessi (2013), "Geo-indistinguishability: differential privacy for
location-based systems", with the L1 metric in the place of the Euclidean one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols.attribute_labels import has_length
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.reports import Reports, check_batch
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms import TruncatedGeometric
from ldp_verified.run.program.groups import told_value
from ldp_verified.run.program.noisy_points import noisy_cell
from ldp_verified.run.realize.parameters import check_epsilon, check_integer, check_share
from ldp_verified.run.realize.report_rows import checked_rows
from ldp_verified.run.realize.values import value_array

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from ldp_verified.run.aggregate.influence import Influence
    from ldp_verified.run.aggregate.moments import MeanState
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserTuples

MOST_CELLS = 1 << 20
"""Cells of an axis, at most."""

Cell = tuple[int, int]
"""A column and a row."""


@dataclass(frozen=True)
class PlaneNoise:
    """Noise on a grid: P(y|x) <= e^(epsilon d) P(y|x') for cells at the L1 distance d.

    The L1 distance is at most sqrt(2) times the Euclidean one. So it is sqrt(2) epsilon per unit of
    that; who wants e per Euclidean step takes epsilon = e/sqrt(2).

    Attributes:
        epsilon: per step of the grid, a number > 0.
        columns, rows: cells of each axis, 2..2^20.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    columns: int
    rows: int

    law_sha256: ClassVar[str] = TruncatedGeometric.law_sha256

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        for name in ("columns", "rows"):
            cells = check_integer(name, getattr(self, name), 2, MOST_CELLS)
            object.__setattr__(self, name, cells)
        self.axes  # noqa: B018  (what cannot be realized is refused here)

    @cached_property
    def axes(self) -> tuple[TruncatedGeometric, TruncatedGeometric]:
        """The noise of both axes."""
        return self._axis(self.columns - 1), self._axis(self.rows - 1)

    def _axis(self, steps: int) -> TruncatedGeometric:
        exact = Fraction(self.epsilon) * steps
        whole = self.epsilon * steps
        if Fraction(whole) > exact:
            whole = math.nextafter(whole, 0)
        return TruncatedGeometric(whole, (0, steps), steps)

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon per step, rounded up: that of the axis where it is larger."""
        each = (axis.realized_epsilon / axis.steps for axis in self.axes)
        return min(math.nextafter(max(each), math.inf), self.epsilon)

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return sum(axis.bits_per_report for axis in self.axes)

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports carry."""
        items = (("columns", self.columns), ("epsilon", self.epsilon), ("rows", self.rows))
        thresholds = tuple(t for axis in self.axes for t in axis.thresholds)
        return Identity(type(self).__name__, items, self.law_sha256, thresholds)

    def privatize(self, cells: UserTuples, rng: Rng = None) -> Reports:
        """Report one cell for each of several users.

        Args:
            cells: integers (n, 2), the column and the row of each user.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.

        Returns:
            Reports whose data are uint32 (n, 2): a column and a row.

        Raises:
            DomainError: no such cells; none is shown, and nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        inside = self._inside(cells)
        source = word_source(rng, "privatize", *self.identity.named)
        found = np.empty(inside.shape, dtype=np.uint32)
        for j, axis in enumerate(self.axes):
            drawn = axis.sampler().draw(inside[:, j].copy(), source).reshape(-1)
            found[:, j] = _cells(drawn.astype(np.int64), axis.steps)
        return Reports(found, self.identity, bool(source.simulated))

    @property
    def program_value(self) -> str:
        """Return what a client's program reads for a cell, in words."""
        return f"{told_value((self.columns, self.rows))} x0 is the column, x1 the row."

    def program(self) -> Program:
        """The program of a client in another language, which reports a column and a row.

        It has the law of `privatize`, from other words: of each axis one for the side, more where
        it is rejected, and one for each step of the axis. So their number tells nothing. A value is
        `column * rows + row`.
        """
        axes = [(axis.steps, axis.thresholds[-1]) for axis in self.axes]
        return noisy_cell("plane_noise", axes)

    def reports(self, data: object, *, simulated: bool) -> Reports:
        """Reports of this protocol that somebody else has, such as a server, as an array.

        Args:
            data: integers (n, 2), a column and a row of each.
            simulated: whether they were drawn from a seed.

        Raises:
            ReportError: they are no such reports.
        """
        found = value_array(data, "data", ReportError)
        if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
            raise ReportError("data", "must be integers of the shape (n, 2)", found.shape)
        if (found < 0).any() or (found >= np.array([self.columns, self.rows])).any():
            rule = f"must lie on the grid of {self.columns} columns and {self.rows} rows"
            raise ReportError("data", rule)
        return Reports(found.astype(np.uint32), self.identity, simulated)

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """Reports of the numbers that programs give, a row for each.

        Args:
            numbers: integers (n, 2), a column and a row of each. simulated: whether a seed drew
                them.

        Raises:
            ReportError: they are no such rows. ParameterError: `simulated` is no bool.
        """
        return self.reports(checked_rows(numbers, 2, simulated), simulated=simulated)

    def by_axis(self, reports: Reports) -> tuple[Reports, Reports]:
        """Split reports into those of the noise of each axis, for their states.

        Raises:
            ReportError: they are none of this protocol.
        """
        check_batch(self.identity, reports)
        across, down = (
            Reports(_outputs(column, axis.steps, axis.sampler().dtype), axis.identity, simulated)
            for column, axis, simulated in zip(
                reports.data.T, self.axes, [reports.simulated] * 2, strict=True
            )
        )
        return across, down

    def empty(self, simulated: bool = False) -> tuple[MeanState, MeanState]:
        """The states of both axes, which have seen no report: means of columns and of rows.

        Each takes its part of `by_axis`.

        Args:
            simulated: whether the reports to come are; others are refused.
        """
        across, down = self.axes
        return across.empty(simulated), down.empty(simulated)

    def influence(self) -> tuple[Influence, Influence]:
        """Return what one report, honest or not, adds to the sums of columns and of rows: attained.

        A client that lies chooses both, so it attains an end of each at once.
        """
        across, down = self.axes
        return across.influence(), down.influence()

    def _inside(self, cells: object) -> NDArray[np.int64]:
        found = value_array(cells, "cells", DomainError)
        if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu" or not len(found):
            raise DomainError("cells", "must be integers of the shape (n, 2), n > 0")
        if (found < 0).any() or (found >= np.array([self.columns, self.rows])).any():
            rule = f"must lie on the grid of {self.columns} columns and {self.rows} rows"
            raise DomainError("cells", rule)
        return found.astype(np.int64)

    def pmf(self, y: Cell, x: Cell) -> Fraction:
        """P(report y | place x), exactly.

        Args:
            y: a report. x: a value, by its number.

        Raises:
            ParameterError: something else than a cell of the grid.
        """
        for name, cell in (("y", y), ("x", x)):
            if not has_length(cell, 2):
                raise ParameterError(name, "must be a column and a row", type(cell))
        found = Fraction(1)
        for axis, report, place in zip(self.axes, y, x, strict=True):
            at = check_integer("y", report, 0, axis.steps)
            where = check_integer("x", place, 0, axis.steps)
            found *= axis.pmf(_output(at, axis.steps), where)
        return found

    def radius(self, chance: float | Fraction) -> int:
        """The least L1 distance that noise keeps within with this chance, wherever the place is.

        Without an edge; at an edge the noise is smaller. Who asks for all points within r of a
        place gets them, with this chance, by asking for those within r + radius of the report.

        Args:
            chance: in (0, 1).

        Raises:
                ParameterError: the chance is no share, or no distance below 2^20 has it.
        """
        wanted = check_share("chance", chance)
        a = float(max(axis.alpha for axis in self.axes))
        inside = total = ((1 - a) / (1 + a)) ** 2
        for distance in range(MOST_CELLS):
            if inside >= wanted:
                return distance
            inside += total * a ** (distance + 1) * 4 * (distance + 1)
        raise ParameterError("chance", "must be reached by some distance below 2^20", chance)


def _cells(reports: NDArray[np.int64], steps: int) -> NDArray[np.int64]:
    """The cells of an axis that its reports stand for: inner ones first, then both ends."""
    found = reports + 1
    found[reports == steps - 1] = 0
    found[reports == steps] = steps
    return found


def _outputs(
    cells: NDArray[np.unsignedinteger], steps: int, dtype: DTypeLike
) -> NDArray[np.unsignedinteger]:
    """The reports of an axis that stand for cells."""
    inner = cells.astype(np.int64) - 1
    inner[cells == 0], inner[cells == steps] = steps - 1, steps
    return inner.astype(dtype)


def _output(cell: int, steps: int) -> int:
    """The report of an axis that stands for a cell."""
    return {0: steps - 1, steps: steps}.get(cell, cell - 1)
