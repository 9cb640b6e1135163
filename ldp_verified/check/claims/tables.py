"""Claims about one mechanism, decided by `verify`; relations between parameters likewise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.check.claims.rulings import Ruling, RulingKind, all_of, open_because
from ldp_verified.check.claims.wording import declaration, domain, formula, of_mechanism
from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language import BetterThan, Holds, Matrix, Mechanism, Parameter, load
from ldp_verified.language.claims import Claim
from ldp_verified.language.feasible import interior_point
from ldp_verified.prove import Status, Verdict

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context

LAWS = (Kind.NONNEGATIVE, Kind.SUMS_TO_ONE)
"""The laws without which there is no table, and nothing to claim of it."""


def ruling_of(verdicts: Sequence[Verdict]) -> Ruling:
    """The verdicts on all obligations of one claim, as one ruling."""
    against = [v for v in verdicts if v.status is Status.REFUTED]
    if against:
        worst = against[0]
        return Ruling(RulingKind.REFUTED, worst.checkers, worst.detail, worst.witness)
    sized = [v for v in verdicts if v.status is Status.ENUMERATED and v.alone is not None]
    waiting = [v for v in verdicts if not v.status.for_all and v not in sized]
    if not verdicts:
        return open_because("nothing was decided")
    if waiting:
        status = f"{waiting[0].status}: " if waiting[0].status is not Status.OPEN else ""
        return open_because(f"{waiting[0].obligation}: {status}{waiting[0].detail}")
    common = [name for name in verdicts[0].checkers if all(name in v.checkers for v in verdicts)]
    # What is proved from enumerated class counts is enumerated too; the detail names the sizes.
    kind, shown = (RulingKind.CHECKED, sized[0]) if sized else (RulingKind.PROVED, verdicts[0])
    return Ruling(kind, tuple(common), shown.detail)


@dataclass(frozen=True)
class Table:
    """A claim about a mechanism: its epsilon, estimator, variance, optimum, a comparison.

    Attributes:
        mechanism: the declaration; its own claims are not looked at.
        claim: one of the vocabulary's.
    """

    mechanism: Mechanism
    claim: Claim

    def says(self) -> str:
        """The statement, rendered."""
        return of_mechanism(self.mechanism, [self.claim])

    def announce(self, context: Context) -> None:
        """Ask together with the other claims about the mechanism."""
        context.announce(self.mechanism, self.claim)

    def decide(self, context: Context) -> Ruling:
        """All obligations of the claim, and the laws of a table."""
        laws = context.verdicts(self.mechanism, None)
        table = ruling_of([v for v in laws if v.obligation in LAWS])
        broken = [
            v for v in laws if v.obligation == Kind.CLASS_COUNTS and v.status is Status.REFUTED
        ]
        if broken or table.kind in (RulingKind.OPEN, RulingKind.REFUTED):
            why = broken or [v for v in laws if v.obligation in LAWS and not v.status.for_all]
            return open_because(f"no table: {why[0].obligation} is {why[0].status}")
        found = ruling_of(context.verdicts(self.mechanism, self.claim))
        if table.kind is RulingKind.CHECKED and found.kind is RulingKind.PROVED:
            found = replace(table, checkers=found.checkers)
        if isinstance(self.claim, BetterThan) and self.claim.condition is None:
            return self._region(context, found)
        return found

    def _region(self, context: Context, found: Ruling) -> Ruling:
        derived = context.verification(self.mechanism).derived
        texts = [text for name, text in derived.items() if name.startswith("less variance than")]
        if found.kind is not RulingKind.PROVED or len(texts) != 1:
            return found
        region = texts[0].removeprefix("iff ")
        return Ruling(RulingKind.REGION, found.checkers, found.detail, None, region)


@dataclass(frozen=True)
class Law:
    """A law of every table, of this one: "equal_support" says that some finite epsilon holds.

    Attributes:
        mechanism: the declaration. law: nonnegative | sums_to_one | equal_support.
    """

    mechanism: Mechanism
    law: str

    def says(self) -> str:
        """The statement, rendered."""
        return f"{declaration(self.mechanism)}: {Kind(self.law).text}"

    def announce(self, context: Context) -> None:
        """Ask together with the other claims about the mechanism."""
        context.announce(self.mechanism, None)

    def decide(self, context: Context) -> Ruling:
        """The verdict on the law."""
        verdicts = context.verdicts(self.mechanism, None)
        return ruling_of([v for v in verdicts if v.obligation == self.law])


@dataclass(frozen=True)
class OfSpec:
    """Claims about a mechanism that the catalogue may not have yet, decided once it has it.

    Attributes:
        name: of the mechanism.
        claims: from its declaration to the claims; by default those that its own file makes.
        file: of the catalogue, where it has another name.
    """

    name: str
    claims: Callable[[Mechanism], Sequence[Claim]] = lambda mechanism: mechanism.claims
    file: str = ""
    _made: list[Table] = field(default_factory=list, repr=False, compare=False)

    def _checks(self) -> list[Table]:
        if not self._made:
            try:
                found = {m.name: m for m in load(self.file or self.name)}
            except SpecError:
                return []
            if self.name not in found:
                return []
            mechanism = found[self.name]
            self._made.extend(Table(mechanism, claim) for claim in self.claims(mechanism))
        return self._made

    def says(self) -> str:
        """The statement, rendered."""
        checks = self._checks()
        if not checks:
            return f"no formal version yet: no spec of {self.name}"
        return of_mechanism(checks[0].mechanism, [check.claim for check in checks])

    def announce(self, context: Context) -> None:
        """Ask about the mechanism, where the catalogue has it."""
        for check in self._checks():
            check.announce(context)

    def decide(self, context: Context) -> Ruling:
        """All of the claims; open where the catalogue has no such mechanism."""
        checks = self._checks()
        if not checks:
            return open_because(f"no spec of {self.name} yet")
        return all_of(check.decide(context) for check in checks)


def equal(left: Any, right: Any) -> Any:
    """Make an equation that nobody has decided yet.

    Args:
        left, right: its sides, expressions.

    Returns:
        `sympy.Eq`, without evaluation.
    """
    return sympy.Eq(left, right, evaluate=False)


HALF = sympy.Rational(1, 2)


@dataclass(frozen=True)
class Relation:
    """An equation or inequality for all values of parameters, e^eps among them.

    Rational in the parameters and in one e^(eps/q), like every claim; `Ladder` is for what mixes
    eps and e^eps.

    Attributes:
        relation: Eq, <=, <, >= or >, made with evaluate=False where sympy would decide it.
        parameters: every symbol of it, with its domain.
    """

    relation: Any
    parameters: tuple[Parameter, ...]
    _about: list[tuple[Mechanism, Holds]] = field(default_factory=list, repr=False, compare=False)

    def _subject(self) -> tuple[Mechanism, Holds]:
        """A mechanism with these parameters, whose table says nothing, and the relation."""
        if not self._about:
            blank = Mechanism(
                "relation",
                title="a relation between parameters",
                parameters=list(self.parameters),
                table=Matrix([[HALF, HALF], [HALF, HALF]]),
            )
            self._about.append((blank, Holds(self.relation)))
        return self._about[0]

    def says(self) -> str:
        """The statement, rendered."""
        return f"{domain(self.parameters)}: {formula(self.relation)}"

    def announce(self, context: Context) -> None:
        """Ask about the relation."""
        context.announce(*self._subject())

    def decide(self, context: Context) -> Ruling:
        """Return the ruling of certificate, solver and evaluation."""
        return ruling_of(context.verdicts(*self._subject()))


@dataclass(frozen=True)
class OnlyIf:
    """An equation that holds exactly where another one does.

    Their two differences are shown to have a quotient that is nowhere 0, so that one of them is 0
    exactly where the other is.

    Attributes:
        equation, region: made by `equal`. parameters: every symbol of both, with its domain.
    """

    equation: Any
    region: Any
    parameters: tuple[Parameter, ...]

    def _checks(self) -> tuple[Relation, Relation]:
        gap = self.equation.lhs - self.equation.rhs
        edge = self.region.lhs - self.region.rhs
        quotient = sympy.factor(sympy.cancel(sympy.together(gap / edge)))
        inside = interior_point({each: each.domain for each in self.parameters})
        above = sympy.N(quotient.subs(inside)).is_positive
        sign = sympy.Gt if above else sympy.Lt
        return (
            Relation(equal(gap, quotient * edge), self.parameters),
            Relation(sign(quotient, 0, evaluate=False), self.parameters),
        )

    def says(self) -> str:
        """The statement, rendered."""
        holds, where = formula(self.equation), formula(self.region)
        return f"{domain(self.parameters)}: {holds} exactly where {where}"

    def announce(self, context: Context) -> None:
        """Ask for both relations."""
        for check in self._checks():
            check.announce(context)

    def decide(self, context: Context) -> Ruling:
        """The region where both relations are proved, else the weaker of the two."""
        both = all_of(check.decide(context) for check in self._checks())
        if both.kind is not RulingKind.PROVED:
            # A quotient that changes sign shows that the region is wrong, not where it is.
            return open_because(f"{formula(self.region)} is not shown to be the region")
        return Ruling(RulingKind.REGION, both.checkers, both.detail, None, formula(self.region))
