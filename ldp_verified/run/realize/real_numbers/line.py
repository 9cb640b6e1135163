"""A density of one's own on the line, as a table of words: the base of its generated class.

The input goes to one of two neighbours on a grid, the output to one of two neighbours among equally
spaced nodes, both by draws that keep the mean. The table of both grids is what is stored and drawn
from. Epsilon is that of the table's integers, over all pairs of inputs and all outputs: it does not
rest on what is proved of the density.
"""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from dataclasses import fields
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.aggregate.reconstruct import Reconstruction, reconstruct
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.realize.parameters import RationalParameter, check_epsilon, check_integer
from ldp_verified.run.realize.real_numbers.bounded import Floats
from ldp_verified.run.realize.real_numbers.mean_keeping import (
    Measure,
    MeasuredTable,
    NoDistributionError,
    measured,
)
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import WIDTH, log_up
from ldp_verified.run.realize.tables.divergence import dominating

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Scalar
    from ldp_verified.run.aggregate.moments import MeanState
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.realize.tables.divergence import Masses

LARGEST_GRID = 1 << 12
MOST_WORDS = 1 << 22
"""Entries of a table at most: grid inputs times outputs."""

MOST_LOSSES = 1 << 18
"""Numbers that the losses of all pairs may have."""

LEAST = 2.0**-30
"""A smaller epsilon is lost in words."""

SHORT_OF = (40, 34, 28, 22)
"""The density is put down at epsilon less a share 2^-40 of it, or less, so that rounding to words
has room."""

CAPS = (22, 16, 10)
"""The epsilons at which the density is put down where words are too coarse for the claimed one."""


