"""The numeric side of a table that is written out: distinct cells, and where each stands."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import sympy
from sympy.polys.matrices import DomainMatrix

from ldp_verified.derive import simple
from ldp_verified.derive.rational import sample_points
from ldp_verified.generate.arguments import Arguments, arguments, refusal
from ldp_verified.generate.formulas import Function, function
from ldp_verified.generate.solved import Solved, solved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.language import Matrix, Mechanism

MOST_CELLS = 1 << 14
"""Exact left inverses of larger tables take too long."""


@dataclass(frozen=True)
class TableSide:
    """An explicit table as a generated class needs it.

    Attributes:
        mechanism: where it comes from.
        arguments: what the cells are functions of.
        cells: the function that returns all distinct cells.
        cell_values: the same in the mechanism's variables.
        pattern: pattern[x][y] is the index of P(y|x) among them.
        ratio: e^epsilon of the table; None where it has no closed form.
        solved: the parameter at a wanted epsilon, where there is a formula for one.
        no_estimator: why there is no unbiased linear estimator; None where there is one.
        inputs, outputs: labels.
    """

    mechanism: Mechanism
    arguments: Arguments
    cells: Function
    cell_values: tuple[Any, ...]
    pattern: tuple[tuple[int, ...], ...]
    ratio: Any
    solved: Solved | None
    no_estimator: str | None
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]

    @property
    def base(self) -> str:
        """The base class in `ldp_verified.run.realize`."""
        return "TableRandomizer"


def table_side(mechanism: Mechanism, form: Matrix) -> TableSide:
    """Derive what there is to say of the table, and prove that its text agrees with the spec.

    Raises:
        SpecError: the table has no numeric side; the message says what stands in the way.
    """
    d, m = len(form.rows), len(form.rows[0])
    if d * m > MOST_CELLS:
        raise refusal(mechanism, f"it must have at most {MOST_CELLS} cells", d * m)
    values, pattern = _distinct(form)
    _check(mechanism, form, values, pattern)
    ratio = _largest_ratio(mechanism, values, pattern)
    size = {"k": sympy.Integer(d)}
    given = arguments(mechanism, size, values, ratio)
    printed = [given.printed(value) for value in values]
    cells = function("cells", given.points, printed, given.points, given.domains)
    reason = _no_estimator(mechanism, values, pattern)
    return TableSide(
        mechanism,
        given,
        cells,
        values,
        pattern,
        ratio,
        solved(mechanism, given),
        reason,
        form.inputs,
        form.outputs,
    )


def _distinct(form: Matrix) -> tuple[tuple[Any, ...], tuple[tuple[int, ...], ...]]:
    """The cells that differ as rational functions, in reading order, and where each stands."""
    simplified = cache(simple)
    index: dict[Any, int] = {}
    rows = [[index.setdefault(simplified(cell), len(index)) for cell in row] for row in form.rows]
    return tuple(index), tuple(map(tuple, rows))


def _check(
    mechanism: Mechanism, form: Matrix, values: Sequence[Any], pattern: Sequence[Sequence[int]]
) -> None:
    """Rows sum to one, no cell is zero, and some output tells some inputs apart."""
    for counted in {frozenset(Counter(row).items()) for row in pattern}:
        total = simple(sum(values[index] * times for index, times in counted))
        if total != 1:
            raise refusal(mechanism, "its table must be a distribution", total)
    for y, column in zip(form.outputs, zip(*pattern, strict=True), strict=True):
        if all(values[index] == 0 for index in column):
            raise refusal(mechanism, f"its output {y} never occurs: leave it out of the table")
    for x, row in zip(form.inputs, pattern, strict=True):
        for y, index in zip(form.outputs, row, strict=True):
            if values[index] == 0:
                rule = f"its epsilon is infinite, for P(y = {y} | x = {x}) is zero"
                raise refusal(mechanism, rule)
    if len(set(map(tuple, pattern))) == 1:
        raise refusal(mechanism, "all its rows are equal: reports say nothing of the value")


def _largest_ratio(
    mechanism: Mechanism, values: Sequence[Any], pattern: Sequence[Sequence[int]]
) -> Any:
    """The ratio of two cells of a column that is the largest at every sample point, or None.

    Chosen by points, for the argument's meaning and the docstring. What objects keep to is decided
    for their own parameters.
    """
    columns = {frozenset(column) for column in zip(*pattern, strict=True)}
    pairs = {(i, j) for column in columns for i in column for j in column if i != j}
    points = sample_points(mechanism.variables)
    table = [[value.subs(point) for value in values] for point in points]
    best: set[tuple[int, int]] | None = None
    for row in table:
        if not all(value.is_Rational and value > 0 for value in row):
            return None
        ratios = {(i, j): row[i] / row[j] for i, j in pairs}
        top = max(ratios.values())
        winners = {pair for pair, ratio in ratios.items() if ratio == top}
        best = winners if best is None else best & winners
    if not best:
        return None
    i, j = min(best)
    return simple(values[i] / values[j])


def _no_estimator(
    mechanism: Mechanism, values: Sequence[Any], pattern: Sequence[Sequence[int]]
) -> str | None:
    """Why there is no left inverse; None where the rank is full at some point, hence almost all."""
    d, m = len(pattern), len(pattern[0])
    ranks = []
    for point in sample_points(mechanism.variables):
        at = [sympy.QQ.from_sympy(value.subs(point)) for value in values]
        rows = [[at[index] for index in row] for row in pattern]
        ranks.append(DomainMatrix(rows, (d, m), sympy.QQ).rank())
        if ranks[-1] == d:
            return None
    return f"the {d} x {m} table has rank {max(ranks)} < {d}"
