"""Compute the worst ratio, delta, estimator and moments of an expanded table.

All of it exact, none of it derived.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from operator import mul
from typing import TYPE_CHECKING

from flint import fmpq, fmpq_mat, fmpz_mat

from ldp_verified.prove.enumeration.exact_values import NotExpandableError
from ldp_verified.prove.enumeration.expanded import scaled

if TYPE_CHECKING:
    from ldp_verified.prove.enumeration.expand import ExpandedColumn, ExpandedTable


MOST_INVERTED = 128
"""Exact inverses of tables with more inputs have millions of digits."""

MOST_BITS = 2**15
"""Rough size of the entries of an inverse that is still written down."""


@dataclass(frozen=True)
class WorstRatio:
    """The place where P(y|x)/P(y|x') is largest.

    Attributes:
        ratio: its value; None where P(y|x) > 0 = P(y|x'), which no finite epsilon allows.
        column, x, x2: the output and both input indices.
    """

    ratio: Fraction | None
    column: ExpandedColumn
    x: int
    x2: int


def worst(table: ExpandedTable) -> WorstRatio:
    """The largest ratio over all ordered pairs of inputs and all outputs.

    Raises:
        NotExpandableError: no output has a positive probability: this is no table.
    """
    found: WorstRatio | None = None
    for column in table.columns:
        high, low = max(column.weights), min(column.weights)
        if high <= 0:
            continue
        x, x2 = column.weights.index(high), column.weights.index(low)
        if low <= 0:
            return WorstRatio(None, column, x, x2)
        if found is None or found.ratio is None or Fraction(high, low) > found.ratio:
            found = WorstRatio(Fraction(high, low), column, x, x2)
    if found is None:
        raise NotExpandableError("table", "must give some output a positive probability", "none")
    return found


def tight_ratio(table: ExpandedTable) -> Fraction | None:
    """e^epsilon of the table: the largest P(y|x)/P(y|x'); None where it is infinite."""
    return worst(table).ratio


@dataclass(frozen=True)
class WorstEvent:
    """The event S for which P(S|x) - level P(S|x') is largest.

    Attributes:
        delta: its value. x, x2: both input indices. columns: the outputs of S.
    """

    delta: Fraction
    x: int
    x2: int
    columns: tuple[ExpandedColumn, ...]


def worst_event(table: ExpandedTable, level: Fraction) -> WorstEvent:
    """The pair and the event that need the largest delta: where P(y|x) > level P(y|x').

    Raises:
        ValueError: a table with fewer than two inputs.
    """

    def excess(column: ExpandedColumn, x: int, x2: int) -> int | Fraction:
        more = level.denominator * column.weights[x] - level.numerator * column.weights[x2]
        return column.multiplicity * max(0, more)

    def summed(pair: tuple[int, int]) -> int | Fraction:
        return sum(excess(column, *pair) for column in table.columns)

    x, x2 = max(permutations(range(len(table.inputs)), 2), key=summed)
    found = Fraction(summed((x, x2)), level.denominator * table.denominator)
    return WorstEvent(found, x, x2, tuple(c for c in table.columns if excess(c, x, x2) > 0))


def delta(table: ExpandedTable, level: Fraction) -> Fraction:
    """The smallest delta for which the table is (ln level, delta)-LDP.

    It is the largest sum over y of max(0, P(y|x) - level P(y|x')) over ordered pairs.
    """
    return worst_event(table, level).delta


@dataclass(frozen=True)
class SupportEstimator:
    """A report adds `supported` to the count of v if it supports v, else `otherwise`.

    Attributes:
        supported, otherwise: the two values.
        mass, sums: `supported_mass` and `row_sums` of the table.
        p_star, q_star: supported mass under v itself and under every other value, where they
            determined the two values.
    """

    supported: Fraction
    otherwise: Fraction
    mass: tuple[tuple[Fraction, ...], ...]
    sums: tuple[Fraction, ...]
    p_star: Fraction | None = None
    q_star: Fraction | None = None
    _known: dict[tuple[int, ...], tuple[Fraction, Fraction]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def expectation(self, x: int, v: int) -> Fraction:
        """Expectation of what one user with input x adds to the count of v."""
        return self._moments(x, v)[0]

    def variance(self, x: int, v: int) -> Fraction:
        """Variance of what one user with input x adds to the count of v."""
        return self._moments(x, v)[1]

    def _moments(self, x: int, v: int) -> tuple[Fraction, Fraction]:
        mass, total = self.mass[x][v], self.sums[x]
        key = (*mass.as_integer_ratio(), *total.as_integer_ratio())
        if key not in self._known:
            a, b, rest = self.supported, self.otherwise, total - mass
            mean = a * mass + b * rest
            self._known[key] = (mean, a * a * mass + b * b * rest - mean * mean)
        return self._known[key]


@dataclass(frozen=True)
class LinearEstimator:
    """A report y adds `weights[v][column of y]` to the count of v.

    Attributes:
        weights: one row per input value, one entry per column of the table.
        table: the table whose columns are meant.
    """

    weights: tuple[tuple[Fraction, ...], ...]
    table: ExpandedTable

    def expectation(self, x: int, v: int) -> Fraction:
        """Expectation of what one user with input x adds to the count of v."""
        unit, adds, _ = self._whole_weights[v]
        below, chances = self._whole_chances[x]
        return Fraction(sum(map(mul, adds, chances)), unit * below)

    def variance(self, x: int, v: int) -> Fraction:
        """Variance of what one user with input x adds to the count of v."""
        unit, _, squares = self._whole_weights[v]
        below, chances = self._whole_chances[x]
        second = Fraction(sum(map(mul, squares, chances)), unit * unit * below)
        return second - self.expectation(x, v) ** 2

    @cached_property
    def _whole_weights(self) -> list[tuple[int, list[int], list[int]]]:
        rows = []
        for row in self.weights:
            unit, whole = scaled(row)
            rows.append((unit, whole, [value * value for value in whole]))
        return rows

    @cached_property
    def _whole_chances(self) -> list[tuple[int, list[int]]]:
        return list(self.table.masses())


@dataclass(frozen=True)
class Exists:
    """The table has full rank, so some linear estimator is unbiased; it is not written down.

    Attributes:
        rank: the number of inputs.
    """

    rank: int


Estimator = SupportEstimator | LinearEstimator | Exists


def support_estimator(table: ExpandedTable) -> SupportEstimator | str:
    """(1[y supports v] - q*)/(p* - q*), p* and q* read off the table; a reason without them."""
    if len(table.inputs) > MOST_INVERTED:
        # All sums of a large table take long; mostly two of them tell.
        first, second = (
            sum(c.multiplicity * c.weights[x] for c in table.columns if x in (c.supports or ()))
            for x in range(2)
        )
        if first != second:
            return "p* differs between inputs"
    mass = table.supported_mass
    if mass is None:
        return "the form declares no support"
    p_values = {mass[x][x] for x in range(len(mass))}
    q_values = {mass[x][v] for x in range(len(mass)) for v in range(len(mass)) if x != v}
    for name, values in (("p*", p_values), ("q*", q_values)):
        if len(values) > 1:
            shown = ", ".join(map(str, sorted(values)[:3]))
            return f"{name} differs between inputs: {shown}"
    if not q_values:
        return "there is only one input"
    (p_star,), (q_star,) = p_values, q_values
    if p_star == q_star:
        return f"p* = q* = {p_star}: reports say nothing about the value"
    gap = p_star - q_star
    return SupportEstimator((1 - q_star) / gap, -q_star / gap, mass, table.row_sums, p_star, q_star)


def left_inverse(table: ExpandedTable) -> LinearEstimator | Exists | str:
    """The unbiased linear estimator of all counts; a reason where the rank is too small.

    If there are several, it is the one with the least variance when every input is equally
    frequent. With P the d x m table and D the diagonal of mean column probabilities it is D^-1 P'
    (P D^-1 P')^-1. Outputs of probability zero get weight 0. For many inputs only the rank is
    looked at.
    """
    d = len(table.inputs)
    rows = list(table.masses())
    channel = fmpz_mat([row for _, row in rows])
    rank = int(channel.rank())
    if rank < d:
        return f"the table has rank {rank} but {d} inputs: no linear estimator is unbiased"
    if d > MOST_INVERTED:
        return Exists(d)
    chances = fmpq_mat([[fmpq(v, unit) for v in row] for unit, row in rows])
    if d == len(table.columns):
        found = chances.inv().transpose()
    else:
        used = range(len(table.columns))
        means = [sum((chances[x, j] for x in range(d)), fmpq(0)) for j in used]
        over_means = fmpq_mat(
            [
                [chances[x, j] / means[j] if means[j] != 0 else fmpq(0) for j in used]
                for x in range(d)
            ]
        )
        gram = chances * over_means.transpose()
        if d * max(int(entry.q).bit_length() for row in gram.tolist() for entry in row) > MOST_BITS:
            return Exists(d)
        found = gram.inv() * over_means
    weights = tuple(tuple(Fraction(int(w.p), int(w.q)) for w in row) for row in found.tolist())
    return LinearEstimator(weights, table)


def estimator(table: ExpandedTable, *, matrix: bool) -> Estimator | str:
    """The unbiased estimator of a table; a reason where there is none.

    It is the left inverse for a `Matrix`, whatever support it declares, and the support estimator
    for the other forms. Where a matrix is square and has p* and q*, both are the same; so for many
    inputs the support is tried first.
    """
    if not matrix:
        return support_estimator(table)
    d = len(table.inputs)
    if d > MOST_INVERTED and table.outputs == d and set(table.row_sums) == {Fraction(1)}:
        found = support_estimator(table)
        if not isinstance(found, str):
            return found
    return left_inverse(table)