class LineRandomizer(NumericRandomizer):
    """An immutable randomizer of numbers that draws from a density's table.

    Reports are 0..cells, which stand for equally spaced numbers over the interval of the density;
    where the density has atoms only, they are the atoms.

    Attributes:
        grid: the number of steps of the input's grid. cells: of the output's.
        root: the density is a function of e^(epsilon/root), ...
        parameters: ... and of these.
        domains: rules for epsilon, beyond that it is positive.
        pieces: how many pieces the density has.
    """

    grid: int
    cells: int

    root: ClassVar[int] = 1
    pieces: ClassVar[int]
    parameters: ClassVar[tuple[RationalParameter, ...]] = ()
    domains: ClassVar[tuple[RationalParameter, ...]] = ()

    _table: MeasuredTable
    _values: tuple[Fraction, ...]
    _generator: Fraction
    _worst: Fraction

    # --- what the generated class supplies -----------------------------------------------------

    @staticmethod
    @abstractmethod
    def density(*arguments: Any) -> tuple[Any, ...]:
        """Evaluate the density at an input x and at values of the spec's variables.

        Returns the ends of the pieces, their levels, and the places and the masses of the atoms.
        """

    # --- construction --------------------------------------------------------------------------

    def _realize(self) -> None:
        put = object.__setattr__
        put(self, "grid", check_integer("grid", self.grid, 1, LARGEST_GRID))
        put(self, "cells", check_integer("cells", self.cells, 2, MOST_WORDS // (self.grid + 1) - 1))
        if self.epsilon < LEAST:
            raise ParameterError("epsilon", "must be at least 2^-30", self.epsilon)
        known = {"epsilon": Fraction(self.epsilon)}
        for rule in (*self.domains, *self.parameters):
            known[rule.name] = rule.check(getattr(self, rule.name), known)
        put(self, "_values", tuple(known[rule.name] for rule in self.parameters))
        caps = [Fraction(cap) for cap in CAPS if cap < self.epsilon]
        exact = Fraction(self.epsilon)
        wanted = [exact] if exact <= CAPS[0] else []
        found: list[Fraction | None] = []
        for aim in [*wanted, *caps]:
            for short in SHORT_OF:
                found.append(self._put_down(aim * (1 - Fraction(1, 1 << short))))
                if self._keeps_claim(found[-1]):
                    return
        worst = [ratio for ratio in found if ratio is not None]
        reached = f"is {log_up(min(worst)):.9g}" if worst else "is infinite"
        what = (
            f"must be realizable by {WIDTH}-bit words on a grid of {self.cells} cells; "
            f"the epsilon of the best table {reached}"
        )
        raise ParameterError("epsilon", what, self.epsilon)

    def _keeps_claim(self, ratio: Fraction | None) -> bool:
        """Return whether a table's largest ratio is at most e^epsilon, exactly."""
        if ratio is None:
            return False
        return balls.decide(lambda: balls.at_most(balls.ball(ratio).log(), self.epsilon))

    def _put_down(self, aim: Fraction) -> Fraction | None:
        """Put the density down at this epsilon, and say the largest ratio of the table of words."""
        s = _exponential(aim / self.root)
        try:
            table = self.measured(s, WIDTH)
        except NoDistributionError as error:
            pairs = zip(self.parameters, self._values, strict=True)
            given = ", ".join(f"{parameter.name} = {value}" for parameter, value in pairs)
            rule = f"must give a distribution, but {error}" + (f" at {given}" if given else "")
            raise ParameterError(self.name, rule, self.epsilon) from None
        worst = table.worst_ratio
        for name, value in (("_table", table), ("_generator", s), ("_worst", worst)):
            object.__setattr__(self, name, value)
        return worst

    def measured(self, s: Fraction, width: int) -> MeasuredTable:
        """The table of words of the density at s for e^(epsilon/root).

        Raises:
            NoDistributionError: the density is none there.
        """
        start, end = self.inputs
        laws = []
        for i in range(self.grid + 1):
            x = start + (end - start) * Fraction(i, self.grid)
            try:
                numbers = [Fraction(v) for v in self.density(x, s, *self._values)]
            except ZeroDivisionError:
                raise NoDistributionError("something divides by zero") from None
            n = self.pieces
            ends = n + 1 if n else 0
            atoms = (len(numbers) - ends - n) // 2
            cuts = [0, *accumulate((ends, n, atoms, atoms))]
            ends_, levels, places, masses = (tuple(numbers[a:b]) for a, b in pairwise(cuts))
            laws.append(Measure(ends_, levels, places, masses))
        return measured(laws, self.cells, width)

    # --- facts ---------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """Return the number of steps of the grid of inputs."""
        return self.grid

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The sizes of both grids, and 64 bits of a digest of the integer table."""
        digest = hashlib.sha256(repr(self._table.rows).encode()).digest()
        return self.grid, self.cells, int.from_bytes(digest[:8], "big")

    @property
    def worst_ratio(self) -> Fraction:
        """The largest P(y|x)/P(y|x') over all grid inputs and outputs, by the integers in use."""
        return self._worst

    @property
    def variables(self) -> tuple[Fraction, ...]:
        """Return where the spec is instantiated."""
        return (self._generator, *self._values)

    @cached_property
    def decoding(self) -> Decoding:
        """Nodes, or atoms; slope and offset are those of the integers."""
        table = self._table
        cells = 0 if table.atoms else self.cells + 1
        if self.no_mean is not None:
            return Decoding(cells, table.first, table.step, table.atoms, nodes=True)
        start, end = self.inputs
        low, high = (table.moments(i)[0] for i in (0, self.grid))
        slope = (high - low) / (end - start)
        offset = low - slope * start
        return Decoding(cells, table.first, table.step, table.atoms, slope, offset, nodes=True)

    @property
    def no_mean(self) -> str | None:
        """The reason why reports give no unbiased estimate of a mean; None where they do."""
        if not self._table.affine:
            return "the mean of a report is no affine function of the input"
        if self._table.moments(0)[0] == self._table.moments(self.grid)[0]:
            return "the mean of a report does not depend on the input"
        return None

    def _mass(self, y: int, i: int) -> Fraction:
        return Fraction(self._table.rows[i][y], 1 << WIDTH)

    def losses(self) -> tuple[Masses, ...]:
        """Return one pair of distributions whose delta is the largest over all pairs of inputs.

        At every epsilon: no one pair of inputs need be the worst at all of them.

        Raises:
            ParameterError: the pairs have more than 2^18 numbers; `delta_at` has no such limit.
        """
        rows = self._table.rows
        if len(rows) ** 2 * len(rows[0]) > MOST_LOSSES:
            rule = f"must be small for exact losses: (grid + 1)^2 outputs <= {MOST_LOSSES}"
            raise ParameterError("grid, cells", rule, (self.grid, self.cells))
        return (dominating(rows),)

    def delta_at(self, epsilon: float) -> float:
        """Return an upper bound on the smallest delta at another epsilon, at most 2^-38 above it.

        In double precision, over all pairs of grid inputs, with what roundings may lose added.

        Raises:
            ParameterError: epsilon is not above 0 and finite.
        """
        level = check_epsilon(epsilon)
        if level >= self.realized_epsilon:
            return 0.0
        factor = math.exp(level)
        rows = np.array(self._table.rows, dtype=np.float64) / float(1 << WIDTH)
        worst = max(float(np.maximum(row - factor * rows, 0).sum(axis=1).max()) for row in rows)
        # A term that counts is off by at most 2^-50 of p; so is a sum by (outputs) 2^-53.
        return min(1.0, worst + 2.0**-39)

    def sampler(self) -> Sampler:
        """Return the sampler that compares one word per value with its row of cumulative cuts."""
        return categorical_sampler([list(accumulate(row))[:-1] for row in self._table.rows])

    # --- estimates -----------------------------------------------------------------------------

    def empty(self, simulated: bool = False) -> MeanState:
        """The state that has seen nothing.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.

        Raises:
            ParameterError: there is no unbiased estimate of a mean.
        """
        if self.no_mean is not None:
            raise ParameterError(
                self.name, f"must have a mean to estimate (see `distribution`): {self.no_mean}"
            )
        return super().empty(simulated)

    def variance(self, value: float) -> float:
        """The variance of what one report says about `value`, in the users' squared units.

        Raises:
            ParameterError: there is no unbiased estimate of a mean.
            DomainError: `value` is out of bounds, or not one number.
        """
        self.empty()
        return super().variance(value)

    def distribution(
        self,
        reports: Reports | Iterable[Reports],
        bins: int | None = None,
        *,
        smooth: bool | None = None,
        simulated: bool = False,
    ) -> Reconstruction:
        """The distribution of the users' values over equal bins of `bounds`, by EM.

        Args:
            reports: a batch, or an iterable of batches.
            bins: how many bins, at most one per step of the grid; None for 64.
            smooth: whether by EMS; None decides by the reports, see `reconstruct`.
            simulated: as in `empty`.

        Raises:
            ParameterError: `bins` is out of range.
            ReportError: reports of another mechanism.
        """
        bins = check_integer("bins", min(64, self.grid) if bins is None else bins, 1, self.grid)
        counts, state = np.zeros(self.outputs, dtype=np.int64), super().empty(simulated)
        for batch in [reports] if isinstance(reports, Reports) else reports:
            state = state.update(batch)  # all the checks
            counts += np.bincount(batch.data.astype(np.int64), minlength=self.outputs)
        rows = np.array(self._table.rows, dtype=np.float64) / float(1 << WIDTH)
        channel = rows.T @ in_bins(self.grid, bins)
        return reconstruct(counts, channel / channel.sum(axis=0), smooth=smooth)

    @property
    def _lost(self) -> Fraction:
        return Fraction(0)  # variances are those of the table

    @property
    def _worst_inputs(self) -> tuple[int | Fraction, ...]:
        start, end = self.inputs
        return tuple(start + (end - start) * Fraction(i, self.grid) for i in range(self.grid + 1))

    def _variance_at(self, x: Fraction) -> Fraction:
        start, end = self.inputs
        mean, square = self._table.moments(int((x - start) * self.grid / (end - start)))
        return square - mean**2

    def _on_grid(self, places: Floats) -> Floats:
        start, end = self.inputs
        step = Fraction(end - start, self.grid)
        return np.array([self._user_variance(start + int(place) * step) for place in places])

    @cached_property
    def _worst_variance(self) -> Fraction:
        return super()._bound_of_variance

    @property
    def _bound_of_variance(self) -> Fraction:
        return self._worst_variance

    # --- identity ------------------------------------------------------------------------------

    def _further(self) -> dict[str, Scalar]:
        given = zip(self.parameters, self._values, strict=True)
        named: dict[str, Scalar] = {rule.name: str(value) for rule, value in given}
        return {**named, "grid": self.grid, "cells": self.cells}

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt from its arguments: what is drawn from is never taken from a pickle.
        return type(self), tuple(getattr(self, f.name) for f in fields(cast("Any", self)))


def in_bins(grid: int, bins: int) -> NDArray[np.float64]:
    """P(grid input | bin), inputs uniform in their bin; shape (grid + 1, bins)."""
    edges = np.linspace(0, grid, bins + 1)
    nodes = np.arange(-1, grid + 1)

    # The integral of the share of inputs that go to a node at or below this one.
    def above(edge: NDArray[np.float64]) -> NDArray[np.float64]:
        inside = np.clip(edge[None, :] - nodes[:, None], 0, None)
        return np.asarray(np.where(inside < 1, inside**2 / 2, inside - 0.5))

    beyond = np.diff(above(edges), axis=1)
    share = beyond[:-1] - beyond[1:]
    return np.asarray(share / share.sum(axis=0), dtype=np.float64)


def _exponential(aim: Fraction) -> Fraction:
    """A rational just below e^aim."""

    def attempt() -> Fraction | None:
        found = balls.approximation(balls.ball(aim).exp())
        return None if found is None else found * (1 - Fraction(1, 1 << 90))

    return balls.decide(attempt)
