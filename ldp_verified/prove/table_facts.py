"""What an expanded table says: worst ratio, delta, the estimator and its moments.

All of it exact, none of it derived.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.prove.expand import Column, ExpandedTable


@dataclass(frozen=True)
class Worst:
    """Where P(y|x)/P(y|x') is largest.

    Attributes:
        ratio: its value; None where P(y|x) > 0 = P(y|x'), which no finite epsilon allows.
        column, x, x2: the output and both input indices.
    """

    ratio: Fraction | None
    column: Column
    x: int
    x2: int


def worst(table: ExpandedTable) -> Worst:
    """The largest ratio over all ordered pairs of inputs and all outputs.

    Raises:
        ValueError: a table with no output of positive probability.
    """
    found: Worst | None = None
    for column in table.columns:
        high, low = max(column.weights), min(column.weights)
        if high <= 0:
            continue
        x, x2 = column.weights.index(high), column.weights.index(low)
        if low <= 0:
            return Worst(None, column, x, x2)
        if found is None or found.ratio is None or Fraction(high, low) > found.ratio:
            found = Worst(Fraction(high, low), column, x, x2)
    if found is None:
        raise ValueError("no output has positive probability")
    return found


def tight_ratio(table: ExpandedTable) -> Fraction | None:
    """e^epsilon of the table: the largest P(y|x)/P(y|x'); None where it is infinite."""
    return worst(table).ratio


def delta(table: ExpandedTable, level: Fraction) -> Fraction:
    """The smallest delta for which the table is (ln level, delta)-LDP.

    It is the largest sum over y of max(0, P(y|x) - level P(y|x')) over ordered pairs.
    """
    inputs = range(len(table.inputs))
    numerator, denominator = level.numerator, level.denominator
    largest = max(
        (
            sum(
                column.multiplicity
                * max(0, denominator * column.weights[x] - numerator * column.weights[x2])
                for column in table.columns
            )
            for x in inputs
            for x2 in inputs
            if x != x2
        ),
        default=0,
    )
    return Fraction(largest, denominator * table.denominator)


def row_sums(table: ExpandedTable) -> tuple[Fraction, ...]:
    """For every input the sum of P(y|x) over all outputs."""
    return tuple(
        Fraction(sum(c.multiplicity * c.weights[x] for c in table.columns), table.denominator)
        for x in range(len(table.inputs))
    )


def supported_mass(table: ExpandedTable) -> tuple[tuple[Fraction, ...], ...] | None:
    """`[x][v]`: the probability under x of an output that supports v; None without support."""
    d = len(table.inputs)
    mass = [[0] * d for _ in range(d)]
    for column in table.columns:
        if column.supports is None:
            return None
        for x, weight in enumerate(column.weights):
            for v in column.supports:
                mass[x][v] += column.multiplicity * weight
    return tuple(tuple(Fraction(m, table.denominator) for m in row) for row in mass)


@dataclass(frozen=True)
class SupportEstimator:
    """A report adds `supported` to the count of v if it supports v, else `otherwise`.

    Attributes:
        supported, otherwise: the two values.
        mass: `supported_mass` of the table.
        sums: `row_sums` of the table.
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

    def moments(self, x: int, v: int) -> tuple[Fraction, Fraction]:
        """First and second moment of what one user with input x adds to the count of v."""
        mass, total = self.mass[x][v], self.sums[x]
        key = (mass.numerator, mass.denominator, total.numerator, total.denominator)
        if key not in self._known:
            a, b, rest = self.supported, self.otherwise, total - mass
            self._known[key] = (a * mass + b * rest, a * a * mass + b * b * rest)
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

    def moments(self, x: int, v: int) -> tuple[Fraction, Fraction]:
        """First and second moment of what one user with input x adds to the count of v."""
        first = second = Fraction(0)
        for column, weight in zip(self.table.columns, self.weights[v], strict=True):
            chance = column.multiplicity * self.table.probability(column, x)
            first += chance * weight
            second += chance * weight * weight
        return first, second


Estimator = SupportEstimator | LinearEstimator


def support_estimator(table: ExpandedTable) -> SupportEstimator | str:
    """(1[y supports v] - q*)/(p* - q*), p* and q* read off the table; a reason without them."""
    mass = supported_mass(table)
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
    return SupportEstimator(
        (1 - q_star) / gap, -q_star / gap, mass, row_sums(table), p_star, q_star
    )


def left_inverse(table: ExpandedTable) -> LinearEstimator | str:
    """The unbiased linear estimator of all counts; a reason where the rank is too small.

    Where there are several, the one with the least variance when every input is equally frequent:
    with P the d x m table and D the diagonal of mean column probabilities it is
    D^-1 P' (P D^-1 P')^-1. Outputs of probability zero get weight 0.
    """
    d = len(table.inputs)
    chances = [[c.multiplicity * table.probability(c, x) for x in range(d)] for c in table.columns]
    means = [sum(row, Fraction(0)) / d for row in chances]
    used = [j for j, mean in enumerate(means) if mean != 0]
    gram = [[Fraction(0)] * d for _ in range(d)]
    for j, a, b in product(used, range(d), range(d)):
        gram[a][b] += chances[j][a] * chances[j][b] / means[j]
    inverse, rank = _invert(gram)
    if inverse is None:
        return f"the table has rank {rank} but {d} inputs: no linear estimator is unbiased"
    weights = [[Fraction(0)] * len(table.columns) for _ in range(d)]
    for j in used:
        for v in range(d):
            total = sum((chances[j][a] * inverse[a][v] for a in range(d)), Fraction(0))
            weights[v][j] = total / means[j]
    return LinearEstimator(tuple(map(tuple, weights)), table)


def _invert(matrix: Sequence[Sequence[Fraction]]) -> tuple[list[list[Fraction]] | None, int]:
    """(inverse, rank) by Gauss-Jordan elimination; inverse None where the rank is too small."""
    d = len(matrix)
    work = [[*row, *(Fraction(int(i == j)) for j in range(d))] for i, row in enumerate(matrix)]
    rank = 0
    for column in range(d):
        pivot = next((i for i in range(rank, d) if work[i][column] != 0), None)
        if pivot is None:
            continue
        work[rank], work[pivot] = work[pivot], work[rank]
        scale = work[rank][column]
        work[rank] = [value / scale for value in work[rank]]
        for i in range(d):
            if i != rank and work[i][column] != 0:
                factor = work[i][column]
                work[i] = [a - factor * b for a, b in zip(work[i], work[rank], strict=True)]
        rank += 1
    return ([row[d:] for row in work] if rank == d else None), rank


def estimator(table: ExpandedTable, *, matrix: bool) -> Estimator | str:
    """The unbiased estimator of a table; a reason where there is none.

    The left inverse for a `Matrix`, whatever support it declares (where it is square and has p* and
    q*, both are the same); by support for the other forms.
    """
    return left_inverse(table) if matrix else support_estimator(table)
