"""A generated class against the table of `prove.enumeration.expand`, all in fractions.

The expansion reads a form's cells and its structure; it shares nothing with the generator, with the
derivation or with the kernels.
"""

from __future__ import annotations

import inspect
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ldp_verified.language import Bits, Design, Mechanism
from ldp_verified.prove.enumeration.expand import (
    complete,
    digits_of_family,
    evaluate,
    expand,
    expand_form,
)
from ldp_verified.run.aggregate import BitLayout, BlockLayout, HashLayout, SubsetLayout
from ldp_verified.run.aggregate.sketch_oracles import BitSketchLayout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ldp_verified.prove.enumeration.expand import ExpandedTable
    from ldp_verified.run.realize import Randomizer, RoundedTable

Cells = tuple[Fraction, Fraction]
ZERO = Fraction(0)
SHARES = [Fraction(0), Fraction(1, 3), Fraction(1)]


def by_name(spec: Mechanism, sizes: Mapping[str, int]) -> dict[Any, int]:
    """Sizes by the symbols of the spec."""
    form = spec.algebraic_table
    structure = form.structure if isinstance(form, Design) else None
    if isinstance(form, Bits):
        return {s: sizes[name] for name, s in form.encoder.sizes.items() if s.is_Symbol}
    if structure is None:
        return {}
    return {s: sizes[name] for name, s in structure.sizes.items() if s.is_Symbol}


def with_cells(spec: Mechanism, cells: Cells, sizes: Mapping[str, int]) -> ExpandedTable:
    """The spec's table with these two cells.

    Where the sizes determine how many outputs there are, cells are P(y|x) times the number of
    outputs that hold a value: given the hash function, or the probability of all such outputs.
    """
    form = spec.algebraic_table
    scale = Fraction(1)
    if isinstance(form, Design) and form.structure is not None and form.structure.determined:
        scale = evaluate(form.containing, complete(form, by_name(spec, sizes)))
    exact = [sympy.Rational(c.numerator, c.denominator) for c in (cell / scale for cell in cells)]
    changed = form.with_cells(dict(zip(form.cells(), exact, strict=True)))
    return expand_form(changed, by_name(spec, sizes))


def facts(table: ExpandedTable) -> tuple[Fraction, Fraction, Fraction, list[Fraction]]:
    """p*, q*, the largest ratio, and the variance per user at SHARES, from the table alone."""
    size = range(len(table.inputs))
    entries = [
        (column, [table.probability(column, x) for x in size], column.supports or frozenset())
        for column in table.columns
    ]
    assert all(sum(c.multiplicity * row[x] for c, row, _ in entries) == 1 for x in size)
    masses = {
        (x, v): sum((c.multiplicity * row[x] for c, row, held in entries if v in held), ZERO)
        for x in size
        for v in size
    }
    (p_star,) = {mass for (x, v), mass in masses.items() if x == v}
    (q_star,) = {mass for (x, v), mass in masses.items() if x != v}
    worst = max(row[x] / row[y] for _, row, _ in entries for x in size for y in size)

    def moments(x: int, v: int) -> tuple[Fraction, Fraction]:
        mean = square = ZERO
        for column, row, held in entries:
            weight = ((v in held) - q_star) / (p_star - q_star)
            mean += column.multiplicity * row[x] * weight
            square += column.multiplicity * row[x] * weight**2
        return mean, square - mean**2

    (held,) = {moments(x, x) for x in size}
    (other,) = {moments(x, v) for x in size for v in size if x != v}
    assert held[0] == 1
    assert other[0] == 0
    return p_star, q_star, worst, [f * held[1] + (1 - f) * other[1] for f in SHARES]


def check_formulas(
    made: type[RoundedTable], cells: Cells, sizes: Mapping[str, int], table: ExpandedTable
) -> None:
    """p*, q*, worst ratio and variance of the class, at these cells, are those of the table."""
    functions: Any = made
    p_star, q_star, worst, variances = facts(table)
    assert functions.support(*cells, *_sizes_of(functions.support, sizes)) == (p_star, q_star)
    assert made.worst_ratio(*cells) == worst
    assert [made.variance_per_user(p_star, q_star, f) for f in SHARES] == variances


def check_ideal(
    made: type[RoundedTable],
    spec: Mechanism,
    point: Fraction,
    sizes: Mapping[str, int],
    given: Mapping[str, Fraction],
) -> None:
    """The formulas at `point` (t, or the rational parameter) are the spec's table at `given`."""
    functions: Any = made
    cells = functions.cells(point, *_sizes_of(functions.cells, sizes))
    assert all(type(cell) is Fraction for cell in cells)
    table = expand(spec, {**given, **{str(p): size for p, size in by_name(spec, sizes).items()}})
    assert with_cells(spec, cells, sizes) == table
    check_formulas(made, cells, sizes, table)


def check_realized(mechanism: RoundedTable, spec: Mechanism, sizes: Mapping[str, int]) -> None:
    """The probability of every report is that of the spec's table with the realized cells."""
    cells = (mechanism.p, mechanism.q)
    table = with_cells(spec, cells, sizes)
    check_formulas(type(mechanism), cells, sizes, table)
    p_star, q_star, _, variances = facts(table)
    assert (mechanism.p_star, mechanism.q_star) == (p_star, q_star)
    for f, variance in zip(SHARES, variances, strict=True):
        assert mechanism.variance(1000, f) == float(1000 * variance)
    values = range(mechanism.k)
    columns = {
        (column.supports, tuple(table.probability(column, x) for x in values)): column
        for column in table.columns
    }
    assert len(columns) == len(table.columns)
    seen = dict.fromkeys(columns, 0)
    for report in every_report(mechanism):
        counts = mechanism.layout.support_counts(mechanism.layout.check(report[np.newaxis]))
        held = frozenset(int(v) for v in np.flatnonzero(counts))
        seen[held, tuple(mechanism.pmf(report, x) for x in values)] += 1
    assert seen == {key: column.multiplicity for key, column in columns.items()}


def _sizes_of(function: Any, sizes: Mapping[str, int]) -> list[Fraction]:
    return [
        Fraction(sizes[name]) for name in inspect.signature(function).parameters if name in sizes
    ]


def every_report(mechanism: Randomizer) -> Iterator[Any]:
    """Every report that the layout allows."""
    layout = mechanism.layout
    if isinstance(layout, SubsetLayout):
        for chosen in combinations(range(layout.k), layout.omega):
            yield np.array([sum(1 << v for v in chosen)], dtype=np.uint64)
    elif isinstance(layout, BitLayout):
        yield from (np.array([bits], dtype=np.uint64) for bits in range(2**layout.k))
    elif isinstance(layout, BitSketchLayout):
        words = product(range(layout.height), range(2**layout.buckets))
        yield from (np.array(row, dtype=np.uint64) for row in words)
    elif isinstance(layout, HashLayout):
        _, digits = digits_of_family(layout.k, layout.g)
        yield from (np.array(row) for row in product(range(layout.g), repeat=digits + 1))
    elif isinstance(layout, BlockLayout):
        yield from (np.array(y) for y in range(len(layout.blocks)))
    else:
        yield from (np.array(y) for y in range(layout.counters))
