"""The parameters of a mechanism as Coq binders and hypotheses, and as real variables of lemmas.

Theorems quantify over eps : R and k : nat; lemmas over real u > 1 and k >= 2. What a theorem's
hypotheses say of exp eps and INR k is exactly what the lemmas need.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ldp_verified.language import (
    Bits,
    Blocks,
    Design,
    Domain,
    HashedOneHot,
    HashedSigns,
    Hyperplanes,
    Mechanism,
)
from ldp_verified.prove.coq.algebra import Algebra, conditions
from ldp_verified.prove.coq.structures import power_of_two, prime_number, size_of
from ldp_verified.prove.coq.terms import NotCertifiedError, Spelling, identifiers


@dataclass
class Parameters:
    """The parameters that every theorem about the mechanism quantifies over.

    Attributes:
        binders: `(eps : R)`, ... names: their names. hypotheses: (name, proposition) pairs.
        steps: tactics after `intros` that bring the hypotheses to the real variables.
        closed: spelling over the binders. open: spelling over the real variables.
        arguments, evidence: see `Algebra`.
    """

    mechanism: Mechanism
    binders: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    hypotheses: list[tuple[str, str]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    closed_atoms: dict[Any, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Go through the parameters.

        Raises:
            NotCertifiedError: a parameter of a kind that is not printed.
        """
        generator = self.mechanism.generator
        variables = list(self.mechanism.variables)
        binder = () if generator.eps is None else ("eps",)
        names = (symbol.name for symbol in variables)
        spelled = identifiers(names, binder, self.mechanism.name)
        self.open_atoms = dict(zip(variables, spelled, strict=True))
        root = generator.root
        self.closed_generator = "exp eps" if root == 1 else f"exp (eps / {root})"
        if generator.eps is not None:
            self.binders.append("(eps : R)")
            self.names.append("eps")
            self.hypotheses.append(("eps_above", "0 < eps"))
        structure = _structure(self.mechanism)
        sized = None if structure is None else structure.determined
        for symbol, domain in self.mechanism.variables.items():
            if symbol == generator.symbol:
                self._generator(domain)
            elif symbol == sized:
                self._size(structure, domain)
            elif domain.integer:
                self._natural(symbol, domain)
            else:
                self._real(symbol, domain)
            self._conditions(symbol, domain)
        if isinstance(structure, HashedSigns):
            self.hypotheses.append(power_of_two(self.natural(structure.buckets)))
        if isinstance(structure, Hyperplanes):
            self.hypotheses.append(prime_number(self.natural(structure.prime)))

    @property
    def closed(self) -> Spelling:
        """Spelling over the binders."""
        generator = self.mechanism.generator
        return Spelling(self.closed_atoms, generator.eps, generator.root, self.closed_generator)

    @property
    def closed_with_generator(self) -> Spelling:
        """Spelling over the binders where the generator has a symbol of its own."""
        generator = self.mechanism.generator
        if generator.eps is None:
            return self.closed
        return self.closed.with_atom(generator.symbol, f"({self.closed_generator})")

    @property
    def open(self) -> Spelling:
        """Spelling over the real variables."""
        generator = self.mechanism.generator
        name = "1" if generator.eps is None else self.open_atoms[generator.symbol]
        return Spelling(self.open_atoms, generator.eps, generator.root, name)

    def algebra(self, attempt: bool) -> Algebra:
        """An empty set of lemmas over the real variables."""
        prefix = f"{self.mechanism.name}_algebra"
        variables = dict(self.mechanism.variables)
        return Algebra(prefix, variables, self.open, self.arguments, self.evidence, attempt)

    def natural(self, value: Any) -> str:
        """An integer expression as a term of type nat: a parameter or a numeral.

        Raises:
            NotCertifiedError: it is neither.
        """
        if getattr(value, "is_Integer", False) and value >= 0:
            return str(value)
        if value in self.closed_atoms and self.closed_atoms[value].startswith("INR "):
            return self.closed_atoms[value].removeprefix("INR ")
        raise NotCertifiedError(f"{value} is neither an integer parameter nor a number")

    def _generator(self, domain: Domain) -> None:
        """e^(eps/root), which is above 1 because eps is above 0; other bounds are hypotheses."""
        root = self.mechanism.generator.root
        inner = "eps eps_above" if root == 1 else f"(eps / {root}) ltac:(lra)"
        self.arguments.append(f"({self.closed_generator})")
        above = f"pose proof (exp_above_1 {inner}) as generator_above."
        if domain.lower == 1:
            self.steps.append(above)
            self.evidence.append("generator_above")
        self._between(domain, "eps", f"({self.closed_generator})", lower=domain.lower != 1)

    def _between(self, domain: Domain, name: str, term: str, *, lower: bool = True) -> None:
        """The bounds of a real as hypotheses."""
        shown = self.closed_with_generator
        if lower and domain.lower is not None:
            relation = "<" if domain.lower_open else "<="
            self._suppose(f"{name}_lower", f"{shown.real(domain.lower)} {relation} {term}")
        if domain.upper is not None:
            relation = "<" if domain.upper_open else "<="
            self._suppose(f"{name}_upper", f"{term} {relation} {shown.real(domain.upper)}")

    def _conditions(self, symbol: Any, domain: Domain) -> None:
        """The further conditions as hypotheses."""
        name = "eps" if symbol == self.mechanism.generator.symbol else self.open_atoms[symbol]
        for number, condition in enumerate(conditions(domain), 1):
            relation = "<" if condition.strict else "<="
            text = self.closed_with_generator.real(condition.margin)
            self._suppose(f"{name}_also_{number}", f"0 {relation} {text}")

    def _suppose(self, label: str, text: str) -> None:
        self.hypotheses.append((label, text))
        self.evidence.append(label)

    def _natural(self, parameter: Any, domain: Domain) -> None:
        name = self.open_atoms[parameter]
        if domain.lower is None or (domain.lower.is_number and domain.lower < 0):
            raise NotCertifiedError(f"integer parameter {parameter} without a bound >= 0")
        self.binders.append(f"({name} : nat)")
        self.names.append(name)
        self.closed_atoms[parameter] = f"INR {name}"
        self.arguments.append(f"(INR {name})")
        for bound, lower in ((domain.lower, True), (domain.upper, False)):
            if bound is None:
                continue
            label = f"{name}_{'lower' if lower else 'upper'}"
            if bound.is_Integer:
                text = f"{bound} <= {name}" if lower else f"{name} <= {bound}"
                self.hypotheses.append((label, f"({text})%nat"))
                lemma = f"real_at_least {bound} {name} {label}"
                if not lower:
                    lemma = f"real_at_most {bound} {name} ltac:(lia) {label}"
                self.steps.append(f"pose proof ({lemma}) as {label}_real.")
                self.evidence.append(f"{label}_real")
            else:
                shown = self.closed_with_generator.real(bound)
                text = f"{shown} <= INR {name}" if lower else f"INR {name} <= {shown}"
                self._suppose(label, text)

    def _real(self, parameter: Any, domain: Domain) -> None:
        name = self.open_atoms[parameter]
        self.binders.append(f"({name} : R)")
        self.names.append(name)
        self.closed_atoms[parameter] = name
        self.arguments.append(name)
        self._between(domain, name, name)

    def _size(self, structure: Any, domain: Domain) -> None:
        parameter = structure.determined
        size = size_of(structure, self.natural)
        if domain.lower != size.least or domain.upper is not None:
            raise NotCertifiedError(f"the number {parameter} must be at_least={size.least}")
        self.closed_atoms[parameter] = size.term
        self.arguments.append(f"({size.term})")
        self.steps.append(f"pose proof ({size.proof}) as family_lower.")
        self.evidence.append("family_lower")


def _structure(mechanism: Mechanism) -> Any:
    """Return the library's structure that determines a parameter of the table; else None."""
    table = mechanism.table
    if isinstance(table, Design) and not isinstance(table.structure, Blocks):
        fixed = isinstance(table.structure, Hyperplanes) and table.structure.prime.is_Integer
        return None if fixed else table.structure
    if isinstance(table, Bits) and isinstance(table.encoder, HashedOneHot):
        return table.encoder
    return None
