"""Print what the theorems of all table forms share: names, privacy, variances, optima."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

import sympy

from ldp_verified.kinds import Key, Kind
from ldp_verified.language import (
    LDP,
    Holds,
    Mechanism,
    MetricLDP,
    Optimal,
    PersonalisedLDP,
    SameTable,
    Unbiased,
    Variance,
    f,
    n,
)
from ldp_verified.language.claims import Claim
from ldp_verified.language.privacy import Privacy, shares_support
from ldp_verified.prove.coq.algebra import SHARE, TABLE, USERS, CoqLevel, Side
from ldp_verified.prove.coq.comparing import better
from ldp_verified.prove.coq.forms import theorems_of
from ldp_verified.prove.coq.needed import needed
from ldp_verified.prove.coq.optima import optimal_parameter
from ldp_verified.prove.coq.parameters import Parameters
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.statements.variance_region import with_regions

LAWS: dict[str, tuple[Key, ...]] = {
    "stochastic": ((None, Kind.NONNEGATIVE), (None, Kind.SUMS_TO_ONE)),
    Kind.EQUAL_SUPPORT: ((None, Kind.EQUAL_SUPPORT),),
    "classes": ((None, Kind.CLASS_COUNTS),),
    **dict.fromkeys(("free_unbiased", "free_variance"), ((None, Kind.FREE_CELLS),)),
}
"""Theorem about the table itself -> the laws that it states."""


class Theorems(ABC):
    """The generated text of one mechanism, built up in order.

    Args:
        mechanism: the declaration. attempt: see `Algebra`.

    Attributes:
        settles: obligation -> the theorems that state it, together. skip: what is left out.
    """

    libraries: tuple[str, ...]
    conditional = ""
    printings: ClassVar[Mapping[Kind, Callable[..., None]]] = {
        Kind.RATIO: lambda self, claim: self.bound(claim, tight=False),
        Kind.TIGHT: lambda self, claim: self.bound(claim, tight=True),
        Kind.UNBIASED: lambda self, claim: (
            self.unbiased() if claim.supported is None else self.written(claim)
        ),
        Kind.VARIANCE: lambda self, claim: self.variance(claim),
        Kind.OPTIMAL: lambda self, claim: self.optimal(claim),
        Kind.HOLDS: lambda self, claim: self.holds(claim),
        Kind.SAME_TABLE: lambda self, claim: self.same(claim),
        Kind.BETTER: better,
    }

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        self.mechanism = mechanism
        self.settles: dict[Key, list[str]] = {}
        self.skip: frozenset[Key] = frozenset()
        self.name = mechanism.name
        self.parameters = Parameters(mechanism)
        self.algebra = self.parameters.algebra(attempt)
        self.definitions: list[str] = []
        self.theorems: list[str] = []
        self._used: dict[str, int] = {}
        self._levels: dict[Any, CoqLevel] = {}

    @abstractmethod
    def table(self) -> None:
        """Define the randomizer and what its estimate adds; prove that it is stochastic."""

    @abstractmethod
    def privacy(self, level: CoqLevel) -> None:
        """The theorem of an `LDP` claim."""

    @abstractmethod
    def tight(self, level: CoqLevel) -> None:
        """The theorem that no smaller epsilon holds."""

    @abstractmethod
    def equal_support(self) -> None:
        """The theorem that every input can give what one can."""

    def classes(self) -> None:
        """The theorem that the pair table's classes are those of the randomizer."""
        raise NotCertifiedError("the classes of a table without concrete outputs")

    def free(self) -> None:
        """Unbiasedness and variance for free cells."""
        raise NotCertifiedError("free cells of this form of table")

    def restricted(self, claim: LDP | MetricLDP | PersonalisedLDP) -> None:
        """The theorem of a bound with a delta, by distance, or within a region."""
        raise NotCertifiedError(f"{claim.describe()}, of this form of table")

    def tight_delta(self, claim: LDP) -> None:
        """The theorem that no smaller delta holds."""
        raise NotCertifiedError(f"{claim.describe()}, of this form of table")

    def same(self, claim: SameTable) -> None:
        """The theorem that another mechanism has the same table."""
        raise NotCertifiedError(f"{claim.describe()}: forms of table that are not compared")

    def written(self, claim: Unbiased) -> None:
        """The theorem of an `Unbiased` claim with written weights."""
        raise NotCertifiedError(f"{claim.describe()}, in this form of table")

    @abstractmethod
    def unbiased(self) -> None:
        """The theorem of an `Unbiased` claim, without written weights."""

    @abstractmethod
    def variance_form(self) -> tuple[str, tuple[str, ...]]:
        """(tactic that proves the library's variance, tactics with which its algebra begins)."""

    @abstractmethod
    def variance_side(self, share: Side) -> Side:
        """The library's variance of a count for n users, of whom a share holds the value."""

    def variance_value(self, share: Any) -> Any:
        """The variance of a count for n users, at one share, in the spec's own terms."""
        raise NotCertifiedError(f"Optimal over a parameter needs a Variance at the share {share}")

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

    def absorb(self, other: Theorems) -> None:
        """Take over what was printed of another table, under its own names."""
        known = [name for name in other.libraries if name not in self.libraries]
        self.libraries = (*self.libraries, *known)
        self.definitions += other.definitions
        self.algebra.lemmas += other.algebra.lemmas
        self.algebra.stages |= dict.fromkeys(other.algebra.stages, self.doing)
        self.theorems += other.theorems

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
        full = f"{self.name}_{suffix}"
        own = () if self.doing == TABLE else (self.doing,)
        for key in LAWS.get(suffix, own):
            self.settles.setdefault(key, []).append(full)
        self.algebra.stages[full] = self.doing
        names = " ".join([*p.names, *(name for name, _ in p.hypotheses)])
        lines = [*([f"intros {names}."] if names else []), *p.steps, *steps]
        proof = "\n  ".join(lines)
        head = f"Theorem {full} : {binder}{premises}".rstrip()
        self.theorems.append(f"{head}\n  {conclusion}.\nProof.\n  {proof}\nQed.")

    def closed(self, value: Any) -> str:
        """A spec expression over the binders."""
        return self.parameters.closed.real(value)

    def written_weights(self, claim: Unbiased) -> tuple[str, str]:
        """Both weights of an `Unbiased` claim over the binders, as arguments."""
        return self.closed_atom(claim.supported), self.closed_atom(claim.otherwise)

    def closed_atom(self, value: Any) -> str:
        """A spec expression over the binders, as an argument."""
        return self.parameters.closed.atom(value)

    def beside(self, mechanism: Mechanism) -> Theorems:
        """Theorems about another table in the same parameters."""
        made: Theorems = theorems_of(mechanism, self.algebra.attempt)
        return made

    def side(self, value: Any) -> Side:
        """A spec expression over the real variables."""
        return self.algebra.side(value, self.mechanism.algebraic("table", value))

    def printing_users(self) -> None:
        """Let lemmas speak of n and f from here on."""
        self.algebra.spelling = self.parameters.open.with_atom(n, "n").with_atom(f, "f")

    @property
    def doing(self) -> Key:
        """The obligation whose theorem is being printed."""
        return self.algebra.doing

    def print(self) -> None:
        """Print the table, what is said of it in any case, and every claim.

        Raises:
            NotCertifiedError: something has no certificate or no printed form: what `doing` says.
        """
        self.table()
        self._stage((None, Kind.DEFINED), lambda: needed(self))
        if shares_support(self.mechanism.claims):
            self._stage((None, Kind.EQUAL_SUPPORT), self.equal_support)
        self._stage((None, Kind.CLASS_COUNTS), self.classes)
        self._stage((None, Kind.FREE_CELLS), self.free)
        self.claims()

    def claims(self) -> None:
        """Print every claim."""
        self.printing_users()
        for position, claim in enumerate(with_regions(self.mechanism)):
            for kind, printing in self._printings(claim):
                self._stage((position, kind), printing)

    def _stage(self, key: Key, printing: Callable[[], None]) -> None:
        if key not in self.skip:
            self.algebra.doing = key
            printing()

    def _printings(self, claim: Claim) -> Iterator[tuple[Kind, Callable[[], None]]]:
        """(kind of obligation, what prints its theorems) for a claim."""
        for kind in claim.kinds:
            if kind in self.printings:
                yield kind, partial(self.printings[kind], self, claim)

    def bound(self, claim: Privacy, *, tight: bool) -> None:
        """The theorem of a bound, or that no smaller epsilon or delta holds."""
        if isinstance(claim, LDP) and claim.delta == 0:
            (self.tight if tight else self.privacy)(self.level(claim.epsilon))
        elif isinstance(claim, LDP) and tight:
            self.tight_delta(claim)
        else:
            self.restricted(claim)

    def level(self, epsilon: Any) -> CoqLevel:
        """The bound e^epsilon of a privacy claim; its lemmas are printed once."""
        if epsilon not in self._levels:
            self._levels[epsilon] = self._level(epsilon)
        return self._levels[epsilon]

    def _level(self, epsilon: Any) -> CoqLevel:
        """The bound e^epsilon.

        Raises:
            NotCertifiedError: epsilon is neither a multiple of eps nor a logarithm.
        """
        generator = self.mechanism.generator
        if isinstance(epsilon, sympy.log):
            inner = epsilon.args[0]
            zero = Side("0", sympy.Integer(0))
            positive = self.algebra.inequality("level", zero, "<", self.side(inner))
            closed = self.closed(inner)
            proof = f"(exp_ln _ ({positive}))"
            return CoqLevel(f"(ln ({closed}))", self.side(inner), closed, proof)
        if epsilon == 0:
            return CoqLevel("0", Side("1", sympy.Integer(1)), "1", "exp_0")
        power = None if generator.eps is None else epsilon / generator.eps * generator.root
        if power is None or not power.is_Integer or power <= 0:
            raise NotCertifiedError(f"epsilon = {epsilon} is no multiple of eps and no log(...)")
        spelling = self.parameters.closed.with_atom(generator.eps, "eps")
        written = spelling.atom(epsilon)
        ratio = self.side(sympy.exp(epsilon))
        closed = self.closed(sympy.exp(epsilon))
        if power == 1:
            return CoqLevel(written, ratio, closed, "eq_refl")
        base = "eps" if generator.root == 1 else f"(eps / {generator.root})"
        proof = f"(exp_power {base} {power} {written} ltac:(simpl INR; field))"
        return CoqLevel(written, ratio, closed, proof)

    def variance(self, claim: Variance) -> None:
        """The theorem of a `Variance` claim, at every share or at one."""
        tactic, begin = self.variance_form()
        before = " ".join(filter(None, begin))
        value = self.side(claim.value)
        given = [*self.parameters.arguments]
        weight = self.at(f"{self.name}_weight")
        if claim.at_f is None:
            left = self.variance_side(Side("f", f))
            name = self.algebra.equation(
                f"variance{self.again('variance')}", left, value, before, {**USERS, **SHARE}
            )
            call = " ".join(
                [name, *given, "n f", *self.parameters.evidence, "n_lower f_lower f_upper"]
            )
            self.theorem(
                Kind.VARIANCE,
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
            f"{suffix}{self.again(suffix)}", left, value, before, dict(USERS)
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

    def again(self, suffix: str) -> str:
        """The number that the next theorem of this suffix gets, if it is not the first."""
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
        share = claim.at_f
        stated = [c for c in self.mechanism.claims if isinstance(c, Variance) and c.at_f == share]
        known = stated[0] if stated else Variance(self.variance_value(share), at_f=share)
        if not stated:
            self.variance(known)
        optimal_parameter(self, symbol, known.value, claim.values[symbol], share)

    @abstractmethod
    def in_domain(self, variable: str) -> str:
        """Return the Coq text that a natural number is an input."""

    def holds(self, claim: Holds) -> None:
        """The theorem of an equation or inequality between parameters."""
        left, right = claim.relation.lhs, claim.relation.rhs
        if isinstance(claim.relation, sympy.Ge | sympy.Gt):
            left, right = right, left
        label = f"holds{self.again('holds')}"
        if isinstance(claim.relation, sympy.Eq):
            relation, prove = "=", self.algebra.equation(label, self.side(left), self.side(right))
        else:
            relation = "<" if isinstance(claim.relation, sympy.Lt | sympy.Gt) else "<="
            prove = self.algebra.inequality(label, self.side(left), relation, self.side(right))
        self.theorem(
            Kind.HOLDS, f"{self.closed(left)} {relation} {self.closed(right)}", f"exact ({prove})."
        )

    @staticmethod
    def goals(*proofs: str) -> str:
        """Return the tactic that closes goals one by one, with a term each."""
        return "[ " + " | ".join(f"exact {proof}" for proof in proofs) + " ]"
