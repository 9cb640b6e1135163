"""Coq text of additive noise: exponential, or geometric on the integers; one number, or a vector.

The library has the totals, moments and ratios of both laws. What is printed shows that the declared
levels and scales are a law, and that what is claimed is what the library's theorems say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar

import sympy

from ldp_verified.kinds import Kind
from ldp_verified.language import (
    LDP,
    Exponential,
    Lattice,
    Mean,
    Mechanism,
    Noise,
    Normal,
    ReportVariance,
    Steps,
    Variance,
    n,
)
from ldp_verified.language.privacy import Privacy
from ldp_verified.prove.coq.algebra import SHARE, USERS, Side, product
from ldp_verified.prove.coq.density_table import ONE, ZERO
from ldp_verified.prove.coq.line_theorems import LineTheorems
from ldp_verified.prove.coq.needed import needed
from ldp_verified.prove.coq.terms import NotCertifiedError

TWO = Side("2", sympy.Integer(2))

REPORTS = ("low_report", "high_report")

FAMILIES: Mapping[type, str] = {
    Exponential: "exponential",
    Lattice: "lattice",
    Normal: "normal",
    Steps: "steps",
}
"""What the library's theorems about a law begin with."""

IN_INTEGERS = "rewrite ?plus_IZR, ?opp_IZR, ?mult_IZR, <- ?INR_IZR_INZ;"
"""The tactic that brings integers of a printed text to the real variables of its lemmas."""


