"""Coq text of an explicit `Matrix`: one lemma per cell."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy

from ldp_verified.derive import Facts, NoEstimator, free_cells
from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import (
    LDP,
    Matrix,
    Mechanism,
    MetricLDP,
    PersonalisedLDP,
    SameTable,
    Unbiased,
    f,
    n,
)
from ldp_verified.prove.coq.algebra import CoqLevel, Side, each, product, total
from ldp_verified.prove.coq.forms import COQ, OF_COUNTS, OF_EVERY_TABLE
from ldp_verified.prove.coq.restricted import delta_bound, delta_reached, pair_bounds
from ldp_verified.prove.coq.terms import NotCertifiedError, cancelled
from ldp_verified.prove.coq.theorems import Theorems

MOST_LEMMAS = 512
MANY_LEMMAS = 0
"""Beyond so many, a lemma is printed once and used wherever it is needed."""

ZERO = Side("0", sympy.Integer(0))


@COQ.rule((*OF_EVERY_TABLE, *OF_COUNTS), (TableForm.MATRIX, TableForm.LARGE))
class MatrixTheorems(Theorems):
    """Theorems about a table with every cell written down. Inputs and outputs go by position."""

    libraries: tuple[str, ...] = (
        "Sums",
        "Exponential",
        "Algebra",
        "Randomizer",
        "Users",
        "Matrix",
        "Restricted",
    )

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Matrix)
        self.form = mechanism.table
        self.d, self.m = len(self.form.rows), len(self.form.rows[0])
        if self.d * self.d * self.m > MOST_LEMMAS:
            size = f"{self.d} x {self.m}"
            raise NotCertifiedError(f"a matrix of {size} needs more than {MOST_LEMMAS} lemmas")
        self.cells = [[self.side(cell) for cell in row] for row in self.form.rows]
        self.algebra.repeats = self.d * self.d * self.m > MANY_LEMMAS
        self.facts = Facts(mechanism)

    def _rows(self, rows: list[list[str]]) -> str:
        return "[" + ";\n   ".join("[" + "; ".join(row) + "]" for row in rows) + "]"

    def table(self) -> None:
        """Define rows and randomizer; prove that it is stochastic."""
        rows = [[self.closed(cell) for cell in row] for row in self.form.rows]
        applied = self.define("rows", "list (list R)", self._rows(rows))
        self.define("", "mech nat nat", f"matrix {self.d} {self.m} {applied}")
        prove = self.algebra.inequality
        nonnegative = each(
            self.d,
            lambda x: each(
                self.m, lambda y: f"({prove(f'cell_{x}_{y}', ZERO, '<=', self.cells[x][y])})"
            ),
        )
        one = Side("1", sympy.Integer(1))
        sums = each(
            self.d,
            lambda x: f"({self.algebra.equation(f'sum_{x}', total(self.cells[x]), one)})",
        )
        self.theorem(
            "stochastic",
            f"stochastic ({self.applied})",
            f"apply matrix_stochastic; {self.goals(nonnegative, sums)}.",
        )

    def in_domain(self, variable: str) -> str:
        """Return the Coq text that a natural number is an input."""
        return f"({variable} < {self.d})%nat"

    def privacy(self, level: CoqLevel) -> None:
        """The theorem of an `LDP` claim."""
        ratio = level.ratio

        def times(cell: Side) -> Side:
            return product(ratio, cell)

        def bounded(x: int, x2: int, y: int) -> str:
            left, right = self.cells[x][y], times(self.cells[x2][y])
            return f"({self.algebra.inequality(f'ratio_{x}_{x2}_{y}', left, '<=', right)})"

        every = each(
            self.d,
            lambda x: each(self.d, lambda x2: each(self.m, lambda y: bounded(x, x2, y))),
        )
        self.theorem(
            "ldp",
            f"ldp ({self.applied}) {level.epsilon}",
            f"apply matrix_ldp with (U := {level.closed_ratio}); {self.goals(level.proof, every)}.",
        )

    def tight(self, level: CoqLevel) -> None:
        """The theorem that no smaller epsilon holds."""

        def times(cell: Side) -> Side:
            return product(level.ratio, cell)

        places = [
            (x, x2, y)
            for x in range(self.d)
            for x2 in range(self.d)
            for y in range(self.m)
            if x != x2
        ]
        reached = [
            (x, x2, y)
            for x, x2, y in places
            if self.cells[x2][y].value != 0
            and cancelled(self.cells[x][y].value - times(self.cells[x2][y]).value) == 0
        ]
        x, x2, y = (reached or places)[0]
        equal = self.algebra.equation(Kind.TIGHT, self.cells[x][y], times(self.cells[x2][y]))
        positive = self.algebra.inequality("tight_positive", ZERO, "<", self.cells[x2][y])
        self.theorem(
            Kind.TIGHT,
            f"ldp_tight ({self.applied}) {level.epsilon}",
            f"apply matrix_tight with (U := {level.closed_ratio}) (x := {x}%nat) "
            f"(x' := {x2}%nat) (y := {y}%nat); "
            + self.goals(
                level.proof,
                "ltac:(lia)",
                "ltac:(lia)",
                "ltac:(lia)",
                f"({positive})",
                f"({equal})",
            )
            + ".",
        )

    def equal_support(self) -> None:
        """Prove equal support: every cell is positive, but for columns of zeros."""

        def positive(x: int, y: int) -> str:
            if all(row[y].value == 0 for row in self.cells):
                return "(fun zero_above => False_ind _ (Rlt_irrefl _ zero_above))"
            lemma = self.algebra.inequality(f"above_{x}_{y}", ZERO, "<", self.cells[x][y])
            return f"(fun _ => {lemma})"

        below = [each(self.m, partial(positive, x)) for x in range(self.d)]
        every = each(self.d, lambda _: each(self.d, lambda x2: below[x2]))
        self.theorem(
            Kind.EQUAL_SUPPORT,
            f"equal_support ({self.applied})",
            f"apply matrix_equal_support; exact {every}.",
        )

    def classes(self) -> None:
        """The pair table lists the outputs one by one."""
        listed = []
        for table in self.form.pair_tables():
            assert table.labels is not None
            x, x2 = (self.form.inputs.index(label) for label in table.labels)
            pairs = [f"({self.closed(row.px)}, {self.closed(row.px2)})" for row in table.rows]
            cells = ";\n     ".join(pairs)
            listed.append(f"columns ({self.applied}) {x} {x2} =\n    [{cells}]")
        self.theorem("classes", " /\\\n  ".join(listed), "equations_computed.")

    def free(self) -> None:
        """Unbiasedness and variance for free cells, of a table in which two cells repeat."""
        freed = free_cells(self.mechanism)
        if freed is None:
            raise NotCertifiedError("the cells of this matrix have no free form")
        other = MatrixTheorems(freed, self.algebra.attempt)
        other.table()
        other.claims()
        self.absorb(other)
        names = [name for key in other.settles for name in other.settles[key] if key[0] is not None]
        self.settles[self.doing] = names

    def restricted(self, claim: LDP | MetricLDP | PersonalisedLDP) -> None:
        """The theorem of a bound with a delta, by distance, or within a region."""
        if isinstance(claim, LDP):
            delta_bound(self, claim)
        else:
            pair_bounds(self, claim)

    def tight_delta(self, claim: LDP) -> None:
        """The theorem that no smaller delta holds."""
        delta_reached(self, claim)

    def same(self, claim: SameTable) -> None:
        """Prove that every cell is that of the other table."""
        other = claim.table
        if not isinstance(other, Matrix) or len(other.rows) != self.d:
            raise NotCertifiedError(f"{claim.describe()}: tables of different forms")
        if len(other.rows[0]) != self.m:
            raise NotCertifiedError(f"{claim.describe()}: tables of different sizes")
        rows = [[self.closed(cell) for cell in row] for row in other.rows]
        cells = [[self.side(cell) for cell in row] for row in other.rows]

        def equal(x: int, y: int) -> str:
            return f"({self.algebra.equation(f'same_{x}_{y}', self.cells[x][y], cells[x][y])})"

        proof = each(self.d, lambda x: each(self.m, lambda y: equal(x, y)))
        self.theorem(
            Kind.SAME_TABLE,
            f"same_table ({self.applied})\n  (matrix {self.d} {self.m}\n  {self._rows(rows)})",
            f"apply matrix_same; exact {proof}.",
        )

    def written(self, claim: Unbiased) -> None:
        """The theorem of an `Unbiased` claim with written weights."""
        if self.form.support is None:
            raise NotCertifiedError("written weights, where no output supports a value")
        weights = [
            [claim.supported if x in values else claim.otherwise for values in self.form.support]
            for x in self.form.inputs
        ]
        rows = [[self.closed(w) for w in row] for row in weights]
        applied = self.define("written", "list (list R)", self._rows(rows))
        self.theorem(
            Kind.UNBIASED,
            f"unbiased_counts ({self.applied}) (cell {applied})",
            "apply matrix_unbiased; "
            + self.goals(self.fact("stochastic"), self._inverse(weights))
            + ".",
        )

    def _inverse(self, weights: list[list[Any]]) -> str:
        """The proof that the weights are a left inverse of the matrix."""

        def inverse(v: int, x: int) -> str:
            pairs = zip(self.cells[x], weights[v], strict=True)
            left = total([product(c, self.side(w)) for c, w in pairs])
            right = Side(str(int(x == v)), sympy.Integer(int(x == v)))
            return f"({self.algebra.equation(f'inverse_{v}_{x}', left, right)})"

        return each(self.d, lambda v: each(self.d, lambda x: inverse(v, x)))

    def _weights(self) -> list[list[Any]]:
        """The derived estimator, defined on the first call."""
        found = self.facts.estimator
        if isinstance(found, NoEstimator):
            raise NotCertifiedError(f"no unbiased linear estimator exists: {found.reason}")
        if found.matrix is None:
            raise NotCertifiedError("the estimator has too many weights to be written out")
        matrix: list[list[Any]] = found.matrix.tolist()
        if not hasattr(self, "inverse"):
            spelling = self.parameters.closed_with_generator
            rows = [[spelling.real(w) for w in row] for row in matrix]
            applied = self.define("weights", "list (list R)", self._rows(rows))
            self.define("weight", "nat -> nat -> R", f"cell {applied}")
            self.inverse = self._inverse(matrix)
        return matrix

    def _side(self, value: Any) -> Side:
        return self.algebra.side(value)

    def unbiased(self) -> None:
        """The theorem of an `Unbiased` claim."""
        self._weights()
        self.theorem(
            Kind.UNBIASED,
            f"unbiased_counts ({self.applied}) ({self.at(self.name + '_weight')})",
            f"apply matrix_unbiased; {self.goals(self.fact('stochastic'), self.inverse)}.",
        )

    def _spread(self) -> tuple[Any, Any]:
        """Variance per user of the estimate of the own value, and of another's."""
        if self.facts.variance is None:
            raise NotCertifiedError("the variance depends on more than the share of one value")
        other = sympy.factor(sympy.cancel((self.facts.variance / n).subs(f, 0)))
        own = sympy.factor(sympy.cancel((self.facts.variance / n).subs(f, 1)))
        return own, other

    def variance_form(self) -> tuple[str, tuple[str, ...]]:
        """(tactic that proves the library's variance, tactics with which its algebra begins)."""
        weights = self._weights()
        own, other = self._spread()
        if not hasattr(self, "second"):

            def second(v: int, x: int) -> str:
                terms = []
                for c, w in zip(self.cells[x], weights[v], strict=True):
                    side = self._side(w)
                    terms.append(product(c, product(side, side)))
                value = self._side(own if x == v else other)
                if x == v:
                    value = Side(f"{value.atom()} + 1", own + 1)
                return f"({self.algebra.equation(f'second_{v}_{x}', total(terms), value)})"

            self.second = each(self.d, lambda v: each(self.d, lambda x: second(v, x)))
        spelling = self.parameters.closed_with_generator
        named = f"(own := {spelling.real(own)}) (other := {spelling.real(other)})"
        goals = self.goals(self.fact("stochastic"), self.inverse, self.second)
        return f"eapply matrix_variance with {named}; {goals}", ()

    def variance_side(self, share: Side) -> Side:
        """The library's variance of a count."""
        own, other = (self._side(value) for value in self._spread())
        text = f"n * ({share.atom()} * {own.atom()} + (1 - {share.atom()}) * {other.atom()})"
        value = n * (share.value * own.value + (1 - share.value) * other.value)
        return Side(text, value)
