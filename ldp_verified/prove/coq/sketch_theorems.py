"""Coq text of `Bits` over one-hot buckets of a public hash function: count mean sketch."""

from __future__ import annotations

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import Bits, HashedOneHot, Mechanism, SameTable, Unbiased
from ldp_verified.prove.coq.algebra import CoqLevel, Side
from ldp_verified.prove.coq.bits import ONE, ZERO
from ldp_verified.prove.coq.forms import COQ, OF_COUNTS, OF_EVERY_TABLE
from ldp_verified.prove.coq.supports import apart, support_variance, weighted
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.coq.theorems import Theorems

UNFOLD = "unfold sketch_q."


@COQ.rule((*OF_EVERY_TABLE, *OF_COUNTS), (TableForm.HASHED,))
class SketchTheorems(Theorems):
    """Theorems about a hash function of the digit family and the bits of its bucket."""

    libraries = (
        "Sums",
        "Exponential",
        "Algebra",
        "Randomizer",
        "Users",
        "Support",
        "Bits",
        "OneHot",
        "Hashing",
        "Sketch",
    )

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Bits)
        self.form = mechanism.table
        encoder = self.form.encoder
        assert isinstance(encoder, HashedOneHot)
        self.one, self.zero = self.side(self.form.one), self.side(self.form.zero)
        natural = self.parameters.natural
        self.values, self.buckets = natural(encoder.values), natural(encoder.buckets)
        buckets = self.algebra.side(encoder.buckets)
        one, zero = self.one, self.zero
        self.q_star = Side(
            f"sketch_q {buckets.atom()} {one.atom()} {zero.atom()}",
            zero.value + (one.value - zero.value) / buckets.value,
        )
        self._apart_proof = ""

    def _made(self, one: str, zero: str) -> tuple[str, str, str]:
        """The randomizer, its weight and its support rates, of two cells."""
        given = f"{self.values} {self.buckets}"
        rates = f"{one} (sketch_q (INR {self.buckets}) {one} {zero})"
        weight = f"support_weight (bucket_support {given}) {rates}"
        return f"hashed_bits {given} {one} {zero}", weight, rates

    def table(self) -> None:
        """Define both cells, the randomizer and the weight; prove that it is stochastic."""
        one = self.define("one", "R", self.closed(self.form.one))
        zero = self.define("zero", "R", self.closed(self.form.zero))
        made, weight, _ = self._made(one, zero)
        self.define("", "mech nat (list nat * list bool)", made)
        self.define("weight", "nat -> list nat * list bool -> R", weight)
        prove = self.algebra.inequality
        self.above_zero = f"({prove('zero', ZERO, '<', self.zero)})"
        self.ordered = f"({prove('ordered', self.zero, '<', self.one)})"
        self.below_one = f"({prove('one', self.one, '<', ONE)})"
        self.one_above = f"(Rlt_trans _ _ _ {self.above_zero} {self.ordered})"
        self.zero_below = f"(Rlt_trans _ _ _ {self.ordered} {self.below_one})"
        self.theorem(
            "stochastic",
            f"stochastic ({self.applied})",
            "apply hashed_bits_stochastic; "
            + self.goals(
                "ltac:(lia)",
                f"(conj (Rlt_le _ _ {self.one_above}) (Rlt_le _ _ {self.below_one}))",
                f"(conj (Rlt_le _ _ {self.above_zero}) (Rlt_le _ _ {self.zero_below}))",
            )
            + ".",
        )

    def in_domain(self, variable: str) -> str:
        """Return the Coq text that a natural number is an input."""
        return f"({variable} < {self.values})%nat"

    def _odds(self, ratio: Side) -> tuple[Side, Side]:
        """one (1 - zero) and ratio (zero (1 - one))."""
        one, zero = self.one, self.zero
        left = Side(f"{one.atom()} * (1 - {zero.atom()})", one.value * (1 - zero.value))
        right = Side(
            f"{ratio.atom()} * ({zero.atom()} * (1 - {one.atom()}))",
            ratio.value * zero.value * (1 - one.value),
        )
        return left, right

    def privacy(self, level: CoqLevel) -> None:
        """The theorem of an `LDP` claim."""
        left, right = self._odds(level.ratio)
        ratio = self.algebra.inequality(Kind.RATIO, left, "<=", right)
        proofs = ("ltac:(lia)", level.proof, self.above_zero, self.ordered, self.below_one)
        self.theorem(
            "ldp",
            f"ldp ({self.applied}) {level.epsilon}",
            f"apply hashed_bits_ldp with (U := {level.closed_ratio}); "
            f"{self.goals(*proofs, f'({ratio})')}.",
        )

    def tight(self, level: CoqLevel) -> None:
        """The theorem that no smaller epsilon holds."""
        equal = self.algebra.equation(Kind.TIGHT, *self._odds(level.ratio))
        proofs = ("ltac:(lia)", level.proof, "ltac:(lia)")
        cells = (self.above_zero, self.ordered, self.below_one)
        self.theorem(
            Kind.TIGHT,
            f"ldp_tight ({self.applied}) {level.epsilon}",
            f"apply hashed_bits_tight with (U := {level.closed_ratio}); "
            f"{self.goals(*proofs, *cells, f'({equal})')}.",
        )

    def equal_support(self) -> None:
        """Prove equal support: both cells lie strictly between 0 and 1."""
        one = f"(conj {self.one_above} {self.below_one})"
        zero = f"(conj {self.above_zero} {self.zero_below})"
        self.theorem(
            Kind.EQUAL_SUPPORT,
            f"equal_support ({self.applied})",
            f"apply hashed_bits_equal_support; {self.goals('ltac:(lia)', one, zero)}.",
        )

    def classes(self) -> None:
        """The theorem on when two values share a bucket, and what their bits then say."""
        one, zero = (f"({self.at(f'{self.name}_{cell}')})" for cell in ("one", "zero"))
        self.theorem(
            "classes",
            f"sketch_classes {self.values} {self.buckets} {one} {zero}",
            "apply hashed_bits_classes; lia.",
        )

    def free(self) -> None:
        """Unbiasedness and variance for any two different cells."""
        premises = "forall one zero, 0 <= one <= 1 -> 0 <= zero <= 1 -> one <> zero ->\n"
        made, weight, rates = self._made("one", "zero")
        for suffix, conclusion in (
            ("free_unbiased", f"unbiased_counts ({made})\n    ({weight})"),
            (
                "free_variance",
                f"count_variance ({made})\n    ({weight})\n    (support_variance {rates})",
            ),
        ):
            lemma = suffix.replace("free", "hashed_bits")
            self.theorem(
                suffix,
                f"{premises}  {conclusion}",
                "intros one zero one_range zero_range distinct.",
                f"apply {lemma}; [ lia | apply hashed_bits_stochastic; [ lia | assumption .. ]",
                "  | apply sketch_apart; [ lia | assumption ] ].",
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
        made, _, _ = self._made(f"({self.closed(other.one)})", f"({self.closed(other.zero)})")
        self.theorem(
            Kind.SAME_TABLE,
            f"same_table ({self.applied})\n    ({made})",
            f"apply hashed_bits_same; {self.goals(*proofs)}.",
        )

    def _apart(self) -> str:
        if not self._apart_proof:
            p_star = Side(self.one.atom(), self.one.value)
            self._apart_proof = apart(self, p_star, self.q_star, UNFOLD)
        return self._apart_proof

    def variance_form(self) -> tuple[str, tuple[str, ...]]:
        """(tactic that proves the library's variance, tactics with which its algebra begins)."""
        goals = self.goals("ltac:(lia)", self.fact("stochastic"), self._apart())
        tactic = f"eapply hashed_bits_variance; {goals}"
        return tactic, ("unfold support_variance.", self.algebra.rewriting("spread"), UNFOLD)

    def variance_side(self, share: Side) -> Side:
        """The library's variance of a count."""
        return support_variance(self.one, self.q_star, share)

    def written(self, claim: Unbiased) -> None:
        """The theorem of an `Unbiased` claim with written weights."""
        equations = weighted(self, claim, (self.one, ONE), (self.q_star, ZERO))
        supported, otherwise = self.written_weights(claim)
        goals = self.goals("ltac:(lia)", self.fact("stochastic"), *equations)
        self.theorem(
            Kind.UNBIASED,
            f"unbiased_counts ({self.applied})\n    (written_weight "
            f"(bucket_support {self.values} {self.buckets}) {supported} {otherwise})",
            f"apply hashed_bits_written; {goals}.",
        )

    def unbiased(self) -> None:
        """The theorem of an `Unbiased` claim."""
        goals = self.goals("ltac:(lia)", self.fact("stochastic"), self._apart())
        self.theorem(
            Kind.UNBIASED,
            f"unbiased_counts ({self.applied}) ({self.at(self.name + '_weight')})",
            f"apply hashed_bits_unbiased; {goals}.",
        )