class NoiseTheorems(LineTheorems):
    """Theorems about noise of a law with two cells, cut off or not, or about another law's."""

    printings: ClassVar[Mapping[Kind, Callable[..., None]]] = {
        **LineTheorems.printings,
        Kind.MEAN: lambda self, claim: self._mean(claim),
        Kind.REPORT_VARIANCE: lambda self, claim: self._report_variance(claim),
    }

    opening = ""
    """The tactic that writes out what the library's variance is made of."""

    libraries: tuple[str, ...] = (
        "Sums",
        "Exponential",
        "Algebra",
        "Additive",
        "ExponentialNoise",
        "LatticeNoise",
    )

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Noise)
        self.form = mechanism.table
        self.algebra.repeats = True
        law = self.form.law
        self.on_integers = isinstance(law, Lattice)
        self.family = FAMILIES[type(law)]
        names = [each.name for each in fields(law) if each.name != "pieces"]
        stated = {name: getattr(law, name) for name in names}
        if self.form.ends is not None:
            self.family = "cut"
            self.libraries = (*self.libraries, "NoisyBits", "CutNoise")
            stated |= {name: getattr(self.form.ends, name) for name in REPORTS}
        elif self.form.encoder is not None:
            self.libraries = (*self.libraries, "NoisyBits")
        self.stated = stated
        self.cells = {name: self.side(value) for name, value in stated.items()}

    def print(self) -> None:
        """Print the noise, its laws, and every claim."""
        self.table()
        self._stage((None, Kind.DEFINED), lambda: needed(self))
        self._stage((None, Kind.EQUAL_SUPPORT), self.equal_support)
        self.claims()

    def printing_users(self) -> None:
        """Do nothing, as nothing here speaks of n and f."""

    # What is printed of the table.

    def table(self) -> None:
        """Define the noise, and prove that its law is one."""
        cells = [self.define(name, "R", self.closed(value)) for name, value in self.stated.items()]
        places = [*self._bounds(), *self._ends()]
        call = " ".join([f"{self.family}_noise", *places, *cells])
        self.define("", "additive Z" if self.on_integers else "additive R", call)
        proof = self._whole_law()
        if self.form.ends is None:
            self.theorem("law", f"{self.family}_law {' '.join(cells)}", f"exact {proof}.")
        else:
            decay = f"unfold {self.name}_decay; ring"
            read = [
                f"{IN_INTEGERS} etransitivity; [ exact {self._read_as(side)} | {decay} ]"
                for side in ("low", "high")
            ]
            steps = ["lia", "lia", "lia", *read]
            said = " ".join([*places, *cells])
            whole = f"refine (conj {proof} (conj _ (conj _ (conj _ (conj _ _)))))"
            self.theorem("law", f"cut_law {said}", f"{whole}; [ {' | '.join(steps)} ].")
        self._law("stochastic")

    def _whole_law(self) -> str:
        """The proof that the cells are those of a law."""
        return self._lattice_law() if self.on_integers else self._exponential_law()

    def _exponential_law(self) -> str:
        level, scale = self.cells["level"], self.cells["scale"]
        whole = self.algebra.equation("whole", product(product(TWO, level), scale), ONE)
        return self._all([self._above("level"), self._above("scale"), f"({whole})"])

    def _lattice_law(self) -> str:
        mass, decay = self.cells["mass"], self.cells["decay"]
        left = product(mass, Side(f"1 + {decay.text}", 1 + decay.value, decay.parts))
        right = Side(f"1 - {decay.atom()}", 1 - decay.value, decay.parts)
        below = self._inequality("decay_below", decay, "<", ONE)
        whole = self.algebra.equation("whole", left, right)
        return self._all([self._above("mass"), self._above("decay"), below, f"({whole})"])

    def _above(self, cell: str) -> str:
        return self._inequality(f"{cell}_above", ZERO, "<", self.cells[cell])

    @staticmethod
    def _all(proofs: list[str]) -> str:
        """The proof of a right-nested conjunction."""
        term = proofs[-1]
        for each in reversed(proofs[:-1]):
            term = f"(conj {each} {term})"
        return term

    def _read_as(self, side: str) -> str:
        """The proof that what an end is read as is the mean of what lies beyond."""
        report, decay = self.cells[f"{side}_report"], self.cells["decay"]
        end = self.side(getattr(self.form.ends, side))
        mean = decay.value / (1 - decay.value)
        text = f"{decay.atom()} / (1 - {decay.atom()})"
        sign = -1 if side == "low" else 1
        right = Side(
            f"{end.atom()} {'-' if side == 'low' else '+'} {text}",
            end.value + sign * mean,
            (end.value, mean),
        )
        return f"({self.algebra.equation(f'{side}_mean', report, right)})"

    def _bounds(self) -> list[str]:
        """The bounds of the input, as arguments in Coq."""
        ends = (self.form.value.domain.lower, self.form.value.domain.upper)
        return [self._integer(end) if self.on_integers else self.closed_atom(end) for end in ends]

    def _ends(self) -> list[str]:
        """The ends where the noise is cut off, as arguments in Coq; empty where it is not."""
        ends = self.form.ends
        return [] if ends is None else [self._integer(end) for end in (ends.low, ends.high)]

    def _integer(self, value: Any) -> str:
        """A polynomial over the integers in integer parameters, as a term of type Z."""

        def term(part: Any) -> str:
            if part.is_Integer and part >= 0:
                return f"({part})"
            if part.could_extract_minus_sign():
                return f"(- {term(-part)})"
            if part.is_Add or part.is_Mul:
                return f"({(' + ' if part.is_Add else ' * ').join(map(term, part.args))})"
            return f"(Z.of_nat {self.parameters.natural(part)})"

        return f"{term(sympy.expand(value))}%Z"

    def _inequality(self, name: str, left: Side, relation: str, right: Side) -> str:
        return f"({self.algebra.inequality(name, left, relation, right)})"

    def _law(self, suffix: str) -> None:
        """A theorem about the noise alone."""
        self._shown(suffix, suffix, "")

    def _shown(self, suffix: str, says: str, of: str, *goals: str) -> None:
        """Add a theorem about reports: of one number, or of the vector where there is one."""
        encoder = self.form.encoder
        subject = f"additive_{says} ({self.applied})"
        steps = self._of_law()
        if encoder is not None:
            values = self.parameters.natural(encoder.values)
            subject = f"noisy_bits_{says} ({self.applied}) {' '.join(self._bounds())} {values}"
            steps += self._ordered()
        conclusion = " ".join(filter(None, [subject, of]))
        family = self.family if encoder is None else f"{self.family}_bits"
        self._apply(suffix, conclusion, f"{family}_{says}", *steps, *goals)

    def _of_law(self) -> list[str]:
        """The tactics for what the library's theorems suppose of the law."""
        return [f"exact {self.fact('law')}"]

    def _apply(self, suffix: str, conclusion: str, lemma: str, *goals: str) -> None:
        """A theorem that is an instance of one of the library."""
        self.theorem(suffix, conclusion, f"eapply {lemma}; [ {' | '.join(goals)} ].")

    def _ordered(self) -> list[str]:
        """Return the tactic that proves that the bounds are in order; a cut law says so itself."""
        if self.form.ends is not None:
            return []
        if self.on_integers:
            return ["lia"]
        low, high = self._sides()
        return [f"exact {self._inequality('ordered', low, '<=', high)}"]

    def equal_support(self) -> None:
        """Prove equal support: every report has a positive weight, whatever the input is."""
        self._law(Kind.EQUAL_SUPPORT)

    # What is printed of claims.

    def bound(self, claim: Privacy, *, tight: bool) -> None:
        """The theorem of a bound on epsilon, or that no smaller one holds."""
        if not isinstance(claim, LDP) or claim.delta != 0:
            raise NotCertifiedError(f"{claim.describe()}, of this form of table")
        self._private(claim, Kind.TIGHT if tight else "ldp")

    def _private(self, claim: LDP, says: str) -> None:
        """The theorem of a bound on epsilon, or that no smaller one holds."""
        tight = says == Kind.TIGHT
        several = ["lia"] if tight and self.form.encoder is not None else []
        if tight and self.form.encoder is None:
            several = self._ordered()
        of, goals = self._apart(claim, tight=tight)
        self._shown(says, says, of, *several, *goals)

    def _apart(self, claim: LDP, *, tight: bool) -> tuple[str, list[str]]:
        """(epsilon, tactics): how far the bounds are apart, in what the law repeats itself by."""
        return (self._steps_apart if self.on_integers else self._scales_apart)(claim, tight)

    def _scales_apart(self, claim: LDP, tight: bool) -> tuple[str, list[str]]:
        """(epsilon, tactics): bounds are at most epsilon scales apart, or just so (`tight`)."""
        low, high = self._sides()
        reach = Side(f"{high.atom()} - {low.atom()}", high.value - low.value)
        if self.form.encoder is not None:
            reach = product(TWO, reach)
        room = product(self.side(claim.epsilon), self.cells["scale"])
        if tight:
            proof = f"({self.algebra.equation('scales', reach, room)})"
        else:
            proof = self._inequality("scales", reach, "<=", room)
        return self.closed_atom(claim.epsilon), [f"exact {proof}"]

    def _steps_apart(self, claim: LDP, tight: bool) -> tuple[str, list[str]]:
        """(epsilon, tactics): the bounds are at most as many steps apart as epsilon says."""
        parts = self.form.privacy_parts(claim.epsilon)
        times, ratio = parts["times"], self.side(parts["ratio"])
        steps = self.parameters.natural(times if self.form.encoder is None else times / 2)
        counted = steps if self.form.encoder is None else f"(2 * {steps})"
        once = product(ratio, self.cells["decay"])
        if tight:
            proof = f"({self.algebra.equation('step', once, ONE)})"
        else:
            proof = self._inequality("step", ONE, "<=", once)
        return f"(INR {counted} * ln ({self.closed(parts['ratio'])}))", ["lia", f"exact {proof}"]

    def _mean(self, claim: Mean) -> None:
        """The theorem of a `Mean` claim: the input, or another expression that equals it."""
        value, p = self.form.value, self.parameters
        law = self._of_law()
        subject = f"additive_mean ({self.applied})"
        if claim.value == value:
            itself = "IZR x" if self.on_integers else "x"
            self._apply(Kind.MEAN, f"{subject} (fun x => {itself})", f"{self.family}_mean", *law)
            return
        if self.on_integers:
            raise NotCertifiedError(f"{claim.describe()}: the library's mean is the input")
        written = self.algebra.spelling
        self.algebra.spelling = written.with_atom(value, "x")
        stated = self.side(claim.value)
        lemma = self.algebra.equation(
            Kind.MEAN, Side("x", value), stated, "", {value: value.domain}
        )
        self.algebra.spelling = written
        given = " ".join([lemma, *p.arguments, "x", *p.evidence, "x_lower x_upper"])
        self.theorem(
            Kind.MEAN,
            f"{subject} (fun x => {p.closed.with_atom(value, 'x').real(claim.value)})",
            f"eapply additive_mean_as; [ eapply {self.family}_mean; [ {' | '.join(law)} ] |].",
            "intros x [x_lower x_upper].",
            f"exact ({given}).",
        )

    def _report_variance(self, claim: ReportVariance) -> None:
        """The theorem of a `ReportVariance` claim."""
        if self.form.ends is not None:
            self._cut_variance(claim)
            return
        one = self._variance_of_one()
        opening = self.opening
        equal = self.algebra.equation(Kind.REPORT_VARIANCE, self.side(claim.value), one, opening)
        subject = f"additive_variance ({self.applied}) (fun _ => {self.closed(claim.value)})"
        goals = [*self._of_law(), f"exact ({equal})"]
        self._apply(Kind.REPORT_VARIANCE, subject, f"{self.family}_variance", *goals)

    def _cut_variance(self, claim: ReportVariance) -> None:
        """The variance theorem of noise that is cut off, with powers that the tails stand for."""
        ends, p = self.form.ends, self.parameters
        assert ends is not None
        decay = self.cells["decay"]
        tails = (ends.low_tail, ends.high_tail)
        both = Side(
            f"{decay.text} * ({' + '.join(self.side(tail).text for tail in tails)})",
            decay.value * sum(tails),
        )
        under = Side(
            f"(1 + {decay.text}) * (1 - {decay.atom()}) ^ 2",
            (1 + decay.value) * (1 - decay.value) ** 2,
        )
        less = Side(f"{both.text} / ({under.text})", both.value / under.value, (both.value,))
        one = self._variance_of_one()
        right = Side(f"{one.text} - {less.text}", one.value - less.value, (one.value, less.value))
        lemma = self.algebra.equation(Kind.REPORT_VARIANCE, self.side(claim.value), right)
        low, high = self._ends()
        apart = (f"Z.abs_nat (x - {low})", f"Z.abs_nat ({high} - x)")
        alpha = self.closed_atom(self.stated["decay"])
        spelling, given, known, steps = p.closed, list(p.arguments), list(p.evidence), []
        for tail, steps_away in zip(tails, apart, strict=True):
            name = p.open_atoms[tail]
            power = f"({alpha} ^ {steps_away})"
            spelling = spelling.with_atom(tail, power)
            given = [power if each == name else each for each in given]
            put = {f"{name}_lower": f"{name}_above", f"{name}_upper": f"{name}_below"}
            known = [put.get(each, each) for each in known]
            bounds = f"{self._above('decay')} {self._inequality('decay_below', decay, '<', ONE)}"
            steps.append(
                f"destruct (cut_power {alpha} ({steps_away}) {bounds}) "
                f"as [{name}_above {name}_below]."
            )
        value = spelling.real(claim.value)
        self.theorem(
            Kind.REPORT_VARIANCE,
            f"additive_variance ({self.applied}) (fun x => {value})",
            f"eapply cut_variance; [ exact {self.fact('law')} |].",
            "intros x _. unfold cut_off.",
            *steps,
            f"exact ({lemma.split(' ', 1)[0].lstrip('(')} {' '.join([*given, *known])}).",
        )

    def _variance_of_one(self) -> Side:
        """The variance of one number, as the library has it."""
        cell = self.cells["decay" if self.on_integers else "scale"]
        if not self.on_integers:
            return Side(f"2 * {cell.atom()} ^ 2", 2 * cell.value**2, cell.parts)
        value = 2 * cell.value / (1 - cell.value) ** 2
        return Side(f"2 * {cell.atom()} / (1 - {cell.atom()}) ^ 2", value, cell.parts)

    def variance(self, claim: Variance) -> None:
        """The theorem of a `Variance` claim: steps from one bound to the other are counted.

        Raises:
            NotCertifiedError: reports are no vectors, or the variance is one at a given share.
        """
        cut = self.form.ends is not None
        if self.form.encoder is None or claim.at_f is not None or cut:
            raise NotCertifiedError(f"{claim.describe()}, of this form of table")
        super().printing_users()
        low, high = self._sides()
        reach = Side(f"({high.atom()} - {low.atom()}) ^ 2", (high.value - low.value) ** 2)
        one = self._variance_of_one()
        left = product(reach, self.side(claim.value))
        right = product(Side("n", n), one)
        lemma = self.algebra.equation(Kind.VARIANCE, left, right, "", {**USERS, **SHARE})
        p = self.parameters
        law = f"exact {self.fact('law')}"
        call = " ".join([lemma, *p.arguments, "n f", *p.evidence, "n_lower f_lower f_upper"])
        self.theorem(
            Kind.VARIANCE,
            f"noisy_count_variance ({self.applied}) {' '.join(self._bounds())}\n"
            f"    (fun n f => {self.users(claim.value)})",
            f"eapply {self.family}_bits_variance; [ {' | '.join([law, *self._ordered()])} |].",
            "intros n f n_lower f_lower f_upper.",
            f"{f'{IN_INTEGERS} ' if self.on_integers else ''}exact ({call}).",
        )

    def _sides(self) -> tuple[Side, Side]:
        domain = self.form.value.domain
        return self.side(domain.lower), self.side(domain.upper)
