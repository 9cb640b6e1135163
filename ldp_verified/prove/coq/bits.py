"""Coq text of `Bits` over a one-hot encoder."""

from __future__ import annotations

from typing import Any

import sympy

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import LDP, Bits, Domain, Mechanism, Optimal, SameTable, Unbiased, n
from ldp_verified.prove.coq.algebra import CoqLevel, Side
from ldp_verified.prove.coq.forms import COQ, OF_COUNTS, OF_EVERY_TABLE
from ldp_verified.prove.coq.supports import apart, support_variance, weighted
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.coq.theorems import Theorems

ONE, ZERO = Side("1", sympy.Integer(1)), Side("0", sympy.Integer(0))


@COQ.rule((*OF_EVERY_TABLE, *OF_COUNTS), (TableForm.BITS,))
class BitsTheorems(Theorems):
    """Theorems about one-hot bits that are randomized independently."""

    libraries = (
        "Sums",
        "Exponential",
        "Algebra",
        "Randomizer",
        "Users",
        "Support",
        "Bits",
        "OneHot",
        "TwoBits",
    )

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Bits)
        self.form = mechanism.table
        self.one, self.zero = self.side(self.form.one), self.side(self.form.zero)
        self.values = self.parameters.natural(self.form.encoder.values)
        self._apart_proof = ""

    def table(self) -> None:
        """Define both cells, the randomizer and the weight; prove that it is stochastic."""
        one = self.define("one", "R", self.closed(self.form.one))
        zero = self.define("zero", "R", self.closed(self.form.zero))
        self.define("", "mech nat (list bool)", f"one_hot_bits {self.values} {one} {zero}")
        self.define("weight", "nat -> list bool -> R", f"support_weight bit_support {one} {zero}")
        prove = self.algebra.inequality
        # Which of the two cells is the smaller one: "zero" where nothing says otherwise.
        self.swapped = self.algebra.certifies(self.one, "<", self.zero)
        self.low, self.high = (self.one, self.zero) if self.swapped else (self.zero, self.one)
        names = ("one", "zero") if self.swapped else ("zero", "one")
        ordered = prove("ordered", self.low, "<", self.high)
        self.above_zero = f"({prove(names[0], ZERO, '<', self.low)})"
        self.ordered = f"({ordered})"
        self.below_one = f"({prove(names[1], self.high, '<', ONE)})"
        self.high_above = f"(Rlt_trans _ _ _ {self.above_zero} {self.ordered})"
        self.low_below = f"(Rlt_trans _ _ _ {self.ordered} {self.below_one})"
        high = f"(conj (Rlt_le _ _ {self.high_above}) (Rlt_le _ _ {self.below_one}))"
        low = f"(conj (Rlt_le _ _ {self.above_zero}) (Rlt_le _ _ {self.low_below}))"
        self.ranges = (low, high) if self.swapped else (high, low)
        self.theorem(
            "stochastic",
            f"stochastic ({self.applied})",
            f"apply one_hot_stochastic; {self.goals(*self.ranges)}.",
        )

    def in_domain(self, variable: str) -> str:
        """Return the Coq text that a natural number is an input."""
        return f"({variable} < {self.values})%nat"

    def _odds(self, ratio: Side) -> tuple[Side, Side]:
        """high (1 - low) and ratio (low (1 - high))."""
        high, low = self.high, self.low
        left = Side(f"{high.atom()} * (1 - {low.atom()})", high.value * (1 - low.value))
        right = Side(
            f"{ratio.atom()} * ({low.atom()} * (1 - {high.atom()}))",
            ratio.value * low.value * (1 - high.value),
        )
        return left, right

    def privacy(self, level: CoqLevel) -> None:
        """The theorem of an `LDP` claim."""
        left, right = self._odds(level.ratio)
        ratio = self.algebra.inequality(Kind.RATIO, left, "<=", right)
        lemma = "one_hot_ldp_swapped" if self.swapped else "one_hot_ldp"
        self.theorem(
            "ldp",
            f"ldp ({self.applied}) {level.epsilon}",
            f"apply {lemma} with (U := {level.closed_ratio}); "
            + self.goals(level.proof, self.above_zero, self.ordered, self.below_one, f"({ratio})")
            + ".",
        )

    def tight(self, level: CoqLevel) -> None:
        """The theorem that no smaller epsilon holds."""
        equal = self.algebra.equation(Kind.TIGHT, *self._odds(level.ratio))
        lemma = "one_hot_tight_swapped" if self.swapped else "one_hot_tight"
        self.theorem(
            Kind.TIGHT,
            f"ldp_tight ({self.applied}) {level.epsilon}",
            f"apply {lemma} with (U := {level.closed_ratio}); "
            + self.goals(
                level.proof,
                "ltac:(lia)",
                self.above_zero,
                self.low_below,
                self.high_above,
                self.below_one,
                f"({equal})",
            )
            + ".",
        )

    def equal_support(self) -> None:
        """Prove equal support: both cells lie strictly between 0 and 1."""
        low, high = (
            f"(conj {above} {below})"
            for above, below in (
                (self.above_zero, self.low_below),
                (self.high_above, self.below_one),
            )
        )
        ranges = (low, high) if self.swapped else (high, low)
        self.theorem(
            Kind.EQUAL_SUPPORT,
            f"equal_support ({self.applied})",
            f"apply one_hot_equal_support; {self.goals(*ranges)}.",
        )

    def classes(self) -> None:
        """Prove the classes of two values' bits, and that nothing else tells reports apart."""
        one, zero = (f"({self.at(f'{self.name}_{cell}')})" for cell in ("one", "zero"))
        self.theorem(
            "classes",
            f"bit_classes {self.values} {one} {zero}",
            "apply one_hot_classes.",
        )

    def free(self) -> None:
        """Unbiasedness and variance for any two different cells."""
        premises = "forall one zero, 0 <= one <= 1 -> 0 <= zero <= 1 -> one <> zero ->\n"
        made = f"(one_hot_bits {self.values} one zero)"
        weight = "(support_weight bit_support one zero)"
        for suffix, conclusion in (
            ("free_unbiased", f"unbiased_counts {made} {weight}"),
            ("free_variance", f"count_variance {made} {weight} (support_variance one zero)"),
        ):
            lemma = suffix.replace("free", "one_hot")
            self.theorem(
                suffix,
                f"{premises}  {conclusion}",
                "intros one zero one_range zero_range distinct.",
                f"apply {lemma}; [ now apply one_hot_stochastic | lra ].",
            )

    def same(self, claim: SameTable) -> None:
        """Prove that both cells are those of the other table."""
        other = claim.table
        if not isinstance(other, Bits) or other.encoder != self.form.encoder:
            raise NotCertifiedError(f"{claim.describe()}: tables of different forms")
        cells = {"one": self.side(other.one), "zero": self.side(other.zero)}
        proofs = [
            f"({self.algebra.equation(f'same_{name}', own, cells[name])})"
            for name, own in (("one", self.one), ("zero", self.zero))
        ]
        self.theorem(
            Kind.SAME_TABLE,
            f"same_table ({self.applied})\n    (one_hot_bits {self.values} "
            f"({self.closed(other.one)}) ({self.closed(other.zero)}))",
            f"apply one_hot_same; {self.goals(*proofs)}.",
        )

    def _apart(self) -> str:
        if not self._apart_proof:
            p_star = Side(self.one.atom(), self.one.value)
            q_star = Side(self.zero.atom(), self.zero.value)
            self._apart_proof = apart(self, p_star, q_star, "")
        return self._apart_proof

    def variance_form(self) -> tuple[str, tuple[str, ...]]:
        """(tactic that proves the library's variance, tactics with which its algebra begins)."""
        proof = self._apart()
        tactic = f"eapply one_hot_variance; {self.goals(self.fact('stochastic'), proof)}"
        return tactic, ("unfold support_variance.", self.algebra.rewriting("spread"))

    def variance_side(self, share: Side) -> Side:
        """The library's variance of a count."""
        return support_variance(self.one, self.zero, share)

    def variance_value(self, share: Any) -> Any:
        """The variance of a count for n users, at one share, in the spec's own terms."""
        p, q = self.form.one, self.form.zero
        spread = sympy.cancel(sympy.together(p - q))
        whole = share * p * (1 - p) + (1 - share) * q * (1 - q)
        return sympy.factor(n * whole / spread**2)

    def written(self, claim: Unbiased) -> None:
        """The theorem of an `Unbiased` claim with written weights."""
        equations = weighted(self, claim, (self.one, ONE), (self.zero, ZERO))
        supported, otherwise = self.written_weights(claim)
        self.theorem(
            Kind.UNBIASED,
            f"unbiased_counts ({self.applied})\n"
            f"    (written_weight bit_support {supported} {otherwise})",
            f"apply one_hot_written; {self.goals(self.fact('stochastic'), *equations)}.",
        )

    def unbiased(self) -> None:
        """The theorem of an `Unbiased` claim."""
        self.theorem(
            Kind.UNBIASED,
            f"unbiased_counts ({self.applied}) ({self.at(self.name + '_weight')})",
            f"apply one_hot_unbiased; {self.goals(self.fact('stochastic'), self._apart())}.",
        )

    def optimal_cells(self, claim: Optimal) -> None:
        """No eps-LDP one-hot randomizer has a smaller variance for a count that is zero.

        Raises:
            NotCertifiedError: another share than 0, or no claim of tight privacy to compare at.
        """
        levels = [c for c in self.mechanism.claims if isinstance(c, LDP) and c.tight]
        if claim.at_f != 0 or set(claim.values) != {"one", "zero"} or not levels:
            raise NotCertifiedError("Optimal cells need at_f=0, one=, zero= and a tight LDP claim")
        level = self.level(levels[0].epsilon)
        for name, side in (("one", self.one), ("zero", self.zero)):
            claimed = self.side(claim.values[name])
            self.algebra.equation(f"optimal_{name}", side, claimed)
        free = sympy.Symbol("z_")
        spelling = self.algebra.spelling
        self.algebra.spelling = spelling.with_atom(free, "z")
        u = level.ratio.value
        curve = Side(
            f"curve_variance {level.ratio.atom()} z",
            (1 - free + u * free) ** 2 / (free * (1 - free) * (u - 1) ** 2),
        )
        best = (self.zero.value * (1 - self.zero.value)) / (self.one.value - self.zero.value) ** 2
        one, zero = self.one.atom(), self.zero.atom()
        spread = f"({one} - {zero})"
        cells = Side(f"{zero} * (1 - {zero}) / ({spread} * {spread})", best)
        domain = Domain(sympy.Integer(0), sympy.Integer(1), True, True)
        name = self.algebra.inequality(
            Kind.OPTIMAL,
            cells,
            "<=",
            curve,
            f"unfold curve_variance. {self.algebra.rewriting('spread')}".strip(),
            {free: domain},
        )
        self.algebra.spelling = spelling
        own = " ".join([name, *self.parameters.arguments, "z", *self.parameters.evidence])
        rewriting = "" if level.proof == "eq_refl" else f"rewrite {level.proof}. "
        k = self.values
        at_zero = (
            f"erewrite one_hot_variance; [ | exact {self.fact('stochastic')} "
            f"| exact {self._apart()} | exact v_known | exact users_exist | exact users_known ]."
        )
        applied_one, applied_zero = (f"({self.at(f'{self.name}_{c}')})" for c in ("one", "zero"))
        self.theorem(
            Kind.OPTIMAL,
            "forall one zero, 0 <= one <= 1 -> 0 <= zero <= 1 -> one <> zero ->\n"
            f"  ldp (one_hot_bits {k} one zero) {level.epsilon} ->\n"
            f"  forall v xs, {self.in_domain('v')} -> xs <> nil ->\n"
            f"  (forall x, In x xs -> {self.in_domain('x')}) -> share v xs = 0 ->\n"
            f"  variance_n ({self.applied}) xs (estimate ({self.at(self.name + '_weight')}) v)\n"
            f"  <= variance_n (one_hot_bits {k} one zero) xs\n"
            "       (estimate (support_weight bit_support one zero) v)",
            "intros one zero one_range zero_range distinct private v xs v_known users_exist "
            "users_known share_known.",
            f"apply Rle_trans with (INR (length xs) * ({applied_zero} * (1 - {applied_zero})",
            f"  / (({applied_one} - {applied_zero}) * ({applied_one} - {applied_zero})))).",
            f"- unfold {self.name}, {self.name}_weight.",
            f"  {at_zero}",
            "  rewrite share_known. unfold support_variance. right. field.",
            f"  exact {self._apart()}.",
            f"- apply one_hot_least_variance with (eps := {level.epsilon}); "
            "[ lia | lra | | assumption .. ].",
            f"  intros z z_lower z_upper. {rewriting}exact ({own} z_lower z_upper).",
        )
