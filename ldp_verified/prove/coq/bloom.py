"""Coq text of `Bits` over a Bloom encoder: the inputs are all encodings of one to h ones."""

from __future__ import annotations

import sympy

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import Bits, Bloom, Mechanism
from ldp_verified.prove.coq.algebra import CoqLevel, Side
from ldp_verified.prove.coq.forms import COQ, OF_EVERY_TABLE
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.coq.theorems import Theorems

ONE, ZERO = Side("1", sympy.Integer(1)), Side("0", sympy.Integer(0))


@COQ.rule((*OF_EVERY_TABLE, Kind.CLASS_COUNTS), (TableForm.BLOOM,))
class BloomTheorems(Theorems):
    """Theorems about Bloom encodings whose bits are randomized independently."""

    libraries = (
        "Sums",
        "Exponential",
        "Algebra",
        "Randomizer",
        "Users",
        "Support",
        "Bits",
        "Combine",
        "Bloom",
        "BloomClasses",
    )

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Bits)
        self.form = mechanism.table
        assert isinstance(self.form.encoder, Bloom)
        self.hashes = self.form.encoder.hashes
        self.one, self.zero = self.side(self.form.one), self.side(self.form.zero)
        self.bits = self.parameters.natural(self.form.encoder.bits)

    def table(self) -> None:
        """Define both cells and the randomizer; prove that it is stochastic."""
        one = self.define("one", "R", self.closed(self.form.one))
        zero = self.define("zero", "R", self.closed(self.form.zero))
        made = f"bloom_bits {self.bits} {self.hashes} {one} {zero}"
        self.define("", "mech (list bool) (list bool)", made)
        prove = self.algebra.inequality
        self.above_zero = f"({prove('zero', ZERO, '<', self.zero)})"
        self.ordered = f"({prove('ordered', self.zero, '<', self.one)})"
        self.below_one = f"({prove('one', self.one, '<', ONE)})"
        one_above = f"(Rlt_trans _ _ _ {self.above_zero} {self.ordered})"
        zero_below = f"(Rlt_trans _ _ _ {self.ordered} {self.below_one})"
        self.theorem(
            "stochastic",
            f"stochastic ({self.applied})",
            "apply bloom_bits_stochastic; "
            + self.goals(
                f"(conj (Rlt_le _ _ {one_above}) (Rlt_le _ _ {self.below_one}))",
                f"(conj (Rlt_le _ _ {self.above_zero}) (Rlt_le _ _ {zero_below}))",
            )
            + ".",
        )

    def in_domain(self, variable: str) -> str:
        """Return the Coq text that a list of bits is an encoding."""
        return f"(length {variable} = {self.bits} /\\ (1 <= ones {variable} <= {self.hashes})%nat)"

    def equal_support(self) -> None:
        """Prove equal support: both cells lie strictly between 0 and 1."""
        self.theorem(
            Kind.EQUAL_SUPPORT,
            f"equal_support ({self.applied})",
            "apply bloom_bits_equal_support; "
            + self.goals(self.above_zero, self.ordered, self.below_one)
            + ".",
        )

    def classes(self) -> None:
        """Prove the classes of the bits that one of two encodings sets and the other does not."""
        one, zero = (f"({self.at(f'{self.name}_{cell}')})" for cell in ("one", "zero"))
        self.theorem(
            "classes",
            f"bloom_classes {self.bits} {self.hashes} {one} {zero}",
            "apply bloom_bits_classes. lia.",
        )

    def _odds(self, ratio: Side) -> tuple[Side, Side]:
        """(one (1 - zero))^h and ratio (zero (1 - one))^h."""
        one, zero, h = self.one, self.zero, self.hashes
        left = Side(
            f"({one.atom()} * (1 - {zero.atom()})) ^ {h}", (one.value * (1 - zero.value)) ** h
        )
        right = Side(
            f"{ratio.atom()} * ({zero.atom()} * (1 - {one.atom()})) ^ {h}",
            ratio.value * (zero.value * (1 - one.value)) ** h,
        )
        return left, right

    def _level(self, epsilon: sympy.Expr) -> CoqLevel:
        """The bound e^epsilon, also of a whole multiple of a logarithm."""
        count, rest = epsilon.as_coeff_Mul()
        if not (isinstance(rest, sympy.log) and count.is_Integer and count > 1):
            return super()._level(epsilon)
        below = super()._level(rest)
        inner = self.closed(rest.args[0])
        written = f"(INR {count} * {below.epsilon})"
        proof = (
            f"(eq_trans (exp_power {below.epsilon} {count} {written} eq_refl) "
            f"(f_equal (fun z => z ^ {count}) {below.proof}))"
        )
        ratio = Side(f"({below.ratio.text}) ^ {count}", below.ratio.value**count)
        return CoqLevel(written, ratio, f"(({inner}) ^ {count})", proof)

    def privacy(self, level: CoqLevel) -> None:
        """The theorem of an `LDP` claim."""
        left, right = self._odds(level.ratio)
        ratio = self.algebra.inequality(Kind.RATIO, left, "<=", right)
        self.theorem(
            "ldp",
            f"ldp ({self.applied}) {level.epsilon}",
            f"apply bloom_bits_ldp with (U := {level.closed_ratio}); "
            + self.goals(self.above_zero, self.ordered, self.below_one, level.proof, f"({ratio})")
            + ".",
        )

    def tight(self, level: CoqLevel) -> None:
        """The theorem that no smaller epsilon holds."""
        equal = self.algebra.equation(Kind.TIGHT, *self._odds(level.ratio))
        self.theorem(
            Kind.TIGHT,
            f"ldp_tight ({self.applied}) {level.epsilon}",
            f"apply bloom_bits_tight with (U := {level.closed_ratio}); "
            + self.goals(
                self.above_zero,
                self.ordered,
                self.below_one,
                level.proof,
                "ltac:(lia)",
                "ltac:(lia)",
                f"({equal})",
            )
            + ".",
        )

    def unbiased(self) -> None:
        """A Bloom encoding supports no value."""
        raise NotCertifiedError("an estimator of Bloom encodings is no function of one report")

    def variance_form(self) -> tuple[str, tuple[str, ...]]:
        """A Bloom encoding supports no value."""
        raise NotCertifiedError("an estimator of Bloom encodings is no function of one report")

    def variance_side(self, share: Side) -> Side:
        """A Bloom encoding supports no value."""
        raise NotCertifiedError(f"no variance of Bloom encodings at share {share.text}")
