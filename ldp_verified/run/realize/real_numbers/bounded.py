"""Numbers within bounds, on a grid, to reports, and reports to a mean: client and server.

The number goes to a grid of m steps first, to one of the two neighbours so that the mean is exact.
What becomes of the grid input is the business of the class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.aggregate.identity import Identity, Scalar
from ldp_verified.run.aggregate.influence import Influence, influence_on_sum
from ldp_verified.run.aggregate.means import Variances
from ldp_verified.run.aggregate.moments import Decoding, MeanState, check_outputs
from ldp_verified.run.aggregate.reports import Reports, batches_of
from ldp_verified.run.aggregate.score import Parabola
from ldp_verified.run.kernels.draw import CHUNK_WORDS, buffer_for
from ldp_verified.run.kernels.rounding import UNIT, numbers_to_grid, outside, positions_between
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_ends, check_integer
from ldp_verified.run.realize.report_rows import checked_rows
from ldp_verified.run.realize.values import number_array
from ldp_verified.run.realize.vouched import Vouched
from ldp_verified.scalars import is_number

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from ldp_verified.run.aggregate.means import MeanEstimate
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserNumbers

Bounds = tuple[float, float]
Floats = NDArray[np.float64]

FINE = 1 << 26
"""Steps of a grid from which on the choice between neighbours counts as if at its worst for all."""

FINEST = 1 << 32
"""The larger bound is at most so many times their difference. So 2^20 doubles or more lie between
them, finer than the error of any mean; between neighbours every interval would be a point."""

BLOCK = 1 << 17
"""Numbers that are rounded and drawn at a time. Part of what a seed means: another number gives
other reports."""


class BoundedRandomizer(Vouched, ABC):
    """An immutable randomizer of numbers within `bounds`.

    Attributes:
        epsilon: the claimed epsilon, a double.
        bounds: (low, high), which stand for the ends of the inputs.
        name: of the mechanism. law_sha256: of its spec's law; empty where none.
        inputs: the ends of the inputs, in the mechanism's own units.
    """

    epsilon: float
    bounds: Bounds

    name: ClassVar[str]
    law_sha256: ClassVar[str]
    inputs: ClassVar[tuple[int | Fraction, int | Fraction]] = (-1, 1)

    # --- what the class supplies ---------------------------------------------------------------

    @property
    @abstractmethod
    def steps(self) -> int:
        """The number m of steps of the grid of inputs, which are 0..m."""

    @property
    @abstractmethod
    def thresholds(self) -> tuple[int, ...]:
        """The integers that fix the realized distribution."""

    @property
    @abstractmethod
    def decoding(self) -> Decoding:
        """Return the numbers that reports stand for, in the mechanism's own units."""

    @abstractmethod
    def _mass(self, y: int, i: int) -> Fraction:
        """P(report y | grid input i) of a report and an input that there are."""

    @abstractmethod
    def sampler(self) -> Sampler:
        """The kernel from grid inputs to reports."""

    @abstractmethod
    def _variance_at(self, x: Fraction) -> Fraction:
        """The variance of a report, given a grid input x in the mechanism's own units."""

    @property
    @abstractmethod
    def _bound_of_variance(self) -> Fraction:
        """An upper bound, over all numbers, on a report's variance with rounding to the grid."""

    # --- facts ---------------------------------------------------------------------------------

    def pmf(self, y: int, i: int) -> Fraction:
        """P(report y | grid input i), exactly.

        Args:
            y: a report, in 0..outputs-1. i: the number of an input on the grid, in 0..steps.

        Raises:
            ParameterError: there is no such report or input.
        """
        report = check_integer("y", y, 0, self.outputs - 1)
        return self._mass(report, check_integer("i", i, 0, self.steps))

    @property
    def outputs(self) -> int:
        """The number of different reports: they are 0..outputs-1."""
        return self.decoding.outputs

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return (self.outputs - 1).bit_length()

    @cached_property
    def _scale(self) -> Fraction:
        """Users' units per unit of the spec."""
        start, end = self.inputs
        return (Fraction(self.bounds[1]) - Fraction(self.bounds[0])) / (end - start)

    def variance(self, value: float) -> float:
        """The variance of what one report says about `value`, in the users' squared units.

        That of the report on either grid neighbour, and of the choice between them, exactly.

        Args:
            value: a number within the bounds.

        Raises:
            DomainError: `value` is out of bounds, or not one number.
        """
        numbers = self._numbers(value)
        if len(numbers) != 1:
            raise DomainError("value", "must be one number", len(numbers))
        (position,) = positions_between(numbers, *self.bounds).tolist()
        whole, rest = divmod(Fraction(position * self.steps, UNIT), 1)
        start, end = self.inputs
        step = Fraction(end - start, self.steps)
        x = start + whole * step
        total = (1 - rest) * self._variance_at(x)
        if rest:
            total += rest * self._variance_at(x + step)
        slope = self.decoding.slope
        total += rest * (1 - rest) * (step * slope) ** 2
        return float(total * (self._scale / slope) ** 2)

    @cached_property
    def _variances(self) -> Variances:
        return Variances(self._near, 1 if self.steps >= FINE else self.steps)

    def _near(self, numbers: Floats) -> Floats:
        """The variance at many numbers, in doubles; `variance` gives one exactly."""
        low, high = self.bounds
        m = self.steps
        step, places = (high - low) / m, (numbers - low) / (high - low) * m
        if m >= FINE:
            return self._on_grid(places) + step**2 / 4
        first = np.clip(np.floor(places), 0, m - 1)
        rest = places - first
        ends = (1 - rest) * self._on_grid(first) + rest * self._on_grid(first + 1)
        return np.asarray(ends + rest * (1 - rest) * step**2)

    def _on_grid(self, places: Floats) -> Floats:
        """The variances of reports on grid inputs, in the users' squared units.

        A parabola, if a class does not say otherwise.

        Args:
            places: the numbers of the inputs; between them too, where the grid is fine.
        """
        return self._parabola.at(places / self.steps)

    @cached_property
    def _parabola(self) -> Parabola:
        start, end = map(Fraction, self.inputs)
        return Parabola(*(self._user_variance(x) for x in (start, (start + end) / 2, end)))

    def _user_variance(self, x: Fraction) -> float:
        return float(self._variance_at(x) * (self._scale / self.decoding.slope) ** 2)

    @property
    def worst_variance(self) -> float:
        """An upper bound on `variance` that holds for every value, in the users' squared units."""
        return float(self._bound_of_variance * (self._scale / self.decoding.slope) ** 2)

    def influence(self) -> Influence:
        """Bound what one report, honest or not, adds to the estimated sum of the users' numbers.

        In the users' units, exactly; both ends are attained. Of the mean of n reports, it is the
        n-th part.

        Raises:
            ParameterError: there is no unbiased estimate of a mean.
        """
        self.empty()  # refuses what has no mean
        start, low = Fraction(self.inputs[0]), Fraction(self.bounds[0])
        return influence_on_sum(self.decoding, low, start, self._scale)

    # --- client --------------------------------------------------------------------------------

    def privatize(self, values: UserNumbers, rng: Rng = None) -> Reports:
        """Randomize one number, or a one-dimensional array-like of numbers, one report each.

        Args:
            values: finite numbers within `bounds`. They count to the nearest multiple of 2^-52 of
                the interval.
            rng: None for the secure source. A seed or numpy Generator is for simulation: the
                reports are marked and protect nobody.

        Raises:
            DomainError: a value is out of bounds, not finite or no number; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        numbers = self._numbers(values)
        source = word_source(rng, "privatize", *self.identity.named)
        return Reports(self._drawn(numbers, source), self.identity, bool(source.simulated))

    def privatize_stream(self, chunks: Iterable[UserNumbers], rng: Rng = None) -> Iterator[Reports]:
        """Randomize chunk after chunk from one source, in bounded memory.

        Args:
            chunks: an iterable of what `privatize` takes.
            rng: as in `privatize`; a seed is used once, not anew for each chunk.

        Yields:
            The reports of each chunk.

        Raises:
            DomainError, ParameterError: as in `privatize`; `rng` is checked at once.
        """
        source = word_source(rng, "privatize", *self.identity.named)
        return (self.privatize(chunk, source) for chunk in chunks)

    @cached_property
    def _sampler(self) -> Sampler:
        return self.sampler()

    def _numbers(self, values: Any) -> NDArray[np.float64]:
        """Values as doubles within the bounds; error messages never hold a value."""
        low, high = self.bounds
        flat = number_array(values, 1, copy=False).reshape(-1)
        wrong = outside(flat, low, high)
        if wrong is not None:
            raise DomainError(f"values[{wrong}]", f"must be in {low}..{high}")
        return flat

    def _drawn(self, numbers: NDArray[np.float64], source: WordSource) -> NDArray[Any]:
        """Reports of numbers within the bounds: the words that round a block come first."""
        low, high = self.bounds
        sampler = self._sampler
        data = np.empty(len(numbers), dtype=sampler.dtype)
        size = min(len(numbers), BLOCK)
        points = np.empty(size, dtype=np.int64)
        words = buffer_for(min(CHUNK_WORDS, size * sampler.words_per_value))
        try:
            for start in range(0, len(numbers), BLOCK):
                block = numbers[start : start + BLOCK]
                own = points[: len(block)]
                numbers_to_grid(block, low, high, self.steps, source, own, words)
                part = data[start : start + BLOCK]
                sampler.draw(own, source, out=part, in_range=True, buffer=words)
        finally:
            words[...] = 0  # spent words tell the noise
        return data

    # --- server --------------------------------------------------------------------------------

    @cached_property
    def identity(self) -> Identity:
        """Return the identity that reports must carry to be counted by this mechanism."""
        items: dict[str, Scalar] = {"epsilon": self.epsilon}
        items |= {"low": self.bounds[0], "high": self.bounds[1]} | self._further()
        name = type(self).__name__
        return Identity(name, tuple(sorted(items.items())), self.law_sha256, self.thresholds)

    def _further(self) -> dict[str, Scalar]:
        """Further parameters."""
        return {}

    def reports(self, array: NDArray[Any], simulated: bool) -> Reports:
        """Wrap raw reports, read from a file, say; checked and copied.

        Args:
            array: of this mechanism's layout.
            simulated: whether a seed or a generator drew them: only who drew them knows.

        Raises:
            ReportError: wrong type, shape or range.
        """
        return Reports(check_outputs(array, self.outputs).copy(), self.identity, simulated)

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """The reports that programs gave as numbers.

        Args:
            numbers: integers, a row of one for each report. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        rows = checked_rows(numbers, 1, simulated)
        found = check_outputs(rows[:, 0], self.outputs)
        return Reports(found.astype(self._sampler.dtype), self.identity, simulated)

    def empty(self, simulated: bool = False) -> MeanState:
        """The state that has seen nothing.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.
        """
        low, high = self.bounds
        worst = self._bound_of_variance
        held = (self.identity, self.decoding, low, high, self.inputs, worst, self._variances)
        return MeanState(*held, simulated=simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> MeanState:
        """A state of this mechanism that `MeanState.save` wrote: see `Saved.load`."""
        return MeanState.load(path, self, implausible=implausible)

    def aggregate(self, reports: Reports | Iterable[Reports], simulated: bool = False) -> MeanState:
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
    ) -> MeanEstimate:
        """The mean of the users' values, with its standard error.

        Args:
            reports, simulated: as in `aggregate`.

        Raises:
            ReportError: as in `aggregate`.
        """
        return self.aggregate(reports, simulated).estimate()


def check_bounds(bounds: object) -> Bounds:
    """Two finite numbers, the first below the second, as doubles.

    Raises:
        ParameterError: they are something else, variances would overflow or vanish, or too few
            doubles lie between them.
    """
    rule = "must be (low, high), finite, low < high"
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ParameterError("bounds", rule, bounds)
    if not all(is_number(b) for b in bounds):
        raise ParameterError("bounds", rule, bounds)
    low, high = (float(end) for end in check_ends("bounds", rule, *bounds))
    if max(abs(low), abs(high)) > FINEST * (high - low):
        coarse = "must have a difference of at least 2^-32 of the larger one"
        raise ParameterError("bounds", f"{coarse}; shift them by a public number", (low, high))
    return low, high
