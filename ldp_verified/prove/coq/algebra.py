"""Algebraic lemmas over real variables, with the certificates that Coq checks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import sympy

from ldp_verified.kinds import Key
from ldp_verified.language import Domain, f, n
from ldp_verified.language.parameters import Condition
from ldp_verified.prove.coq.signs import Factor, SignProofs
from ldp_verified.prove.coq.terms import NotCertifiedError, Spelling, cancelled, together

TABLE: Key = (None, "table")

MOST_DOMAINS = 64
"""Domains whose signs are kept."""

USERS = {n: Domain(lower=sympy.Integer(1))}
SHARE = {f: Domain(lower=sympy.Integer(0), upper=sympy.Integer(1))}
"""The domains of n and f, over which variances are stated."""


@dataclass(frozen=True)
class Side:
    """One side of an equation or inequality: as it is printed, and as sympy knows it.

    Attributes:
        text, value: the two. parts: what stands in the text and may have cancelled in the value.
    """

    text: str
    value: Any
    parts: tuple[Any, ...] = ()

    @property
    def inner(self) -> tuple[Any, ...]:
        """Everything that the text is made of."""
        return tuple(dict.fromkeys((self.value, *self.parts)))

    def atom(self) -> str:
        """The text as an argument."""
        plain = all(c.isalnum() or c == "_" for c in self.text)
        return self.text if plain else f"({self.text})"


@dataclass(frozen=True)
class CoqLevel:
    """The bound of a privacy claim.

    Attributes:
        epsilon: the claimed epsilon as a Coq term. ratio: e^epsilon over the real variables.
        closed_ratio: the same over the binders. proof: of exp epsilon = closed_ratio.
    """

    epsilon: str
    ratio: Side
    closed_ratio: str
    proof: str


@dataclass
class Algebra:
    """The lemmas of one mechanism.

    Attributes:
        prefix: what names begin with. domains: the real variables, in order.
        spelling: how they are written. arguments: the Coq terms that stand for the variables in
            theorems, in order. evidence: for every hypothesis, the term that proves it there.
        attempt: print a lemma without a certificate with a proof by search, instead of refusing.
        lemmas: the printed lemmas. trivial: equations with the same text on both sides.
        doing: the obligation for which lemmas are printed now. stages: lemma or theorem -> the
            obligation for which it was printed. repeats: whether one lemma serves wherever an
            inequality is written alike or a factor's sign is needed, as in most cells of a table.
    """

    prefix: str
    domains: dict[Any, Domain]
    spelling: Spelling
    arguments: list[str]
    evidence: list[str]
    attempt: bool = False
    lemmas: list[str] = field(default_factory=list)
    trivial: set[str] = field(default_factory=set)
    doing: Key = TABLE
    stages: dict[str, Key] = field(default_factory=dict)
    repeats: bool = False
    _made: dict[tuple[Any, ...], str] = field(default_factory=dict)
    _signed: dict[str, str] = field(default_factory=dict)

    def side(self, value: Any, algebraic: Any = None) -> Side:
        """A spec expression; `algebraic` is the same over the variables (default: itself)."""
        return Side(self.spelling.real(value), value if algebraic is None else algebraic)

    def rewriting(self, name: str) -> str:
        """The tactic that rewrites with an equation of these lemmas inside another of them."""
        if name in self.trivial:
            return ""
        variables = " ".join(self.spelling.atoms[symbol] for symbol in self.domains)
        return f"rewrite ({self.prefix}_{name} {variables}) by assumption."

    def _unused(self, name: str) -> str:
        """The name, with a number if a lemma has it already: two claims may be of one kind."""
        candidates = itertools.chain([name], (f"{name}_{i}" for i in itertools.count(2)))
        return next(candidate for candidate in candidates if candidate not in self.stages)

    def _hypotheses(self, domains: dict[Any, Domain]) -> list[str]:
        return [text for _, texts in bounds(domains, self.spelling) for text in texts]

    def _signs(self, extra: dict[Any, Domain]) -> SignProofs:
        domains = {**self.domains, **extra}
        spelling = self.spelling
        atoms = frozenset(spelling.atoms.items())
        key = (tuple(domains.items()), atoms, spelling.eps, spelling.root, spelling.generator)
        return _known_signs(key, domains, spelling)

    def _lemma(self, name: str, conclusion: str, steps: list[str], extra: dict[Any, Domain]) -> str:
        domains = {**self.domains, **extra}
        full = self._unused(f"{self.prefix}_{name}")
        self.stages[full] = self.doing
        names = " ".join(self.spelling.atoms[s] for s in domains if s in self.spelling.atoms)
        binder = f"forall {names} : R, " if names else ""
        premises = " ".join(f"{h} ->" for h in self._hypotheses(domains))
        proof = "\n  ".join(["intros.", *steps])
        head = f"Lemma {full} : {binder}{premises}".rstrip()
        self.lemmas.append(f"{head}\n  {conclusion}.\nProof.\n  {proof}\nQed.")
        return " ".join([full, *self.arguments, *self.evidence]) if not extra else full

    def _asserted(
        self, signs: SignProofs, factors: list[Factor], extra: dict[Any, Domain] | None = None
    ) -> list[str]:
        """The steps that assert the signs of factors; where lemmas serve again, each by one."""
        lines = signs.asserted(factors)
        if not self.repeats or extra:
            return list(lines)
        variables = " ".join(self.spelling.atoms[symbol] for symbol in self.domains)
        for line, conclusion in lines.items():
            if line not in self._signed:
                name = f"sign_{len(self._signed)}"
                self._signed[line] = f"{self._unused(f'{self.prefix}_{name}')} {variables}"
                self._lemma(name, conclusion, [line, "assumption."], {})
        return [
            f"assert ({conclusion}) by (apply ({self._signed[line]}); assumption)."
            for line, conclusion in lines.items()
        ]

    def equation(
        self,
        name: str,
        left: Side,
        right: Side,
        before: str = "",
        extra: dict[Any, Domain] | None = None,
    ) -> str:
        """left = right, by `field`. Returns the proof term for the theorem's arguments.

        Printed whether it holds or not: the kernel decides.
        """
        if left.text == right.text:
            self.trivial.add(name)
        signs = self._signs(extra or {})
        difference = together(left.value - right.value)
        denominators = [
            *(d for part in (*left.inner, *right.inner) for d in signs.denominators(part)),
            # Fractions of fractions have other denominators once they are over one.
            *signs.denominators(difference),
        ]
        signed = self._asserted(signs, denominators, extra)
        steps = [*signed, *([before] if before else []), "equation."]
        return self._lemma(name, f"{left.text} = {right.text}", steps, extra or {})

    def inequality(
        self,
        name: str,
        left: Side,
        relation: str,
        right: Side,
        before: str = "",
        extra: dict[Any, Domain] | None = None,
    ) -> str:
        """left <= right or left < right, by a certificate for the difference.

        Raises:
            NotCertifiedError: none was found (unless `attempt`).
        """
        more = extra or {}
        key = (left.text, relation, right.text, before, tuple(more.items()))
        if self.repeats and key in self._made:
            return self._made[key]
        try:
            steps = self._certified(left, relation, right, before, more)
        except NotCertifiedError:
            if not self.attempt:
                raise
            steps = [*([before] if before else []), "nra."]
        self._made[key] = self._lemma(name, f"{left.text} {relation} {right.text}", steps, more)
        return self._made[key]

    def nonzero(self, name: str, side: Side) -> str:
        """A polynomial has no zero.

        Raises:
            NotCertifiedError: no certificate of its sign was found.
        """
        _, factor = self._signs({}).factor(side.value)
        if not factor.strict:
            raise NotCertifiedError(f"{side.text} may be 0")
        steps = [*self._asserted(self._signs({}), [factor]), "intros Zero.", "lra."]
        return self._lemma(name, f"{side.text} <> 0", steps, {})

    def certifies(self, left: Side, relation: str, right: Side, before: str = "") -> bool:
        """Return whether a certificate of the inequality is found; prints nothing."""
        try:
            replace(self, repeats=False)._certified(left, relation, right, before, {})
        except NotCertifiedError:
            return False
        return True

    def _certified(
        self, left: Side, relation: str, right: Side, before: str, extra: dict[Any, Domain]
    ) -> list[str]:
        signs = self._signs(extra)
        difference = cancelled(right.value - left.value)
        claim = f"{left.text} {relation} {right.text}"
        inner = [d for part in (*left.inner, *right.inner) for d in signs.denominators(part)]
        if difference == 0:
            if relation == "<":
                raise NotCertifiedError(f"{claim}: both sides are equal")
            signed = self._asserted(signs, inner, extra)
            return [*signed, *([before] if before else []), "right. equation."]
        above, below = (signs.product(part) for part in sympy.fraction(difference))
        strict = all(factor.strict for factor, _ in above.factors)
        if above.sign * below.sign < 0 or (relation == "<" and not strict):
            raise NotCertifiedError(f"{claim}: the difference is {difference}")
        if not all(factor.strict for factor, _ in below.factors):
            raise NotCertifiedError(f"{claim}: a denominator may vanish")
        factors = [f for f, _ in (*above.factors, *below.factors)] + inner
        return [
            *self._asserted(signs, factors, extra),
            *([before] if before else []),
            f"certificate ({signs.written(above)}) ({signs.written(below)}).",
        ]


_SIGNS: dict[tuple[Any, ...], SignProofs] = {}


def _known_signs(
    key: tuple[Any, ...], domains: dict[Any, Domain], spelling: Spelling
) -> SignProofs:
    """The signs over a domain, with whatever was found there before, for another table perhaps."""
    if key not in _SIGNS:
        if len(_SIGNS) >= MOST_DOMAINS:
            _SIGNS.clear()
        _SIGNS[key] = SignProofs(domains, spelling)
    return _SIGNS[key]


def conditions(domain: Domain) -> list[Condition]:
    """The further conditions of a domain that the proofs use."""
    return [condition for condition in domain.also if condition.rational]


def bounds(domains: dict[Any, Domain], spelling: Spelling) -> list[tuple[Any, list[str]]]:
    """The bounds of every symbol as Coq propositions, lower before upper before conditions."""
    found = []
    for symbol, domain in domains.items():
        name = spelling.real(symbol)
        texts = []
        if domain.lower is not None:
            relation = "<" if domain.lower_open else "<="
            texts.append(f"{spelling.real(domain.lower)} {relation} {name}")
        if domain.upper is not None:
            relation = "<" if domain.upper_open else "<="
            texts.append(f"{name} {relation} {spelling.real(domain.upper)}")
        for condition in conditions(domain):
            relation = "<" if condition.strict else "<="
            texts.append(f"0 {relation} {spelling.real(condition.margin)}")
        found.append((symbol, texts))
    return found


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
    parts = (part for term in terms for part in term.inner)
    return Side(text, sum(term.value for term in terms), tuple(dict.fromkeys(parts)))


def product(left: Side, right: Side) -> Side:
    """The product of two sides."""
    text = f"{left.atom()} * {right.atom()}"
    return Side(text, left.value * right.value, (*left.inner, *right.inner))
