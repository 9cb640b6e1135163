"""Everything that follows from a table, in one object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import sympy

from ldp_verified.derive import by_column
from ldp_verified.derive.estimator import (
    DerivedEstimator,
    NoEstimator,
    Support,
    estimator,
    support,
    variance,
)
from ldp_verified.derive.loss import LossAtom, delta, largest_delta, loss_distribution
from ldp_verified.derive.optimum import optimal_cells, optimal_parameters
from ldp_verified.derive.points import worst_of_ends
from ldp_verified.derive.rational import in_epsilon, readable, sample_points, simple
from ldp_verified.language import Domain, Line, Matrix, Mechanism, PairTable, Points, f
from ldp_verified.language.pair_table import position_of


@dataclass(frozen=True)
class TightRatio:
    """The largest P(y|x)/P(y|x'), and where it is reached.

    Attributes:
        ratio: a rational function of the algebraic variables; sympy.oo for an output that only one
            input can give.
        pair, row: positions of the pair table and of the row. outputs: the row in words. pair_name:
            the pair in words.
    """

    ratio: Any
    pair: int
    row: int
    pair_name: str
    outputs: str


@dataclass(frozen=True)
class Facts:
    """Closed forms derived from the pair tables of `mechanism`.

    Expressions are in its algebraic variables. Nothing here is proved yet.

    Attributes:
        mechanism: the declaration.
    """

    mechanism: Mechanism

    @cached_property
    def pair_tables(self) -> Sequence[PairTable]:
        """The pair tables in algebraic form; none for a density and for points on a line."""
        if isinstance(self.mechanism.table, Line | Points):
            return ()
        return self.mechanism.algebraic_table.pair_tables()

    @cached_property
    def large(self) -> Matrix | None:
        """The table in algebraic form, if it is treated by column."""
        form = self.mechanism.algebraic_table
        return form if isinstance(form, Matrix) and not form.written_out else None

    @cached_property
    def total_mass(self) -> tuple[Any, ...]:
        """sum count P(y|x), for each type of pair; 1 if the table is a distribution.

        For a large `Matrix` the different sums of rows.
        """
        if self.large is not None:
            return by_column.total_mass(self.large)
        return tuple(simple(sum(r.count * r.px for r in t.rows)) for t in self.pair_tables)

    @cached_property
    def equal_support(self) -> bool:
        """Return whether P(y|x) and P(y|x') are identically zero together in every row."""
        if self.large is not None:
            return by_column.equal_support(self.large)
        return all(
            (simple(r.px) == 0) == (simple(r.px2) == 0)
            for t in self.pair_tables
            for r in t.rows
            if r.count != 0
        )

    @cached_property
    def ratios(self) -> tuple[TightRatio, ...]:
        """The different ratios of the rows, none of them of probability 0 under x."""
        candidates: list[TightRatio] = []
        for t, table in enumerate(self.pair_tables):
            for r, row in enumerate(table.rows):
                if simple(row.count) == 0 or simple(row.px) == 0:
                    continue
                ratio = sympy.oo if simple(row.px2) == 0 else simple(row.px / row.px2)
                if all(ratio != c.ratio for c in candidates):
                    candidates.append(TightRatio(ratio, t, r, table.pair, row.outputs))
        return tuple(candidates)

    @cached_property
    def tight(self) -> TightRatio | None:
        """The row whose ratio is the largest at every sample point; None where no single row is."""
        if self.large is not None:
            return self._tight_of(self.large)
        form = self.mechanism.algebraic_table
        if isinstance(form, Points):
            ends = worst_of_ends(form, self.mechanism.variables)
            if ends is None:
                return None
            return TightRatio(ends.ratio, 0, 0, ends.pair, ends.output)
        candidates = self.ratios
        if not candidates:
            return None
        infinite = [c for c in candidates if c.ratio == sympy.oo]
        if infinite:
            return infinite[0]
        best: set[int] = set()
        for point in sample_points(self.mechanism.variables):
            values = [c.ratio.xreplace(point) for c in candidates]
            if not all(value.is_Rational for value in values):
                return None
            top = max(values)
            winners = {i for i, value in enumerate(values) if value == top}
            best = winners if not best else best & winners
            if not best:
                return None
        return candidates[min(best)] if best else None

    def _tight_of(self, form: Matrix) -> TightRatio | None:
        found = by_column.worst_ratio(form, self.mechanism.variables)
        if found is None:
            return None
        ratio, (x, x2, y) = found
        pair = position_of(len(form.inputs), x, x2)
        table = self.pair_tables[pair]
        return TightRatio(ratio, pair, y, table.pair, table.rows[y].outputs)

    @property
    def epsilon(self) -> Any:
        """ln of the tight ratio, written in the mechanism's own parameters.

        None where it is not known.
        """
        if self.tight is None or self.tight.ratio == sympy.oo:
            return None if self.tight is None else sympy.oo
        ratio = readable(self.tight.ratio, self.mechanism.variables)
        found = in_epsilon(self.mechanism, ratio)
        table = self.mechanism.table
        return table.spelled_out(found) if isinstance(table, Points) else sympy.log(found)

    @cached_property
    def support(self) -> Support | None:
        """p* and q*, if all pairs agree on them."""
        if self.large is not None:
            common = by_column.stars(self.large)
            return None if common is None else Support(*common)
        return support(self.pair_tables) if self.pair_tables else None

    @cached_property
    def estimator(self) -> DerivedEstimator | NoEstimator:
        """The unbiased linear estimator."""
        return estimator(self.mechanism.algebraic_table)

    @cached_property
    def variance(self) -> Any:
        """Variance of the estimated count, in n, f and the variables.

        None where there is no estimator or it depends on more than f.
        """
        if isinstance(self.estimator, NoEstimator):
            return None
        return variance(self.estimator, self.mechanism.algebraic_table)

    @property
    def variance_at_zero(self) -> Any:
        """The variance of the estimated count at f = 0."""
        return None if self.variance is None else simple(self.variance.subs(f, 0))

    @cached_property
    def optimal_parameters(self) -> dict[Any, Any]:
        """Parameter -> value of least variance at f = 0."""
        return optimal_parameters(self.mechanism)

    @cached_property
    def optimal_cells(self) -> dict[str, Any] | None:
        """Cells of least variance at f = 0 at the same tight ratio (one-hot tables)."""
        return optimal_cells(self.mechanism)

    def loss(self, pair: int = 0) -> tuple[LossAtom, ...]:
        """The privacy-loss distribution under x, for one type of pair."""
        return loss_distribution(self.pair_tables[pair])

    @property
    def _shown_in_full(self) -> bool:
        """Return whether there are pair tables that can be gone through."""
        if self.large is not None:
            return self.large.shown_in_full
        return bool(self.pair_tables)

    def delta(self, level: Any) -> Any:
        """The smallest delta of (ln level, delta)-LDP, exact.

        None for a large `Matrix` and where there are no pair tables.
        """
        if not self._shown_in_full:
            return None
        return delta(self.pair_tables, sympy.sympify(level))

    def largest_delta(self, level: Any, more: Mapping[Any, Domain] | None = None) -> str | None:
        """The largest delta in words, each part with where it counts; None where `delta` is None.

        Args:
            level: e^eps' in the algebraic variables. more: domains of symbols of its own.
        """
        if not self._shown_in_full:
            return None
        variables = {**self.mechanism.variables, **(more or {})}
        return largest_delta(
            self.pair_tables, level, variables, partial(in_epsilon, self.mechanism)
        )
