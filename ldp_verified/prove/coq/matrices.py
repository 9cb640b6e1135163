"""Coq text of an explicit `Matrix`: one lemma per cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from ldp_verified.derive import Facts, NoEstimator
from ldp_verified.language import Matrix, Mechanism, f, n
from ldp_verified.prove.coq.algebra import Side
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.coq.theorems import Level, Theorems

MOST_LEMMAS = 512
ZERO = Side("0", sympy.Integer(0))


class MatrixTheorems(Theorems):
    """Theorems about a table with every cell written down. Inputs and outputs go by position."""

    libraries = ("Sums", "Exponential", "Algebra", "Randomizer", "Users", "Matrix")

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Matrix)
        self.form = mechanism.table
        self.d, self.m = len(self.form.rows), len(self.form.rows[0])
        if self.d * self.d * self.m > MOST_LEMMAS:
            size = f"{self.d} x {self.m}"
            raise NotCertifiedError(f"a matrix of {size} needs more than {MOST_LEMMAS} lemmas")
        self.cells = [[self.side(cell) for cell in row] for row in self.form.rows]
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
        """That a natural number is an input."""
        return f"({variable} < {self.d})%nat"

    def privacy(self, level: Level, tight: bool) -> None:
        """The theorems of an `LDP` claim."""
        ratio = level.ratio

        def times(cell: Side) -> Side:
            return Side(f"{ratio.atom()} * {cell.atom()}", ratio.value * cell.value)

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
        if tight:
            self._tight(level, times)

    def _tight(self, level: Level, times: Callable[[Side], Side]) -> None:
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
            and sympy.cancel(
                sympy.together(self.cells[x][y].value - times(self.cells[x2][y]).value)
            )
            == 0
        ]
        x, x2, y = (reached or places)[0]
        equal = self.algebra.equation("tight", self.cells[x][y], times(self.cells[x2][y]))
        positive = self.algebra.inequality("tight_positive", ZERO, "<", self.cells[x2][y])
        self.theorem(
            "tight",
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

    def _weights(self) -> list[list[Any]]:
        """The derived estimator, defined on the first call."""
        found = self.facts.estimator
        if isinstance(found, NoEstimator):
            raise NotCertifiedError(f"no unbiased linear estimator exists: {found.reason}")
        matrix: list[list[Any]] = found.matrix.tolist()
        if not hasattr(self, "inverse"):
            generator = self.mechanism.generator
            spelling = self.parameters.closed
            if generator.eps is not None:
                spelling = spelling.with_atom(
                    generator.symbol, f"({self.parameters.closed_generator})"
                )
            rows = [[spelling.real(w) for w in row] for row in matrix]
            applied = self.define("weights", "list (list R)", self._rows(rows))
            self.define("weight", "nat -> nat -> R", f"cell {applied}")

            def inverse(v: int, x: int) -> str:
                pairs = zip(self.cells[x], matrix[v], strict=True)
                left = total([product(c, self._side(w)) for c, w in pairs])
                right = Side(str(int(x == v)), sympy.Integer(int(x == v)))
                return f"({self.algebra.equation(f'inverse_{v}_{x}', left, right)})"

            self.inverse = each(self.d, lambda v: each(self.d, lambda x: inverse(v, x)))
        return matrix

    def _side(self, value: Any) -> Side:
        return self.algebra.side(value)

    def unbiased(self) -> None:
        """The theorem of an `Unbiased` claim."""
        self._weights()
        self.theorem(
            "unbiased",
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

    def variance_form(self) -> tuple[str, str]:
        """(tactic that proves the library's variance, statement steps of the algebra)."""
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
        generator = self.mechanism.generator
        spelling = self.parameters.closed
        if generator.eps is not None:
            spelling = spelling.with_atom(generator.symbol, f"({self.parameters.closed_generator})")
        named = f"(own := {spelling.real(own)}) (other := {spelling.real(other)})"
        goals = self.goals(self.fact("stochastic"), self.inverse, self.second)
        return f"eapply matrix_variance with {named}; {goals}", ""

    def variance_side(self, share: Side) -> Side:
        """The library's variance of a count."""
        own, other = (self._side(value) for value in self._spread())
        text = f"n * ({share.atom()} * {own.atom()} + (1 - {share.atom()}) * {other.atom()})"
        value = n * (share.value * own.value + (1 - share.value) * other.value)
        return Side(text, value)


def each(size: int, proof: Callable[[int], str]) -> str:
    """The proof of `each size P` from proofs of P 0, P 1, ..."""
    term = "I"
    for position in range(size):
        term = f"(conj {term} {proof(position)})"
    return term


def total(terms: list[Side]) -> Side:
    """The sum over a list as the library unfolds it: a + (b + 0)."""
    text = "0"
    for term in reversed(terms):
        text = f"{term.atom()} + ({text})" if text != "0" else f"{term.atom()} + 0"
    return Side(text, sum(term.value for term in terms))


def product(left: Side, right: Side) -> Side:
    """The product of two sides."""
    return Side(f"{left.atom()} * {right.atom()}", left.value * right.value)
