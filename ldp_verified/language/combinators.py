"""New tables from old ones: `then`, `together`, `alongside`, `public`, `sample`, `memo`.

Each returns a table form, which every checker then looks at like any other: nothing has to be
believed of how it was made. Where no form holds the result, `Composite` in
`language/composites.py` states what follows from the parts and by which theorem.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.expressions import expression
from ldp_verified.language.forms import Bits, Design, Matrix
from ldp_verified.language.structures import HashBlocks, Singletons


def then(table: Any, second: Any) -> Any:
    """A second randomizer on the output of the first (post-processing, theorem `post_ldp`).

    Args:
        table: `Bits`, each of whose output bits is randomized again on its own; a `Matrix`; or a
            `Design` over `Singletons` or `HashBlocks`, whose value or bucket is randomized again.
        second: for `Bits` a 2 x 2 nested sequence, row b being (P(0|b), P(1|b)); for a `Matrix`
            another `Matrix` with one input for every output of the first, labelled alike; for a
            `Design` one over as many `Singletons` as there are values or buckets.

    Returns:
        `Bits` over the same encoder, a `Matrix`, or a `Design` over the same structure.

    Raises:
        SpecError: another form, sizes or labels that do not fit, rows that do not sum to 1.
    """
    if isinstance(table, Design):
        return _then_design(table, second)
    if isinstance(table, Bits):
        rows = _bit_rows(second)
        cells = table.cells().items()
        return table.with_cells(
            {name: (1 - cell) * rows[0][1] + cell * rows[1][1] for name, cell in cells}
        )
    if not isinstance(table, Matrix) or not isinstance(second, Matrix):
        raise SpecError(
            "then",
            "takes Bits and a 2 x 2 table, two Matrix, or two Design",
            type(second).__name__,
        )
    if table.outputs != second.inputs:
        raise SpecError(
            "second.inputs", f"must be the first table's outputs {table.outputs}", second.inputs
        )
    _check_sums("second.rows", second.rows)
    channel = sympy.Matrix(table.rows) * sympy.Matrix(second.rows)
    fits = set(table.inputs) == set(second.outputs)
    support = None if fits or second.support is None else _through(table, second)
    return Matrix(channel, inputs=table.inputs, outputs=second.outputs, support=support)


def _then_design(table: Design, second: Any) -> Design:
    """Return the design of two steps over g buckets (values): the own one and g - 1 others."""
    first = table.structure
    if not isinstance(first, Singletons | HashBlocks):
        rule = "must be over Singletons or HashBlocks, to be followed by another table"
        raise SpecError("table.structure", rule, type(first).__name__)
    count = first.values if isinstance(first, Singletons) else first.buckets
    sizes = second.structure if isinstance(second, Design) else None
    if not isinstance(sizes, Singletons) or sympy.expand(sizes.values - count) != 0:
        raise SpecError("second", f"must be a Design over Singletons({count})", second)
    keep, change = second.inside, second.outside
    _check_sums("second", [(keep, (count - 1) * change)])
    inside, outside = table.inside, table.outside
    return table.with_cells(
        {
            "inside": inside * keep + (count - 1) * outside * change,
            "outside": inside * change + outside * keep + (count - 2) * outside * change,
        }
    )


def _through(table: Matrix, second: Matrix) -> list[frozenset[Any]] | None:
    """The support of the second table, where its inputs are the inputs of the first too."""
    assert second.support is not None
    return list(second.support) if set(table.inputs) == set(second.inputs) else None


def _bit_rows(second: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    nested = second.rows if isinstance(second, Matrix) else second
    if len(nested) != 2 or any(len(row) != 2 for row in nested):
        raise SpecError("second", "must be 2 x 2: rows for bit 0 and bit 1", second)
    rows = tuple(tuple(expression("second", cell) for cell in row) for row in nested)
    _check_sums("second", rows)
    return rows[0], rows[1]


def _check_sums(argument: str, rows: Sequence[Sequence[Any]]) -> None:
    """Refuse rows that are no probability distribution for some parameters."""
    for position, row in enumerate(rows):
        if sympy.cancel(sympy.Add(*row) - 1) != 0:
            raise SpecError(f"{argument}[{position}]", "must sum to 1", sympy.Add(*row))


def _matrices(combinator: str, tables: Sequence[Any]) -> tuple[Matrix, ...]:
    if len(tables) < 2 or not all(isinstance(table, Matrix) for table in tables):
        kinds = [type(table).__name__ for table in tables]
        raise SpecError(combinator, "takes two or more Matrix; for other forms: Composite", kinds)
    return tuple(tables)


def _same_inputs(combinator: str, tables: Sequence[Any]) -> tuple[Matrix, ...]:
    matrices = _matrices(combinator, tables)
    inputs = [table.inputs for table in matrices]
    if any(each != inputs[0] for each in inputs):
        raise SpecError(combinator, "takes tables with the same inputs", inputs)
    return matrices


def together(*tables: Any) -> Matrix:
    """Combine independent reports on the same value: epsilons add up (theorem `compose_ldp`).

    Args:
        tables: explicit ones (`Matrix`) with the same inputs, at least two.

    Raises:
        SpecError: fewer than two tables, other forms, different inputs.
    """
    matrices = _same_inputs("together", tables)
    outputs = list(product(*(table.outputs for table in matrices)))
    columns = list(product(*(range(len(table.outputs)) for table in matrices)))
    rows = [
        [
            sympy.Mul(*(table.rows[x][y] for table, y in zip(matrices, each, strict=True)))
            for each in columns
        ]
        for x in range(matrices[0].values)
    ]
    return Matrix(rows, inputs=matrices[0].inputs, outputs=outputs)


def alongside(*tables: Any) -> Matrix:
    """Combine tables, one for each of several attributes: x is a tuple, table i sees x_i alone.

    For any two tuples epsilons add up; for tuples that differ in one attribute it is the largest
    (theorem `parallel_ldp`; `differing_in_one` is that distance for a `MetricLDP` claim).

    Args:
        tables: explicit ones (`Matrix`), at least two.

    Returns:
        The table of the tuple of reports.

    Raises:
        SpecError: fewer than two tables, other forms.
    """
    matrices = _matrices("alongside", tables)
    inputs = list(product(*(range(table.values) for table in matrices)))
    outputs = list(product(*(range(len(table.outputs)) for table in matrices)))
    rows = [
        [
            sympy.Mul(*(t.rows[x][y] for t, x, y in zip(matrices, xs, ys, strict=True)))
            for ys in outputs
        ]
        for xs in inputs
    ]
    return Matrix(
        rows,
        inputs=list(product(*(table.inputs for table in matrices))),
        outputs=list(product(*(table.outputs for table in matrices))),
    )


def differing_in_one(x: Sequence[Any], x2: Sequence[Any]) -> int | None:
    """Return 1 for tuples that differ in one place, None (nothing is bounded) for others.

    Args:
        x, x2: tuples of one length.
    """
    return 1 if sum(a != b for a, b in zip(x, x2, strict=True)) == 1 else None


def public(*tables: Any, weights: Sequence[Any] | None = None) -> Matrix:
    """A public choice, made without looking at the value, then the chosen table.

    The choice is part of the report. Epsilon is the largest of the tables' (theorem `mixture_ldp`).

    Args:
        tables: two or more, with the same inputs; outputs may differ.
        weights: their probabilities; uniform by default.

    Raises:
        SpecError: other forms, different inputs, weights that do not sum to 1.
    """
    matrices = _same_inputs("public", tables)
    shares = _weights(weights, len(matrices))
    rows = [
        [
            share * cell
            for share, table in zip(shares, matrices, strict=True)
            for cell in table.rows[x]
        ]
        for x in range(matrices[0].values)
    ]
    outputs = [(s, y) for s, table in enumerate(matrices) for y in table.outputs]
    return Matrix(rows, inputs=matrices[0].inputs, outputs=outputs)


def sample(*tables: Any, weights: Sequence[Any] | None = None) -> Matrix:
    """Choose one of several attributes publicly, to be reported by its own table.

    x is a tuple with one entry for each table. For any two tuples epsilon is the largest of the
    tables', not their sum (theorem `mixture_ldp`).

    Args:
        tables: explicit ones (`Matrix`), at least two.
        weights: the chance of each, of sum 1; None for equal ones.

    Raises:
        SpecError: as in `public`.
    """
    matrices = _matrices("sample", tables)
    shares = _weights(weights, len(matrices))
    rows = [
        [
            share * cell
            for share, table, x in zip(shares, matrices, xs, strict=True)
            for cell in table.rows[x]
        ]
        for xs in product(*(range(table.values) for table in matrices))
    ]
    outputs = [(s, y) for s, table in enumerate(matrices) for y in table.outputs]
    inputs = list(product(*(table.inputs for table in matrices)))
    return Matrix(rows, inputs=inputs, outputs=outputs)


def _weights(weights: Sequence[Any] | None, count: int) -> list[Any]:
    if weights is None:
        return [sympy.Rational(1, count)] * count
    if len(weights) != count:
        raise SpecError("weights", f"must be {count} probabilities", weights)
    shares = [expression("weights", weight) for weight in weights]
    _check_sums("weights", [shares])
    return shares


def memo(permanent: Any, instantaneous: Any, times: int) -> Matrix:
    """One permanent answer, kept, and `times` reports that are each drawn from it afresh.

    Whatever the number of reports, epsilon is at most that of the permanent answer (theorem
    `post_ldp`), and below it for every finite number; what `then` gives is the case of one report.

    Args:
        permanent: a `Matrix`; for `Bits` state the table of one bit.
        instantaneous: a `Matrix` on its outputs.
        times: the number of reports, at least 1.

    Raises:
        SpecError: other forms, labels that do not fit, no whole number of reports.
    """
    if type(times) is not int or times < 1:
        raise SpecError("times", "must be a whole number >= 1", times)
    if times == 1:
        result: Matrix = then(permanent, instantaneous)
        return result
    matrices = _matrices("memo", (permanent, instantaneous))
    many: Matrix = then(matrices[0], together(*[matrices[1]] * times))
    return many
