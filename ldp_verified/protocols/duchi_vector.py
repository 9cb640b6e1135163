"""Duchi's mechanism for vectors of d numbers: all of them in one report of d bits.

Each number goes to one of the two ends of its bounds, so that the mean is exact. The vector of ends
goes through a table with two cells (`corner_sampler`), of which each coordinate is an instance of
`duchi_coordinate` (spec/duchi_vector.py) at a u that is rational and not above e^epsilon. With an
even d this is the form of Wang et al. (2019); as first printed, epsilon would be ln(e^epsilon + 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.duchi_vector_state import VectorState, checked_corners
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.means import Variances, VectorEstimate
from ldp_verified.run.aggregate.reports import Reports, batches_of
from ldp_verified.run.aggregate.score import Parabola
from ldp_verified.run.kernels.corners import MOST_SIGNS, corner_sampler
from ldp_verified.run.kernels.rounding import numbers_to_grid, outside
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.program.corners import rounded_corner
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import Programmed, position_of, told_positions
from ldp_verified.run.realize.real_numbers.bounded import check_bounds
from ldp_verified.run.realize.report_rows import checked_rows
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import WIDTH, log_up
from ldp_verified.run.realize.values import number_array, vector_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserVectors


@dataclass(frozen=True, repr=False)
class DuchiVector(Programmed):
    """A randomizer of vectors of d numbers within `bounds`.

    Attributes:
        epsilon: of the whole vector. d: its length, 1..62. bounds: of every coordinate.

    Raises:
        ParameterError: a parameter outside its range, or an epsilon below what 64 bits can hold.
    """

    epsilon: float
    d: int
    bounds: tuple[float, float] = (-1.0, 1.0)
    _inside: int = field(init=False, compare=False)

    law_sha256: ClassVar[str] = "4576fd1431fd5ca16f054dad769633b40bbf71d689b1ca14e64e03678ea67e03"

    def __post_init__(self) -> None:
        """Check the parameters and round the probability of the near corners down."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "d", check_integer("d", self.d, 1, MOST_SIGNS))
        object.__setattr__(self, "bounds", check_bounds(self.bounds))
        far = Fraction((1 << self.d) - self.near, self.near)

        def attempt() -> int | None:
            t = (-balls.ball(self.epsilon)).exp() * balls.ball(far)
            return balls.ceil_scaled(t / (1 + t), WIDTH)

        object.__setattr__(self, "_inside", (1 << WIDTH) - balls.decide(attempt))
        if self.u <= 1:
            raise ParameterError("epsilon", f"must be larger for d = {self.d}", self.epsilon)

    @property
    def near(self) -> int:
        """C: corners that agree in more than half of the signs."""
        return sum(math.comb(self.d, a) for a in range(self.d // 2 + 1, self.d + 1))

    @property
    def u(self) -> Fraction:
        """The realized worst ratio: of a near corner to another one; at most e^epsilon."""
        rest = (1 << WIDTH) - self._inside
        return Fraction(self._inside * ((1 << self.d) - self.near), rest * self.near)

    @property
    def length(self) -> Fraction:
        """B of the spec at the realized u."""
        more = (self.u - 1) * math.comb(self.d - 1, self.d // 2)
        return ((self.u - 1) * self.near + (1 << self.d)) / more

    @cached_property
    def realized_epsilon(self) -> float:
        """The smallest double not below the realized epsilon; never above `epsilon`."""
        return log_up(self.u)

    @property
    def gap(self) -> float:
        """The part of epsilon that rounding leaves unused, `epsilon - realized_epsilon`."""
        return self.epsilon - self.realized_epsilon

    @property
    def saturated(self) -> bool:
        """Return whether the realized epsilon is short of the claim by more than a share 2^-20."""
        return self.gap > self.epsilon / (1 << 20)

    @property
    def bits_per_report(self) -> int:
        """Bits that a user sends, one for each of the d coordinates."""
        return self.d

    def pmf(self, t: int, v: int) -> Fraction:
        """P(corner t | ends v), both as numbers whose bit j is coordinate j.

        Args:
            t: a report, in 0..2^d-1. v: the ends that a vector was rounded to, alike.

        Raises:
            ParameterError: there is no such corner.
        """
        report, ends = (
            check_integer(name, corner, 0, (1 << self.d) - 1)
            for name, corner in (("t", t), ("v", v))
        )
        total = (self.u - 1) * self.near + (1 << self.d)
        return (self.u if 2 * (report ^ ends).bit_count() < self.d else Fraction(1)) / total

    def variance(self, value: float) -> float:
        """The variance of what one report says about a coordinate, in the users' squared units.

        Raises:
            DomainError: `value` is out of bounds.
        """
        low, high = self.bounds
        given = number_array(value, 0)
        if not low <= given <= high:
            raise DomainError("value", f"must be in {low}..{high}")
        return float(self._variances.at(np.array(float(given))))

    @cached_property
    def _variances(self) -> Variances:
        low, high = self.bounds
        square, half = self.length**2, (Fraction(high) - Fraction(low)) / 2
        at_end, middle = (float((square - left) * half**2) for left in (1, 0))
        return Variances(partial(Parabola(at_end, middle, at_end).between, low, high))

    @property
    def worst_variance(self) -> float:
        """Return the largest variance, which is that of the middle of the bounds."""
        return self.variance(sum(self.bounds) / 2)

    def influence(self) -> Influence:
        """Return what one report, honest or not, can add to the estimated sum of a coordinate.

        In the users' units, exactly; both ends are attained, and in all coordinates at once.
        """
        low, high = (Fraction(end) for end in self.bounds)
        middle, reach = (low + high) / 2, self.length * (high - low) / 2
        return Influence(middle - reach, middle + reach)

    def sampler(self) -> Sampler:
        """The kernel from sign vectors to corners."""
        return corner_sampler(self.d, self._inside)

    @cached_property
    def _sampler(self) -> Sampler:
        return self.sampler()

    @property
    def program_value(self) -> str:
        """Return what a client's program reads for a vector, in words."""
        told = told_positions(self.bounds)
        return f"A value is an array of {self.d} positions: {told}."

    def program(self) -> Program:
        """The program of one report of a vector, whose number of words says nothing of it.

        `privatize` has the same law. The words that it reads can tell more than its reports: it
        draws corners until one is of the kind that a word chose.
        """
        return rounded_corner("duchi_vector", self.d, self._inside)

    def _index_of(self, value: Any) -> tuple[int, ...]:
        """The positions of a vector's numbers, or a `DomainError` that does not say them."""
        numbers = number_array(value, 1)
        if numbers.shape != (self.d,):
            raise DomainError("value", f"must have the shape ({self.d},)", numbers.shape)
        low, high = self.bounds
        if not ((numbers >= low) & (numbers <= high)).all():
            raise DomainError("value", f"must be in {low}..{high}")
        return tuple(position_of(number, self.bounds) for number in numbers.tolist())

    @cached_property
    def identity(self) -> Identity:
        """Return the identity that reports must carry to be counted by this mechanism."""
        items = {"d": self.d, "epsilon": self.epsilon, "high": self.bounds[1]}
        parameters = tuple(sorted({**items, "low": self.bounds[0]}.items()))
        return Identity("DuchiVector", parameters, self.law_sha256, (self._inside,))

    def privatize(self, values: UserVectors, rng: Rng = None) -> Reports:
        """Randomize vectors, one report each.

        Args:
            values: finite numbers within `bounds`, shape (n, d), or (d,) for one vector.
            rng: None for the secure source. A seed or numpy Generator is for simulation: the
                reports are marked and protect nobody.

        Raises:
            DomainError: another shape, or a value out of bounds; nothing is drawn then.
        """
        array = number_array(values, 2, copy=False)
        rows = vector_rows(array, self.d)
        low, high = self.bounds
        flat = rows.reshape(-1)
        if outside(flat, low, high) is not None:
            raise DomainError("values", f"must be in {low}..{high}")
        source = word_source(rng, "privatize", *self.identity.named)
        ends = numbers_to_grid(flat, low, high, 1, source).reshape(rows.shape)
        signs = (ends << np.arange(self.d, dtype=np.int64)).sum(axis=1, dtype=np.int64)
        data = self._sampler.draw(signs, source)
        return Reports(data, self.identity, bool(source.simulated))

    def reports(self, array: NDArray[Any], simulated: bool) -> Reports:
        """Wrap raw reports, read from a file, say; checked and copied.

        Args:
            array: of this mechanism's layout.
            simulated: whether a seed or a generator drew them: only who drew them knows.

        Raises:
            ReportError: wrong type, shape or range.
        """
        return Reports(checked_corners(array, self.d).copy(), self.identity, simulated)

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """Reports of the numbers that programs give, a row for each.

        Args:
            numbers: integers (n, 1), the corner of each. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such rows. ParameterError: `simulated` is no bool.
        """
        return self.reports(checked_rows(numbers, 1, simulated)[:, 0], simulated)

    def empty(self, simulated: bool = False) -> VectorState:
        """The state that has seen nothing.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.
        """
        return VectorState(self, 0, (0,) * self.d, simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> VectorState:
        """A state of this mechanism that `VectorState.save` wrote: see `Saved.load`."""
        return VectorState.load(path, self, implausible=implausible)

    def aggregate(
        self, reports: Reports | Iterable[Reports], simulated: bool = False
    ) -> VectorState:
        """Count a batch of reports, or an iterable of batches.

        Args:
            reports: as they come from `privatize`, or from files. simulated: as in `empty`.

        Raises:
            ReportError: reports that are malformed or belong to another mechanism.
        """
        state = self.empty(simulated)
        for batch in batches_of(reports):
            state = state.update(batch)
        return state

    def mean_estimate(
        self, reports: Reports | Iterable[Reports], simulated: bool = False
    ) -> VectorEstimate:
        """The means of the users' coordinates, with their standard errors.

        Args:
            reports, simulated: as in `aggregate`.

        Raises:
            ReportError: as in `aggregate`.
        """
        return self.aggregate(reports, simulated).estimate()

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt from its arguments: what is drawn from is never taken from a pickle.
        return type(self), (self.epsilon, self.d, self.bounds)

    def __repr__(self) -> str:
        note = ", saturated=True" if self.saturated else ""
        shown = f"epsilon={self.epsilon!r}, d={self.d}, bounds={self.bounds!r}"
        return f"DuchiVector({shown}, realized_epsilon={self.realized_epsilon!r}{note})"
