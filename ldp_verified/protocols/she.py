"""Summation with histogram encoding (SHE): noise on every bit of the one-hot vector, then sums.

A report is k numbers: the k bits of the user's value, each with Laplace noise of scale 2/epsilon of
its own. In floats such noise gives the input away, so bits and noise are whole numbers of steps of
1/m, m at least 256 epsilon: each number is drawn as `Laplace(epsilon/2, bounds=(0, 1))` draws it,
exactly. Two values differ in two bits: the realized epsilon is twice that of a number, and not
above the claim. It is `she_grid` of `spec/she.py` at the numbers of the class.

Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017), Locally Differentially Private
Protocols for Frequency Estimation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols.sums import SumState
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence, labels_to_places
from ldp_verified.run.aggregate.layouts import check_report_array
from ldp_verified.run.aggregate.reports import Reports, batches_of
from ldp_verified.run.kernels.draw import CHUNK_WORDS, buffer_for
from ldp_verified.run.kernels.noise import BASE, power_digits, useful_levels
from ldp_verified.run.kernels.noisy_one_hot import has_tables, noisy_one_hot_sampler
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms.laplace import Laplace
from ldp_verified.run.program.noisy_points import noisy_bits
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.report_rows import checked_rows
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.values import (
    Categories,
    check_categories,
    digest_of,
    encode,
    encode_one,
)
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserValues
    from ldp_verified.run.realize.values import Label

MOST_VALUES = 1 << 20
"""A report has k numbers."""

BLOCK = 1 << 18
"""About so many numbers are drawn at a time."""


@dataclass(frozen=True, repr=False)
class SHE:
    """Noise on each bit of a one-hot vector of k bits.

    Attributes:
        epsilon: of the whole report. k: number of values, 2..2^20.
        grid: m, steps from 0 to 1; None for 256 epsilon, so that variances differ from those of
            Laplace noise by a share of less than 10^-6.
        categories: labels of the values.

    Raises:
        ParameterError: a parameter outside its range.
    """

    epsilon: float
    k: int
    grid: int | None = None
    categories: Categories | None = None
    number: Laplace = field(init=False, compare=False)

    law_sha256: ClassVar[str] = "171867185c6920135501fb845d6b3539bb2cb8b185205dc0beb0159e90431433"

    def __post_init__(self) -> None:
        """Check the parameters, and set up the randomizer of one number."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_integer("k", self.k, 2, MOST_VALUES))
        if self.categories is not None:
            labels = check_categories(self.categories, self.k)
            object.__setattr__(self, "categories", labels)
        try:
            number = Laplace(self.epsilon / 2, (0.0, 1.0), self.grid)
        except ParameterError as error:
            if error.argument != "epsilon":
                raise
            rule = "must be at least 2^-62 per step of the grid"
            raise ParameterError("epsilon", rule, self.epsilon) from None
        object.__setattr__(self, "number", number)
        object.__setattr__(self, "grid", number.grid)

    # --- facts ---------------------------------------------------------------------------------

    @cached_property
    def realized_epsilon(self) -> float:
        """The smallest double not below the realized epsilon; never above `epsilon`."""
        m, alpha = self.number.steps, self.number.alpha
        return balls.decide(lambda: balls.upper_float(-2 * m * balls.ball(alpha).log()))

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
        """Bits that a user sends: k noisy numbers."""
        return self.k * self.number.bits_per_report

    @cached_property
    def _variance(self) -> float:
        return float(self.number.variance(0))

    def variance(self, n: int) -> float:
        """The variance of an estimated count of n users, whatever the counts are.

        Args:
            n: number of users.

        Raises:
            ParameterError: n is no integer >= 0.
        """
        return check_integer("n", n, 0, 1 << 62) * self._variance

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Return what one report, honest or not, can add to an estimate: exact, and attained.

        Each of the k numbers of a report may be an end.

        Args:
            values: labels, each once: the count is of users who hold one of them. None for the
                count of one value, whichever.

        Raises:
            ParameterError: no such labels.
        """
        one, known = self.number.influence(), self.categories or range(self.k)
        size = 1 if values is None else len(labels_to_places(values, known))
        return Influence(size * one.least, size * one.most)

    def pmf(self, y: Sequence[int], x: int) -> Fraction:
        """P(report y | value x), exactly; y has k numbers of 0..outputs-1 of `number`.

        Args:
            y: a report. x: a value, by its number.

        Raises:
            DomainError: x is no value. ReportError: y is no report.
        """
        own = encode_one(x, self.k, None)
        array = isinstance(y, np.ndarray) and not isinstance(y, np.ma.MaskedArray)
        if not (isinstance(y, Sequence) or (array and np.ndim(y) == 1)):
            raise ReportError("y", f"must be {self.k} numbers", type(y))
        # No more than one too many: a `range` may be longer than memory.
        numbers = y.tolist() if isinstance(y, np.ndarray) else list(islice(y, self.k + 1))
        if len(numbers) != self.k or not all(_is_output(n, self.number.outputs) for n in numbers):
            raise ReportError(
                "y", f"must have the shape ({self.k},) and numbers in 0..{self.number.outputs - 1}"
            )
        report = [int(number) for number in numbers]
        m = self.number.steps
        masses = (self.number.pmf(each, m * (v == own)) for v, each in enumerate(report))
        return math.prod(masses, start=Fraction(1))

    def sampler(self) -> Sampler:
        """The kernel of one number: from 0 or m to its noisy form."""
        return self.number.sampler()

    @cached_property
    def _rows(self) -> Sampler | None:
        """The kernel of whole reports; None where its tables were too large."""
        m, reach, share = self.number.thresholds
        tables = has_tables(reach, share)
        return noisy_one_hot_sampler(self.k, m, reach, share) if tables else None

    unbounded_noise: ClassVar[bool] = True
    """Whether the program's noise has an unbounded range; see `analysis.words_told`."""

    def program(self) -> Program:
        """The program of a client in another language, which reports k numbers.

        It reads the words of the kernel of one number of `Laplace`, one number after another, with
        no word for rounding; `privatize` finds noise of the same law in tables, by other words.
        Report and number of words together have no finite epsilon.
        """
        m, reach, share = self.number.thresholds
        digits, counts = power_digits(share, useful_levels(share, BASE), BASE)
        return noisy_bits("she", self.k, m, reach, digits, counts)

    @cached_property
    def identity(self) -> Identity:
        """Return the identity that reports must carry to be counted by this mechanism."""
        items: list[tuple[str, Any]] = [("epsilon", self.epsilon), ("k", self.k)]
        if self.grid is not None:
            items.insert(1, ("grid", self.grid))
        if isinstance(self.categories, tuple):  # as `__post_init__` leaves them
            items.insert(0, ("categories", digest_of(self.categories)))
        return Identity("SHE", tuple(items), self.law_sha256, self.number.thresholds)

    # --- client --------------------------------------------------------------------------------

    @cached_property
    def _index(self) -> dict[str | int, int] | None:
        if self.categories is None:
            return None
        labels = check_categories(self.categories, self.k)
        return {label: v for v, label in enumerate(labels)}

    def privatize(self, values: UserValues, rng: Rng = None) -> Reports:
        """Randomize one value, or a one-dimensional array-like of values, one report each.

        Args:
            values: integers 0..k-1, or labels where `categories` was given.
            rng: None for the secure source. A seed or numpy Generator is for simulation: the
                reports are marked and protect nobody.

        Returns:
            Reports of shape (n, k), each number in 0..outputs-1 of `number`.

        Raises:
            DomainError: a value outside the domain; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        indices = encode(values, self.k, self._index)
        source = word_source(rng, "privatize", *self.identity.named)
        data = self._drawn(indices, source)
        return Reports(data, self.identity, bool(source.simulated))

    def _drawn(self, indices: NDArray[np.integer[Any]], source: WordSource) -> NDArray[Any]:
        if self._rows is not None:
            return self._rows.draw(indices, source, in_range=True)
        sampler = self.sampler()
        data = np.empty((len(indices), self.k), dtype=sampler.dtype)
        rows = max(1, BLOCK // self.k)
        bits = np.zeros((min(rows, len(indices)), self.k), dtype=np.int64)
        words = buffer_for(min(CHUNK_WORDS, bits.size * sampler.words_per_value))
        try:
            for start in range(0, len(indices), rows):
                block = indices[start : start + rows]
                own = np.arange(len(block)), block
                bits[own] = self.number.steps
                numbers = bits[: len(block)].reshape(-1)
                part = data[start : start + rows]
                sampler.draw(numbers, source, out=part, in_range=True, buffer=words)
                bits[own] = 0
        finally:
            words[...] = 0  # spent words tell the noise
        return data

    # --- server --------------------------------------------------------------------------------

    def check(self, data: NDArray[Any]) -> NDArray[Any]:
        """The array itself, if it holds reports.

        Raises:
            ReportError: not unsigned integers of shape (n, k), or one out of range.
        """
        self.refuse_above(int(self.shaped(data).max(initial=0)))
        return data

    def shaped(self, data: NDArray[Any]) -> NDArray[Any]:
        """The array itself, if it has the type and the shape of reports.

        Raises:
            ReportError: not unsigned integers of shape (n, k).
        """
        if check_report_array("data", data, 2).shape[1] != self.k:
            raise ReportError("data", f"must have the shape (n, {self.k})", data.shape)
        if data.dtype.kind != "u":
            raise ReportError("data", "must be unsigned integers", data.dtype)
        return data

    def refuse_above(self, largest: int) -> None:
        """Refuse reports by the largest of their numbers.

        Raises:
            ReportError: it is no output.
        """
        if largest >= self.number.outputs:
            raise ReportError("data", f"must be in 0..{self.number.outputs - 1}")

    def reports(self, array: NDArray[Any], simulated: bool) -> Reports:
        """Wrap raw reports, read from a file, say; checked and copied.

        Args:
            array: of this mechanism's layout.
            simulated: whether a seed or a generator drew them: only who drew them knows.

        Raises:
            ReportError: wrong type, shape or range.
        """
        return Reports(self.check(array).copy(), self.identity, simulated)

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """Reports of the numbers that programs give, a row for each.

        Args:
            numbers: integers (n, k). simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such rows. ParameterError: `simulated` is no bool.
        """
        rows = checked_rows(numbers, self.k, simulated)
        self.refuse_above(int(rows.max(initial=0)))
        return Reports(rows.astype(self.sampler().dtype), self.identity, simulated)

    def empty(self, simulated: bool = False) -> SumState:
        """The state that has seen nothing.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.
        """
        nothing = (0,) * self.k
        return SumState(self, 0, nothing, nothing, nothing, simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> SumState:
        """A state of this mechanism that `SumState.save` wrote: see `Saved.load`."""
        return SumState.load(path, self, implausible=implausible)

    def aggregate(self, reports: Reports | Iterable[Reports], simulated: bool = False) -> SumState:
        """Sum a batch of reports, or an iterable of batches.

        Args:
            reports: as they come from `privatize`, or from files. simulated: as in `empty`.

        Raises:
            ReportError: reports that are malformed or belong to another mechanism.
        """
        state = self.empty(simulated)
        for batch in batches_of(reports):
            state = state.update(batch)
        return state

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt from its arguments: what is drawn from is never taken from a pickle.
        return type(self), (self.epsilon, self.k, self.grid, self.categories)

    def __repr__(self) -> str:
        grid = "" if self.grid is None else f", grid={self.grid}"
        note = ", saturated=True" if self.saturated else ""
        shown = f"epsilon={self.epsilon!r}, k={self.k}{grid}"
        return f"SHE({shown}, realized_epsilon={self.realized_epsilon!r}{note})"


def _is_output(number: object, outputs: int) -> bool:
    return is_integer(number) and 0 <= int(number) < outputs
