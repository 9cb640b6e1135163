"""Explicit tables of any finite size: d inputs, m outputs, every probability written out."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property, reduce
from itertools import accumulate, permutations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from flint import arb

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.influence import Influence, influence_on_counts, labels_to_places
from ldp_verified.run.aggregate.layouts import OutputLayout
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.program.designs import table_of_cuts
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer, check_share
from ldp_verified.run.realize.programmed import ProgrammedRandomizer
from ldp_verified.run.realize.simulate import outputs_reported
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import all_known
from ldp_verified.run.realize.tables.left_inverse import left_inverse
from ldp_verified.run.realize.tables.realization import Realization

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.linear import Integers, LeftInverse
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.simulate import Binomial, Counts
    from ldp_verified.run.realize.tables.numbers import Number
    from ldp_verified.run.realize.values import Label

Grid = list[list[Fraction]]

MIXTURES = (Fraction(0), Fraction(1, 1 << 44), Fraction(1, 1 << 34), Fraction(1, 1 << 24))
"""How much of the mean over all inputs is mixed into each row, until a rounding keeps the claim."""

SUM_ERROR = Fraction(1, 1 << 30)
"""Shares given as doubles need not sum to one exactly."""


class TableRandomizer(ProgrammedRandomizer):
    """One word per value, compared with its row of cumulative cuts.

    Thresholds: for each input, then each output, its share of 2^64. In each column the smallest
    cells are rounded up and the largest down, any other cell to the nearest. What a row lacks then
    is added to its largest cell that is no column's largest. What it has too much is taken from its
    largest cell that is no column's smallest (its largest, if that would leave nothing).
    Reports: shape (n,), outputs 0..m-1 in the narrowest unsigned dtype.

    Estimates apply a left inverse of the realized table (`weights`) to the counts of outputs: they
    are exactly unbiased for the code as it runs. With more outputs than inputs it is the one of
    least variance if every input is equally frequent.

    Attributes:
        pattern: pattern[x][y] is the index in `cells` of P(y|x).
        no_estimator: why the spec's table has no unbiased linear estimator; None where it has one.
    """

    pattern: ClassVar[Integers]
    no_estimator: ClassVar[str | None] = None

    # --- rounding ----------------------------------------------------------------------------

    @property
    def outputs(self) -> int:
        """The number m of outputs."""
        return len(self.pattern[0])

    def _check_cells(self) -> None:
        for x, row in enumerate(self._claimed):
            for y, cell in enumerate(row):
                if cell <= 0:
                    self._refuse_cells(f"P(y = {y} | x = {x}) is {float(cell):.3g}")

    def _worst(self, cells: tuple[Number, ...]) -> Number:
        columns = {frozenset(column) for column in zip(*self.pattern, strict=True)}
        ratios = []
        for column in columns:
            values = [cells[index] for index in sorted(column)]
            ratios.append(reduce(_larger, values) / reduce(_smaller, values))
        largest: Number = reduce(_larger, ratios)
        return largest

    def _ratios(self, cells: tuple[Number, ...]) -> tuple[Number, ...]:
        columns = {frozenset(column) for column in zip(*self.pattern, strict=True)}
        pairs = {pair for column in columns for pair in permutations(sorted(column), 2)}
        equal = (cells[0] / cells[0],)
        return tuple(cells[a] / cells[b] for a, b in sorted(pairs)) or equal

    @cached_property
    def _claimed(self) -> Grid:
        """P(y|x) as claimed: exactly, or to 100 bits where an exponential enters.

        Roundings are chosen by these numbers; whether they keep the claim is decided otherwise.
        """
        cells = self._exact_cells()
        if cells is None:
            cells = balls.decide(
                lambda: all_known(balls.approximation(cell) for cell in self._ball_cells())
            )
        return [[cells[index] for index in row] for row in self.pattern]

    def _candidates(self, width: int) -> Iterator[tuple[Realization, int]]:
        means = [sum(column) / self.k for column in zip(*self._claimed, strict=True)]
        for share in MIXTURES:
            mixed = self._claimed
            if share:
                mixed = [
                    [cell + share * (mean - cell) for cell, mean in zip(row, means, strict=True)]
                    for row in self._claimed
                ]
            rows = self._rounded(mixed, width)
            if all(words >= 1 for row in rows for words in row):
                columns = list(zip(*rows, strict=True))
                worst = max(Fraction(max(column), min(column)) for column in columns)
                thresholds = tuple(words for row in rows for words in row)
                yield Realization(width, thresholds, worst), min(thresholds)

    def _rounded(self, table: Grid, width: int) -> list[list[int]]:
        """Words out of 2^width for every cell; the class docstring says how."""
        total = 1 << width
        columns = list(zip(*table, strict=True))
        low, high = [min(column) for column in columns], [max(column) for column in columns]
        rows = []
        for row in table:
            words = []
            for y, cell in enumerate(row):
                inner = (cell > low[y]) == (cell < high[y])  # or the column has one cell only
                towards = round if inner else math.ceil if cell == low[y] else math.floor
                words.append(max(1, towards(cell * total)))
            rest = total - sum(words)
            barred = high if rest > 0 else low
            places = [y for y, cell in enumerate(row) if cell != barred[y] and words[y] > -rest]
            words[max(places or range(len(row)), key=words.__getitem__)] += rest
            rows.append(words)
        return rows

    def table(self, realization: Realization | None = None) -> Integers:
        """table[x][y]: how many of the 2^width words make value x report y."""
        words = (self._realization if realization is None else realization).thresholds
        m = self.outputs
        return tuple(words[x * m : (x + 1) * m] for x in range(self.k))

    def cuts(self, realization: Realization | None = None) -> list[list[int]]:
        """Return for each x and y < m-1 how many of 2^width words make x report at most y."""
        return [list(accumulate(row))[:-1] for row in self.table(realization)]

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler that compares one word per value with its row of cumulative cuts."""
        width = (self._realization if realization is None else realization).width
        return categorical_sampler(self.cuts(realization), width)

    def program(self, realization: Realization | None = None) -> Program:
        """The program that compares one word with the cuts of its row; for at most 64 outputs."""
        width = (self._realization if realization is None else realization).width
        return table_of_cuts(self.name, self.cuts(realization), width)

    # --- facts -------------------------------------------------------------------------------

    @cached_property
    def layout(self) -> OutputLayout:
        """The layout: one output per report."""
        return OutputLayout(self.k, self.outputs)

    @property
    def bits_per_report(self) -> int:
        """Bits of the index of an output."""
        return (self.outputs - 1).bit_length()

    @cached_property
    def rows(self) -> tuple[tuple[Fraction, ...], ...]:
        """rows[x][y] is P(y|x) of the realized table, exactly."""
        unit = 1 << self._realization.width
        return tuple(tuple(Fraction(words, unit) for words in row) for row in self.table())

    @cached_property
    def ideal_rows(self) -> tuple[tuple[float, ...], ...]:
        """The rows of the claimed table, before rounding, to the last place or next to it."""
        return tuple(tuple(float(cell) for cell in row) for row in self._claimed)

    def _simulated(self, true_counts: Counts, binomial: Binomial) -> Counts:
        return outputs_reported(true_counts, self.table(), binomial)

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly.

        Args:
            y: a report, 0..m-1.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        return self.rows[self._one_value(x)][int(self._one_report(y))]

    def _inverse(self) -> LeftInverse | str:
        """The left inverse of the realized table, or why there is none."""
        if self.no_estimator is not None:
            return self.no_estimator
        return left_inverse(self.table(), 1 << self._realization.width)

    @cached_property
    def oracle(self) -> LinearOracle:
        """Return the oracle that turns counts of outputs into estimates."""
        unit = 1 << self._realization.width
        return LinearOracle(
            *(self.identity, self.layout, self.table(), unit, self._inverse()),
            labels=self._given_labels,
        )

    @cached_property
    def weights(self) -> tuple[tuple[Fraction, ...], ...]:
        """weights[v][y]: what a report y adds to the estimated count of v, exactly.

        Raises:
            ParameterError: there is no unbiased estimator; the message says why.
        """
        inverse = self.oracle.inverse
        if isinstance(inverse, str):
            raise ParameterError("estimator", f"does not exist: {inverse}")
        return tuple(
            tuple(Fraction(value, inverse.denominator) for value in row)
            for row in inverse.numerators
        )

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Bound what one report, honest or not, adds to an estimated count: exact, and attained.

        By the realized table and all reports that the server takes.

        Args:
            values: labels, each once: the count is of users who hold one of them. None for the
                count of one value, the one that a report can move most.

        Raises:
            ParameterError: no such labels, or there is no unbiased estimator.
        """
        places = None if values is None else labels_to_places(values, self.labels)
        return influence_on_counts(self.oracle, places)

    def variance(self, n: int, shares: Sequence[float | Fraction]) -> NDArray[np.float64]:
        """Variance of each estimated count, for n users of whom a share shares[x] holds value x.

        By the realized table, so for the code as it runs; exact up to the last rounding.

        Returns:
            float64, shape (k,).

        Raises:
            ParameterError: n is not an integer >= 0, `shares` not k numbers in [0, 1] that sum to
                1, or there is no unbiased estimator.
        """
        users = check_integer("n", n, 0, LARGEST_N)
        rule = f"must be k = {self.k} numbers that sum to 1"
        try:
            given = [check_share(f"shares[{x}]", share) for x, share in enumerate(shares)]
        except TypeError:
            raise ParameterError("shares", rule, shares) from None
        if len(given) != self.k or abs(sum(given, Fraction(-1))) > SUM_ERROR:
            raise ParameterError("shares", rule, list(shares))
        parts = zip(given, self.oracle.variances, strict=True)
        weighted = [[share * value for value in row] for share, row in parts]
        columns = zip(*weighted, strict=True)
        return np.array([float(users * sum(column, Fraction(0))) for column in columns])


def _larger(one: Any, other: Any) -> Any:
    return one.max(other) if isinstance(one, arb) else max(one, other)


def _smaller(one: Any, other: Any) -> Any:
    return one.min(other) if isinstance(one, arb) else min(one, other)
