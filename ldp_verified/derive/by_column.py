"""Facts of a large explicit table, by distinct cells and columns instead of pair by pair.

A pair table repeats every cell d times. The largest ratio of a column needs only its distinct
cells, a sum only how often each occurs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from flint import fmpq, fmpq_mat

from ldp_verified.derive.rational import sample_points, simple, value_at
from ldp_verified.language.layout import CellLayout, fraction_sum
from ldp_verified.language.pair_table import position_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ldp_verified.language import Domain, Matrix

Place = tuple[int, int, int]
"""Indices of x, x' and y."""


def total_mass(form: Matrix) -> tuple[Any, ...]:
    """The sum of each row; equal ones are listed once."""
    return tuple(dict.fromkeys(simple(total) for _, total in form.layout.row_sums()))


def equal_support(form: Matrix) -> bool:
    """Return whether in every column all cells or none are identically zero."""
    at = np.array([_is_zero(cell) for cell in form.layout.cells])[form.layout.index]
    return bool(np.all(at.all(axis=0) | ~at.any(axis=0)))


def _is_zero(cell: Any) -> bool:
    return bool(cell == 0 if cell.is_Rational else simple(cell) == 0)


def worst_ratio(form: Matrix, variables: Mapping[Any, Domain]) -> tuple[Any, Place] | None:
    """The ratio that is the largest at every sample point, and where it first stands.

    Returns:
        (sympy.oo, place) where an output is impossible under some inputs only; None where no single
        ratio of two cells is the largest.
    """
    layout = form.layout
    if layout.constants is not None:
        return _largest(layout.index, layout.constants)
    zero = np.array([_is_zero(cell) for cell in layout.cells])[layout.index]
    mixed = np.flatnonzero(zero.any(axis=0) & ~zero.all(axis=0))
    if len(mixed):
        column = zero[:, mixed[0]]
        place = int(np.flatnonzero(~column)[0]), int(np.flatnonzero(column)[0]), int(mixed[0])
        return sympy.oo, place
    winners: set[tuple[int, int]] | None = None
    columns = [distinct.tolist() for _, distinct in layout.column_classes()]
    for point in sample_points(variables):
        values = [value_at(cell, point) for cell in layout.cells]
        known = [v for v in values if v is not None]
        if len(known) != len(values) or any(v < 0 for v in known):
            return None
        here = _winners(columns, known)
        winners = here if winners is None else winners & here
        if not winners:
            return None
    if not winners:
        return None
    place = min(
        (_first_place(layout.index, a, b) for a, b in winners),
        key=lambda found: (position_of(len(layout.index), *found[:2]), found[2]),
    )
    a, b = (layout.cells[layout.index[x, place[2]]] for x in place[:2])
    return simple(a / b), place


def _winners(columns: Sequence[Sequence[int]], values: Sequence[Fraction]) -> set[tuple[int, int]]:
    """The pairs of distinct cells of a column whose ratio is the largest."""
    best = Fraction(0)
    found: set[tuple[int, int]] = set()
    for column in columns:
        low, high = min(values[i] for i in column), max(values[i] for i in column)
        if low == 0 or high / low < best:
            continue
        if high / low > best:
            best, found = high / low, set()
        tops = [i for i in column if values[i] == high]
        found |= {(i, j) for i in tops for j in column if values[j] == low}
    return found


def _first_place(index: NDArray[np.int32], a: int, b: int) -> Place:
    """The first (x, x', y) with cell a at (x, y) and cell b at (x', y), x varying slowest."""
    places = []
    for y in np.flatnonzero((index == a).any(axis=0) & (index == b).any(axis=0)).tolist():
        column = index[:, y]
        firsts = np.flatnonzero(column == a)[:2].tolist()
        seconds = np.flatnonzero(column == b)[:2].tolist()
        places += [(x, x2, y) for x in firsts for x2 in seconds if x != x2]
    return min(places, key=lambda p: (position_of(len(index), p[0], p[1]), p[2]))


def _largest(index: NDArray[np.int32], values: Sequence[Fraction]) -> tuple[Any, Place] | None:
    """The largest ratio of a table of numbers."""
    if any(value < 0 for value in values):
        return None
    order = ordered(values)[index]
    best: tuple[Fraction, Place] | None = None
    for y, (x, x2) in enumerate(
        zip(order.argmax(axis=0).tolist(), order.argmin(axis=0).tolist(), strict=True)
    ):
        high, low = values[index[x, y]], values[index[x2, y]]
        if high == 0:
            continue
        if low == 0:
            return sympy.oo, (x, x2, y)
        if best is None or high / low > best[0]:
            best = high / low, (x, x2 if x2 != x else 1, y)
    return None if best is None else (sympy.Rational(*best[0].as_integer_ratio()), best[1])


