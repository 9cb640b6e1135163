"""The written-out table: outputs one by one, equal ones together, with exact weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import lcm
from operator import itemgetter
from typing import Any, NamedTuple

from ldp_verified.prove.enumeration.exact_values import NotExpandableError

MAX_OUTPUTS = 2**16
MAX_WORK = 2**21
MAX_CELLS = 2**21
"""Cells of an explicit table."""

MAX_BITS = 256
"""The largest number of bits of a common denominator of many cells."""


class ExpandedColumn(NamedTuple):
    """The outputs that have the same probabilities under every input, and the same support.

    Attributes:
        output: the first of these outputs. It is an index for `Matrix`, `Points`, `Singletons` and
            `Blocks`; (coefficients of h, bucket) for `HashBlocks`; a tuple of bits for `OneHot`, of
            levels for `Levels`, (buckets of all values, bits) for `HashedOneHot`; as in
            `incidence.listed` for the structures there.
        multiplicity: how many outputs there are.
        weights: for every input index x, P(y|x) of a single one of these outputs, in units of
            1/denominator of the table. They are integers, or fractions where the common
            denominator of the table would have too many digits.
        supports: the indices of the inputs that each output supports; None where the form declares
            no support.
    """

    output: Any
    multiplicity: int
    weights: tuple[int | Fraction, ...]
    supports: frozenset[int] | None


@dataclass(frozen=True)
class ExpandedTable:
    """Every probability of a mechanism at one point.

    Attributes:
        inputs: the labels of the inputs; x and x' are indices into it.
        denominator: the common denominator of all probabilities, positive.
        columns: the outputs, equal ones collapsed.
    """

    inputs: tuple[Any, ...]
    denominator: int
    columns: tuple[ExpandedColumn, ...]

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return sum(column.multiplicity for column in self.columns)

    def rows(self) -> tuple[tuple[Fraction, ...], ...]:
        """P(y|x) of every class of outputs, by input: of a square table of points, all of it."""
        return tuple(
            tuple(self.probability(column, x) for column in self.columns)
            for x in range(len(self.inputs))
        )

    def probability(self, column: ExpandedColumn, x: int) -> Fraction:
        """P(y|x) for one output y of the column."""
        return Fraction(column.weights[x], self.denominator)

    @cached_property
    def row_sums(self) -> tuple[Fraction, ...]:
        """The sum of P(y|x) over all outputs, for every input."""
        return tuple(Fraction(sum(row), unit) for unit, row in self.masses())

    @cached_property
    def supported_mass(self) -> tuple[tuple[Fraction, ...], ...] | None:
        """`[x][v]`: the probability under x of an output that supports v; None without support."""
        supporting: list[list[int]] = [[] for _ in self.inputs]
        for j, column in enumerate(self.columns):
            if column.supports is None:
                return None
            for v in column.supports:
                supporting[v].append(j)
        # An index more, of 0, lets no list be too short to be picked at once.
        picks = [itemgetter(*chosen, -1, -1) for chosen in supporting]
        reduced = cache(Fraction)  # Most sums are equal: each is reduced once.
        found = []
        for unit, row in self.masses():
            padded = [*row, 0]
            found.append(tuple(reduced(sum(pick(padded)), unit) for pick in picks))
        return tuple(found)

    def masses(self) -> Iterator[tuple[int, list[int]]]:
        """For every input a denominator, and over it the probability of each column's outputs."""
        for x in range(len(self.inputs)):
            unit, row = scaled([column.multiplicity * column.weights[x] for column in self.columns])
            yield unit * self.denominator, row


def check_size(inputs: int, outputs: int, columns: int, most: int = MAX_OUTPUTS) -> None:
    """Refuse a table that is too large to be written out.

    Raises:
        NotExpandableError: it is.
    """
    if outputs > most or inputs * inputs * columns > MAX_WORK:
        raise NotExpandableError(
            "structure", f"must be small to be written out ({most} outputs)", outputs
        )


def scaled(values: Sequence[int | Fraction]) -> tuple[int, list[int]]:
    """A common denominator, and the numerators over it: fractions are slow to add one by one."""
    integers = [value for value in values if isinstance(value, int)]
    if len(integers) == len(values):
        return 1, integers
    unit = lcm(*{value.denominator for value in values})
    return unit, [value.numerator * (unit // value.denominator) for value in values]


def scaled_if_short(cells: list[Fraction], entries: int) -> tuple[int, Sequence[int | Fraction]]:
    """Numerators over a common denominator, or (1, the numbers) where it has too many digits."""
    denominator = 1
    for below in {value.denominator for value in cells}:
        denominator = lcm(denominator, below)
        if entries > 2**14 and denominator.bit_length() > MAX_BITS:
            return 1, cells
    return scaled(cells)


def collapse(columns: list[ExpandedColumn]) -> tuple[ExpandedColumn, ...]:
    """Equal columns become one, with their multiplicities added."""
    merged: dict[tuple[Any, Any], ExpandedColumn] = {}
    for column in columns:
        key = (column.weights, column.supports)
        old = merged.get(key)
        count = column.multiplicity + (0 if old is None else old.multiplicity)
        merged[key] = ExpandedColumn(
            column.output if old is None else old.output, count, column.weights, column.supports
        )
    return tuple(merged.values())
