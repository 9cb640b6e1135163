"""Support probabilities, the unbiased estimator, its variance: from pair tables or the matrix.

The estimate of the count of v adds up one weight per report. With a support it is
(1[y supports v] - q*)/(p* - q*) (Wang, Blocki, Li, Jha 2017, Locally Differentially Private
Protocols for Frequency Estimation); for a `Matrix` it is a left inverse of the channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy.polys.matrices import DomainMatrix

from ldp_verified.derive import by_column, inverse
from ldp_verified.derive.inverse import FullRank
from ldp_verified.derive.rational import simple
from ldp_verified.language import Form, Matrix, PairTable, Points, f, n
from ldp_verified.language.layout import CellLayout


@dataclass(frozen=True)
class Support:
    """p* and q*, the same for every pair of values.

    Attributes:
        p_star: P(y supports x | x). q_star: P(y supports x' | x) for x' != x.
    """

    p_star: Any
    q_star: Any


@dataclass(frozen=True)
class DerivedEstimator:
    """The linear estimator: what one report adds to the estimated count of a value.

    Attributes:
        supported, otherwise: the two weights, where the form has a support with one p* and one q*;
            else None.
        matrix: for a `Matrix`, B with one row per input and one column per output, B[v, y] the
            weight; else None.
        unique: whether no other unbiased linear estimator exists; where one does, `matrix` is the
            one of least variance at uniform shares.
        layout: for a large `Matrix` B by its distinct weights; `matrix` is None where that is too
            large to be shown.
        exists: for a large `Matrix` whose B is not written down, why there is one.
    """

    supported: Any
    otherwise: Any
    matrix: Any
    unique: bool
    layout: CellLayout | None = None
    exists: FullRank | None = None


@dataclass(frozen=True)
class NoEstimator:
    """No unbiased linear estimator exists.

    Attributes:
        reason: why, with the rank or the vanishing p* - q*.
    """

    reason: str

    @property
    def text(self) -> str:
        """The fact and its reason in words."""
        return f"no unbiased linear estimator exists: {self.reason}"


class UnknownEstimator(NoEstimator):
    """Nobody here derives an estimator for the form of table; there may be one."""

    @property
    def text(self) -> str:
        """The reason in words."""
        return f"not derived: {self.reason}"


def support(tables: Sequence[PairTable]) -> Support | None:
    """p* and q* if every type of pair agrees on them, else None."""
    found: set[tuple[Any, Any]] = set()
    for table in tables:
        if any(row.supports_x is None or row.supports_x2 is None for row in table.rows):
            return None
        p_star = sum(row.count * row.px for row in table.rows if row.supports_x)
        q_star = sum(row.count * row.px for row in table.rows if row.supports_x2)
        found.add((simple(p_star), simple(q_star)))
    return Support(*found.pop()) if len(found) == 1 else None


def estimator(form: Form) -> DerivedEstimator | NoEstimator:
    """The unbiased linear estimator of a table in algebraic form."""
    if isinstance(form, Points):
        return UnknownEstimator("of points on a line none is derived")
    if isinstance(form, Matrix) and not form.written_out:
        return _of_large_matrix(form)
    common = support(form.pair_tables())
    if isinstance(form, Matrix):
        return _from_matrix(form, common)
    if common is None:
        return NoEstimator("the types of pairs do not agree on one p* and one q*")
    spread = simple(common.p_star - common.q_star)
    if spread == 0:
        return NoEstimator(f"p* = q* = {common.p_star}: a report says nothing about the value")
    return DerivedEstimator(
        simple((1 - common.q_star) / spread), simple(-common.q_star / spread), None, unique=False
    )


def _from_matrix(form: Matrix, common: Support | None) -> DerivedEstimator | NoEstimator:
    # Over the field of rational functions every step is exact and quick; the general matrices of
    # sympy grow expressions, and a wrong table with a random look held their determinant for ever.
    channel = DomainMatrix.from_list_sympy(*_shape(form), [list(row) for row in form.rows])
    channel = channel.to_field()
    inputs, outputs = channel.shape
    rank = channel.rank()
    if rank < inputs:
        return NoEstimator(f"the {inputs} x {outputs} matrix has rank {rank} < {inputs}")
    if inputs == outputs:
        solved = channel.inv().transpose()
    else:
        scaled = _over_means(channel)
        if (scaled * channel.transpose()).rank() < inputs:
            # Only where a cell is negative; that is for the checkers to say, of any estimator.
            scaled = channel
        solved = (scaled * channel.transpose()).inv() * scaled
    matrix = solved.to_Matrix().applyfunc(simple)
    weights = (None, None)
    if common is not None and inputs == outputs:
        spread = simple(common.p_star - common.q_star)
        if spread != 0:
            yes, no = simple((1 - common.q_star) / spread), simple(-common.q_star / spread)
            assert form.support is not None
            same = all(
                simple(matrix[i, j] - (yes if x in form.support[j] else no)) == 0
                for i, x in enumerate(form.inputs)
                for j in range(outputs)
            )
            weights = (yes, no) if same else weights
    return DerivedEstimator(*weights, matrix, unique=inputs == outputs)


def _shape(form: Matrix) -> tuple[int, int]:
    return len(form.inputs), len(form.outputs)


def _over_means(channel: DomainMatrix) -> DomainMatrix:
    """The table with every column divided by its mean; a column of mean 0 is left as it is."""
    inputs, outputs = channel.shape
    field = channel.domain
    rows = channel.to_list()
    means = [sum((row[y] for row in rows), field.zero) / field(inputs) for y in range(outputs)]
    divided = [
        [cell / m if m else cell for cell, m in zip(row, means, strict=True)] for row in rows
    ]
    return DomainMatrix(divided, channel.shape, field)


def _of_large_matrix(form: Matrix) -> DerivedEstimator | NoEstimator:
    inputs, outputs = form.layout.index.shape
    square = inputs == outputs
    common = by_column.stars(form)
    if common is not None and square and by_column.total_mass(form) == (1,):
        p_star, q_star = common
        spread = simple(p_star - q_star)
        if spread != 0:
            # Rows that sum to 1 make these weights a left inverse, and a square table has only one.
            yes, no = simple((1 - q_star) / spread), simple(-q_star / spread)
            made = _support_weights(form, yes, no)
            return DerivedEstimator(yes, no, _shown(form, made), unique=True, layout=made)
    rank = inverse.rank(form)
    if rank < inputs:
        return NoEstimator(f"the {inputs} x {outputs} matrix has rank {rank} < {inputs}")
    found = inverse.inverse(form)
    if isinstance(found, FullRank):
        return DerivedEstimator(None, None, None, unique=square, exists=found)
    return DerivedEstimator(None, None, _shown(form, found), unique=square, layout=found)


def _shown(form: Matrix, made: CellLayout) -> Any:
    return sympy.Matrix(made.rows()) if form.shown_in_full else None


def _support_weights(form: Matrix, yes: Any, no: Any) -> CellLayout:
    assert form.support is not None
    places = {x: i for i, x in enumerate(form.inputs)}
    index = np.ones(form.layout.index.shape, np.int32)
    for y, values in enumerate(form.support):
        index[[places[x] for x in values], y] = 0
    return CellLayout((yes, no), index)


def weights(found: DerivedEstimator, form: Form, pair: int) -> list[tuple[Any, Any]]:
    """Return what each row of the given pair table adds to the estimates of x and of x'."""
    if found.matrix is not None:
        size, outputs = found.matrix.shape
        pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
        i, j = pairs[pair]
        return [(found.matrix[i, y], found.matrix[j, y]) for y in range(outputs)]
    return [
        (
            found.supported if row.supports_x else found.otherwise,
            found.supported if row.supports_x2 else found.otherwise,
        )
        for row in form.pair_tables()[pair].rows
    ]


def variance(found: DerivedEstimator, form: Form) -> Any:
    """Variance of the estimated count for n users of whom a share f holds the value.

    None if it depends on who else holds what.
    """
    if found.exists is not None:
        return None
    if found.layout is not None:
        assert isinstance(form, Matrix)
        parts = by_column.own_and_other(form, found.layout)
        return None if parts is None else n * parts[1] + n * f * simple(parts[0] - parts[1])
    results = set()
    for t, table in enumerate(form.pair_tables()):
        moments = []
        for which in (0, 1):
            pairs = weights(found, form, t)
            rows = list(zip(table.rows, pairs, strict=True))
            mean = sum(row.count * row.px * w[which] for row, w in rows)
            second = sum(row.count * row.px * w[which] ** 2 for row, w in rows)
            moments.append(simple(second - mean**2))
        own, other = moments
        results.add((own, other))
    if len(results) != 1:
        return None
    own, other = results.pop()
    return n * other + n * f * simple(own - other)
