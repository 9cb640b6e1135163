"""What the theorems of every table form share: names, privacy claims, variances, optima."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import sympy

from ldp_verified.language import LDP, Domain, Holds, Mechanism, Optimal, Unbiased, Variance, f, n
from ldp_verified.prove.coq.algebra import Side
from ldp_verified.prove.coq.parameters import Parameters
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.describe import describe

USERS = {n: Domain(lower=sympy.Integer(1))}
SHARE = {f: Domain(lower=sympy.Integer(0), upper=sympy.Integer(1))}


@dataclass(frozen=True)
class Level:
    """The bound of a privacy claim.

    Attributes:
        epsilon: the claimed epsilon as a Coq term. ratio: e^epsilon over the real variables.
        closed_ratio: the same over the binders. proof: of exp epsilon = closed_ratio.
    """

    epsilon: str
    ratio: Side
    closed_ratio: str
    proof: str


class Theorems(ABC):
    """The generated text of one mechanism, built up in order.

    Args:
        mechanism: the declaration. attempt: see `Algebra`.
    """

    libraries: tuple[str, ...]

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        self.mechanism = mechanism
        self.name = mechanism.name
        self.parameters = Parameters(mechanism)
        self.algebra = self.parameters.algebra(attempt)
        self.definitions: list[str] = []
        self.theorems: list[str] = []
        self._used: dict[str, int] = {}

    # The parts that differ between forms.

    @abstractmethod
    def table(self) -> None:
        """Define the randomizer and what its estimate adds; prove that it is stochastic."""

    @abstractmethod
    def privacy(self, level: Level, tight: bool) -> None:
        """The theorems of an `LDP` claim."""

    @abstractmethod
    def unbiased(self) -> None:
        """The theorem of an `Unbiased` claim, without written weights."""

    @abstractmethod
    def variance_form(self) -> tuple[str, str]:
        """(tactic that proves the library's variance, statement steps of the algebra)."""

    @abstractmethod
    def variance_side(self, share: Side) -> Side:
        """The library's variance of a count for n users, of whom a share holds the value."""

    def optimal_cells(self, claim: Optimal) -> None:
        """The theorem of an `Optimal` claim over cells."""
        raise NotCertifiedError(f"optimal cells {list(claim.values)} of this form of table")

    # What they share.

    @property
    def applied(self) -> str:
        """The randomizer at the theorem's parameters."""
        return self.at(self.name)

    def at(self, definition: str) -> str:
        """A definition applied to the theorem's parameters."""
        return " ".join([definition, *self.parameters.names])

    def define(self, suffix: str, kind: str, body: str) -> str:
        """Add a definition over the parameters; its applied name, in parentheses."""
        full = f"{self.name}_{suffix}" if suffix else self.name
        head = " ".join(["Definition", full, *self.parameters.binders])
        self.definitions.append(f"{head} : {kind} :=\n  {body}.")
        applied = self.at(full)
        return f"({applied})" if " " in applied else applied

    def fact(self, suffix: str) -> str:
        """A theorem of this file applied to parameters and hypotheses."""
        parts = [f"{self.name}_{suffix}", *self.parameters.names]
        return f"({' '.join([*parts, *(name for name, _ in self.parameters.hypotheses)])})"

    def theorem(self, suffix: str, conclusion: str, *steps: str) -> None:
        """Add a theorem over the parameters. A suffix that is used again gets a number."""
        count = self._used.get(suffix, 0) + 1
        self._used[suffix] = count
        if count > 1:
            suffix = f"{suffix}_{count}"
        p = self.parameters
        binder = f"forall {' '.join(p.binders)}, " if p.binders else ""
        premises = " ".join(f"{text} ->" for _, text in p.hypotheses)
        names = " ".join([*p.names, *(name for name, _ in p.hypotheses)])
        lines = [*([f"intros {names}."] if names else []), *p.steps, *steps]
        proof = "\n  ".join(lines)
        head = f"Theorem {self.name}_{suffix} : {binder}{premises}".rstrip()
        self.theorems.append(f"{head}\n  {conclusion}.\nProof.\n  {proof}\nQed.")

    def closed(self, value: Any) -> str:
        """A spec expression over the binders."""
        return self.parameters.closed.real(value)

    def side(self, value: Any) -> Side:
        """A spec expression over the real variables."""
        return self.algebra.side(value, self.mechanism.algebraic("table", value))

    def _printing_users(self) -> None:
        self.algebra.spelling = self.parameters.open.with_atom(n, "n").with_atom(f, "f")

    def claims(self) -> None:
        """Print every claim.

        Raises:
            NotCertifiedError: one has no certificate or no printed form.
        """
        self._printing_users()
        for claim in self.mechanism.claims:
            match claim:
                case LDP() if claim.delta == 0:
                    self.privacy(self.level(claim), claim.tight)
                case Unbiased():
                    if claim.supported is not None:
                        raise NotCertifiedError("Unbiased with written weights")
                    self.unbiased()
                case Variance():
                    self.variance(claim)
                case Optimal():
                    self.optimal(claim)
                case Holds():
                    self.holds(claim)
                case _:
                    raise NotCertifiedError(f"the claim: {describe(claim)}")

    def level(self, claim: LDP) -> Level:
        """The bound of a privacy claim.

        Raises:
            NotCertifiedError: epsilon is neither a multiple of eps nor a logarithm.
        """
        generator, epsilon = self.mechanism.generator, claim.epsilon
        if isinstance(epsilon, sympy.log):
            inner = epsilon.args[0]
            zero = Side("0", sympy.Integer(0))
            positive = self.algebra.inequality("level", zero, "<", self.side(inner))
            closed = self.closed(inner)
            return Level(f"(ln ({closed}))", self.side(inner), closed, f"(exp_ln _ ({positive}))")
        power = None if generator.eps is None else epsilon / generator.eps * generator.root
        if power is None or not power.is_Integer or power <= 0:
            raise NotCertifiedError(f"epsilon = {epsilon} is no multiple of eps and no log(...)")
        spelling = self.parameters.closed.with_atom(generator.eps, "eps")
        written = spelling.atom(epsilon)
        ratio = self.side(sympy.exp(epsilon))
        closed = self.closed(sympy.exp(epsilon))
        if power == 1:
            return Level(written, ratio, closed, "eq_refl")
        base = "eps" if generator.root == 1 else f"(eps / {generator.root})"
        proof = f"(exp_power {base} {power} {written} ltac:(simpl INR; field))"
        return Level(written, ratio, closed, proof)

    def variance(self, claim: Variance) -> None:
        """The theorem of a `Variance` claim, at every share or at one."""
        tactic, before = self.variance_form()
        value = self.side(claim.value)
        given = [*self.parameters.arguments]
        weight = self.at(f"{self.name}_weight")
        if claim.at_f is None:
            left = self.variance_side(Side("f", f))
            name = self.algebra.equation(
                f"variance{self._again('variance')}", left, value, before, {**USERS, **SHARE}
            )
            call = " ".join(
                [name, *given, "n f", *self.parameters.evidence, "n_lower f_lower f_upper"]
            )
            self.theorem(
                "variance",
                f"count_variance ({self.applied}) ({weight})\n"
                f"    (fun n f => {self.users(claim.value)})",
                f"eapply count_variance_form; [ {tactic} |].",
                "intros n f n_lower f_lower f_upper.",
                f"exact ({call}).",
            )
            return
        suffix = self.at_share(claim.at_f)
        share = self.algebra.side(claim.at_f)
        left = self.variance_side(Side(share.atom(), claim.at_f))
        name = self.algebra.equation(
            f"{suffix}{self._again(suffix)}", left, value, before, dict(USERS)
        )
        call = " ".join([name, *given, "n", *self.parameters.evidence, "n_lower"])
        shown = self.closed(claim.at_f)
        shown = shown if shown.isalnum() else f"({shown})"
        self.theorem(
            suffix,
            f"count_variance_at ({self.applied}) ({weight}) {shown}\n"
            f"    (fun n => {self.users(claim.value)})",
            f"eapply count_variance_form_at; [ {tactic} |].",
            "intros n n_lower.",
            f"exact ({call}).",
        )

    def _again(self, suffix: str) -> str:
        count = self._used.get(suffix, 0)
        return f"_{count + 1}" if count else ""

    @staticmethod
    def at_share(share: Any) -> str:
        """The suffix of a theorem about one share."""
        return "variance_at_" + str(share).replace("/", "_").replace("-", "minus_")

    def users(self, value: Any) -> str:
        """An expression in n and f, over the binders and the bound variables n and f."""
        return self.parameters.closed.with_atom(n, "n").with_atom(f, "f").real(value)

    def optimal(self, claim: Optimal) -> None:
        """The theorem of an `Optimal` claim.

        Raises:
            NotCertifiedError: it has another form than those printed.
        """
        keys = list(claim.values)
        if not all(key in self.mechanism.parameters for key in keys):
            self.optimal_cells(claim)
            return
        if len(keys) != 1:
            raise NotCertifiedError("an optimum over several parameters at once")
        (symbol,) = keys
        at_share = [
            c for c in self.mechanism.claims if isinstance(c, Variance) and c.at_f == claim.at_f
        ]
        if not at_share:
            raise NotCertifiedError("Optimal over a parameter needs a Variance at the same share")
        value, best = at_share[0].value, claim.values[symbol]
        self._optimal_parameter(symbol, value, best, claim.at_f)

    def _optimal_parameter(self, symbol: Any, value: Any, best: Any, share: Any) -> None:
        here = self.side(value)
        at_best = self.parameters.open.with_atom(n, "n").with_atom(
            symbol, f"({self.parameters.open.real(best)})"
        )
        algebraic = self.mechanism.algebraic("table", value)
        moved = algebraic.subs(symbol, self.mechanism.algebraic("table", best))
        there = Side(at_best.real(value), moved)
        domain = self.mechanism.domains[symbol]
        inside = []
        for bound, lower in ((domain.lower, True), (domain.upper, False)):
            if bound is not None:
                ends = [self.side(bound), self.side(best)]
                left, right = ends if lower else ends[::-1]
                is_open = domain.lower_open if lower else domain.upper_open
                relation = "<" if is_open else "<="
                label = "optimum_lower" if lower else "optimum_upper"
                proof = self.algebra.inequality(label, left, relation, right)
                closed = [self.closed(e) for e in ((bound, best) if lower else (best, bound))]
                inside.append((f"{closed[0]} {relation} {closed[1]}", proof))
        if domain.integer and domain.upper is None:
            # An integer >= 2 is one > 1; over the reals that is more, and the claim is about them.
            relaxed = replace(domain, lower=domain.lower - 1, lower_open=True)
            self.algebra.domains = {**self.algebra.domains, symbol: relaxed}
        name = self.algebra.inequality("optimal", there, "<=", here, extra=dict(USERS))
        self.algebra.domains = dict(self.mechanism.variables)
        closed_best = self.parameters.closed.with_atom(n, "INR (length xs)").with_atom(
            symbol, f"({self.closed(best)})"
        )
        weight = self.at(f"{self.name}_weight")
        statement = " /\\\n  ".join(text for text, _ in inside)
        statement += " /\\\n  " if inside else ""
        evidence = ["ltac:(lra)"] * len(self.parameters.evidence)
        call = " ".join([name, *self.parameters.arguments, "(INR (length xs))", *evidence])
        known = self.fact(self.at_share(share)).strip("()")
        self.theorem(
            "optimal",
            f"{statement}forall v xs, {self.in_domain('v')} -> xs <> nil ->\n"
            f"  (forall x, In x xs -> {self.in_domain('x')}) ->\n"
            f"  share v xs = {self.closed(share)} ->\n"
            f"  {closed_best.real(value)}\n"
            f"  <= variance_n ({self.applied}) xs (estimate ({weight}) v)",
            *(f"split; [ exact ({proof}) |]." for _, proof in inside),
            "intros v xs v_known users_exist users_known share_known.",
            f"rewrite ({known} v xs v_known users_exist users_known share_known).",
            f"exact ({call} (users_positive xs users_exist)).",
        )

    @abstractmethod
    def in_domain(self, variable: str) -> str:
        """That a natural number is an input."""

    def holds(self, claim: Holds) -> None:
        """The theorem of an equation or inequality between parameters."""
        left, right = claim.relation.lhs, claim.relation.rhs
        if isinstance(claim.relation, sympy.Ge | sympy.Gt):
            left, right = right, left
        label = f"holds{self._again('holds')}"
        if isinstance(claim.relation, sympy.Eq):
            relation, prove = "=", self.algebra.equation(label, self.side(left), self.side(right))
        else:
            relation = "<" if isinstance(claim.relation, sympy.Lt | sympy.Gt) else "<="
            prove = self.algebra.inequality(label, self.side(left), relation, self.side(right))
        self.theorem(
            "holds", f"{self.closed(left)} {relation} {self.closed(right)}", f"exact ({prove})."
        )

    @staticmethod
    def goals(*proofs: str) -> str:
        """What closes the goals of a tactic one by one, with a term each."""
        return "[ " + " | ".join(f"exact {proof}" for proof in proofs) + " ]"