def ordered(values: Sequence[Fraction]) -> NDArray[np.object_]:
    """Integers in the order of the numbers: digits enough to tell any two of them apart."""
    digits = 2 * max(value.denominator.bit_length() for value in values)
    return np.array([(v.numerator << digits) // v.denominator for v in values], object)


def stars(form: Matrix) -> tuple[Any, Any] | None:
    """p* and q*, if they are the same for all inputs, and all pairs of inputs; else None."""
    if form.support is None:
        return None
    places = {x: i for i, x in enumerate(form.inputs)}
    supporting: list[list[int]] = [[] for _ in form.inputs]
    for y, values in enumerate(form.support):
        for x in values:
            supporting[places[x]].append(y)
    constants = form.layout.constants
    known: dict[bool, bytes] = {}
    sums: dict[bool, Any] = {}
    for v, columns in enumerate(supporting):
        mass = np.sort(form.layout.index[:, columns], axis=1)
        for own in (True, False):
            rows = np.unique(mass[[v]] if own else np.delete(mass, v, axis=0), axis=0)
            for row in rows:
                if known.get(own) == row.tobytes():
                    continue
                known[own], cells = row.tobytes(), row.tolist()
                if constants is not None:
                    total: Any = fraction_sum([constants[i] for i in cells])
                    total = sympy.Rational(*total.as_integer_ratio())
                else:
                    total = simple(sympy.Add(*(form.layout.cells[i] for i in cells)))
                if own in sums and sums[own] != total:
                    return None
                sums[own] = total
    return sums[True], sums[False]


MOST_PRODUCTS = 64
"""Matrix products that are worth it, one for each distinct weight."""


def own_and_other(form: Matrix, weights: CellLayout) -> tuple[Any, Any] | None:
    """Variance of what a user adds to the count of v: for holders of v, and for all others.

    None where it is not the same for all v and all other values.
    """
    found: list[set[Any]] = [set(), set()]
    known: dict[float, Any] = {}
    inputs = range(len(form.inputs))
    if form.layout.constants is None and not _one_variance_at_a_point(form, weights):
        return None
    looks = None
    for v in inputs:
        row = weights.index[v]
        if v == 1 and len(weights.cells) <= MOST_PRODUCTS:
            looks = _looks(form.layout, weights)
        for x in inputs:
            look = None if looks is None else looks[v, x]
            value = known.get(look) if look is not None else None
            if value is None:
                value = _variance(form.layout, weights, row, form.layout.index[x])
            if look is not None:
                known[look] = value
            found[int(x != v)].add(value)
        if any(len(values) > 1 for values in found):
            return None
    return found[0].pop(), found[1].pop()


def _one_variance_at_a_point(form: Matrix, weights: CellLayout) -> bool:
    """Return whether own and other variances are the same for all values at one rational point.

    Sums of symbolic products take minutes; most tables have no such variance.
    """
    symbols = sorted({s for cell in form.layout.cells for s in cell.free_symbols}, key=str)
    point = {s: sympy.Rational(7 + 5 * i, 2 + i) for i, s in enumerate(symbols)}
    chances, added = (
        [value_at(cell, point) for cell in layout.cells] for layout in (form.layout, weights)
    )
    if None in chances or None in added:
        return True
    squares = fmpq_mat([[_flint(added[i]) ** 2 for i in row] for row in weights.index.tolist()])
    table = fmpq_mat([[_flint(chances[i]) for i in row] for row in form.layout.index.tolist()])
    second = (squares * table.transpose()).tolist()
    size = range(len(second))
    own = {second[v][v] for v in size}
    other = {second[v][x] for v in size for x in size if v != x}
    return len(own) == 1 and len(other) == 1


def _flint(value: Fraction | None) -> fmpq:
    assert value is not None
    return fmpq(value.numerator, value.denominator)


def _looks(cells: CellLayout, weights: CellLayout) -> NDArray[np.float64]:
    """[v, x]: equal where weights and cells meet equally often, and most likely only there."""
    draw = np.random.default_rng(0)
    total = np.zeros((len(weights.index), len(cells.index)))
    for w in range(len(weights.cells)):
        # Sums stay below 2^53, so that they are exact.
        marks = draw.integers(1, 2**40, len(cells.cells)).astype(np.float64)
        total += (weights.index == w).astype(np.float64) @ marks[cells.index].T
    return total


def _variance(
    cells: CellLayout, weights: CellLayout, adds: NDArray[np.int32], chances: NDArray[np.int32]
) -> Any:
    pairs = adds.astype(np.int64) * len(cells.cells) + chances
    distinct, counts = np.unique(pairs, return_counts=True)
    mean = second = sympy.S.Zero
    for code, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        w, p = divmod(code, len(cells.cells))
        weight, chance = weights.cells[w], cells.cells[p]
        mean += count * weight * chance
        second += count * weight**2 * chance
    return simple(second - mean**2)
