"""Coq text of a `Design`: its structure is balanced, so the library's theorems apply."""

from __future__ import annotations

import sympy

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import (
    Blocks,
    Design,
    Mechanism,
    SameTable,
    Singletons,
    Unbiased,
)
from ldp_verified.language.structures import hashing
from ldp_verified.prove.coq.algebra import CoqLevel, Side
from ldp_verified.prove.coq.forms import COQ, OF_COUNTS, OF_EVERY_TABLE
from ldp_verified.prove.coq.structures import counts_of, structure_of
from ldp_verified.prove.coq.supports import apart, support_variance, weighted
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.coq.theorems import Theorems

NUMBERS = ("blocks", "containing", "together", "inside", "outside")


CONDITIONAL = "every structure with the stated counts; that there is one is no theorem"
"""What a verdict says its theorems are about, for a design whose structure the library lacks."""


@COQ.rule((*OF_EVERY_TABLE, *OF_COUNTS), (TableForm.DESIGN,))
class DesignTheorems(Theorems):
    """Theorems about two probabilities over a balanced incidence structure."""

    libraries: tuple[str, ...] = (
        "Sums",
        "Exponential",
        "Algebra",
        "Randomizer",
        "Users",
        "Support",
        "Design",
    )

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Design)
        self.form = mechanism.table
        self.sides = {name: self.side(getattr(self.form, name)) for name in NUMBERS}
        self.concrete = isinstance(self.form.structure, Blocks)
        self.values, self.outputs, self.contains, self.report = self._structure()
        self._apart_proof = self._fewer_proof = ""

    def _structure(self) -> tuple[str, str, str, str]:
        """(number of values, outputs, membership, type of a report) as Coq terms."""
        structure = self.form.structure
        if isinstance(structure, Blocks):
            listed = "; ".join(
                f"[{'; '.join(str(x) for x in sorted(block))}]" for block in structure.blocks
            )
            name = f"{self.name}_listed"
            self.definitions.append(f"Definition {name} : list (list nat) :=\n  [{listed}]%nat.")
            outputs = f"(seq 0 (length {name}))"
            return str(structure.values), outputs, f"(listed_contains {name})", "nat"
        found = structure_of(structure, self.parameters.natural)
        if found is None:
            return self._any_structure()
        self.concrete = True
        self.libraries = (*self.libraries, *found.library)
        return found.values, found.outputs, found.contains, found.report

    def _any_structure(self) -> tuple[str, str, str, str]:
        """No concrete blocks: quantify over every structure with the stated counts."""
        self.conditional = CONDITIONAL
        p = self.parameters
        p.binders += [
            "(report : Type)",
            "(values : nat)",
            "(structure : list report)",
            "(contains : nat -> report -> bool)",
        ]
        p.names += ["report", "values", "structure", "contains"]
        counts = " ".join(p.closed.atom(getattr(self.form, name)) for name in NUMBERS[:3])
        p.hypotheses += [
            ("values_lower", "(2 <= values)%nat"),
            ("structure_balanced", f"balanced values structure contains {counts}"),
        ]
        return "values", "structure", "contains", "report"

    def table(self) -> None:
        """Define the numbers, the randomizer and the weight; prove balance and stochasticity."""
        applied = {
            name: self.define(name, "R", self.closed(getattr(self.form, name))) for name in NUMBERS
        }
        self.applied_numbers = applied
        cells = f"{applied['inside']} {applied['outside']}"
        self.define(
            "",
            f"mech nat {self.report}",
            f"design {self.values} {self.outputs} {self.contains} {cells}",
        )
        self.define(
            "weight",
            f"nat -> {self.report} -> R",
            f"support_weight {self.contains} (design_p {applied['containing']} {applied['inside']})"
            f"\n    (design_q {applied['containing']} {applied['together']} {cells})",
        )
        self._balance()
        zero = Side("0", sympy.Integer(0))
        inside, outside = self.sides["inside"], self.sides["outside"]
        self.positive = {
            name: f"({self.algebra.inequality(name, zero, '<', self.sides[name])})"
            for name in ("inside", "outside")
        }
        b, r = self.sides["blocks"], self.sides["containing"]
        total = Side(
            f"{r.atom()} * {inside.atom()} + ({b.atom()} - {r.atom()}) * {outside.atom()}",
            r.value * inside.value + (b.value - r.value) * outside.value,
        )
        sums = self.algebra.equation("sum", total, Side("1", sympy.Integer(1)))
        self.theorem(
            "stochastic",
            f"stochastic ({self.applied})",
            "eapply design_stochastic; "
            + self.goals(
                self.fact("balanced"),
                f"(Rlt_le _ _ {self.positive['inside']})",
                f"(Rlt_le _ _ {self.positive['outside']})",
                f"({sums})",
            )
            + ".",
        )

    def _counted(self) -> tuple[list[Side], str]:
        """Return the counts of the structure's blocks, and the library's proof of them."""
        structure = self.form.structure
        if isinstance(structure, Blocks):
            b = len(structure.blocks)
            once = sum(0 in block for block in structure.blocks)
            twice = sum({0, 1} <= block for block in structure.blocks)
            given = f"{structure.values} {b} {once} {twice} {self.name}_listed"
            proof = f"(listed_balanced {given} eq_refl)"
            return [self.algebra.side(sympy.Integer(count)) for count in (b, once, twice)], proof
        *counted, proof = counts_of(structure, self.parameters, self.algebra.side)
        return counted, proof

    @property
    def _fixed_singletons(self) -> bool:
        structure = self.form.structure
        return isinstance(structure, Singletons) and bool(structure.values.is_Integer)

    def _balance(self) -> None:
        applied = " ".join(self.applied_numbers[name] for name in NUMBERS[:3])
        statement = f"balanced {self.values} {self.outputs} {self.contains}\n    {applied}"
        if not self.concrete:
            self.theorem("balanced", statement, "exact structure_balanced.")
            return
        counted, proof = self._counted()
        listed = isinstance(self.form.structure, Blocks)
        equations = []
        for name, found in zip(NUMBERS[:3], counted, strict=True):
            term = f"({self.algebra.equation(name, found, self.sides[name])})"
            # A count that is a numeral is INR of a natural number there and a real number here.
            natural = listed or (name == "blocks" and self._fixed_singletons)
            equations.append(f"(eq_trans (INR_IZR_INZ {found.text}) {term})" if natural else term)
        self.theorem(
            "balanced",
            statement,
            f"eapply balanced_counts; {self.goals(proof, *equations)}.",
        )

    def in_domain(self, variable: str) -> str:
        """Return the Coq text that a natural number is an input."""
        return f"({variable} < {self.values})%nat"

    def privacy(self, level: CoqLevel) -> None:
        """The theorem of an `LDP` claim."""
        inside, outside = self.sides["inside"], self.sides["outside"]
        ratio = level.ratio

        def times(cell: Side) -> Side:
            return Side(f"{ratio.atom()} * {cell.atom()}", ratio.value * cell.value)

        prove = self.algebra.inequality
        at_least_1 = prove("level_at_least_1", Side("1", sympy.Integer(1)), "<=", ratio)
        up = prove(Kind.RATIO, inside, "<=", times(outside))
        down = prove("inverse_ratio", outside, "<=", times(inside))
        self.theorem(
            "ldp",
            f"ldp ({self.applied}) {level.epsilon}",
            f"eapply design_ldp with (U := {level.closed_ratio}); "
            + self.goals(
                level.proof,
                f"({at_least_1})",
                f"(Rlt_le _ _ {self.positive['inside']})",
                f"(Rlt_le _ _ {self.positive['outside']})",
                f"({up})",
                f"({down})",
            )
            + ".",
        )

    def _fewer(self) -> str:
        """The proof of lambda < r: some block tells two values apart."""
        if not self._fewer_proof:
            r, both = self.sides["containing"], self.sides["together"]
            self._fewer_proof = f"({self.algebra.inequality('together_below', both, '<', r)})"
        return self._fewer_proof

    def tight(self, level: CoqLevel) -> None:
        """The theorem that no smaller epsilon holds."""
        inside, outside = self.sides["inside"], self.sides["outside"]
        ratio = level.ratio

        def times(cell: Side) -> Side:
            return Side(f"{ratio.atom()} * {cell.atom()}", ratio.value * cell.value)

        fewer = self._fewer()
        swapped = sympy.cancel(sympy.together(outside.value - ratio.value * inside.value)) == 0
        large, small = (outside, inside) if swapped else (inside, outside)
        equal = self.algebra.equation(Kind.TIGHT, large, times(small))
        lemma = "design_tight_outside" if swapped else "design_tight"
        self.theorem(
            Kind.TIGHT,
            f"ldp_tight ({self.applied}) {level.epsilon}",
            f"eapply {lemma} with (U := {level.closed_ratio}); "
            + self.goals(
                self.fact("balanced"),
                level.proof,
                "ltac:(lia)",
                fewer,
                self.positive["inside" if swapped else "outside"],
                f"({equal})",
            )
            + ".",
        )

    def _support(self) -> tuple[Side, Side]:
        """design_p and design_q."""
        r, both = self.sides["containing"], self.sides["together"]
        inside, outside = self.sides["inside"], self.sides["outside"]
        p_star = Side(f"design_p {r.atom()} {inside.atom()}", r.value * inside.value)
        q_star = Side(
            f"design_q {r.atom()} {both.atom()} {inside.atom()} {outside.atom()}",
            both.value * inside.value + (r.value - both.value) * outside.value,
        )
        return p_star, q_star

    def _apart(self) -> str:
        """Prove p* - q* = its factored form, which is not 0. Returns the latter's proof."""
        if not self._apart_proof:
            p_star, q_star = self._support()
            self._apart_proof = apart(self, p_star, q_star, "unfold design_p, design_q.")
        return self._apart_proof

    def variance_form(self) -> tuple[str, tuple[str, ...]]:
        """(tactic that proves the library's variance, tactics with which its algebra begins)."""
        proof = self._apart()
        goals = self.goals(self.fact("balanced"), self.fact("stochastic"), proof)
        tactic = f"eapply design_variance; {goals}"
        rewriting = self.algebra.rewriting("spread")
        return tactic, ("unfold support_variance.", rewriting, "unfold design_p, design_q.")

    def variance_side(self, share: Side) -> Side:
        """The library's variance of a count."""
        return support_variance(*self._support(), share)

    def equal_support(self) -> None:
        """Prove equal support: both cells are positive."""
        self.theorem(
            Kind.EQUAL_SUPPORT,
            f"equal_support ({self.applied})",
            "apply design_equal_support; "
            + self.goals(self.positive["inside"], self.positive["outside"])
            + ".",
        )

    def classes(self) -> None:
        """Return how many blocks hold both, one or none of two values."""
        if not self.concrete:
            raise NotCertifiedError("there is no concrete structure to count")
        counts = " ".join(self.applied_numbers[name] for name in NUMBERS[:3])
        self.theorem(
            "classes",
            f"pair_classes {self.values} {self.outputs} {self.contains}\n    {counts}",
            f"apply balanced_classes. exact {self.fact('balanced')}.",
        )

    def free(self) -> None:
        """Unbiasedness and variance over the same structure, for any two different cells."""
        counts = [self.applied_numbers[name] for name in NUMBERS[:3]]
        b, r, both = counts
        premises = (
            "forall inside outside, 0 <= inside -> 0 <= outside -> inside <> outside ->\n"
            f"  {r} * inside + ({b} - {r}) * outside = 1 ->\n"
        )
        support = f"(design_p {r} inside) (design_q {r} {both} inside outside)"
        made = f"(design {self.values} {self.outputs} {self.contains} inside outside)"
        weight = f"(support_weight {self.contains} {support})"
        steps = (
            "intros inside outside inside_lower outside_lower distinct total.",
            "{lemma}; "
            + self.goals(
                self.fact("balanced"),
                self._fewer(),
                "inside_lower",
                "outside_lower",
                "distinct",
                "total",
            )
            + ".",
        )
        for suffix, lemma, conclusion in (
            ("free_unbiased", "design_free_unbiased", f"unbiased_counts {made}\n    {weight}"),
            (
                "free_variance",
                "design_free_variance",
                f"count_variance {made}\n    {weight}\n    (support_variance {support})",
            ),
        ):
            first, second = steps
            self.theorem(
                suffix,
                f"{premises}  {conclusion}",
                first,
                second.replace("{lemma}", f"eapply {lemma}"),
            )

    def same(self, claim: SameTable) -> None:
        """Prove that both cells are those of the other table, over the same structure."""
        other = claim.table
        if not isinstance(other, Design) or hashing(other.structure) != hashing(
            self.form.structure
        ):
            raise NotCertifiedError(f"{claim.describe()}: tables over different structures")
        if not self.concrete:
            raise NotCertifiedError(f"{claim.describe()}: no concrete structure")
        cells = [self.side(other.inside), self.side(other.outside)]
        proofs = [
            f"({self.algebra.equation(f'same_{name}', self.sides[name], cell)})"
            for name, cell in zip(("inside", "outside"), cells, strict=True)
        ]
        named = " ".join(f"({self.closed(c)})" for c in (other.inside, other.outside))
        self.theorem(
            Kind.SAME_TABLE,
            f"same_table ({self.applied})\n"
            f"    (design {self.values} {self.outputs} {self.contains} {named})",
            f"apply design_same; {self.goals(*proofs)}.",
        )

    def written(self, claim: Unbiased) -> None:
        """The theorem of an `Unbiased` claim with written weights."""
        p_star, q_star = self._support()
        one, nothing = Side("1", sympy.Integer(1)), Side("0", sympy.Integer(0))
        equations = weighted(self, claim, (p_star, one), (q_star, nothing))
        supported, otherwise = self.written_weights(claim)
        self.theorem(
            Kind.UNBIASED,
            f"unbiased_counts ({self.applied})\n"
            f"    (written_weight {self.contains} {supported} {otherwise})",
            "eapply design_written; "
            + self.goals(self.fact("balanced"), self.fact("stochastic"), *equations)
            + ".",
        )

    def unbiased(self) -> None:
        """The theorem of an `Unbiased` claim."""
        proof = self._apart()
        self.theorem(
            Kind.UNBIASED,
            f"unbiased_counts ({self.applied}) ({self.at(self.name + '_weight')})",
            "eapply design_unbiased; "
            + self.goals(self.fact("balanced"), self.fact("stochastic"), proof)
            + ".",
        )
