"""Coq text of a `Density` itself: intervals, atoms, moments, and that it is a density."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.language import (
    Density,
    Domain,
    Mechanism,
)
from ldp_verified.prove.coq.algebra import Side, bounds
from ldp_verified.prove.coq.line_theorems import LineTheorems
from ldp_verified.prove.coq.terms import NotCertifiedError

ZERO = Side("0", sympy.Integer(0))
ONE = Side("1", sympy.Integer(1))
HERE = ("x",)
BOTH = ("x", "x'")


@dataclass(frozen=True)
class PrintedLaw:
    """A density over the real variables.

    Attributes:
        pieces: (low, high, level) of each interval. atoms: (location, mass) of each.
    """

    pieces: tuple[tuple[Side, Side, Side], ...]
    atoms: tuple[tuple[Side, Side], ...]

    @property
    def text(self) -> str:
        """The lists of pieces and of atoms, as arguments in Coq."""
        return f"{listed(self.pieces)} {listed(self.atoms)}"

    @property
    def parts(self) -> tuple[Any, ...]:
        """Everything that the lists are made of."""
        return tuple(side.value for entry in (*self.pieces, *self.atoms) for side in entry)

    def moment(self, exponent: int) -> Side:
        """E[y^exponent], as the library has it."""
        value = sum(
            (
                level.value * (high.value ** (exponent + 1) - low.value ** (exponent + 1))
                for low, high, level in self.pieces
            ),
            sympy.Integer(0),
        ) / (exponent + 1)
        value += sum(mass.value * place.value**exponent for place, mass in self.atoms)
        return Side(f"law_moment {self.text} {exponent}", value, self.parts)

    def variance(self) -> Side:
        """The variance, as the library has it."""
        value = self.moment(2).value - self.moment(1).value ** 2
        return Side(f"law_variance {self.text}", value, self.parts)


def listed(entries: Sequence[Sequence[Side]]) -> str:
    """A list of tuples."""
    return "[" + "; ".join(f"({', '.join(side.text for side in e)})" for e in entries) + "]"


def conjunction(proofs: Sequence[str]) -> str:
    """The proof of a right-nested conjunction that ends in True."""
    term = "I"
    for proof in reversed(proofs):
        term = f"(conj {proof} {term})"
    return term


def before(*sides: Side) -> str:
    """The tactic with which the algebra of moments begins."""
    return "moments." if any("law_" in side.text for side in sides) else ""


def member(position: int) -> str:
    """Return the Coq proof that the entry at a position is in its list."""
    return "(or_intror " * position + "(or_introl eq_refl)" + ")" * position


class DensityTable(LineTheorems):
    """A density as Coq has it: its definition, laws and moments, and that it is one."""

    libraries: tuple[str, ...] = ("Sums", "Exponential", "Algebra", "Line")

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Density)
        self.form = mechanism.table
        self.x, self.x2 = self.form.value, sympy.Dummy("x2")
        self.spelled = self.parameters.closed.with_atom(self.x, "x")
        self.algebra.spelling = self.parameters.open.with_atom(self.x, "x").with_atom(self.x2, "x'")
        self._laws: dict[Any, PrintedLaw] = {}
        self._known: dict[tuple[str, str], str] = {}

    # What is printed of the table.

    def table(self) -> None:
        """Define the density; prove that it is one, on the same interval for every input."""
        self._define("", self.form)
        self._chained()
        here = self.law()
        levels = [
            self._inequality(f"level_{i}", ZERO, "<=", p[2], HERE)
            for i, p in enumerate(here.pieces)
        ]
        masses = [
            self._inequality(f"mass_{i}", ZERO, "<=", a[1], HERE) for i, a in enumerate(here.atoms)
        ]
        total = self._equation("total", here.moment(0), ONE, HERE)
        self.theorem(
            "stochastic",
            f"line_stochastic ({self.applied})",
            "intros x [x_lower x_upper].",
            f"exact (conj {conjunction(levels)} (conj {conjunction(masses)} {total})).",
        )

    def _define(self, suffix: str, form: Density) -> str:
        """The two lists and the density; its applied name."""
        spelling = self.spelled

        def entries(parts: Sequence[Sequence[Any]]) -> str:
            shown = [f"({', '.join(map(spelling.real, part))})" for part in parts]
            return "fun x => [" + ";\n    ".join(shown) + "]"

        join = f"{suffix}_" if suffix else ""
        steps = entries([(p.low, p.high, p.level) for p in form.pieces])
        atoms = entries([(a.location, a.mass) for a in form.atoms])
        steps = self.define(f"{join}steps", "R -> list (R * R * R)", steps)
        atoms = self.define(f"{join}atoms", "R -> list (R * R)", atoms)
        ((_, inputs),) = bounds({self.x: form.value.domain}, spelling)
        within = " /\\ ".join(inputs)
        return self.define(suffix, "line", f"Line (fun x => {within}) {steps} {atoms}")

    def _chained(self) -> None:
        """Prove that intervals follow each other, from the same start to the same stop."""
        pieces = self.form.pieces
        ends = (pieces[0].low, pieces[-1].high) if pieces else (sympy.Integer(0),) * 2
        if any(end.has(self.x) for end in ends):
            raise NotCertifiedError("the interval of the outputs depends on the input")
        proofs = []
        before = None
        for i, (low, high, _) in enumerate(self.law().pieces):
            joined = "eq_refl"
            if before is not None:
                joined = self._equation(f"joined_{i}", low, before, HERE)
            proofs += [joined, self._inequality(f"width_{i}", low, "<=", high, HERE)]
            before = high
        term = "eq_refl"
        for proof in reversed(proofs):
            term = f"(conj {proof} {term})"
        self.theorem(
            "chained",
            f"line_chained ({self.applied}) {' '.join(map(self.closed_atom, ends))}",
            "intros x [x_lower x_upper].",
            f"exact {term}.",
        )

    # Sides, and lemmas over one or two inputs.

    def law(self, at: Any = None, form: Density | None = None) -> PrintedLaw:
        """The lists at an input: x, unless another is given."""
        form = form or self.form
        key = (form.pieces, form.atoms, at)
        if key not in self._laws:
            self._laws[key] = self._law(at, form)
        return self._laws[key]

    def _law(self, at: Any, form: Density) -> PrintedLaw:
        def side(value: Any) -> Side:
            return self.placed(value, at)

        return PrintedLaw(
            tuple((side(p.low), side(p.high), side(p.level)) for p in form.pieces),
            tuple((side(a.location), side(a.mass)) for a in form.atoms),
        )

    def placed(self, value: Any, at: Any = None) -> Side:
        """An expression of the table at an input, written as it stands."""
        algebraic = self.mechanism.algebraic("table", value)
        if at is None:
            return Side(self.algebra.spelling.real(value), algebraic)
        spelling = self.algebra.spelling
        return Side(
            spelling.with_atom(self.x, spelling.atom(at)).real(value), algebraic.subs(self.x, at)
        )

    def _over(self, inputs: Sequence[str]) -> dict[Any, Domain]:
        return dict.fromkeys((self.x, self.x2)[: len(inputs)], self.x.domain)

    def _applied(self, lemma: str, inputs: Sequence[str]) -> str:
        if not inputs:
            return f"({lemma})"
        p = self.parameters
        given = [f"{x}_{side}" for x in inputs for side in ("lower", "upper")]
        return f"({' '.join([lemma, *p.arguments, *inputs, *p.evidence, *given])})"

    def _equation(self, name: str, left: Side, right: Side, inputs: Sequence[str]) -> str:
        rewriting = before(left, right)
        found = self.algebra.equation(name, left, right, rewriting, self._over(inputs))
        return self._applied(found, inputs)

    def _inequality(
        self,
        name: str,
        left: Side,
        relation: str,
        right: Side,
        inputs: Sequence[str],
    ) -> str:
        key = (f"{left.text} {relation} {right.text}", " ".join(inputs))
        if key not in self._known:
            over = self._over(inputs)
            found = self.algebra.inequality(name, left, relation, right, before(left, right), over)
            self._known[key] = self._applied(found, inputs)
        return self._known[key]
